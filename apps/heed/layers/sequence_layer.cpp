#include "layers/sequence_layer.h"

#include <algorithm>
#include <cmath>

#include "heed/core/rng.h"

namespace heed {

Tensor random_values(const Shape& shape, uint64_t seed, DType type, double range) {
  Tensor tensor(shape, type);
  Random random(seed);
  with_element_type(type, [&]<class T>() {
    for (T& value : tensor.span<T>()) value = T(range * (2 * random.uniform() - 1));
  });
  return tensor;
}

LayerWeight::LayerWeight(Backend& backend, const Shape& shape, DType type, uint64_t seed)
    : weight(random_values(shape, seed, type, 1 / std::sqrt(double(shape[1])))),
      bias(random_values({shape[0]}, ~seed, type, 1 / std::sqrt(double(shape[1])))),
      dweight(shape, type),
      dbias({shape[0]}, type) {
  weight.storage()->packed = backend.pack(weight, Purpose::training);
}

void LayerWeight::multiply(Backend& backend, const Tensor& x, Tensor& y) const {
  backend.linear(x, weight, bias, Activation::none, y);
}

void LayerWeight::gradient(Backend& backend, const Tensor& dy, const Tensor& x) {
  backend.linear_weight_gradient(dy, x, 0, dweight, &dbias, WriteMode::overwrite);
}

SelfAttention::SelfAttention(Backend& backend, const SequenceShape& shape, int64_t heads,
                             std::optional<int64_t> window, Projections projections)
    : backend_(backend), logsumexp_(shape.columns(heads)), y_(shape.tensor()) {
  const int64_t d_head = shape.d_model / heads;
  options_.scores = {.heads = heads, .scale = 1 / std::sqrt(double(d_head)), .window = window};
  keys_.lengths.add(shape.length);
  for (Tensor& tensor : dinput_) tensor = shape.tensor();
  if (projections == Projections::none) return;
  for (const uint64_t seed : {1, 2, 3, 4})
    weights_.emplace_back(backend, Shape{shape.d_model, shape.d_model}, shape.type, seed);
  for (Tensor* tensor : {&input_[0], &input_[1], &input_[2], &mixed_, &dmixed_, &dx_})
    *tensor = shape.tensor();
}

const Tensor& SelfAttention::forward(const Tensor& x) {
  x_ = x;
  const bool bare = weights_.empty();
  if (bare) input_ = {x, x, x}, mixed_ = y_;
  for (size_t i = 0; !bare && i < 3; ++i) weights_[i].multiply(backend_, x, input_[i]);
  backend_.attention({input_[0], input_[1], input_[2]}, {keys_.lengths, keys_}, options_,
                     {mixed_, logsumexp_});
  if (!bare) weights_[3].multiply(backend_, mixed_, y_);
  return y_;
}

const Tensor& SelfAttention::backward(const Tensor& dy) {
  const bool bare = weights_.empty();
  if (bare) {
    dmixed_ = dy;
  } else {
    weights_[3].gradient(backend_, dy, mixed_);
    backend_.linear_input_gradient(dy, weights_[3].weight, dmixed_, WriteMode::overwrite);
  }
  backend_.attention_gradient(dmixed_, {input_[0], input_[1], input_[2]}, {keys_.lengths, keys_},
                              options_, {mixed_, logsumexp_}, {dinput_[0], dinput_[1], dinput_[2]});
  if (bare) {
    dx_ = dinput_[0];
    backend_.add(dinput_[1], dx_);
    backend_.add(dinput_[2], dx_);
    return dx_;
  }
  for (size_t i = 0; i < 3; ++i) weights_[i].gradient(backend_, dinput_[i], x_);
  for (size_t i = 0; i < 3; ++i)
    backend_.linear_input_gradient(dinput_[i], weights_[i].weight, dx_,
                                   i == 0 ? WriteMode::overwrite : WriteMode::accumulate);
  return dx_;
}

std::vector<LayerWeight*> SelfAttention::weights() {
  std::vector<LayerWeight*> all;
  for (LayerWeight& weight : weights_) all.push_back(&weight);
  return all;
}

Lstm::Lstm(Backend& backend, const SequenceShape& shape)
    : pool_(backend.memory()),
      pass_(backend, pool_),
      input_(backend, {4 * shape.d_model, shape.d_model}, shape.type, 1),
      recurrent_(backend, {4 * shape.d_model, shape.d_model}, shape.type, 2),
      dx_(shape.tensor()) {
  layout_.add(shape.length);
}

const Tensor& Lstm::forward(const Tensor& x) {
  pass_.tape = &tape_.emplace(pool_);
  for (LayerWeight* weight : weights()) {
    tape_->watch(weight->weight, weight->dweight);
    tape_->watch(weight->bias, weight->dbias);
  }
  tape_->watch(x, dx_);
  y_ = recurrent(pass_, x, layout_,
                 {input_.weight, input_.bias, recurrent_.weight, recurrent_.bias}, {});
  return y_;
}

const Tensor& Lstm::backward(const Tensor& dy) {
  tape_->set_gradient(y_, dy);
  tape_->backward();
  return dx_;
}

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

// The columns of a window outside the sequence are zero from the start, and are not written.
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
