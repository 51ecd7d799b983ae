#include "heed/serve/http/exchange.h"

#include <utility>

#include "heed/serve/http/connection-inl.h"
#include "heed/serve/http/response_bytes.h"

namespace heed {
namespace detail {
namespace {

constexpr int kClientGone = 499;  // nginx's

}  // namespace

void AnswerState::on_recorded(std::function<void(int status, double seconds)> on_status) {
  recorded_ = std::move(on_status);
}

void AnswerState::record(int status) {
  if (!recorded_ || is_recorded_.exchange(true)) return;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begun_;
  recorded_(status, seconds.count());
}

void AnswerState::on_gone(std::function<void()> gone) {
  if (gone_) return gone();
  // After the answer it would never be called, and might keep the exchange alive.
  if (!complete_) on_gone_.swap(gone);
}

void AnswerState::complete() {
  complete_ = true;
  std::exchange(on_gone_, {});
}

void AnswerState::client_gone() noexcept {
  if (complete_ || gone_.exchange(true)) return;
  const std::function<void()> gone = std::exchange(on_gone_, {});
  try {
    record(kClientGone);
    if (gone) gone();
  } catch (...) {
  }
}

}  // namespace detail

HttpExchange::HttpExchange(HttpRequest request, detail::HeldBytes body,
                           const std::shared_ptr<detail::Connection>& connection,
                           std::shared_ptr<detail::AnswerState> answer)
    : request_(std::move(request)),
      body_(std::move(body)),
      held_(connection->core().memory),
      core_(connection->core().shared_from_this()),
      connection_(connection),
      answer_(std::move(answer)) {}

HttpExchange::~HttpExchange() {
  try {
    answer_->record(500);
    if (stage_ == Stage::unanswered)
      send_whole(error_response({500, "the request was not answered"}));
    else if (stage_ == Stage::streaming)
      post([](detail::Connection& connection) { connection.abort_stream(); });
  } catch (const std::exception&) {
    // Out of memory: the connection stays open until its client or the server closes it.
  }
}

void HttpExchange::set_headers_and_callback(
    std::vector<HttpHeader> headers, std::function<void(int status, double seconds)> on_status) {
  headers_ = std::move(headers);
  answer_->on_recorded(std::move(on_status));
}

void HttpExchange::respond(HttpResponse response) {
  answer_->record(response.status);  // before the client sees the answer, and asks for the metrics
  if (stage_ != Stage::unanswered) return;
  response.headers.insert(response.headers.end(), headers_.begin(), headers_.end());
  // Here and not on the server's thread, which other clients wait for.
  detail::compress_response(request_, response);
  if (move_on(Stage::unanswered, Stage::answered)) send_whole(std::move(response));
}

void HttpExchange::send_whole(HttpResponse response) {
  answer_->written(response.body.size());
  post([response = std::move(response)](detail::Connection& connection) mutable {
    connection.send_whole(std::move(response));
  });
}

void HttpExchange::hold(size_t bytes) {
  if (!held_.try_set(int64_t(bytes))) throw no_memory_error();
}

void HttpExchange::begin(HttpResponse head) {
  stream_status_ = head.status;
  head.headers.insert(head.headers.end(), headers_.begin(), headers_.end());
  if (!move_on(Stage::unanswered, Stage::streaming)) return;
  answer_->written(head.body.size());
  post([head = std::move(head)](detail::Connection& connection) mutable {
    connection.begin_stream(std::move(head));
  });
}

void HttpExchange::write(std::string chunk) {
  if (stage_ != Stage::streaming || chunk.empty()) return;
  answer_->written(chunk.size());
  post(
      [chunk = std::move(chunk)](detail::Connection& connection) { connection.send_chunk(chunk); });
}

void HttpExchange::end() {
  answer_->record(stream_status_);
  if (move_on(Stage::streaming, Stage::answered))
    post([](detail::Connection& connection) { connection.end_stream(); });
}

void HttpExchange::on_gone(std::function<void()> gone) {
  core_->post(
      [answer = answer_, gone = std::move(gone)]() mutable { answer->on_gone(std::move(gone)); });
}

void HttpExchange::post(std::function<void(detail::Connection&)> action) {
  core_->post([connection = connection_, answer = answer_, action = std::move(action)] {
    const auto open = connection.lock();
    if (open && open->is_answering(*answer)) action(*open);
  });
}

}  // namespace heed
