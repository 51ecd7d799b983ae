// An exchange whose end is recorded.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>

#include "heed/serve/http/exchange.h"

namespace heed {

// Passes everything to another exchange, adds headers to its answer, and calls `ended` once: with
// the status of the answer when it is given (a stream: when it ends), with 499 when the client goes
// away before, with 500 when it is destroyed without an answer.
class RecordedExchange : public HttpExchange {
 public:
  using Ended = std::function<void(int status, double seconds)>;
  RecordedExchange(std::shared_ptr<HttpExchange> exchange, std::vector<HttpHeader> headers,
                   Ended ended);
  ~RecordedExchange() override;

  const HttpRequest& request() const override { return exchange_->request(); }
  void respond(HttpResponse response) override;
  void begin(HttpResponse head) override;
  bool hold(size_t bytes) override { return exchange_->hold(bytes); }
  size_t unsent() const override { return exchange_->unsent(); }
  void write(std::string chunk) override { exchange_->write(std::move(chunk)); }
  void end() override;
  void on_gone(std::function<void()> gone) override;

 private:
  // Shared with on_gone(), which may be called after this is destroyed.
  struct Record {
    void end(int status);
    std::atomic<bool> ended = false;
    std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
    Ended call;
  };

  const std::shared_ptr<HttpExchange> exchange_;
  const std::vector<HttpHeader> headers_;
  const std::shared_ptr<Record> record_;
  std::atomic<int> status_ = 500;  // of a stream, once begun
};

}  // namespace heed
