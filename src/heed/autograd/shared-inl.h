// Shared by the source files of ops.
#pragma once

#include <memory>
#include <optional>

#include "heed/autograd/ops.h"

namespace heed::detail {

// A gradient that a kernel can only overwrite. Where the operand has one already, the kernel's goes
// to a tensor that finish() adds to it.
class OverwrittenGradient {
 public:
  OverwrittenGradient(ForwardPass& pass, const Tensor& x)
      : pass_(pass), buffer_(pass.tape->gradient_buffer(x)) {
    if (buffer_.mode == WriteMode::accumulate) own_ = pass.tensor(x.shape(), x.dtype());
  }
  Tensor& tensor() { return own_ ? own_ : buffer_.tensor; }
  void finish() {
    if (own_) pass_.backend.add(own_, buffer_.tensor);
  }

 private:
  ForwardPass& pass_;
  GradientBuffer buffer_;
  Tensor own_;
};

// Adds `gradient` to the gradient of x.
inline void pass_on(ForwardPass& pass, const Tensor& gradient, const Tensor& x) {
  GradientBuffer dx = pass.tape->gradient_buffer(x);
  if (dx.mode == WriteMode::overwrite)
    copy(gradient, dx.tensor);
  else
    pass.backend.add(gradient, dx.tensor);
}

// Where the gradient of a bias is added to; none if there is no bias.
inline Tensor bias_buffer(ForwardPass& pass, const Tensor& bias) {
  return bias ? pass.tape->accumulation_buffer(bias) : Tensor();
}

// The gradients of a linear layer's weight and, where it has one, of its bias: computed now, unless
// the tape defers them.
inline void add_weight_gradient(ForwardPass& pass, WeightGradientOperands operands,
                                const Tensor& bias) {
  const auto& [weight, dy, x] = operands;
  if (pass.tape->is_deferred(weight)) return pass.tape->add_deferred(std::move(operands));
  GradientBuffer dweight = pass.tape->gradient_buffer(weight);
  Tensor dbias = bias_buffer(pass, bias);
  pass.backend.linear_weight_gradient(dy, x, 0, dweight.tensor, bias ? &dbias : nullptr,
                                      dweight.mode);
}

// A copy of a layout, as a backward step needs it.
class SavedLayout {
 public:
  explicit SavedLayout(const AttentionLayout& layout)
      : queries_(layout.queries), keys_(layout.keys), mask_(layout.mask) {
    check(keys_.rows.empty(), "[attention] a cache is not differentiated");
    if (layout.positions) positions_ = *layout.positions;
  }
  AttentionLayout layout() const {
    return {queries_, keys_, mask_, positions_ ? &*positions_ : nullptr};
  }

 private:
  Ragged queries_;
  KeyRows keys_;
  Mask mask_;
  std::optional<Indices> positions_;
};

// Whether no one else reads the values of x, now or in a backward step.
inline bool values_are_ours(const ForwardPass& pass, const Tensor& x) {
  return pass.tape ? pass.tape->last_handle(x) : x.storage().use_count() == 1;
}

// The tensor for a result of the shape and type of x, of whose values a kernel needs none once it
// has written the result: in the memory of x if that is ours. The storage is another one, by which
// the tape tells the result and x apart.
inline Tensor in_memory_of(ForwardPass& pass, const Tensor& x) {
  if (!values_are_ours(pass, x)) return pass.tensor(x.shape(), x.dtype());
  return Tensor(std::make_shared<Storage>(*x.storage()), x.shape(), x.dtype(), x.offset());
}

// Whether the result of in_memory_of() has the memory of its operand.
inline bool share_memory(const Tensor& a, const Tensor& b) {
  return a.storage()->owner == b.storage()->owner;
}

}  // namespace heed::detail
