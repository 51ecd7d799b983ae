// The answer to one request, between the threads that make it and the connection that sends it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "heed/serve/http/exchange.h"

namespace heed::detail {

// Bytes that count against a limit of the server, from any thread.
class HeldBytes {
 public:
  explicit HeldBytes(std::shared_ptr<std::atomic<int64_t>> total) : total_(std::move(total)) {}
  ~HeldBytes() {
    if (total_) set(0);
  }
  // The other can then only be destroyed.
  HeldBytes(HeldBytes&& other) noexcept = default;
  // Hands the bytes over; this one holds none then.
  HeldBytes take() {
    HeldBytes taken(total_);
    taken.bytes_ = std::exchange(bytes_, 0);
    return taken;
  }
  HeldBytes& operator=(HeldBytes&&) = delete;

  void set(size_t bytes) {
    *total_ += int64_t(bytes) - bytes_;
    bytes_ = int64_t(bytes);
  }
  int64_t total() const { return *total_; }

 private:
  std::shared_ptr<std::atomic<int64_t>> total_;
  int64_t bytes_ = 0;
};

// What an exchange and its connection both know.
class AnswerState {
 public:
  size_t unsent() const { return gone_ ? 0 : unsent_.load(); }
  void written(size_t bytes) { unsent_ += bytes; }

  // Keeps the function for client_gone(); false if the client has gone already.
  bool keep_on_gone(std::function<void()> gone);

  // For the connection, on the server's thread:
  void sent(size_t bytes) { unsent_ -= bytes; }
  // The answer is complete, and on_gone() is forgotten.
  void complete();
  // Calls on_gone() unless the answer is complete. What the function throws is dropped, since a
  // connection that ends has nowhere to report it.
  void client_gone() noexcept;

 private:
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

std::shared_ptr<HttpExchange> make_exchange(HttpRequest request, HeldBytes held,
                                            ExchangeConnection connection);

}  // namespace heed::detail
