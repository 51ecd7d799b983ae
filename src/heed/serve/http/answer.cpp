#include "heed/serve/http/answer.h"

#include <utility>

#include "heed/serve/http/response_bytes.h"

namespace heed::detail {
namespace {

class Exchange final : public HttpExchange {
 public:
  Exchange(HttpRequest request, HeldBytes& body, const std::shared_ptr<RequestMemory>& memory,
           ExchangeConnection connection)
      : request_(std::move(request)),
        body_(memory),
        held_(memory),
        connection_(std::move(connection)) {
    body_.take(body);
  }

  ~Exchange() override {
    try {
      if (stage_ == Stage::unanswered)
        send_whole(error_response(500, "the request was not answered"));
      else if (stage_ == Stage::streaming)
        connection_.deliver({AnswerPart::Kind::aborted, {}, {}});
    } catch (const std::exception&) {
      // Out of memory: the connection stays open until its client or the server closes it.
    }
  }

  const HttpRequest& request() const override { return request_; }

  void respond(HttpResponse response) override {
    if (stage_ != Stage::unanswered) return;
    // Here and not on the server's thread, which other clients wait for.
    compress_response(request_, response);
    if (move_on(Stage::unanswered, Stage::answered)) send_whole(std::move(response));
  }

  void begin(HttpResponse head) override {
    if (!move_on(Stage::unanswered, Stage::streaming)) return;
    connection_.state->written(head.body.size());
    connection_.deliver({AnswerPart::Kind::begin, std::move(head), {}});
  }

  bool hold(size_t bytes) override { return held_.try_set(int64_t(bytes)); }

  size_t unsent() const override { return connection_.state->unsent(); }

  void write(std::string chunk) override {
    if (stage_ != Stage::streaming || chunk.empty()) return;
    connection_.state->written(chunk.size());
    connection_.deliver({AnswerPart::Kind::chunk, {}, std::move(chunk)});
  }

  void end() override {
    if (move_on(Stage::streaming, Stage::answered))
      connection_.deliver({AnswerPart::Kind::end, {}, {}});
  }

  void on_gone(std::function<void()> gone) override {
    if (!connection_.state->keep_on_gone(gone)) connection_.post(std::move(gone));
  }

 private:
  enum class Stage { unanswered, streaming, answered };

  void send_whole(HttpResponse response) {
    connection_.state->written(response.body.size());
    connection_.deliver({AnswerPart::Kind::whole, std::move(response), {}});
  }
  bool move_on(Stage from, Stage to) { return stage_.compare_exchange_strong(from, to); }

  const HttpRequest request_;
  HeldBytes body_, held_;
  const ExchangeConnection connection_;
  std::atomic<Stage> stage_{Stage::unanswered};
};

}  // namespace

bool AnswerState::keep_on_gone(std::function<void()> gone) {
  const std::lock_guard lock(mutex_);
  if (gone_) return false;
  // After the answer it would never be called, and might keep the exchange alive.
  if (complete_) gone = {};
  on_gone_.swap(gone);
  return true;
}

void AnswerState::complete() {
  std::function<void()> dropped;  // destroyed after the lock: it may hold the exchange
  const std::lock_guard lock(mutex_);
  complete_ = true;
  dropped.swap(on_gone_);
}

void AnswerState::client_gone() noexcept {
  std::function<void()> gone;
  {
    const std::lock_guard lock(mutex_);
    if (gone_ || complete_) return;
    gone_ = true;
    gone.swap(on_gone_);
  }
  if (!gone) return;
  try {
    gone();
  } catch (...) {
  }
}

std::shared_ptr<HttpExchange> make_exchange(HttpRequest request, HeldBytes& body,
                                            const std::shared_ptr<RequestMemory>& memory,
                                            ExchangeConnection connection) {
  return std::make_shared<Exchange>(std::move(request), body, memory, std::move(connection));
}

}  // namespace heed::detail
