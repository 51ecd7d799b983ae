#include "heed/autograd/recurrent.h"

#include "heed/autograd/shared-inl.h"

namespace heed {
namespace {

// Row i is row rows.ids[i] of x.
void gather(ForwardPass& pass, const Tensor& x, const Tokens& rows, Tensor& out) {
  pass.backend.embed(rows, x, Tensor(), 1, {}, out);
}
Tensor gathered(ForwardPass& pass, const Tensor& x, const Tokens& rows) {
  Tensor out = pass.tensor({int64_t(rows.ids.size()), x.columns()}, x.dtype());
  gather(pass, x, rows, out);
  return out;
}

Tensor zeros(ForwardPass& pass, Shape shape, DType type) {
  Tensor tensor = pass.tensor(std::move(shape), type);
  fill_zeros(tensor);
  return tensor;
}

// A layer on one batch, in the order of time.
class Recurrence {
 public:
  Recurrence(ForwardPass& pass, const Tensor& x, const Ragged& layout,
             const RecurrentWeights& weights, const RecurrentOptions& options)
      : pass_(pass),
        x_(x),
        weights_(weights),
        cell_(options.cell),
        d_(weights.state.columns()),
        order_(layout, options.order),
        given_(options.start),
        start_(first(given_.state)) {
    if (cell_ == Cell::lstm) start_cell_ = first(given_.cell);
  }

  // The states in the order of x.
  Tensor forward() {
    const DType type = x_.dtype();
    const int64_t rows = order_.rows();
    in_time_ = gathered(pass_, x_, order_.to_time());
    const Tensor from_input = product(in_time_, weights_.input, weights_.input_bias);
    states_ = pass_.tensor({rows, d_}, type);
    if (cell_ == Cell::lstm) cells_ = pass_.tensor({rows, d_}, type);
    // Without a tape each step overwrites the gates of the one before.
    const bool keeps = pass_.tape != nullptr;
    gates_ = pass_.tensor({keeps ? rows : start_.rows(), 4 * d_}, type);
    for (int64_t t = 0; t < order_.steps(); ++t) {
      const Tensor from_state =
          product(before(states_, start_, t), weights_.state, weights_.state_bias);
      Tensor gates = keeps ? order_.step(gates_, t) : gates_.slice(0, order_.count(t));
      Tensor state = order_.step(states_, t);
      const Tensor input = order_.step(from_input, t);
      if (cell_ == Cell::gru) {
        pass_.backend.gru_step(input, from_state, before(states_, start_, t), gates, state);
        continue;
      }
      Tensor cell = order_.step(cells_, t);
      pass_.backend.lstm_step(input, from_state, before(cells_, start_cell_, t), gates, cell,
                              state);
    }
    return gathered(pass_, states_, order_.from_time());
  }
  // The cells in the order of x.
  Tensor cells() const { return gathered(pass_, cells_, order_.from_time()); }

  // Passes on the gradients, given that of what forward() returned.
  void backward(const Tensor& dout) {
    const DType type = x_.dtype();
    const int64_t rows = order_.rows(), columns = gates_of(cell_) * d_;
    Tensor dstates = gathered(pass_, dout, order_.to_time());
    Tensor dfrom_input = pass_.tensor({rows, columns}, type);
    Tensor dfrom_state = cell_ == Cell::gru ? pass_.tensor({rows, columns}, type) : dfrom_input;
    // Besides dstates, a step passes this to the step before: the gradient of the LSTM's cells, or
    // that of the GRU's states which does not go through U.
    Tensor passed = zeros(pass_, start_.shape(), type);
    for (int64_t t = order_.steps() - 1; t >= 0; --t) {
      Tensor dinput = order_.step(dfrom_input, t), dstate = order_.step(dfrom_state, t);
      const Tensor gates = order_.step(gates_, t), dstates_of_step = order_.step(dstates, t);
      Tensor passed_of_step = passed.slice(0, order_.count(t));
      if (cell_ == Cell::gru)
        pass_.backend.gru_step_gradient(gates, before(states_, start_, t), dstates_of_step, dinput,
                                        dstate, passed_of_step);
      else
        pass_.backend.lstm_step_gradient(gates, before(cells_, start_cell_, t),
                                         order_.step(cells_, t), dstates_of_step, passed_of_step,
                                         dinput);
      if (t == 0) {
        pass_to_start(dstate, passed);
        break;
      }
      Tensor dstates_before = order_.before_step(dstates, t);
      if (cell_ == Cell::gru) pass_.backend.add(passed_of_step, dstates_before);
      pass_.backend.linear_input_gradient(dstate, weights_.state, dstates_before,
                                          WriteMode::accumulate);
    }
    detail::add_weight_gradient(pass_, {weights_.input, dfrom_input, in_time_},
                                weights_.input_bias);
    detail::add_weight_gradient(pass_, {weights_.state, dfrom_state, states_before()},
                                weights_.state_bias);
    Tensor dx_in_time = pass_.tensor(in_time_.shape(), type);
    pass_.backend.linear_input_gradient(dfrom_input, weights_.input, dx_in_time,
                                        WriteMode::overwrite);
    detail::OverwrittenGradient dx(pass_, x_);
    gather(pass_, dx_in_time, order_.from_time(), dx.tensor());
    dx.finish();
  }

 private:
  Tensor product(const Tensor& x, const Tensor& weight, const Tensor& bias) {
    Tensor y = pass_.tensor({x.rows(), weight.rows()}, x.dtype());
    pass_.backend.linear(x, weight, bias, Activation::none, y);
    return y;
  }
  // States or cells of sequences in the order of step 0.
  Tensor first(const Tensor& given) const {
    if (given) return gathered(pass_, given, order_.sequences());
    return zeros(pass_, {int64_t(order_.sequences().ids.size()), d_}, x_.dtype());
  }
  // The states or cells that step t begins from.
  Tensor before(const Tensor& x, const Tensor& start, int64_t t) const {
    return t == 0 ? start.slice(0, order_.count(0)) : order_.before_step(x, t);
  }
  // The gradients of given states and cells, from those of step 0: of U h, and what it passes on.
  void pass_to_start(const Tensor& dfrom_state, const Tensor& passed) {
    if (given_.cell) pass_on_start(passed, given_.cell);
    if (!given_.state) return;
    Tensor dstart = zeros(pass_, start_.shape(), start_.dtype());
    Tensor of_step_0 = dstart.slice(0, order_.count(0));
    pass_.backend.linear_input_gradient(dfrom_state, weights_.state, of_step_0,
                                        WriteMode::overwrite);
    if (cell_ == Cell::gru) pass_.backend.add(passed, dstart);
    pass_on_start(dstart, given_.state);
  }
  void pass_on_start(const Tensor& gradient, const Tensor& given) {
    detail::OverwrittenGradient dgiven(pass_, given);
    gather(pass_, gradient, order_.sequence_places(), dgiven.tensor());
    dgiven.finish();
  }
  // The state before each row, for the gradient of U.
  Tensor states_before() {
    Tensor all = pass_.tensor(states_.shape(), states_.dtype());
    if (order_.steps() == 0) return all;
    Tensor step_0 = order_.step(all, 0);
    copy(start_.slice(0, order_.count(0)), step_0);
    if (order_.steps() == 1) return all;
    Tensor later = all.slice(order_.begin(1), order_.rows());
    gather(pass_, states_, order_.to_before(), later);
    return all;
  }

  ForwardPass& pass_;
  const Tensor x_;
  const RecurrentWeights weights_;
  const Cell cell_;
  const int64_t d_;
  const TimeOrder order_;
  Tensor in_time_;                 // x in the order of time
  Tensor gates_, states_, cells_;  // of each step; cells of the LSTM
  const RecurrentState given_;     // before the first rows of sequences, in the batch's order
  Tensor start_, start_cell_;      // the same in the order of step 0; zeros where none is given
};

}  // namespace

Tensor recurrent(ForwardPass& pass, const Tensor& x, const Ragged& layout,
                 const RecurrentWeights& weights, const RecurrentOptions& options) {
  const int64_t d = weights.state.columns(), columns = gates_of(options.cell) * d;
  check(x.rows() == layout.rows(), "[recurrent] sequences do not fill their layout");
  check(weights.input.columns() == x.columns(), "[recurrent] input and weight differ in width");
  check(weights.input.rows() == columns && weights.state.rows() == columns,
        "[recurrent] weights without a block of d rows for each gate");
  for (const Tensor* bias : {&weights.input_bias, &weights.state_bias})
    check(!*bias || bias->size() == columns, "[recurrent] one bias per output");
  for (const Tensor* start : {&options.start.state, &options.start.cell})
    check(!*start || start->shape() == Shape{layout.count(), d},
          "[recurrent] a state for each sequence to begin from");
  auto layer = std::make_shared<Recurrence>(pass, x, layout, weights, options);
  Tensor states = layer->forward();
  if (options.cells) *options.cells = layer->cells();
  if (pass.tape)
    pass.tape->record(states, [layer](const Tensor& dstates) { layer->backward(dstates); });
  return states;
}

}  // namespace heed
