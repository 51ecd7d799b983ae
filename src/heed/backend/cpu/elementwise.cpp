// Kernels that go element by element, and the optimiser's.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/elementwise.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include <cmath>

#include "heed/backend/cpu/activation-inl.h"
#include "heed/backend/cpu/dispatch.h"
#include "heed/backend/cpu/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

void activate(Activation activation, const Tensor& x, Tensor& y) {
  activate_elements(activation, x.data<float>(), y.data<float>(), y.size());
}

void activation_gradient(Activation activation, const Tensor& x_tensor, const Tensor& dy_tensor,
                         Tensor& dx_tensor) {
  const float* x = x_tensor.data<float>();
  const float* dy = dy_tensor.data<float>();
  float* dx = dx_tensor.data<float>();
  const int64_t size = dx_tensor.size();
  switch (activation) {
    case Activation::none:
      return activation_gradient_all<Activation::none>(x, dy, dx, size);
    case Activation::relu:
      return activation_gradient_all<Activation::relu>(x, dy, dx, size);
    case Activation::gelu:
      return activation_gradient_all<Activation::gelu>(x, dy, dx, size);
    case Activation::silu:
      return activation_gradient_all<Activation::silu>(x, dy, dx, size);
    case Activation::sigmoid:
      return activation_gradient_all<Activation::sigmoid>(x, dy, dx, size);
    case Activation::tanh:
      return activation_gradient_all<Activation::tanh>(x, dy, dx, size);
  }
}

void drop(const Tensor& x, const Dropout& dropout, Tensor& y) {
  const float* from = x.data<float>();
  float* to = y.data<float>();
  const int64_t size = y.size();
  const DropoutFactors factors(dropout);
  for (int64_t i = 0; i < size; i += kLanes) {
    Vector value = load(from + i, size - i);
    if (factors.on()) value = hn::Mul(value, factors.at(i));
    store(value, to + i, size - i);
  }
}

void add(const Tensor& x, Tensor& y) {
  const float* from = x.data<float>();
  float* to = y.data<float>();
  const int64_t size = y.size();
  for (int64_t i = 0; i < size; i += kLanes)
    store(hn::Add(load(to + i, size - i), load(from + i, size - i)), to + i, size - i);
}

double sum_of_squares(const Tensor& x) {
  // Float sums over short blocks would overflow where double does not, so every square is double.
  const hn::Repartition<double, Floats> doubles;
  const hn::Rebind<float, decltype(doubles)> halves;
  constexpr int64_t kStep = HWY_LANES(double);
  const float* from = x.data<float>();
  const int64_t size = x.size(), whole = size / (4 * kStep) * (4 * kStep);
  hn::Vec<decltype(doubles)> sums[4];
  HWY_UNROLL(4)
  for (auto& sum : sums) sum = hn::Zero(doubles);
  for (int64_t i = 0; i < whole; i += 4 * kStep) {
    HWY_UNROLL(4)
    for (int64_t j = 0; j < 4; ++j) {
      const auto value = hn::PromoteTo(doubles, hn::LoadU(halves, from + i + j * kStep));
      sums[j] = hn::MulAdd(value, value, sums[j]);
    }
  }
  const auto sum = hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]));
  double total = hn::GetLane(hn::SumOfLanes(doubles, sum));
  for (int64_t i = whole; i < size; ++i) total += double(from[i]) * double(from[i]);
  return total;
}

// Kingma and Ba, algorithm 1, with Loshchilov and Hutter's decay, in one pass. The decay joins the
// change before that is rounded into the parameter: without one the bits are Adam's.
template <bool kAverages>
void adam_elements(const AdamStep& step, const Tensor& gradient, Tensor& parameter, Tensor& m,
                   Tensor& v, float* ema) {
  const double correction1 = 1 - std::pow(step.beta1, double(step.step));
  const double correction2 = 1 - std::pow(step.beta2, double(step.step));
  const Vector beta1 = set(float(step.beta1)), rest1 = set(float(1 - step.beta1));
  const Vector beta2 = set(float(step.beta2)), rest2 = set(float(1 - step.beta2));
  const Vector rate = set(float(step.learning_rate / correction1));
  const Vector inverse2 = set(float(1 / correction2)), epsilon = set(float(step.epsilon));
  const Vector gradient_scale = set(float(step.gradient_scale));
  const Vector decay = set(float(step.learning_rate * step.weight_decay));
  const Vector rest_of_ema = set(float(1 - step.ema_decay));
  const float* gradients = gradient.data<float>();
  float *values = parameter.data<float>(), *firsts = m.data<float>(), *seconds = v.data<float>();
  const int64_t size = parameter.size();
  for (int64_t i = 0; i < size; i += kLanes) {
    const int64_t left = size - i;
    const Vector g = hn::Mul(load(gradients + i, left), gradient_scale);
    const Vector first = hn::MulAdd(load(firsts + i, left), beta1, hn::Mul(g, rest1));
    const Vector second = hn::MulAdd(load(seconds + i, left), beta2, hn::Mul(hn::Mul(g, g), rest2));
    store(first, firsts + i, left);
    store(second, seconds + i, left);
    const Vector divisor = hn::Add(hn::Sqrt(hn::Mul(second, inverse2)), epsilon);
    const Vector old = load(values + i, left);
    const Vector change = hn::MulAdd(old, decay, hn::Div(hn::Mul(first, rate), divisor));
    const Vector updated = hn::Sub(old, change);
    store(updated, values + i, left);
    if constexpr (kAverages) {
      const Vector mean = load(ema + i, left);
      store(hn::MulAdd(hn::Sub(updated, mean), rest_of_ema, mean), ema + i, left);
    }
  }
}

void adam(const AdamStep& step, const Tensor& gradient, Tensor& parameter, Tensor& m, Tensor& v,
          Tensor* ema) {
  if (ema)
    adam_elements<true>(step, gradient, parameter, m, v, ema->data<float>());
  else
    adam_elements<false>(step, gradient, parameter, m, v, nullptr);
}

}  // namespace

void fill_elementwise_kernels(CpuKernels& kernels) {
  kernels.activate = activate;
  kernels.activation_gradient = activation_gradient;
  kernels.dropout = drop;
  kernels.add = add;
  kernels.sum_of_squares = sum_of_squares;
  kernels.adam = adam;
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {

HWY_EXPORT(fill_elementwise_kernels);
void fill_elementwise(int64_t target, CpuKernels& kernels) {
  HWY_DISPATCH_TABLE(fill_elementwise_kernels)[dispatch_index(target)](kernels);
}

}  // namespace heed::cpu
#endif
