#include "heed/backend/recurrent.h"

#include "backend/compare.h"

namespace heed::testing {
namespace {

using Recurrent = TargetTest;
INSTANTIATE_TEST_SUITE_P(Targets, Recurrent, ::testing::ValuesIn(targets()), target_name);

struct StepShape {
  int64_t rows, d;
};
constexpr StepShape kStepShapes[] = {{0, 4}, {1, 1}, {3, 7}, {5, 32}, {2, 130}};

// Sums far from zero too, where gates are closed or open.
Tensor random_sums(int64_t rows, int64_t columns, uint64_t seed) {
  return random_tensor({rows, columns}, seed, 4);
}

TEST_P(Recurrent, LstmStep) {
  for (const auto& [rows, d] : kStepShapes) {
    const Tensor input = random_sums(rows, 4 * d, 1), recurrent = random_sums(rows, 4 * d, 2),
                 before = random_tensor({rows, d}, 3);
    const auto run = [&, rows = rows, d = d](Backend& on) {
      std::vector<Tensor> out = {Tensor({rows, 4 * d}), Tensor({rows, d}), Tensor({rows, d})};
      on.lstm_step(input, recurrent, before, out[0], out[1], out[2]);
      return out;
    };
    const std::vector<Tensor> expected = run(*reference), got = run(*backend);
    for (size_t i = 0; i < got.size(); ++i)
      expect_close(got[i], expected[i], 2e-6, fmt::format("lstm_step, output {}", i));
  }
}

TEST_P(Recurrent, LstmStepGradient) {
  for (const auto& [rows, d] : kStepShapes) {
    const Tensor input = random_sums(rows, 4 * d, 1), recurrent = random_sums(rows, 4 * d, 2),
                 before = random_tensor({rows, d}, 3), dstate = random_tensor({rows, d}, 4);
    Tensor gates({rows, 4 * d}), cell({rows, d}), state({rows, d});
    reference->lstm_step(input, recurrent, before, gates, cell, state);
    const auto run = [&, rows = rows, d = d](Backend& on) {
      std::vector<Tensor> out = {random_tensor({rows, d}, 5), Tensor({rows, 4 * d})};
      on.lstm_step_gradient(gates, before, cell, dstate, out[0], out[1]);
      return out;
    };
    const std::vector<Tensor> expected = run(*reference), got = run(*backend);
    for (size_t i = 0; i < got.size(); ++i)
      expect_close(got[i], expected[i], 5e-6, fmt::format("lstm_step_gradient, output {}", i));
  }
}

TEST_P(Recurrent, GruStep) {
  for (const auto& [rows, d] : kStepShapes) {
    const Tensor input = random_sums(rows, 3 * d, 1), recurrent = random_sums(rows, 3 * d, 2),
                 before = random_tensor({rows, d}, 3);
    const auto run = [&, rows = rows, d = d](Backend& on) {
      std::vector<Tensor> out = {Tensor({rows, 4 * d}), Tensor({rows, d})};
      on.gru_step(input, recurrent, before, out[0], out[1]);
      return out;
    };
    const std::vector<Tensor> expected = run(*reference), got = run(*backend);
    for (size_t i = 0; i < got.size(); ++i)
      expect_close(got[i], expected[i], 2e-6, fmt::format("gru_step, output {}", i));
  }
}

TEST_P(Recurrent, GruStepGradient) {
  for (const auto& [rows, d] : kStepShapes) {
    const Tensor input = random_sums(rows, 3 * d, 1), recurrent = random_sums(rows, 3 * d, 2),
                 before = random_tensor({rows, d}, 3), dstate = random_tensor({rows, d}, 4);
    Tensor gates({rows, 4 * d}), state({rows, d});
    reference->gru_step(input, recurrent, before, gates, state);
    const auto run = [&, rows = rows, d = d](Backend& on) {
      std::vector<Tensor> out = {Tensor({rows, 3 * d}), Tensor({rows, 3 * d}), Tensor({rows, d})};
      on.gru_step_gradient(gates, before, dstate, out[0], out[1], out[2]);
      return out;
    };
    const std::vector<Tensor> expected = run(*reference), got = run(*backend);
    for (size_t i = 0; i < got.size(); ++i)
      expect_close(got[i], expected[i], 5e-6, fmt::format("gru_step_gradient, output {}", i));
  }
}

}  // namespace
}  // namespace heed::testing
