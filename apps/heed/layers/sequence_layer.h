// The layers that Table 1 of the paper compares, for `heed bench --part layers`: recurrent and
// convolutional layers are not part of heed's models. All are written on the backend's kernels, so
// that they differ in what they compute and not in how well.
#pragma once

#include <memory>
#include <vector>

#include "heed/backend/backend.h"

namespace heed {

// The shape and type of a layer's input and output: one sequence [length, d_model].
struct SequenceShape {
  int64_t length, d_model;
  DType type = DType::fp32;

  Tensor tensor() const { return columns(d_model); }
  Tensor columns(int64_t count) const { return Tensor({length, count}, type); }
};

// A weight [out, in] with its bias [out], and their gradients.
struct LayerWeight {
  // Random values; packed for training.
  LayerWeight(Backend& backend, const Shape& shape, DType type, uint64_t seed);

  // y = x W^T + b.
  void multiply(Backend& backend, const Tensor& x, Tensor& y) const;
  // Overwrites dweight and dbias.
  void gradient(Backend& backend, const Tensor& dy, const Tensor& x);

  Tensor weight, bias, dweight, dbias;
};

// A function from a sequence to a sequence of the same shape.
class SequenceLayer {
 public:
  virtual ~SequenceLayer() = default;
  // y. Keeps what backward() needs, x among it.
  virtual const Tensor& forward(const Tensor& x) = 0;
  // dx, and the weights' gradients, from the gradient of what forward() returned last.
  virtual const Tensor& backward(const Tensor& dy) = 0;
  virtual std::vector<LayerWeight*> weights() = 0;
};

// Uniform in [-range, range).
Tensor random_values(const Shape& shape, DType type, double range, uint64_t seed);

// Calls f.operator()<T>() for the element type of fp32 or fp64 tensors.
template <class F>
void with_element_type(DType type, F&& f) {
  check(type == DType::fp32 || type == DType::fp64, "a layer's tensors are fp32 or fp64");
  if (type == DType::fp32)
    f.template operator()<float>();
  else
    f.template operator()<double>();
}

}  // namespace heed
