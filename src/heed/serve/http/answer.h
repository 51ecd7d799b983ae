// The answer to one request, between the threads that make it and the connection that sends it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "heed/serve/http/exchange.h"
#include "heed/serve/http/held_bytes.h"

namespace heed::detail {

// What an exchange and its connection both know.
class AnswerState {
 public:
  explicit AnswerState(std::shared_ptr<RequestMemory> memory) : memory_(std::move(memory)) {}
  ~AnswerState() { sent(unsent_); }

  size_t unsent() const { return gone_ ? 0 : unsent_.load(); }
  // Bytes of the answer's body, which exist: they count even beyond the limit.
  void written(size_t bytes) {
    unsent_ += bytes;
    memory_->add(int64_t(bytes));
  }

  // Keeps the function for client_gone(); false if the client has gone already.
  bool keep_on_gone(std::function<void()> gone);

  // For the connection, on the server's thread:
  void sent(size_t bytes) {
    unsent_ -= bytes;
    memory_->add(-int64_t(bytes));
  }
  // The answer is complete, and on_gone() is forgotten.
  void complete();
  // Calls on_gone() unless the answer is complete. What the function throws is dropped, since a
  // connection that ends has nowhere to report it.
  void client_gone() noexcept;

 private:
  const std::shared_ptr<RequestMemory> memory_;
  std::atomic<size_t> unsent_{0};
  std::mutex mutex_;
  std::atomic<bool> gone_{false};  // written under the mutex
  bool complete_ = false;
  std::function<void()> on_gone_;
};

// What an exchange sends to its connection.
struct AnswerPart {
  enum class Kind { whole, begin, chunk, end, aborted };
  Kind kind = Kind::whole;
  HttpResponse response;  // of whole and begin
  std::string bytes;      // of chunk
};

struct ExchangeConnection {
  std::shared_ptr<AnswerState> state;
  // Both may be called from any thread, and run later on the server's.
  std::function<void(AnswerPart)> deliver;
  std::function<void(std::function<void()>)> post;
};

// `body` is what the request's body holds.
std::shared_ptr<HttpExchange> make_exchange(HttpRequest request, HeldBytes& body,
                                            const std::shared_ptr<RequestMemory>& memory,
                                            ExchangeConnection connection);

}  // namespace heed::detail
