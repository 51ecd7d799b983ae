#include <bit>
#include <cmath>
#include <limits>

#include "backend/compare.h"
#include "support/computing.h"

namespace heed::testing {
namespace {

struct Size {
  int64_t rows, in, out;
};

const std::vector<Size> kShapes = {{0, 5, 7},     {1, 1, 1},      {1, 2, 3},     {2, 3, 2},
                                   {3, 7, 17},    {7, 17, 33},    {17, 33, 7},   {33, 64, 65},
                                   {64, 65, 100}, {65, 100, 257}, {9, 257, 64},  {100, 257, 3},
                                   {257, 64, 17}, {15, 600, 530}, {300, 31, 33}, {1, 300, 700}};

std::string to_string(const Size& size) {
  return fmt::format("rows {}, in {}, out {}", size.rows, size.in, size.out);
}

class Linear : public ::testing::TestWithParam<Computing> {
 protected:
  bool has_gradients() const { return GetParam().compute != DType::int8; }

  std::unique_ptr<Backend> backend = make_target(GetParam());
  std::unique_ptr<Backend> reference = make_reference_backend(GetParam().compute);
};
INSTANTIATE_TEST_SUITE_P(Targets, Linear, ::testing::ValuesIn(computings()), [](const auto& info) {
  return info.param.backend + "_" + name(info.param.compute);
});

TEST_P(Linear, Forward) {
  for (const Size& size : kShapes) {
    const Tensor x = random_tensor({size.rows, size.in}, 1);
    const Tensor weight = random_tensor({size.out, size.in}, 2, 1 / std::sqrt(double(size.in)));
    for (const Tensor& bias : {Tensor(), random_tensor({size.out}, 3)}) {
      for (Activation activation : kActivations) {
        Tensor expected({size.rows, size.out}), got({size.rows, size.out});
        reference->linear(x, weight, bias, activation, expected);
        backend->linear(x, weight, bias, activation, got);
        expect_close(got, expected, 1e-5, to_string(size));
        Tensor packed = copy_of(weight);
        packed.storage()->packed = backend->pack(packed, Purpose::inference);
        Tensor again({size.rows, size.out});
        backend->linear(x, packed, bias, activation, again);
        expect_same_bits(again, got, "packed, " + to_string(size));
      }
    }
  }
}

// A model that overflows must be seen in whatever it computes with.
TEST_P(Linear, NoNaNOrInfinityGetsLost) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const Size& size : kShapes) {
    if (size.rows == 0) continue;
    const Tensor weight = random_tensor({size.out, size.in}, 2);
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity})
      for (const int64_t column : {int64_t{0}, size.in / 2, size.in - 1}) {
        Tensor x = random_tensor({size.rows, size.in}, 1);
        const int64_t bad_row = size.rows / 2;
        x.data<float>()[bad_row * size.in + column] = bad;
        for (Backend* backend : {reference.get(), backend.get()}) {
          Tensor y({size.rows, size.out});
          backend->linear(x, weight, Tensor(), Activation::none, y);
          for (int64_t i = 0; i < y.size(); ++i)
            ASSERT_EQ(std::isfinite(y.data<float>()[i]), i / size.out != bad_row)
                << backend->name() << " " << to_string(size) << " element " << i;
        }
      }
  }
}

TEST_P(Linear, PackedSliceOfRows) {
  const Tensor x = random_tensor({20, 48}, 1);
  const Tensor table = random_tensor({100, 48}, 2);
  const Tensor unpacked = copy_of(table);
  table.storage()->packed = backend->pack(table, Purpose::training);
  for (const auto& [begin, end] : std::vector<std::pair<int, int>>{{0, 99}, {0, 1}, {3, 50}}) {
    Tensor got({20, end - begin}), expected({20, end - begin});
    backend->linear(x, table.slice(begin, end), Tensor(), Activation::none, got);
    backend->linear(x, unpacked.slice(begin, end), Tensor(), Activation::none, expected);
    expect_same_bits(got, expected, fmt::format("rows {} to {}", begin, end));
  }
}

// Training packs every weight at every step, in the memory that it has.
TEST_P(Linear, PacksAgainInPlace) {
  const Tensor x = random_tensor({20, 48}, 1);
  Tensor weight = random_tensor({100, 48}, 2);
  weight.storage()->packed = backend->pack(weight, Purpose::training);
  const PackedWeight* first = weight.storage()->packed.get();
  if (!first) return;  // there are no packed forms
  for (float& value : weight.span<float>()) value = 2 * value + 1;
  weight.storage()->packed = backend->pack(weight, Purpose::training);
  EXPECT_EQ(weight.storage()->packed.get(), first);
  Tensor got({20, 100}), expected({20, 100});
  backend->linear(x, weight, Tensor(), Activation::none, got);
  backend->linear(x, copy_of(weight), Tensor(), Activation::none, expected);
  expect_same_bits(got, expected, "packed again");
  // What somebody else holds stays as it is.
  const std::shared_ptr<const PackedWeight> held = weight.storage()->packed;
  weight.storage()->packed = backend->pack(weight, Purpose::training);
  EXPECT_NE(weight.storage()->packed.get(), held.get());
}

// What another instruction set packed has another layout: it must not be used.
TEST_P(Linear, IgnoresAnothersPackedForm) {
  const Tensor x = random_tensor({20, 48}, 1), weight = random_tensor({100, 48}, 2);
  Tensor expected({20, 100}), got({20, 100});
  reference->linear(x, weight, Tensor(), Activation::none, expected);
  for (const std::string& other : cpu_instruction_sets()) {
    for (DType compute : {DType::fp32, DType::bf16, DType::int8}) {
      weight.storage()->packed = make_cpu_backend(other, compute)->pack(weight, Purpose::training);
      backend->linear(x, weight, Tensor(), Activation::none, got);
      expect_close(got, expected, 1e-5, other + " " + name(compute));
    }
  }
}

TEST_P(Linear, ARowDependsOnItselfAlone) {
  for (const Size& size : {Size{100, 257, 65}, Size{100, 64, 700}, Size{33, 600, 33}}) {
    const Tensor x = random_tensor({size.rows, size.in}, 1);
    const Tensor weight = random_tensor({size.out, size.in}, 2),
                 bias = random_tensor({size.out}, 3);
    weight.storage()->packed = backend->pack(weight, Purpose::training);
    Tensor whole({size.rows, size.out}), dx({size.rows, size.in});
    backend->linear(x, weight, bias, Activation::gelu, whole);
    if (has_gradients()) backend->linear_input_gradient(whole, weight, dx, WriteMode::overwrite);
    for (int64_t count : {1, 2, 3, 5, 8, 13, 31}) {
      Tensor some({count, size.out}), some_dx({count, size.in});
      const int64_t begin = size.rows - count;
      backend->linear(x.slice(begin, size.rows), weight, bias, Activation::gelu, some);
      expect_same_bits(some, copy_of(whole.slice(begin, size.rows)), to_string(size));
      if (!has_gradients()) continue;
      backend->linear_input_gradient(some, weight, some_dx, WriteMode::overwrite);
      expect_same_bits(some_dx, copy_of(dx.slice(begin, size.rows)), to_string(size));
    }
  }
}

// Integers leave no room for rounding: int8 is the same bits on every instruction set.
TEST(CpuInt8, AllInstructionSetsAgreeToTheBit) {
  const Tensor x = random_tensor({37, 333}, 1), weight = random_tensor({70, 333}, 2),
               bias = random_tensor({70}, 3);
  Tensor first;
  for (const std::string& target : cpu_instruction_sets()) {
    Tensor y({37, 70});
    make_cpu_backend(target, DType::int8)->linear(x, weight, bias, Activation::none, y);
    if (first) expect_same_bits(y, first, target);
    first = y;
  }
}

// The largest sums that may occur, and rows of nothing but zeros.
TEST_P(Linear, ExtremesStayExact) {
  Tensor x({3, 4096}), weight({3, 4096}), expected({3, 3}), got({3, 3});
  for (int64_t k = 0; k < 4096; ++k) {
    x.data<float>()[k] = 1;
    x.data<float>()[4096 + k] = -1;
    weight.data<float>()[k] = 2;
    weight.data<float>()[2 * 4096 + k] = -2;
  }
  reference->linear(x, weight, Tensor(), Activation::none, expected);
  backend->linear(x, weight, Tensor(), Activation::none, got);
  expect_close(got, expected, 1e-6, "extremes");
  EXPECT_EQ(got.data<float>()[1], 0);
  EXPECT_EQ(got.data<float>()[4], 0);
  EXPECT_EQ(got.data<float>()[6], 0);
}

// A NaN in an operand must reach the result: the trainer stops at it.
TEST_P(Linear, NanIsNotLost) {
  if (!has_gradients()) return;  // int8 does not train
  Tensor x = random_tensor({20, 30}, 1), y({20, 40});
  const Tensor weight = random_tensor({40, 30}, 2);
  x.data<float>()[5] = std::bit_cast<float>(0x7FFFFFFFu);
  backend->linear(x, weight, Tensor(), Activation::none, y);
  for (int64_t n = 0; n < 40; ++n) EXPECT_TRUE(std::isnan(y.data<float>()[n]));
  EXPECT_FALSE(std::isnan(y.data<float>()[40]));
}

TEST_P(Linear, Gradients) {
  if (!has_gradients()) {
    Tensor x = random_tensor({2, 3}, 1), weight = random_tensor({4, 3}, 2);
    const Tensor dy = random_tensor({2, 4}, 3);
    EXPECT_ANY_THROW(backend->linear_input_gradient(dy, weight, x, WriteMode::overwrite));
    EXPECT_ANY_THROW(
        backend->linear_weight_gradient(dy, x, 0, weight, nullptr, WriteMode::overwrite));
    return;
  }
  for (const Size& size : kShapes) {
    const Tensor dy = random_tensor({size.rows, size.out}, 4);
    const Tensor x = random_tensor({size.rows, size.in}, 5);
    const Tensor weight = random_tensor({size.out, size.in}, 6);
    const Tensor packed = copy_of(weight);
    packed.storage()->packed = backend->pack(packed, Purpose::training);
    for (WriteMode mode : {WriteMode::overwrite, WriteMode::accumulate}) {
      Tensor expected = random_tensor({size.rows, size.in}, 7), got = copy_of(expected);
      reference->linear_input_gradient(dy, weight, expected, mode);
      backend->linear_input_gradient(dy, weight, got, mode);
      expect_close(got, expected, 1e-5 * std::sqrt(double(size.out)), to_string(size));
      Tensor again = random_tensor({size.rows, size.in}, 7);
      backend->linear_input_gradient(dy, packed, again, mode);
      expect_same_bits(again, got, "packed, " + to_string(size));

      Tensor dweight = random_tensor({size.out, size.in}, 8), dbias = random_tensor({size.out}, 9);
      Tensor got_weight = copy_of(dweight), got_bias = copy_of(dbias);
      reference->linear_weight_gradient(dy, x, 0, dweight, &dbias, mode);
      backend->linear_weight_gradient(dy, x, 0, got_weight, &got_bias, mode);
      expect_close(got_weight, dweight, 1e-5 * std::sqrt(size.rows + 1.0), to_string(size));
      expect_close(got_bias, dbias, 1e-5 * std::sqrt(size.rows + 1.0), to_string(size));
      backend->linear_weight_gradient(dy, x, 0, got_weight, nullptr, WriteMode::overwrite);
    }
  }
}

// The gradients of some outputs are those rows of the whole: to the bit where gradients may be
// deferred.
TEST_P(Linear, WeightGradientsInParts) {
  if (!has_gradients()) return;
  for (const Size& size : kShapes) {
    const Tensor dy = random_tensor({size.rows, size.out}, 4);
    const Tensor x = random_tensor({size.rows, size.in}, 5);
    for (Backend* backend : {backend.get(), reference.get()}) {
      Tensor whole = random_tensor({size.out, size.in}, 8), biases({size.out});
      Tensor parts = copy_of(whole), part_biases({size.out});
      backend->linear_weight_gradient(dy, x, 0, whole, &biases, WriteMode::accumulate);
      for (int64_t begin = 0, end = 0; begin < size.out; begin = end) {
        end = std::min(size.out, begin + 1 + begin / 2);
        Tensor part = parts.slice(begin, end), part_bias = part_biases.slice(begin, end);
        backend->linear_weight_gradient(dy, x, begin, part, &part_bias, WriteMode::accumulate);
      }
      expect_same_bits(part_biases, biases, to_string(size));
      if (backend->tuning().defers_gradients)
        expect_same_bits(parts, whole, to_string(size));
      else
        expect_close(parts, whole, 1e-4, to_string(size));
    }
  }
}

}  // namespace
}  // namespace heed::testing
