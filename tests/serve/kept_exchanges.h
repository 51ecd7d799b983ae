// A handler of HTTP requests that leaves the answers to the test.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>

#include "heed/serve/http/server.h"
#include "support/http_client.h"

namespace heed::testing {

using Exchange = std::shared_ptr<HttpExchange>;

// A handler that keeps the exchanges, for the test to answer.
class KeptExchanges {
 public:
  HttpHandler handler() {
    return [this](Exchange exchange) {
      exchange->on_gone([this] { ++gone_; });
      const std::lock_guard lock(mutex_);
      kept_.push_back(std::move(exchange));
    };
  }
  // Waits for the next exchange.
  Exchange next() {
    Exchange exchange;
    EXPECT_TRUE(becomes_true([&] {
      const std::lock_guard lock(mutex_);
      if (kept_.empty()) return false;
      exchange = std::move(kept_.front());
      kept_.erase(kept_.begin());
      return true;
    }));
    return exchange;
  }
  int gone() const { return gone_; }
  bool becomes_gone(int count = 1) const {
    return becomes_true([&] { return gone_ == count; });
  }

 private:
  std::mutex mutex_;
  std::vector<Exchange> kept_;
  std::atomic<int> gone_{0};
};

inline HttpServerOptions with_limits(const HttpLimits& limits) {
  HttpServerOptions options;
  options.limits = limits;
  return options;
}

}  // namespace heed::testing
