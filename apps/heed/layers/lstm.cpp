#include "layers/lstm.h"

namespace heed {

Lstm::Lstm(Backend& backend, const SequenceShape& shape)
    : backend_(backend),
      shape_(shape),
      input_(backend, {4 * shape.d_model, shape.d_model}, shape.type, 1),
      recurrent_(backend, {4 * shape.d_model, shape.d_model}, shape.type, 2),
      gates_(shape.columns(4 * shape.d_model)),
      states_({shape.length + 1, shape.d_model}, shape.type),
      cells_({shape.length + 1, shape.d_model}, shape.type),
      y_(states_.slice(1, shape.length + 1)),
      tanh_cells_(shape.tensor()),
      sum_({1, 4 * shape.d_model}, shape.type),
      dgates_(shape.columns(4 * shape.d_model)),
      dstate_({1, shape.d_model}, shape.type),
      dcell_({1, shape.d_model}, shape.type),
      dx_(shape.tensor()) {}

template <class T>
void Lstm::step(int64_t t) {
  const int64_t d = shape_.d_model;
  recurrent_.multiply(backend_, states_.slice(t, t + 1), sum_);
  T *z = sum_.data<T>(), *gates = gates_.data<T>() + t * 4 * d;
  for (int64_t j = 0; j < 4 * d; ++j) z[j] += gates[j];
  const Tensor blocks = sum_.reshape({4, d});
  const Tensor rows = gates_.reshape({4 * shape_.length, d});
  Tensor sigmoids = rows.slice(4 * t, 4 * t + 3), candidate = rows.slice(4 * t + 3, 4 * t + 4);
  backend_.activate(Activation::sigmoid, blocks.slice(0, 3), sigmoids);
  backend_.activate(Activation::tanh, blocks.slice(3, 4), candidate);
  const T *i = gates, *f = gates + d, *o = gates + 2 * d, *g = gates + 3 * d;
  const T* before = cells_.data<T>() + t * d;
  T* after = cells_.data<T>() + (t + 1) * d;
  for (int64_t j = 0; j < d; ++j) after[j] = f[j] * before[j] + i[j] * g[j];
  Tensor tanh_cell = tanh_cells_.slice(t, t + 1);
  backend_.activate(Activation::tanh, cells_.slice(t + 1, t + 2), tanh_cell);
  T* state = states_.data<T>() + (t + 1) * d;
  for (int64_t j = 0; j < d; ++j) state[j] = o[j] * tanh_cell.data<T>()[j];
}

template <class T>
void Lstm::step_gradient(int64_t t, const Tensor& dy) {
  const int64_t d = shape_.d_model;
  const T* gates = gates_.data<T>() + t * 4 * d;
  const T *i = gates, *f = gates + d, *o = gates + 2 * d, *g = gates + 3 * d;
  const T *tanh_cell = tanh_cells_.data<T>() + t * d, *before = cells_.data<T>() + t * d;
  const T *out = dy.data<T>() + t * d, *later = dstate_.data<T>();
  T *dcell = dcell_.data<T>(), *dz = dgates_.data<T>() + t * 4 * d;
  for (int64_t j = 0; j < d; ++j) {
    const T dh = out[j] + later[j];
    const T dc = dcell[j] + dh * o[j] * (1 - tanh_cell[j] * tanh_cell[j]);
    dz[j] = dc * g[j] * i[j] * (1 - i[j]);
    dz[d + j] = dc * before[j] * f[j] * (1 - f[j]);
    dz[2 * d + j] = dh * tanh_cell[j] * o[j] * (1 - o[j]);
    dz[3 * d + j] = dc * i[j] * (1 - g[j] * g[j]);
    dcell[j] = dc * f[j];
  }
  if (t > 0)
    backend_.linear_input_gradient(dgates_.slice(t, t + 1), recurrent_.weight, dstate_,
                                   WriteMode::overwrite);
}

const Tensor& Lstm::forward(const Tensor& x) {
  x_ = x;
  input_.multiply(backend_, x, gates_);
  with_element_type(shape_.type, [&]<class T>() {
    for (int64_t t = 0; t < shape_.length; ++t) step<T>(t);
  });
  return y_;
}

const Tensor& Lstm::backward(const Tensor& dy) {
  fill_zeros(dstate_);
  fill_zeros(dcell_);
  with_element_type(shape_.type, [&]<class T>() {
    for (int64_t t = shape_.length - 1; t >= 0; --t) step_gradient<T>(t, dy);
  });
  input_.gradient(backend_, dgates_, x_);
  recurrent_.gradient(backend_, dgates_, states_.slice(0, shape_.length));
  backend_.linear_input_gradient(dgates_, input_.weight, dx_, WriteMode::overwrite);
  return dx_;
}

}  // namespace heed
