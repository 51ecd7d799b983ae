#include "heed/backend/cuda/elementwise.h"
#include "heed/backend/cuda/parts-inl.h"

namespace heed::cuda {
namespace {

constexpr int kThreads = 256;

// Calls f(i) on the device for each i in [0, count).
template <class F>
void for_each(int64_t count, const F& f) {
  launch<kThreads>(blocks_for(count, kThreads), 0, [=] __device__(const Thread& thread) {
    const int64_t i = thread.block() * kThreads + thread.index();
    if (i < count) f(i);
  });
}

__device__ float logistic(float x) {
  return 1 / (1 + expf(-x));
}

// 2u of gelu_tanh (backend/kinds.h).
__device__ float gelu_exponent(float x) {
  return 2 * kGeluFactor * x * (1 + kGeluCube * x * x);
}

__device__ float activation_value(Activation activation, float x) {
  switch (activation) {
    case Activation::relu:
      return x > 0 ? x : x != x ? x : 0;
    case Activation::gelu:
      return 0.5f * x * erfcf(-0.70710678f * x);
    case Activation::gelu_tanh:
      return x * logistic(gelu_exponent(x));
    case Activation::silu:
      return x * logistic(x);
    case Activation::sigmoid:
      return logistic(x);
    case Activation::tanh:
      return tanhf(x);
    default:
      return x;
  }
}

__device__ float activation_derivative(Activation activation, float x) {
  switch (activation) {
    case Activation::relu:
      return x > 0 ? 1 : 0;
    case Activation::gelu:
      return 0.5f * erfcf(-0.70710678f * x) + x * expf(-0.5f * x * x) * 0.39894228f;
    case Activation::gelu_tanh: {
      const float s = logistic(gelu_exponent(x));
      const float slope = s * (1 - s);  // of the sigmoid; where it is 0, x^2 may be infinite
      return slope == 0 ? s : s + x * slope * 2 * kGeluFactor * (1 + 3 * kGeluCube * x * x);
    }
    case Activation::silu: {
      const float s = logistic(x);
      return s * (1 + x * (1 - s));
    }
    case Activation::sigmoid:
      return logistic(x) * logistic(-x);
    case Activation::tanh: {
      const float t = tanhf(x);
      return 1 - t * t;
    }
    default:
      return 1;
  }
}

}  // namespace

void activate(Activation activation, const float* x, float* y, int64_t count) {
  for_each(count, [=] __device__(int64_t i) { y[i] = activation_value(activation, x[i]); });
}

void activation_gradient(Activation activation, const float* x, const float* dy, float* dx,
                         int64_t count) {
  for_each(count,
           [=] __device__(int64_t i) { dx[i] = dy[i] * activation_derivative(activation, x[i]); });
}

void dropout(const float* x, const Dropout& dropout, float* y, int64_t count) {
  const DropoutFactors factor(dropout);
  for_each(count, [=] __device__(int64_t i) {
    const float f = factor(i);
    y[i] = f == 0 ? 0 : f * x[i];
  });
}

void add(const float* x, float* y, int64_t count) {
  for_each(count, [=] __device__(int64_t i) { y[i] += x[i]; });
}

void multiply(const float* a, const float* b, float* y, WriteMode mode, int64_t count) {
  for_each(count, [=] __device__(int64_t i) { put(a[i] * b[i], y + i, mode); });
}

int64_t sums_of_squares(const float* x, int64_t count, double* sums) {
  const int64_t blocks = std::min(kSquareSums, blocks_for(count, 4 * kThreads));
  launch<kThreads>(blocks, kThreads / kWarp * int64_t(sizeof(double)),
                   [=] __device__(const Thread& thread) {
                     SharedMemory shared(thread);
                     auto* const partial = shared.take<double>(thread.warps());
                     double sum = 0;
                     for (int64_t i = thread.block() * kThreads + thread.index(); i < count;
                          i += thread.blocks() * kThreads)
                       sum += double(x[i]) * double(x[i]);
                     sum = block_sum(thread, sum, partial);
                     if (thread.index() == 0) sums[thread.block()] = sum;
                   });
  return blocks;
}

void adam(const AdamFactors& factors, const AdamOperands& operands) {
  for_each(operands.count, [factors, operands] __device__(int64_t i) {
    const float g = operands.gradient[i] * factors.gradient_scale;
    const float first = operands.first_moment[i] =
        factors.beta1 * operands.first_moment[i] + (1 - factors.beta1) * g;
    const float second = operands.second_moment[i] =
        factors.beta2 * operands.second_moment[i] + (1 - factors.beta2) * g * g;
    const float value = operands.parameter[i];
    const float next =
        value -
        factors.rate * first / (sqrtf(second * factors.second_correction) + factors.epsilon) -
        factors.decay * value;
    operands.parameter[i] = next;
    if (operands.ema) operands.ema[i] += factors.ema_share * (next - operands.ema[i]);
  });
}

}  // namespace heed::cuda
