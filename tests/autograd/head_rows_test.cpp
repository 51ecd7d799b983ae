#include "autograd/op_test.h"
#include "heed/autograd/ops.h"

namespace heed {
namespace {

using testing::random_tensor;
using HeadRowsTest = testing::OpTest;

TEST_F(HeadRowsTest, Gradients) {
  const Tensor x = random_tensor({5, 12}, 1), other = random_tensor({5, 12}, 2),
               gain = random_tensor({3}, 3), weight = random_tensor({6, 4}, 4);
  const Indices positions{0, 3, 1, 70, 2};
  for (const int64_t heads : {1, 2, 3, 6})
    check_op([&](ForwardPass& p) { return rotate(p, x, positions, heads); }, {{"x", x}});
  check_op(
      [&](ForwardPass& p) {
        return normalize_heads(p, x, gain, {3, 1.7});
      },
      {{"x", x}, {"gain", gain}});
  check_op([&](ForwardPass& p) { return normalize_heads(p, x, {}, {4, 0.5}); }, {{"x", x}});
  check_op([&](ForwardPass& p) { return linear_heads(p, x, weight); },
           {{"x", x}, {"weight", weight}});
  check_op([&](ForwardPass& p) { return multiply(p, x, other); }, {{"x", x}, {"other", other}});
}

// Every operand that has a gradient already gets the sum.
TEST_F(HeadRowsTest, GradientsAddUp) {
  const Tensor x = random_tensor({5, 8}, 1), gain = random_tensor({2}, 2),
               weight = random_tensor({8, 4}, 3);
  const Indices positions{4, 3, 2, 1, 9};
  check_op(
      [&](ForwardPass& p) {
        const Tensor once = multiply(p, linear_heads(p, x, weight), rotate(p, x, positions, 2));
        const Tensor again = normalize_heads(p, once, gain, {2});
        return multiply(
            p, linear_heads(p, again, weight),
            multiply(p, rotate(p, again, positions, 2), normalize_heads(p, x, gain, {2})));
      },
      {{"x", x}, {"gain", gain}, {"weight", weight}});
  check_op([&](ForwardPass& p) { return multiply(p, x, x); }, {{"x", x}});
}

// The memory of a temporary is reused, that of an operand which others read is not.
TEST_F(HeadRowsTest, RotateReusesMemory) {
  const Tensor x = random_tensor({64, 64}, 1), gain = random_tensor({4}, 2);
  const Indices positions(std::vector<int32_t>(64, 3));
  for (const bool recorded : {false, true}) {
    TensorPool pool;
    Tape tape(pool);
    ForwardPass p(*backend_, pool);
    if (recorded) p.tape = &tape;
    Tensor y = normalize_heads(p, x, gain, {4});
    const Tensor kept = y, saved = tensor_of<double>(y.shape(), y.span<double>());
    const Tensor rotated = rotate(p, y, positions, 4);
    EXPECT_EQ(std::vector(kept.span<double>().begin(), kept.span<double>().end()),
              std::vector(saved.span<double>().begin(), saved.span<double>().end()));
    const int64_t held = pool.bytes_held();
    const Tensor again = rotate(p, normalize_heads(p, x, gain, {4}), positions, 4);
    EXPECT_EQ(pool.bytes_held() - held, 64 * 64 * 8) << recorded;
    EXPECT_EQ(std::vector(again.span<double>().begin(), again.span<double>().end()),
              std::vector(rotated.span<double>().begin(), rotated.span<double>().end()));
  }
  check_op(
      [&](ForwardPass& p) {
        return rotate(p, normalize_heads(p, x.slice(0, 4), gain, {4}), {1, 2, 3, 4}, 4);
      },
      {{"x", x}});
}

// Scores of rotated rows depend on the distance of their positions only.
TEST_F(HeadRowsTest, RotationsGiveRelativePositions) {
  const Tensor x = random_tensor({2, 12}, 1);
  const auto score = [&](int32_t first, int32_t second) {
    ForwardPass p = pass();
    const Tensor y = rotate(p, x, {first, second}, 1);
    double sum = 0;
    for (int64_t c = 0; c < 12; ++c) sum += y.data<double>()[c] * y.data<double>()[12 + c];
    return sum;
  };
  EXPECT_NEAR(score(3, 7), score(40, 44), 1e-12);
  EXPECT_GT(std::abs(score(3, 7) - score(3, 8)), 1e-3);
}

// Columns c and c + d / 2 make a pair, as in transformers (LlamaRotaryEmbedding, rotate_half).
TEST_F(HeadRowsTest, RotationsPairTheHalves) {
  Tensor x({1, 8}, DType::fp64);
  for (int64_t c : {0, 5}) x.data<double>()[c] = 1;  // of two heads
  ForwardPass p = pass();
  const Tensor y = rotate(p, x, {2}, 2);
  const double expected[] = {std::cos(2.0),  0, std::sin(2.0), 0, 0,
                             std::cos(0.02), 0, std::sin(0.02)};
  for (int64_t c = 0; c < 8; ++c) EXPECT_NEAR(y.data<double>()[c], expected[c], 1e-15) << c;
}

TEST_F(HeadRowsTest, NormalizedHeadsHaveTheLengthOfTheGain) {
  Tensor x = random_tensor({3, 10}, 1);
  std::fill_n(x.data<double>() + 10, 5, 0.0);
  const Tensor gain = random_tensor({2}, 2);
  ForwardPass p = pass();
  const Tensor y = normalize_heads(p, x, gain, {2, 3});
  for (int64_t i = 0; i < 6; ++i) {
    double squares = 0;
    for (int64_t c = 0; c < 5; ++c) squares += std::pow(y.data<double>()[i * 5 + c], 2);
    const double expected = i == 2 ? 0 : std::abs(3 * gain.data<double>()[i % 2]);
    EXPECT_NEAR(std::sqrt(squares), expected, 1e-9) << i;
  }
}

TEST_F(HeadRowsTest, RefusesOperandsThatDoNotFit) {
  const Tensor x = random_tensor({2, 12}, 1), gain = random_tensor({2}, 2),
               weight = random_tensor({6, 5}, 3);
  ForwardPass p = pass();
  EXPECT_THROW(rotate(p, x, {1}, 2), Bug);
  EXPECT_THROW(rotate(p, x, {1, 2}, 4), Bug);
  EXPECT_THROW(normalize_heads(p, x, gain, {3}), Bug);
  EXPECT_THROW(linear_heads(p, x, weight), Bug);
  EXPECT_THROW(multiply(p, x, weight), Bug);
}

}  // namespace
}  // namespace heed
