// Reverse-mode differentiation: a list of backward steps, and the gradients they pass on.
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "heed/backend/backend.h"

namespace heed {

// The memory for a gradient, and how it must be written.
struct GradientBuffer {
  Tensor tensor;
  WriteMode mode;
};

// The operands of a linear layer's gradients: dweight = dy^T x, dbias = the column sums of dy.
struct WeightGradientOperands {
  Tensor weight;  // [out, in]
  Tensor dy, x;   // [rows, out], [rows, in]
};

// Records the backward steps of one forward pass in the order of execution; backward() runs them in
// reverse. Each step gets the finished gradient of its output, which it may overwrite, and whose
// memory is freed afterwards unless the step keeps it. There is one gradient per storage: all views
// of a tensor, as slice() and reshape() return them, write to their part of it.
//
// A step keeps handles of the tensors of the forward pass that it reads. So an op may write into an
// operand only if last_handle() says that nothing else can read it.
class Tape {
 public:
  explicit Tape(TensorPool& pool) : pool_(pool) {}

  // backward() writes the gradient of `parameter` (a whole tensor) to `gradient`: in place of its
  // former values, or added to them.
  void watch(const Tensor& parameter, Tensor gradient, WriteMode mode = WriteMode::overwrite);

  // backward() does not compute the gradients of `weight` (a whole tensor) and of the bias that
  // linear() adds to its product: take_deferred() returns their operands instead.
  void defer(const Tensor& weight);
  bool is_deferred(const Tensor& weight) const;
  // Called by a backward step of such a weight; dy and x must not be written to later.
  void add_deferred(WeightGradientOperands operands) { deferred_.push_back(std::move(operands)); }
  // In the order of the backward steps.
  std::vector<WeightGradientOperands> take_deferred() { return std::exchange(deferred_, {}); }

  // `output` is a new, whole tensor.
  void record(const Tensor& output, std::function<void(Tensor& doutput)> backward);
  // Makes `gradient` the gradient of x, a whole tensor: where backward() starts. Backward steps
  // write to `gradient`.
  void set_gradient(const Tensor& x, Tensor gradient);
  // Whether `x` is the only handle of its storage, except for the tape's own.
  bool last_handle(const Tensor& x) const;

  // The buffer for the gradient of x, which the caller must fill as its mode says. If x is neither
  // watched nor recorded, so that nothing reads its gradient, it is a new tensor on each call.
  GradientBuffer gradient_buffer(const Tensor& x);
  // The same for kernels that only add: a buffer to be overwritten is filled with zeros first.
  Tensor accumulation_buffer(const Tensor& x);

  // Runs all steps, then zeroes watched gradients that none of them touched.
  void backward();

 private:
  struct Entry {
    Tensor source;      // all of it; keeps the storage alive, by which it is found
    Tensor gradient;    // none before the first gradient_buffer()
    bool fresh = true;  // nothing written yet
  };
  struct Step {
    const Storage* output;
    std::function<void(Tensor&)> backward;
  };
  Entry* find(const Tensor& x);

  TensorPool& pool_;
  std::unordered_map<const Storage*, Entry> entries_;
  std::vector<Step> steps_;
  std::unordered_set<const Storage*> deferred_weights_;
  std::vector<WeightGradientOperands> deferred_;
};

}  // namespace heed
