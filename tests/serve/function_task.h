// Tasks of a scheduler as functions.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "heed/serve/scheduling.h"

namespace heed::testing {

// Calls a function in each turn, which says whether there is another one.
class FunctionTask : public ScheduledTask {
 public:
  explicit FunctionTask(std::function<bool()> turn) : turn_(std::move(turn)) {}
  std::optional<int64_t> turn() override {
    return turn_() ? std::optional<int64_t>(1) : std::nullopt;
  }
  void failed(std::exception_ptr error) override {
    if (on_failed) on_failed(std::move(error));
  }
  std::function<void(std::exception_ptr)> on_failed;

 private:
  std::function<bool()> turn_;
};

// A task of one turn.
inline std::shared_ptr<FunctionTask> one_turn(std::function<void()> function) {
  return std::make_shared<FunctionTask>([function = std::move(function)] {
    function();
    return false;
  });
}

}  // namespace heed::testing
