// The layers that Table 1 of the paper compares, for `heed bench --part layers`; the convolutional
// one is part of none of heed's models. All are written on the backend's kernels, so that they
// differ in what they compute and not in how well.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "heed/autograd/recurrent.h"

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
Tensor random_values(const Shape& shape, uint64_t seed, DType type = DType::fp32, double range = 1);

// Calls f.operator()<T>() for the element type of fp32 or fp64 tensors.
template <class F>
void with_element_type(DType type, F&& f) {
  check(type == DType::fp32 || type == DType::fp64, "a layer's tensors are fp32 or fp64");
  if (type == DType::fp32)
    f.template operator()<float>();
  else
    f.template operator()<double>();
}

// Self-attention of the paper: softmax(x x^T / sqrt(d_head)) x for each head, which the n^2 d of
// Table 1 counts; or with the projections of query, key, value and output around it, as heed's
// models have it (section 3.2.2).
class SelfAttention : public SequenceLayer {
 public:
  enum class Projections { none, all };
  // With a window, each position attends to those at most that far from it.
  SelfAttention(Backend& backend, const SequenceShape& shape, int64_t heads,
                std::optional<int64_t> window = {}, Projections projections = Projections::none);

  const Tensor& forward(const Tensor& x) override;
  const Tensor& backward(const Tensor& dy) override;
  std::vector<LayerWeight*> weights() override;

 private:
  Backend& backend_;
  AttentionOptions options_;
  KeyRows keys_;                      // of the one sequence
  std::vector<LayerWeight> weights_;  // of query, key, value and output; none without projections
  std::array<Tensor, 3> input_, dinput_;  // query, key and value
  Tensor x_, logsumexp_, mixed_, dmixed_, y_, dx_;
};

// A recurrent layer: long short-term memory (autograd/recurrent.h). W x of all steps is one
// product; U h is a product of one row at each step, which must wait for the step before. The same
// holds for their gradients.
class Lstm : public SequenceLayer {
 public:
  Lstm(Backend& backend, const SequenceShape& shape);

  const Tensor& forward(const Tensor& x) override;
  const Tensor& backward(const Tensor& dy) override;
  std::vector<LayerWeight*> weights() override { return {&input_, &recurrent_}; }

 private:
  TensorPool pool_;
  ForwardPass pass_;
  std::optional<Tape> tape_;       // of forward()
  LayerWeight input_, recurrent_;  // W [4d, d] with b, U [4d, d] with b'
  Ragged layout_;                  // of the one sequence
  Tensor y_, dx_;
};

// A convolutional layer for comparison (Kalchbrenner et al., 2017; Gehring et al., 2017): y_i =
// W [x_(i - left); ...; x_(i - left + k - 1)] + b, left = (k - 1) / 2, with zeros outside the
// sequence.
//
// One product over gathered rows: x is stored row after row, so that the k rows of a window are
// k d consecutive values.
class Convolution : public SequenceLayer {
 public:
  Convolution(Backend& backend, const SequenceShape& shape, int64_t kernel_width);

  const Tensor& forward(const Tensor& x) override;
  const Tensor& backward(const Tensor& dy) override;
  std::vector<LayerWeight*> weights() override { return {&kernel_}; }

 private:
  template <class T>
  void gather(const Tensor& x);
  template <class T>
  void sum_windows();

  Backend& backend_;
  SequenceShape shape_;
  int64_t width_, left_;
  LayerWeight kernel_;         // [d, k d]
  Tensor windows_, dwindows_;  // [n, k d]
  Tensor y_, dx_;
};

}  // namespace heed
