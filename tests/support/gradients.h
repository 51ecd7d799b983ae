// Gradients against central differences, in double.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "heed/core/rng.h"
#include "heed/core/tensor.h"

namespace heed::testing {

inline Tensor random_tensor(Shape shape, uint64_t seed, DType type = DType::fp64) {
  Tensor tensor(std::move(shape), type);
  Random random(seed);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const double value = random.normal();
    if (type == DType::fp64)
      tensor.data<double>()[i] = value;
    else
      tensor.data<float>()[i] = float(value);
  }
  return tensor;
}

// Compares `gradient` of `loss` by x with (loss(x + h) - loss(x - h)) / 2h, element by element (at
// most `samples` of them, spread evenly): the difference may be 1e-6 of the gradient's norm, plus
// an absolute floor where it is zero.
inline void expect_gradient(const std::string& name, const Tensor& x, const Tensor& gradient,
                            const std::function<double()>& loss, int64_t samples = 200) {
  constexpr double kStep = 1e-5, kFloor = 1e-9;
  double difference = 0, norm = 0;
  const int64_t stride = std::max<int64_t>(1, x.size() / samples);
  for (int64_t i = 0; i < x.size(); i += stride) {
    Tensor element = x.reshape({x.size()}).slice(i, i + 1);
    const double saved = *to_host(element).data<double>();
    const auto set = [&](double value) {
      copy(tensor_of<double>({1}, std::vector{value}), element);
    };
    set(saved + kStep);
    const double above = loss();
    set(saved - kStep);
    const double below = loss();
    set(saved);
    const double expected = (above - below) / (2 * kStep);
    const double got = to_host(gradient).data<double>()[i];
    difference += (expected - got) * (expected - got);
    norm += expected * expected;
  }
  EXPECT_LE(std::sqrt(difference), 1e-6 * std::sqrt(norm) + kFloor) << name;
}

}  // namespace heed::testing
