#include "heed/backend/cuda/elementwise.h"
#include "heed/backend/cuda/fill.h"
#include "heed/backend/cuda/memory.h"

namespace heed::cuda {
namespace {

double sum_of_squares(const Tensor& x) {
  if (x.size() == 0) return 0;
  Scratch<double> sums(kSquareSums);
  const int64_t count = sums_of_squares(device_data<float>(x), x.size(), sums.data());
  const std::vector<double> partial = sums.to_host();
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += partial[size_t(i)];
  return sum;
}

void adam_step(const AdamStep& step, const Tensor& gradient, Tensor& parameter,
               Tensor& first_moment, Tensor& second_moment, Tensor* ema) {
  const AdamFactors factors = {
      .gradient_scale = float(step.gradient_scale),
      .beta1 = float(step.beta1),
      .beta2 = float(step.beta2),
      .epsilon = float(step.epsilon),
      .rate = float(step.learning_rate / (1 - std::pow(step.beta1, double(step.step)))),
      .second_correction = float(1 / (1 - std::pow(step.beta2, double(step.step)))),
      .decay = float(step.learning_rate * step.weight_decay),
      .ema_share = float(1 - step.ema_decay)};
  adam(factors, {device_data<float>(gradient), device_data<float>(parameter),
                 device_data<float>(first_moment), device_data<float>(second_moment),
                 ema ? device_data<float>(*ema) : nullptr, gradient.size()});
}

}  // namespace

void fill_elementwise(Kernels& kernels) {
  kernels.activate = [](Activation activation, const Tensor& x, Tensor& y) {
    activate(activation, device_data<float>(x), device_data<float>(y), x.size());
  };
  kernels.activation_gradient = [](Activation activation, const Tensor& x, const Tensor& dy,
                                   Tensor& dx) {
    activation_gradient(activation, device_data<float>(x), device_data<float>(dy),
                        device_data<float>(dx), x.size());
  };
  kernels.dropout = [](const Tensor& x, const Dropout& options, Tensor& y) {
    dropout(device_data<float>(x), options, device_data<float>(y), x.size());
  };
  kernels.add = [](const Tensor& x, Tensor& y) {
    add(device_data<float>(x), device_data<float>(y), x.size());
  };
  kernels.multiply = [](const Tensor& a, const Tensor& b, Tensor& y, WriteMode mode) {
    multiply(device_data<float>(a), device_data<float>(b), device_data<float>(y), mode, a.size());
  };
  kernels.sum_of_squares = sum_of_squares;
  kernels.adam = adam_step;
}

}  // namespace heed::cuda
