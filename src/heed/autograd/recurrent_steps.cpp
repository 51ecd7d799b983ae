#include "heed/autograd/recurrent_steps.h"

#include "heed/autograd/shared-inl.h"

namespace heed {
namespace {

RecurrentState lstm_step(ForwardPass& pass, const Tensor& from_input, const Tensor& from_state,
                         const RecurrentState& before) {
  const int64_t n = before.state.rows(), d = before.state.columns();
  // One tensor, since a backward step belongs to one.
  const Tensor both = pass.tensor({2 * n, d}, from_input.dtype());
  RecurrentState after{both.slice(0, n), both.slice(n, 2 * n)};
  Tensor gates = pass.tensor({n, 4 * d}, from_input.dtype());
  pass.backend.lstm_step(from_input, from_state, before.cell, gates, after.cell, after.state);
  if (pass.tape)
    pass.tape->record(both, [&pass, from_input, from_state, cell_before = before.cell, gates,
                             cell = after.cell, n](const Tensor& dboth) {
      Tensor dcell = dboth.slice(n, 2 * n);
      Tensor dsums = pass.tensor(gates.shape(), gates.dtype());
      pass.backend.lstm_step_gradient(gates, cell_before, cell, dboth.slice(0, n), dcell, dsums);
      for (const Tensor& sums : {from_input, from_state}) detail::pass_on(pass, dsums, sums);
      detail::pass_on(pass, dcell, cell_before);
    });
  return after;
}

RecurrentState gru_step(ForwardPass& pass, const Tensor& from_input, const Tensor& from_state,
                        const Tensor& before) {
  const int64_t d = before.columns();
  Tensor state = pass.tensor(before.shape(), before.dtype());
  Tensor gates = pass.tensor({before.rows(), 4 * d}, before.dtype());
  pass.backend.gru_step(from_input, from_state, before, gates, state);
  if (pass.tape)
    pass.tape->record(state, [&pass, from_input, from_state, before, gates](const Tensor& dstate) {
      const auto like = [&](const Tensor& x) { return pass.tensor(x.shape(), x.dtype()); };
      Tensor dinput = like(from_input), dfrom_state = like(from_state), dbefore = like(before);
      pass.backend.gru_step_gradient(gates, before, dstate, dinput, dfrom_state, dbefore);
      detail::pass_on(pass, dinput, from_input);
      detail::pass_on(pass, dfrom_state, from_state);
      detail::pass_on(pass, dbefore, before);
    });
  return {state, {}};
}

}  // namespace

RecurrentState recurrent_step(ForwardPass& pass, const Tensor& from_input, const Tensor& from_state,
                              const RecurrentState& before, Cell cell) {
  const int64_t columns = gates_of(cell) * before.state.columns();
  check(from_input.columns() == columns && from_state.shape() == from_input.shape() &&
            from_input.rows() == before.state.rows(),
        "[recurrent_step] a block of d columns for each gate");
  if (cell == Cell::gru) return gru_step(pass, from_input, from_state, before.state);
  return lstm_step(pass, from_input, from_state, before);
}

struct StepwiseLinear::Operands {
  Tensor weight, bias;
  int64_t rows = 0, applied = 0, passed_back = 0;
  Tensor x, dy;  // of all steps; only with a tape
};

StepwiseLinear::StepwiseLinear(ForwardPass& pass, Tensor weight, Tensor bias, int64_t rows)
    : all_(std::make_shared<Operands>()) {
  all_->weight = std::move(weight);
  all_->bias = std::move(bias);
  all_->rows = rows;
  if (!pass.tape) return;
  all_->x = pass.tensor({rows, all_->weight.columns()}, all_->weight.dtype());
  all_->dy = pass.tensor({rows, all_->weight.rows()}, all_->weight.dtype());
}

Tensor StepwiseLinear::operator()(ForwardPass& pass, const Tensor& x) {
  const int64_t begin = all_->applied, end = begin + x.rows();
  check(end <= all_->rows, "[StepwiseLinear] more rows than announced");
  Tensor y = pass.tensor({x.rows(), all_->weight.rows()}, x.dtype());
  pass.backend.linear(x, all_->weight, all_->bias, Activation::none, y);
  all_->applied = end;
  if (!pass.tape) return y;
  Tensor place = all_->x.slice(begin, end);
  copy(x, place);
  pass.tape->record(y, [&pass, all = all_, x, begin, end](const Tensor& dy) {
    Tensor own = all->dy.slice(begin, end);
    copy(dy, own);
    GradientBuffer dx = pass.tape->gradient_buffer(x);
    pass.backend.linear_input_gradient(own, all->weight, dx.tensor, dx.mode);
    all->passed_back += end - begin;
    if (begin > 0) return;
    check(all->passed_back == all->rows, "[StepwiseLinear] a step without a gradient");
    detail::add_weight_gradient(pass, {all->weight, all->dy, all->x}, all->bias);
  });
  return y;
}

Tensor rows_of_steps(ForwardPass& pass, const std::vector<Tensor>& steps, const TimeOrder& order) {
  check(int64_t(steps.size()) == order.steps() && !steps.empty(),
        "[rows_of_steps] the rows of each step");
  const Shape shape{order.rows(), steps[0].columns()};
  Tensor in_time = pass.tensor(shape, steps[0].dtype());
  for (size_t t = 0; t < steps.size(); ++t) {
    Tensor place = order.step(in_time, int64_t(t));
    copy(steps[t], place);
  }
  Tensor rows = pass.tensor(shape, in_time.dtype());
  pass.backend.embed(order.from_time(), in_time, {}, 1, {}, rows);
  if (pass.tape)
    pass.tape->record(rows, [&pass, steps, order](const Tensor& drows) {
      Tensor din_time = pass.tensor(drows.shape(), drows.dtype());
      pass.backend.embed(order.to_time(), drows, {}, 1, {}, din_time);
      for (size_t t = 0; t < steps.size(); ++t)
        detail::pass_on(pass, order.step(din_time, int64_t(t)), steps[t]);
    });
  return rows;
}

}  // namespace heed
