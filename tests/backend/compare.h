// What the tests of a backend share: random operands, and comparison with the reference.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "backend/targets.h"
#include "reference/reference_backend.h"

namespace heed::testing {

inline constexpr Activation kActivations[] = {
    Activation::none, Activation::relu,    Activation::gelu, Activation::gelu_tanh,
    Activation::silu, Activation::sigmoid, Activation::tanh};

// A tensor of standard normal values.
inline Tensor random_tensor(const Shape& shape, uint64_t seed, double scale = 1) {
  Tensor tensor(shape);
  Random random(seed);
  for (float& value : tensor.span<float>()) value = float(scale * random.normal());
  return tensor;
}

inline Tensor copy_of(const Tensor& tensor) {
  return tensor_of<float>(tensor.shape(), tensor.span<float>());
}

// Every element within tolerance * (1 + |expected|).
inline void expect_close(const Tensor& got, const Tensor& expected, double tolerance,
                         const std::string& what) {
  ASSERT_EQ(got.shape(), expected.shape()) << what;
  for (int64_t i = 0; i < got.size(); ++i) {
    const double g = got.data<float>()[i], e = expected.data<float>()[i];
    if (g == e) continue;  // infinities too
    ASSERT_LE(std::abs(g - e), tolerance * (1 + std::abs(e))) << what << ", element " << i;
  }
}

inline void expect_same_bits(const Tensor& got, const Tensor& expected, const std::string& what) {
  ASSERT_EQ(got.shape(), expected.shape()) << what;
  ASSERT_EQ(std::memcmp(got.bytes(), expected.bytes(), size_t(got.byte_count())), 0) << what;
}

// A test that runs for every target.
class TargetTest : public ::testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Backend> backend = make_target({GetParam()});
  std::unique_ptr<Backend> reference = make_reference_backend();
};

inline std::string target_name(const ::testing::TestParamInfo<std::string>& info) {
  return info.param;
}

}  // namespace heed::testing
