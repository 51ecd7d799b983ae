// Reverse-mode differentiation: a list of backward steps, and the gradients they pass on.
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "heed/backend/backend.h"

namespace heed {

// Where a gradient goes, and whether something stands there already.
struct GradientSlot {
  Tensor tensor;
  Write write;
};

// The operands of a linear layer's gradients: dweight = dy^T x, dbias = the column sums of dy.
struct WeightGradient {
  Tensor weight;  // [out, in]
  Tensor dy, x;   // [rows, out], [rows, in]
};

// Records the backward steps of one forward pass in the order of execution; backward() runs them in
// reverse. Each step gets the finished gradient of its output, which it may overwrite, and whose
// memory is freed afterwards unless the step keeps it. There is one gradient per storage: all views
// of a tensor, as slice() and reshape() return them, write to their part of it.
//
// A step reads tensors of the forward pass by handles that it keeps. So an op may write into an
// operand only where last_handle() says that nobody else can read it.
class Tape {
 public:
  explicit Tape(Pool& pool) : pool_(pool) {}

  // backward() writes the gradient of `parameter` (a whole tensor) to `gradient`: in place of its
  // former values, or added to them.
  void watch(const Tensor& parameter, Tensor gradient, Write write = Write::overwrite);

  // backward() does not compute the gradients of `weight` (a whole tensor) and of the bias that
  // linear() takes with it: it leaves their operands to take_deferred().
  void defer(const Tensor& weight);
  bool is_deferred(const Tensor& weight) const;
  // Called by a backward step of such a weight; dy and x must not be written to later.
  void add_deferred(WeightGradient operands) { deferred_.push_back(std::move(operands)); }
  // In the order of the backward steps.
  std::vector<WeightGradient> take_deferred() { return std::exchange(deferred_, {}); }

  // `output` is a new, whole tensor.
  void record(const Tensor& output, std::function<void(Tensor& doutput)> backward);
  // Makes `gradient` the gradient of x, a whole tensor: where backward() starts. Backward steps
  // write to `gradient`.
  void seed(const Tensor& x, Tensor gradient);
  // Whether `x` is the only handle of its storage, but for the one by which the tape finds its
  // gradient.
  bool last_handle(const Tensor& x) const;

  // The place for the gradient of x. Whoever asks must fill it by `write`. Of a tensor that is
  // neither watched nor recorded, whose gradient nothing reads, it is a new tensor each time.
  GradientSlot slot(const Tensor& x);
  // The same for kernels that only add: values are zero at first.
  Tensor sum_slot(const Tensor& x);

  // Runs all steps, then zeroes watched gradients that none of them touched.
  void backward();

 private:
  struct Entry {
    Tensor source;      // all of it; keeps the storage alive, by which it is found
    Tensor gradient;    // none until somebody asks for it
    bool fresh = true;  // nothing written yet
  };
  struct Step {
    const Storage* output;
    std::function<void(Tensor&)> backward;
  };
  Entry* find(const Tensor& x);

  Pool& pool_;
  std::unordered_map<const Storage*, Entry> entries_;
  std::vector<Step> steps_;
  std::unordered_set<const Storage*> deferred_weights_;
  std::vector<WeightGradient> deferred_;
};

}  // namespace heed
