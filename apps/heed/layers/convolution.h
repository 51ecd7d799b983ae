// A convolutional layer for comparison (Kalchbrenner et al., 2017; Gehring et al., 2017): y_i =
// W [x_(i - left); ...; x_(i - left + k - 1)] + b, left = (k - 1) / 2, with zeros outside the
// sequence.
#pragma once

#include "layers/sequence_layer.h"

namespace heed {

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
