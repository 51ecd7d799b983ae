#include "layers/convolution.h"

#include <algorithm>

namespace heed {

Convolution::Convolution(Backend& backend, const SequenceShape& shape, int64_t kernel_width)
    : backend_(backend),
      shape_(shape),
      width_(kernel_width),
      left_((kernel_width - 1) / 2),
      kernel_(backend, {shape.d_model, kernel_width * shape.d_model}, shape.type, 1),
      windows_(shape.columns(kernel_width * shape.d_model)),
      dwindows_(shape.columns(kernel_width * shape.d_model)),
      y_(shape.tensor()),
      dx_(shape.tensor()) {}

// What a window has outside the sequence was zero from the start, and is not written.
template <class T>
void Convolution::gather(const Tensor& x) {
  const int64_t n = shape_.length, d = shape_.d_model;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t first = std::max<int64_t>(i - left_, 0), last = std::min(i - left_ + width_, n);
    std::copy_n(x.data<T>() + first * d, (last - first) * d,
                windows_.data<T>() + (i * width_ + first - (i - left_)) * d);
  }
}

// dx_j: the sum over the windows that have row j.
template <class T>
void Convolution::sum_windows() {
  const int64_t n = shape_.length, d = shape_.d_model;
  T* dx = dx_.data<T>();
  std::fill_n(dx, n * d, T(0));
  for (int64_t i = 0; i < n; ++i) {
    const int64_t first = std::max<int64_t>(i - left_, 0), last = std::min(i - left_ + width_, n);
    const T* window = dwindows_.data<T>() + (i * width_ + first - (i - left_)) * d;
    for (int64_t j = 0; j < (last - first) * d; ++j) dx[first * d + j] += window[j];
  }
}

const Tensor& Convolution::forward(const Tensor& x) {
  with_element_type(shape_.type, [&]<class T>() { gather<T>(x); });
  kernel_.multiply(backend_, windows_, y_);
  return y_;
}

const Tensor& Convolution::backward(const Tensor& dy) {
  kernel_.gradient(backend_, dy, windows_);
  backend_.linear_input_gradient(dy, kernel_.weight, dwindows_, WriteMode::overwrite);
  with_element_type(shape_.type, [&]<class T>() { sum_windows<T>(); });
  return dx_;
}

}  // namespace heed
