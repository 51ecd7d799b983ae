// A recurrent layer for comparison: long short-term memory (Hochreiter and Schmidhuber, 1997, with
// the forget gate of Gers et al., 2000).
#pragma once

#include "layers/sequence_layer.h"

namespace heed {

// With the gates i, f, o and the candidate g as blocks of d rows each in W, U and b:
//   z_t = W x_t + b + U h_{t-1} + b',  i, f, o = sigmoid(z),  g = tanh(z)
//   c_t = f c_{t-1} + i g,  h_t = o tanh(c_t),  h_0 = c_0 = 0
// W x of all steps is one product; U h is a product of one row at each step, which must wait for
// the step before. The same holds for their gradients. The two biases are those of cuDNN and
// PyTorch.
class Lstm : public SequenceLayer {
 public:
  Lstm(Backend& backend, const SequenceShape& shape);

  const Tensor& forward(const Tensor& x) override;
  const Tensor& backward(const Tensor& dy) override;
  std::vector<LayerWeight*> weights() override { return {&input_, &recurrent_}; }

 private:
  template <class T>
  void step(int64_t t);
  template <class T>
  void step_gradient(int64_t t, const Tensor& dy);

  Backend& backend_;
  SequenceShape shape_;
  LayerWeight input_, recurrent_;  // W [4d, d] with b, U [4d, d] with b'
  Tensor x_;
  Tensor gates_;           // [n, 4d] W x + b, in which each step writes i, f, o and g
  Tensor states_, cells_;  // [n + 1, d] h and c from step 0 on
  Tensor y_;               // the rows of states_ after the first
  Tensor tanh_cells_;      // [n, d]
  Tensor sum_;             // [1, 4d] z of one step
  Tensor dgates_;          // [n, 4d] the gradient of z
  Tensor dstate_, dcell_;  // [1, d] what a step passes to the one before
  Tensor dx_;
};

}  // namespace heed
