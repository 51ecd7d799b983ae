#include "backend/compare.h"

namespace heed::testing {
namespace {

const int64_t kSizes[] = {0, 1, 2, 3, 7, 17, 33, 64, 65, 100, 257, 1000};

using Elementwise = TargetTest;
INSTANTIATE_TEST_SUITE_P(Targets, Elementwise, ::testing::ValuesIn(targets()), target_name);

TEST_P(Elementwise, Activations) {
  for (int64_t size : kSizes) {
    for (Activation activation : kActivations) {
      const Tensor x = random_tensor({size}, 1, 4);
      Tensor dy = random_tensor({size}, 2);
      Tensor expected({size}), got({size});
      reference->activate(activation, x, expected);
      backend->activate(activation, x, got);
      expect_close(got, expected, 4e-7, "value");
      reference->activation_gradient(activation, x, dy, expected);
      backend->activation_gradient(activation, x, dy, got);
      expect_close(got, expected, 2e-6, "gradient");
      backend->activation_gradient(activation, x, dy, dy);
      expect_same_bits(dy, got, "in place");
    }
  }
}

// The relative error of the tails, far from where rounding to 1 hides it.
TEST_P(Elementwise, TailsOfActivations) {
  Tensor x({601}), expected({601}), got({601});
  for (int64_t i = 0; i < x.size(); ++i) x.data<float>()[i] = float(i - 300) / 50;  // -6 to 6
  for (Activation activation : {Activation::gelu, Activation::gelu_tanh, Activation::silu,
                                Activation::sigmoid, Activation::tanh}) {
    reference->activate(activation, x, expected);
    backend->activate(activation, x, got);
    // The exponent of gelu_tanh, up to 25 here, has the rounding of its cube.
    const double tolerance = activation == Activation::gelu_tanh ? 1e-5 : 3e-6;
    for (int64_t i = 0; i < x.size(); ++i) {
      const double e = expected.data<float>()[i];
      EXPECT_LE(std::abs(got.data<float>()[i] - e), tolerance * std::abs(e)) << x.data<float>()[i];
    }
  }
}

TEST_P(Elementwise, ActivationsAtTheEnds) {
  const float values[] = {-1e30f, -200.0f, -90.0f, 90.0f, 200.0f, 1e30f};
  const Tensor x = tensor_of<float>({6}, values);
  const float ones[] = {1, 1, 1, 1, 1, 1};
  const Tensor dy = tensor_of<float>({6}, ones);
  for (Activation activation : {Activation::gelu, Activation::gelu_tanh, Activation::silu}) {
    Tensor got({6}), dx({6});
    backend->activate(activation, x, got);
    backend->activation_gradient(activation, x, dy, dx);
    for (int64_t i = 0; i < 3; ++i) EXPECT_NEAR(got.data<float>()[i] / values[i], 0, 1e-30);
    for (int64_t i = 3; i < 6; ++i) EXPECT_EQ(got.data<float>()[i], values[i]);
    for (int64_t i = 0; i < 6; ++i) EXPECT_NEAR(dx.data<float>()[i], i < 3 ? 0 : 1, 1e-6);
  }
  const float nan[] = {NAN};
  Tensor nans = tensor_of<float>({1}, nan);
  backend->activate(Activation::silu, nans, nans);
  EXPECT_TRUE(std::isnan(nans.data<float>()[0]));
}

TEST_P(Elementwise, Drop) {
  for (int64_t size : kSizes) {
    for (const Dropout& dropout : {Dropout{}, Dropout{0.1f, 1}, Dropout{0.5f, 2}}) {
      Tensor x = random_tensor({size}, 1);
      Tensor expected({size}), got({size});
      reference->dropout(x, dropout, expected);
      backend->dropout(x, dropout, got);
      expect_close(got, expected, 2e-7, "dropout");
      backend->dropout(x, dropout, x);
      expect_same_bits(x, got, "in place");
    }
  }
}

TEST_P(Elementwise, AddAndSumOfSquares) {
  for (int64_t size : kSizes) {
    const Tensor x = random_tensor({size}, 1);
    Tensor y = random_tensor({size}, 2), got = copy_of(y);
    reference->add(x, y);
    backend->add(x, got);
    expect_same_bits(got, y, "add");
    const double expected = reference->sum_of_squares(x);
    EXPECT_NEAR(backend->sum_of_squares(x), expected, 1e-12 * expected);
  }
  Tensor huge = random_tensor({40}, 3, 1e30);
  EXPECT_TRUE(std::isfinite(backend->sum_of_squares(huge)));
  huge.data<float>()[39] = NAN;
  EXPECT_FALSE(std::isfinite(backend->sum_of_squares(huge)));
}

TEST_P(Elementwise, Adam) {
  for (int64_t size : kSizes) {
    Tensor parameter = random_tensor({size}, 1), got = copy_of(parameter);
    Tensor m({size}), v({size}), got_m({size}), got_v({size});
    Tensor average = copy_of(parameter), got_average = copy_of(parameter);
    for (int64_t i = 1; i <= 5; ++i) {
      const Tensor gradient = random_tensor({size}, 10 + uint64_t(i));
      AdamStep step;
      step.learning_rate = 0.01;
      step.gradient_scale = 0.5;
      step.step = i;
      step.weight_decay = i % 2 == 0 ? 0.5 : 0;
      step.ema_decay = 0.75;
      const bool averages = i != 3;
      reference->adam(step, gradient, parameter, m, v, averages ? &average : nullptr);
      backend->adam(step, gradient, got, got_m, got_v, averages ? &got_average : nullptr);
      expect_close(got, parameter, 1e-6, "parameter");
      expect_close(got_m, m, 1e-6, "first moment");
      expect_close(got_v, v, 1e-6, "second moment");
      expect_close(got_average, average, 1e-6, "average");
    }
  }
}

}  // namespace
}  // namespace heed::testing
