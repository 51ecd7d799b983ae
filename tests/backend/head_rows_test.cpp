#include "heed/backend/head_rows.h"

#include "backend/compare.h"

namespace heed::testing {
namespace {

using HeadRows = TargetTest;
INSTANTIATE_TEST_SUITE_P(Targets, HeadRows, ::testing::ValuesIn(targets()), target_name);

struct HeadShape {
  int64_t rows, heads, d;
};
constexpr HeadShape kHeadShapes[] = {{0, 2, 4}, {1, 1, 2}, {3, 3, 6}, {7, 2, 34}, {40, 4, 64}};

// Runs f on both backends for outputs of each mode, and compares them.
template <class F>
void expect_same_result(Backend& backend, Backend& reference, const Shape& shape,
                        const std::string& what, const F& f) {
  for (const WriteMode mode : {WriteMode::overwrite, WriteMode::accumulate}) {
    Tensor expected = random_tensor(shape, 21), got = random_tensor(shape, 21);
    f(reference, expected, mode);
    f(backend, got, mode);
    expect_close(got, expected, 2e-5, what);
  }
}

TEST_P(HeadRows, Rotate) {
  for (const auto& [rows, heads, d] : kHeadShapes) {
    const Tensor x = random_tensor({rows, heads * d}, 1);
    for (const int32_t step : {1, 0, 977}) {  // positions that repeat, and that lie far apart
      std::vector<int32_t> positions;
      for (int64_t r = 0; r < rows; ++r) positions.push_back(int32_t(r) * step + 2);
      const Indices indices(positions);
      for (const auto direction : {Rotation::Direction::forward, Rotation::Direction::inverse})
        expect_same_result(*backend, *reference, x.shape(), "rotate",
                           [&, heads = heads](Backend& backend, Tensor& y, WriteMode mode) {
                             backend.rotate(x, {indices, heads, direction}, y, mode);
                           });
    }
  }
}

// A row has the bits that it has alone.
TEST_P(HeadRows, RotateARowAlone) {
  const Tensor x = random_tensor({9, 48}, 1);
  const Indices positions{5, 6, 7, 8, 5, 6, 7, 9, 6};
  Tensor whole(x.shape()), in_place = copy_of(x);
  backend->rotate(x, {positions, 2}, whole, WriteMode::overwrite);
  backend->rotate(in_place, {positions, 2}, in_place, WriteMode::overwrite);
  expect_same_bits(in_place, whole, "in place");
  for (int64_t r = 0; r < 9; ++r) {
    Tensor alone({1, 48});
    const Indices position{positions[size_t(r)]};
    backend->rotate(x.slice(r, r + 1), {position, 2}, alone, WriteMode::overwrite);
    expect_same_bits(alone, copy_of(whole.slice(r, r + 1)), fmt::format("row {}", r));
  }
}

TEST_P(HeadRows, NormalizeHeads) {
  for (const auto& [rows, heads, d] : kHeadShapes) {
    Tensor x = random_tensor({rows, heads * d}, 1);
    if (rows > 1) std::fill_n(x.data<float>(), d, 0.0f);
    const Tensor dy = random_tensor(x.shape(), 2), gains = random_tensor({heads}, 3);
    const HeadNormOptions options{heads, 2.5, 1e-6};
    for (const Tensor& gain : {gains, Tensor()}) {
      expect_same_result(*backend, *reference, x.shape(), "normalize_heads",
                         [&](Backend& backend, Tensor& y, WriteMode) {
                           backend.normalize_heads(x, gain, options, y);
                         });
      expect_same_result(
          *backend, *reference, x.shape(), "dx", [&](Backend& backend, Tensor& dx, WriteMode mode) {
            backend.normalize_heads_gradient(dy, x, gain, options, {dx, mode, nullptr});
          });
      expect_same_result(
          *backend, *reference, {heads}, "dgain",
          [&](Backend& backend, Tensor& dgain, WriteMode mode) {
            Tensor dx(x.shape());
            backend.normalize_heads_gradient(dy, x, gain, options, {dx, mode, &dgain});
          });
    }
  }
}

TEST_P(HeadRows, LinearHeads) {
  for (const auto& [rows, heads, in] : {HeadShape{0, 2, 4}, {1, 1, 1}, {5, 3, 7}, {1030, 2, 33}}) {
    for (const int64_t out : {in, in + 3}) {
      const Tensor x = random_tensor({rows, heads * in}, 1),
                   weight = random_tensor({heads * out, in}, 2),
                   dy = random_tensor({rows, heads * out}, 3, 0.1);
      expect_same_result(
          *backend, *reference, dy.shape(), "linear_heads",
          [&](Backend& backend, Tensor& y, WriteMode) { backend.linear_heads(x, weight, y); });
      expect_same_result(*backend, *reference, x.shape(), "dx",
                         [&](Backend& backend, Tensor& dx, WriteMode mode) {
                           backend.linear_heads_input_gradient(dy, weight, dx, mode);
                         });
      expect_same_result(*backend, *reference, weight.shape(), "dweight",
                         [&](Backend& backend, Tensor& dweight, WriteMode mode) {
                           backend.linear_heads_weight_gradient(dy, x, dweight, mode);
                         });
    }
  }
}

TEST_P(HeadRows, Multiply) {
  for (const auto& [rows, heads, d] : kHeadShapes) {
    const Tensor a = random_tensor({rows, heads * d + 1}, 1), b = random_tensor(a.shape(), 2);
    expect_same_result(
        *backend, *reference, a.shape(), "multiply",
        [&](Backend& backend, Tensor& y, WriteMode mode) { backend.multiply(a, b, y, mode); });
  }
}

// Each row's result does not depend on the others.
TEST_P(HeadRows, ARowDependsOnItselfAlone) {
  const Tensor x = random_tensor({37, 66}, 1), weight = random_tensor({66, 33}, 2),
               gain = random_tensor({2}, 3);
  const auto run = [&](const Tensor& rows) {
    Tensor normal(rows.shape()), y(rows.shape());
    backend->normalize_heads(rows, gain, {2}, normal);
    backend->linear_heads(normal, weight, y);
    return y;
  };
  const Tensor whole = run(x);
  for (int64_t r = 0; r < 37; ++r)
    expect_same_bits(run(x.slice(r, r + 1)), copy_of(whole.slice(r, r + 1)), "a row");
}

}  // namespace
}  // namespace heed::testing
