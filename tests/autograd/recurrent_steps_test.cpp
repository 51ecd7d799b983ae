#include "heed/autograd/recurrent_steps.h"

#include "op_test.h"

namespace heed {
namespace {

using testing::ragged;
using testing::random_tensor;

class RecurrentStepsTest : public testing::OpTest {
 protected:
  const Ragged layout_ = ragged({2, 4, 1, 4});
  const Tensor x_ = random_tensor({11, 4}, 7);

  RecurrentWeights weights_of(Cell cell) const {
    const int64_t columns = gates_of(cell) * 3;
    return {random_tensor({columns, 4}, 1), random_tensor({columns}, 2),
            random_tensor({columns, 3}, 3), random_tensor({columns}, 4)};
  }
  RecurrentState start_of(Cell cell) const {
    return {random_tensor({4, 3}, 5), cell == Cell::lstm ? random_tensor({4, 3}, 6) : Tensor()};
  }
  // A layer of a batch, step by step.
  Tensor step_by_step(ForwardPass& pass, const RecurrentWeights& w, const RecurrentState& start,
                      Cell cell) const {
    const TimeOrder order(layout_);
    const Tensor x = gather_rows(pass, x_, order.to_time());
    StepwiseLinear of_input(pass, w.input, w.input_bias, order.rows());
    StepwiseLinear of_state(pass, w.state, w.state_bias, order.rows());
    RecurrentState state{gather_rows(pass, start.state, order.sequences()),
                         start.cell ? gather_rows(pass, start.cell, order.sequences()) : Tensor()};
    std::vector<Tensor> states;
    for (int64_t t = 0; t < order.steps(); ++t) {
      const int64_t n = order.count(t);
      const RecurrentState before{state.state.slice(0, n),
                                  state.cell ? state.cell.slice(0, n) : Tensor()};
      state = recurrent_step(pass, of_input(pass, order.step(x, t)), of_state(pass, before.state),
                             before, cell);
      states.push_back(state.state);
    }
    return rows_of_steps(pass, states, order);
  }
};

TEST_F(RecurrentStepsTest, StepsTogetherAreTheLayer) {
  for (const Cell cell : {Cell::lstm, Cell::gru}) {
    const RecurrentWeights w = weights_of(cell);
    const RecurrentState start = start_of(cell);
    ForwardPass plain = pass();
    const Tensor steps = step_by_step(plain, w, start, cell);
    const Tensor layer = recurrent(plain, x_, layout_, w, {.cell = cell, .start = start});
    EXPECT_TRUE(std::ranges::equal(steps.span<double>(), layer.span<double>()));
    const auto inputs = [&] {
      Inputs all = {{"x", x_},      {"W", w.input},       {"b", w.input_bias},
                    {"U", w.state}, {"b'", w.state_bias}, {"state", start.state}};
      if (start.cell) all.emplace_back("cell", start.cell);
      return all;
    }();
    check_op([&](ForwardPass& p) { return step_by_step(p, w, start, cell); }, inputs);
    for (const ReadingOrder order : {ReadingOrder::forward, ReadingOrder::backward})
      check_op(
          [&](ForwardPass& p) {
            return recurrent(p, x_, layout_, w, {.cell = cell, .order = order, .start = start});
          },
          inputs);
  }
}

// Sequences without rows keep their place among the states to begin from.
TEST_F(RecurrentStepsTest, EmptySequencesBeginNothing) {
  const RecurrentWeights w = weights_of(Cell::gru);
  const Tensor start = random_tensor({6, 3}, 5);
  const Ragged layout = ragged({0, 2, 4, 0, 1, 4});
  check_op(
      [&](ForwardPass& p) {
        return recurrent(p, x_, layout, w, {.cell = Cell::gru, .start = {start}});
      },
      {{"state", start}});
}

TEST_F(RecurrentStepsTest, CellsAreThoseOfTheLayer) {
  const RecurrentWeights w = weights_of(Cell::lstm);
  ForwardPass plain = pass();
  Tensor cells;
  recurrent(plain, x_, layout_, w, {.cells = &cells});
  // The cell of the sequence of one row is i * g.
  const Tensor x = x_.slice(6, 7);
  const Tensor sums = linear(plain, x, w.input, w.input_bias);
  for (int64_t c = 0; c < 3; ++c) {
    const auto sum = [&](int64_t gate) {
      return sums.data<double>()[gate * 3 + c] + w.state_bias.data<double>()[gate * 3 + c];
    };
    EXPECT_NEAR(cells.data<double>()[6 * 3 + c], std::tanh(sum(2)) / (1 + std::exp(-sum(0))),
                1e-14);
  }
}

TEST_F(RecurrentStepsTest, MoreRowsThanAnnouncedAreABug) {
  ForwardPass plain = pass();
  StepwiseLinear linear(plain, random_tensor({3, 4}, 1), Tensor(), 10);
  EXPECT_THROW(linear(plain, x_), Bug);
}

}  // namespace
}  // namespace heed
