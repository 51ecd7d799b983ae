// The activations and their derivatives on arrays.
#if defined(HEED_BACKEND_CPU_ACTIVATION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_BACKEND_CPU_ACTIVATION_INL_H_
#undef HEED_BACKEND_CPU_ACTIVATION_INL_H_
#else
#define HEED_BACKEND_CPU_ACTIVATION_INL_H_
#endif

#include <type_traits>

#include "heed/backend/backend.h"
#include "heed/backend/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

// 2u of gelu_tanh (backend/kinds.h).
HWY_INLINE Vector gelu_exponent(Vector x) {
  const Vector factor =
      hn::MulAdd(hn::Mul(x, x), set(2 * kGeluFactor * kGeluCube), set(2 * kGeluFactor));
  return hn::Mul(x, factor);
}

template <Activation kActivation>
HWY_INLINE Vector activated(Vector x) {
  if constexpr (kActivation == Activation::relu) {
    return hn::Max(x, zero());
  } else if constexpr (kActivation == Activation::gelu) {
    const Vector bell = exp(hn::Mul(hn::Mul(x, x), set(-0.5f)));
    return hn::Mul(x, normal_distribution(x, bell));
  } else if constexpr (kActivation == Activation::gelu_tanh) {
    return hn::Mul(x, sigmoid(gelu_exponent(x)));
  } else if constexpr (kActivation == Activation::silu) {
    return hn::Mul(x, sigmoid(x));
  } else if constexpr (kActivation == Activation::sigmoid) {
    return sigmoid(x);
  } else if constexpr (kActivation == Activation::tanh) {
    return tanh(x);
  } else {
    return x;
  }
}

template <Activation kActivation>
HWY_INLINE Vector activation_derivative(Vector x) {
  if constexpr (kActivation == Activation::relu) {
    return hn::IfThenElseZero(hn::Gt(x, zero()), set(1.0f));
  } else if constexpr (kActivation == Activation::gelu) {
    const Vector bell = exp(hn::Mul(hn::Mul(x, x), set(-0.5f)));
    // The density of the normal distribution is bell / sqrt(2 pi).
    const Vector x_density = hn::Mul(hn::Mul(x, bell), set(0.3989422804f));
    return hn::Add(normal_distribution(x, bell), x_density);
  } else if constexpr (kActivation == Activation::gelu_tanh) {
    const Vector s = sigmoid(gelu_exponent(x));
    const Vector slope = hn::Mul(s, hn::Sub(set(1.0f), s));  // of the sigmoid
    const Vector factor =
        hn::MulAdd(hn::Mul(x, x), set(6 * kGeluFactor * kGeluCube), set(2 * kGeluFactor));
    // Where x^2 may be infinite the slope is nearly 0, and the product of both tends to 0.
    const Vector rest = hn::Mul(hn::Mul(x, slope), factor);
    return hn::Add(s, hn::IfThenZeroElse(hn::Lt(slope, set(1e-30f)), rest));
  } else if constexpr (kActivation == Activation::silu) {
    const Vector s = sigmoid(x);
    return hn::Mul(s, hn::MulAdd(x, hn::Sub(set(1.0f), s), set(1.0f)));
  } else if constexpr (kActivation == Activation::sigmoid) {
    const Vector s = sigmoid(x);
    return hn::NegMulAdd(s, s, s);
  } else if constexpr (kActivation == Activation::tanh) {
    const Vector t = tanh(x);
    return hn::NegMulAdd(t, t, set(1.0f));
  } else {
    return set(1.0f);
  }
}

// Calls f with the activation as a std::integral_constant.
template <class F>
void with_activation(Activation activation, const F& f) {
  switch (activation) {
    case Activation::none:
      return f(std::integral_constant<Activation, Activation::none>());
    case Activation::relu:
      return f(std::integral_constant<Activation, Activation::relu>());
    case Activation::gelu:
      return f(std::integral_constant<Activation, Activation::gelu>());
    case Activation::gelu_tanh:
      return f(std::integral_constant<Activation, Activation::gelu_tanh>());
    case Activation::silu:
      return f(std::integral_constant<Activation, Activation::silu>());
    case Activation::sigmoid:
      return f(std::integral_constant<Activation, Activation::sigmoid>());
    case Activation::tanh:
      return f(std::integral_constant<Activation, Activation::tanh>());
  }
}

template <Activation kActivation>
void activate_all(const float* x, float* y, int64_t size) {
  for (int64_t i = 0; i < size; i += kLanes)
    store(activated<kActivation>(load(x + i, size - i)), y + i, size - i);
}

template <Activation kActivation>
void activation_gradient_all(const float* x, const float* dy, float* dx, int64_t size) {
  for (int64_t i = 0; i < size; i += kLanes) {
    const Vector derivative = activation_derivative<kActivation>(load(x + i, size - i));
    store(hn::Mul(load(dy + i, size - i), derivative), dx + i, size - i);
  }
}

inline void activate(Activation activation, const Tensor& x, Tensor& y) {
  with_activation(activation, [&](auto kind) {
    activate_all<kind()>(x.data<float>(), y.data<float>(), y.size());
  });
}

inline void activation_gradient(Activation activation, const Tensor& x, const Tensor& dy,
                                Tensor& dx) {
  with_activation(activation, [&](auto kind) {
    activation_gradient_all<kind()>(x.data<float>(), dy.data<float>(), dx.data<float>(), dx.size());
  });
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
