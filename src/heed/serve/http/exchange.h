// A request and the answer to it.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>

#include "heed/serve/http/held_bytes.h"
#include "heed/serve/http/message.h"

namespace heed {
namespace detail {

class Connection;
struct ServerCore;

// The part of an answer that its exchange and its connection share.
class AnswerState {
 public:
  explicit AnswerState(std::shared_ptr<RequestMemory> memory) : memory_(std::move(memory)) {}
  ~AnswerState() { sent(unsent_); }

  size_t unsent() const { return gone_ ? 0 : unsent_.load(); }
  // Counts bytes of the answer's body. They are in memory already, so they count even beyond the
  // limit.
  void written(size_t bytes) {
    unsent_ += bytes;
    memory_->add(int64_t(bytes));
  }

  // The function is called at the first call of record(), and never again. Must be set before it.
  void on_recorded(std::function<void(int status, double seconds)> on_status);
  void record(int status);

  // For the connection, on the server's thread:
  void sent(size_t bytes) {
    unsent_ -= bytes;
    memory_->add(-int64_t(bytes));
  }
  // Keeps the function for client_gone(), unless the answer is complete; calls it if the client has
  // gone already.
  void on_gone(std::function<void()> gone);
  // Nothing will be added to the answer, and the function of on_gone() is released.
  void complete();
  bool is_complete() const { return complete_; }
  // Records status 499 and calls the function of on_gone(), unless the answer is complete.
  // Exceptions are dropped, since a connection that ends has nowhere to report them.
  void client_gone() noexcept;

 private:
  const std::shared_ptr<RequestMemory> memory_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::atomic<size_t> unsent_{0};
  std::atomic<bool> gone_{false}, is_recorded_{false};
  bool complete_ = false;  // this and on_gone_ are used on the server's thread alone
  std::function<void()> on_gone_;
  std::function<void(int status, double seconds)> recorded_;
};

}  // namespace detail

// Answered once: by respond(), or by begin(), any number of write() and end(). All functions may be
// called from any thread and return at once; what is sent after the client has gone is discarded.
// One that is destroyed without an answer answers with status 500; one that is destroyed within a
// stream closes the connection, so that the client sees that the answer is incomplete.
class HttpExchange {
 public:
  // Made by a connection. `body` is the memory of the request's body.
  HttpExchange(HttpRequest request, detail::HeldBytes body,
               const std::shared_ptr<detail::Connection>& connection,
               std::shared_ptr<detail::AnswerState> answer);
  ~HttpExchange();
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;

  const HttpRequest& request() const { return request_; }

  // Sets headers for the answer of the handler, and a function that is called once: with the status
  // of the answer when it is given (a stream: when it ends), with 499 when the client goes away
  // before, with 500 when there is no answer. Called before everything else.
  void set_headers_and_callback(std::vector<HttpHeader> headers,
                                std::function<void(int status, double seconds)> on_status);

  void respond(HttpResponse response);

  // Sets the memory that the request's handler holds for it now, besides its body and its answer.
  // Throws no_memory_error(), and nothing changes, if that is more than HttpLimits::request_bytes
  // leave to it. Released when the exchange is destroyed. Called by one thread at a time.
  void hold(size_t bytes);

  // A streamed answer (chunked). `head.body` is its first chunk, which may be empty. A client of
  // HTTP/1.0 gets the whole as one answer at end().
  void begin(HttpResponse head);
  // Bytes given to write() and not sent yet; 0 once the client has gone. A producer waits while
  // there are many: beyond HttpLimits::unsent_bytes the connection is closed.
  size_t unsent() const { return answer_->unsent(); }
  void write(std::string chunk);
  void end();

  // Calls `gone` once, from the server's thread, if the client goes away before the answer is
  // complete; soon if it already has. Replaces an earlier one. A client that closes its sending
  // side counts as gone, as for nginx and Go. The function is released when the answer is complete.
  void on_gone(std::function<void()> gone);

 private:
  enum class Stage { unanswered, streaming, answered };

  bool move_on(Stage from, Stage to) { return stage_.compare_exchange_strong(from, to); }
  void send_whole(HttpResponse response);
  // Calls the function on the server's thread, unless the connection has closed.
  void post(std::function<void(detail::Connection&)> action);

  const HttpRequest request_;
  std::vector<HttpHeader> headers_;  // of set_headers_and_callback()
  detail::HeldBytes body_, held_;
  const std::shared_ptr<detail::ServerCore> core_;
  const std::weak_ptr<detail::Connection> connection_;
  const std::shared_ptr<detail::AnswerState> answer_;
  std::atomic<Stage> stage_{Stage::unanswered};
  std::atomic<int> stream_status_ = 500;
};

// Called on the server's thread, which it must not block.
using HttpHandler = std::function<void(std::shared_ptr<HttpExchange>)>;

}  // namespace heed
