// Reverse-mode differentiation: a list of backward steps, and the gradients they pass on.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "heed/backend/backend.h"

namespace heed {

// Where a gradient goes, and whether something stands there already.
struct GradientSlot {
  Tensor tensor;
  Write write;
};

// Records the backward steps of one forward pass in the order of execution; backward() runs them in
// reverse. Each step is handed the finished gradient of its output, whose memory is free again
// afterwards. Gradients are found by storage, so a reshaped tensor shares the gradient of its
// source.
class Tape {
 public:
  explicit Tape(Pool& pool) : pool_(pool) {}

  // The gradient of `parameter` (a whole tensor) is to be left in `gradient`, whose former values
  // do not matter.
  void watch(const Tensor& parameter, const Tensor& gradient);

  void record(const Tensor& output, std::function<void(const Tensor& doutput)> backward);
  // Makes `gradient` the gradient of x: where backward() starts.
  void seed(const Tensor& x, const Tensor& gradient);

  // The place for the gradient of x, or of a view of a watched parameter. Whoever asks must fill it
  // by `write`.
  GradientSlot slot(const Tensor& x);
  // The same for kernels that only add: values are zero at first.
  Tensor sum_slot(const Tensor& x);

  // Runs all steps, then zeroes watched gradients that none of them touched.
  void backward();

 private:
  struct Entry {
    Tensor whole;
    bool fresh = true;  // nothing written yet
    bool watched = false;
  };
  struct Step {
    Tensor output;
    std::function<void(const Tensor&)> backward;
  };
  Entry& entry(const Tensor& x);

  Pool& pool_;
  std::unordered_map<const Storage*, Entry> gradients_;
  std::vector<Step> steps_;
};

}  // namespace heed
