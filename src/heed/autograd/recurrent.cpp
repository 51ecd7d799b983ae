#include "heed/autograd/recurrent.h"

#include <algorithm>
#include <numeric>

#include "heed/autograd/shared-inl.h"

namespace heed {
namespace {

// The rows of a batch step by step: those of step 0 of all sequences, then those of step 1, and so
// on. In each step longer sequences come first, so that the sequences of a step are the first ones
// of the step before.
class TimeOrder {
 public:
  TimeOrder(const Ragged& layout, ReadingOrder order) : begins_{0} {
    std::vector<int64_t> sequences(static_cast<size_t>(layout.count()));
    std::iota(sequences.begin(), sequences.end(), 0);
    std::ranges::stable_sort(
        sequences, [&](int64_t a, int64_t b) { return layout.length(a) > layout.length(b); });
    std::vector<int32_t> rows, places(size_t(layout.rows())), before;
    for (int64_t t = 0; int64_t(rows.size()) < layout.rows(); ++t) {
      for (const int64_t b : sequences) {
        const int64_t length = layout.length(b), i = int64_t(rows.size()) - begins_.back();
        if (length <= t) break;
        const int64_t position = order == ReadingOrder::forward ? t : length - 1 - t;
        const int64_t row = layout.offsets[size_t(b)] + position;
        places[size_t(row)] = int32_t(rows.size());
        rows.push_back(int32_t(row));
        if (t > 0) before.push_back(int32_t(begins_[size_t(t) - 1] + i));
      }
      begins_.push_back(int64_t(rows.size()));
    }
    rows_ = tokens_of(std::move(rows));
    places_ = tokens_of(std::move(places));
    before_ = tokens_of(std::move(before));
  }

  int64_t steps() const { return int64_t(begins_.size()) - 1; }
  // The rows of step t, and how many there are.
  int64_t begin(int64_t t) const { return begins_[size_t(t)]; }
  int64_t count(int64_t t) const { return begins_[size_t(t) + 1] - begins_[size_t(t)]; }
  int64_t rows() const { return begins_.back(); }
  Tensor step(const Tensor& x, int64_t t) const { return x.slice(begin(t), begin(t) + count(t)); }
  // The rows of step t - 1 that step t continues.
  Tensor before_step(const Tensor& x, int64_t t) const {
    return x.slice(begin(t - 1), begin(t - 1) + count(t));
  }

  // As "tokens" of a table, by which the kernel embed() gathers rows: the row of x of each row of
  // this order, and the other way round; and, for the rows after step 0, the row of the step
  // before.
  const Tokens& to_time() const { return rows_; }
  const Tokens& from_time() const { return places_; }
  const Tokens& to_before() const { return before_; }

 private:
  static Tokens tokens_of(std::vector<int32_t> rows) {
    Tokens tokens;
    tokens.layout.add(int64_t(rows.size()));
    tokens.ids = std::move(rows);
    return tokens;
  }

  std::vector<int64_t> begins_;
  Tokens rows_, places_, before_;
};

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
             const RecurrentWeights& weights, Cell cell, ReadingOrder order)
      : pass_(pass),
        x_(x),
        weights_(weights),
        cell_(cell),
        d_(weights.state.columns()),
        order_(layout, order) {}

  // The states in the order of x.
  Tensor forward() {
    const DType type = x_.dtype();
    const int64_t rows = order_.rows(), widest = order_.steps() > 0 ? order_.count(0) : 0;
    in_time_ = gathered(pass_, x_, order_.to_time());
    const Tensor from_input = product(in_time_, weights_.input, weights_.input_bias);
    states_ = pass_.tensor({rows, d_}, type);
    if (cell_ == Cell::lstm) cells_ = pass_.tensor({rows, d_}, type);
    // Without a tape each step overwrites the gates of the one before.
    const bool keeps = pass_.tape != nullptr;
    gates_ = pass_.tensor({keeps ? rows : widest, 4 * d_}, type);
    start_ = zeros(pass_, {widest, d_}, type);
    for (int64_t t = 0; t < order_.steps(); ++t) {
      const Tensor from_state = product(before(states_, t), weights_.state, weights_.state_bias);
      Tensor gates = keeps ? order_.step(gates_, t) : gates_.slice(0, order_.count(t));
      Tensor state = order_.step(states_, t);
      const Tensor input = order_.step(from_input, t);
      if (cell_ == Cell::gru) {
        pass_.backend.gru_step(input, from_state, before(states_, t), gates, state);
        continue;
      }
      Tensor cell = order_.step(cells_, t);
      pass_.backend.lstm_step(input, from_state, before(cells_, t), gates, cell, state);
    }
    return gathered(pass_, states_, order_.from_time());
  }

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
        pass_.backend.gru_step_gradient(gates, before(states_, t), dstates_of_step, dinput, dstate,
                                        passed_of_step);
      else
        pass_.backend.lstm_step_gradient(gates, before(cells_, t), order_.step(cells_, t),
                                         dstates_of_step, passed_of_step, dinput);
      if (t == 0) break;
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
  // The states or cells that step t begins from.
  Tensor before(const Tensor& x, int64_t t) const {
    return t == 0 ? start_.slice(0, order_.count(0)) : order_.before_step(x, t);
  }
  // The state before each row, for the gradient of U: zeros in step 0.
  Tensor states_before() {
    Tensor all = zeros(pass_, states_.shape(), states_.dtype());
    if (order_.steps() < 2) return all;
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
  Tensor start_;                   // zeros
};

}  // namespace

Tensor recurrent(ForwardPass& pass, const Tensor& x, const Ragged& layout,
                 const RecurrentWeights& weights, Cell cell, ReadingOrder order) {
  const int64_t d = weights.state.columns(), columns = gates_of(cell) * d;
  check(x.rows() == layout.rows(), "[recurrent] sequences do not fill their layout");
  check(weights.input.columns() == x.columns(), "[recurrent] input and weight differ in width");
  check(weights.input.rows() == columns && weights.state.rows() == columns,
        "[recurrent] weights without a block of d rows for each gate");
  for (const Tensor* bias : {&weights.input_bias, &weights.state_bias})
    check(!*bias || bias->size() == columns, "[recurrent] one bias per output");
  auto layer = std::make_shared<Recurrence>(pass, x, layout, weights, cell, order);
  Tensor states = layer->forward();
  if (pass.tape)
    pass.tape->record(states, [layer](const Tensor& dstates) { layer->backward(dstates); });
  return states;
}

}  // namespace heed
