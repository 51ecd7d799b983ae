#include "heed/model/recurrent_network.h"

#include <cmath>
#include <numeric>
#include <utility>

#include "heed/autograd/recurrent_steps.h"
#include "heed/model/token_positions.h"

namespace heed {
namespace {

// Allocates the parameters of a network.
struct RecurrentAllocator {
  const ModelConfig& config;
  DType type;
  const std::shared_ptr<TensorMemory>& memory;

  Tensor tensor(Shape shape) const { return Tensor(std::move(shape), type, memory); }
  Linear linear(int64_t in, int64_t out) const {
    return {.weight = tensor({out, in}), .bias = tensor({out})};
  }
  // A layer of states of width d that reads inputs, and states together with what is fed with them.
  RecurrentLayer layer(int64_t in, int64_t d, int64_t with_state = 0) const {
    const int64_t columns = gates_of(config.variants.cell) * d;
    return {linear(in, columns), linear(d + with_state, columns)};
  }
  Attention attention(const AttentionMethod& method) const {
    const int64_t d = config.d_model;
    Attention w;
    if (method.score == ScoreFunction::additive)
      w.query = linear(d, d), w.key = linear(d, d), w.score = tensor({1, d});
    if (method.score == ScoreFunction::general) w.score = tensor({d, d});
    if (method.score == ScoreFunction::cosine) w.score = tensor({1});
    if (method.score == ScoreFunction::location) w.location = linear(d, kLocations);
    if (method.reach.kind == AttentionReach::Kind::predicted)
      w.center_inner = linear(d, d), w.center = linear(d, 1);
    return w;
  }
};

RecurrentWeights weights_of(const RecurrentLayer& w) {
  return {w.input.weight, w.input.bias, w.state.weight, w.state.bias};
}

Tensor zero_states(ForwardPass& pass, int64_t sequences, int64_t d, DType type) {
  Tensor states = pass.tensor({sequences, d}, type);
  fill_zeros(states);
  return states;
}

RecurrentState rows_of_state(ForwardPass& pass, const RecurrentState& x, const Tokens& rows) {
  return {gather_rows(pass, x.state, rows), x.cell ? gather_rows(pass, x.cell, rows) : Tensor()};
}

RecurrentState first_of(const RecurrentState& x, int64_t sequences) {
  return {x.state.slice(0, sequences), x.cell ? x.cell.slice(0, sequences) : Tensor()};
}

}  // namespace

RecurrentNetwork::RecurrentNetwork(const ModelConfig& config, DType type,
                                   const std::shared_ptr<TensorMemory>& memory)
    : config_(config) {
  const RecurrentAllocator make{config, type, memory};
  const int64_t d = config.d_model;
  for (int64_t i = 0; i < config.encoder_layers; ++i)
    encoder_.push_back({make.layer(d, d / 2), make.layer(d, d / 2)});
  if (attention_layers(config, AttentionSite::cross) > 0)
    method_ = attention_method(config, AttentionSite::cross);
  for (int64_t i = 0; i < config.decoder_layers; ++i)
    decoder_.push_back({make.layer(d, d, i == 0 && feeds() ? d : 0),
                        config.has_encoder() ? make.linear(d, d) : Linear()});
  if (!method_) return;
  attention_ = make.attention(*method_);
  combine_ = make.linear(2 * d, d);
}

bool RecurrentNetwork::feeds() const {
  return method_ && config_.variants.input_feeding == Switch::on;
}

Tensor RecurrentNetwork::embed(ForwardPass& pass, const Tokens& tokens, const Tensor& table) const {
  const double scale = config_.scale_embeddings ? std::sqrt(double(config_.d_model)) : 1;
  return heed::embed(pass, tokens, table, {}, {scale, config_.dropout, config_.pad_id()});
}

EncoderOutput RecurrentNetwork::encode(ForwardPass& pass, const Tokens& source,
                                       const Tensor& table) const {
  const Cell cell = config_.variants.cell;
  Tensor x = embed(pass, source, table);
  for (size_t i = 0; i < encoder_.size(); ++i) {
    if (i > 0) x = dropout(pass, x, config_.dropout);
    const auto& [forward, backward] = encoder_[i];
    x = concatenate(pass,
                    recurrent(pass, x, source.layout, weights_of(forward),
                              {.cell = cell, .order = ReadingOrder::forward}),
                    recurrent(pass, x, source.layout, weights_of(backward),
                              {.cell = cell, .order = ReadingOrder::backward}));
  }
  return {x, source.layout};
}

// h_0 = tanh(W_s h), where h has the last state of each direction (Bahdanau et al., 2015, appendix
// A.2.2); the LSTM's cell is W_s h.
DecoderStates RecurrentNetwork::start(ForwardPass& pass, const EncoderOutput* memory,
                                      int64_t sequences) const {
  const int64_t d = config_.d_model;
  const DType type = decoder_[0].layer.input.weight.dtype();
  DecoderStates states;
  if (feeds()) states.attentional = zero_states(pass, sequences, d, type);
  const bool has_cells = config_.variants.cell == Cell::lstm;
  if (memory == nullptr) {
    const Tensor zeros = zero_states(pass, sequences, d, type);
    states.layers.assign(decoder_.size(), {zeros, has_cells ? zeros : Tensor()});
    return states;
  }
  // Each row has the states of both directions, one after the other.
  std::vector<int32_t> halves;
  for (int64_t b = 0; b < memory->layout.count(); ++b) {
    halves.push_back(2 * (memory->layout.offsets[size_t(b) + 1] - 1));
    halves.push_back(2 * memory->layout.offsets[size_t(b)] + 1);
  }
  const Tensor directions = memory->states.reshape({2 * memory->states.rows(), d / 2});
  const Tensor last = gather_rows(pass, directions, row_tokens(std::move(halves)));
  for (const DecoderLayer& w : decoder_) {
    const Tensor cell = linear(pass, last.reshape({sequences, d}), w.start);
    states.layers.push_back({activate(pass, cell, Activation::tanh), has_cells ? cell : Tensor()});
  }
  return states;
}

KeyValue RecurrentNetwork::project(ForwardPass& pass, const EncoderOutput& memory) const {
  return project_key_value(pass, attention_, *method_, memory.states, memory.states, {});
}

namespace {

// The encoder's output, longest targets first.
EncoderOutput sorted(ForwardPass& pass, const EncoderOutput& memory, const Tokens& sources) {
  EncoderOutput result;
  std::vector<int32_t> rows;
  for (const int32_t b : sources.ids) {
    result.layout.add(memory.layout.length(b));
    for (int32_t row = memory.layout.offsets[size_t(b)]; row < memory.layout.offsets[size_t(b) + 1];
         ++row)
      rows.push_back(row);
  }
  result.states = gather_rows(pass, memory.states, row_tokens(std::move(rows)));
  return result;
}

}  // namespace

Tensor RecurrentNetwork::decode(ForwardPass& pass, const Tokens& target, const Tensor& table,
                                const EncoderOutput* memory, CapturedAttention* captured) const {
  const int64_t sequences = target.layout.count();
  if (memory) check(memory->layout.count() == sequences, "one target per source");
  const DecoderStates before = start(pass, memory, sequences);
  if (!attends()) return decode(pass, target, table, before, nullptr, nullptr, nullptr);
  SourceKeys sources;
  sources.source_of.resize(size_t(sequences));
  std::iota(sources.source_of.begin(), sources.source_of.end(), 0);
  sources.sentences = target.layout;
  EncoderOutput read = *memory;
  if (feeds()) {
    // The sequences of a step are then the first sources, whose keys are their first rows.
    const TimeOrder order(target.layout);
    read = sorted(pass, *memory, order.sequences());
    for (size_t b = 0; b < sources.source_of.size(); ++b)
      sources.source_of[b] = order.sequence_places().ids[b];
  }
  sources.keys = {read.layout, {}};
  sources.projected = as_cached(pass, project(pass, read), all_rows(read.layout));
  return decode(pass, target, table, before, &sources, nullptr, captured);
}

Tensor RecurrentNetwork::decode(ForwardPass& pass, const Tokens& target, const Tensor& table,
                                const DecoderStates& before, const SourceKeys* sources,
                                DecoderStates* after, CapturedAttention* captured) const {
  const Tensor states = feeds()
                            ? decode_steps(pass, target, table, before, *sources, after, captured)
                            : decode_layers(pass, target, table, before, sources, after, captured);
  return dropout(pass, states, config_.dropout);
}

// Without input feeding no step reads the attention of another: one layer after the other, each for
// all rows.
Tensor RecurrentNetwork::decode_layers(ForwardPass& pass, const Tokens& target, const Tensor& table,
                                       const DecoderStates& before, const SourceKeys* sources,
                                       DecoderStates* after, CapturedAttention* captured) const {
  const Cell cell = config_.variants.cell;
  Tensor x = embed(pass, target, table);
  for (size_t i = 0; i < decoder_.size(); ++i) {
    if (i > 0) x = dropout(pass, x, config_.dropout);
    Tensor cells;
    x = recurrent(pass, x, target.layout, weights_of(decoder_[i].layer),
                  {.cell = cell,
                   .start = before.layers[i],
                   .cells = after && cell == Cell::lstm ? &cells : nullptr});
    if (after) after->layers.push_back({x, cells});
  }
  if (!attends()) return x;
  const Indices positions = detail::positions_of(target);
  const AttentionLayout layout{sources->sentences, sources->keys, Mask::none, &positions};
  const WeightsRequest weights =
      captured ? captured->request_for(AttentionSite::cross, 0, layout) : WeightsRequest();
  const Tensor context =
      attend(pass, attention_, *method_, {x, sources->projected, layout}, weights);
  return linear(pass, concatenate(pass, context, x), combine_, Activation::tanh);
}

// The attention of one step: the sources of its sequences, which come one after the other.
class RecurrentNetwork::StepSources {
 public:
  StepSources(const SourceKeys& sources, const Tokens& target, const TimeOrder& order, int64_t t) {
    const auto& sequences = order.sequences().ids;
    std::vector<int32_t> rows, positions;
    int64_t last = -1, queries = 0;
    const auto end_source = [&] {
      if (queries > 0) queries_.add(std::exchange(queries, 0));
    };
    for (int64_t i = 0; i < order.count(t); ++i) {
      const auto b = size_t(sequences[size_t(i)]);
      positions.push_back(int32_t(target.start_of(int64_t(b)) + t));
      const int64_t source = sources.source_of[b];
      if (source != std::exchange(last, source)) {
        end_source();
        const Ragged& all = sources.keys.lengths;
        keys_.lengths.add(all.length(source));
        if (sources.keys.rows.empty())
          check(all.offsets[size_t(source)] == keys_.lengths.rows() - all.length(source),
                "[attention] the keys of a step are not the first ones");
        else
          for (int64_t j = all.offsets[size_t(source)]; j < all.offsets[size_t(source) + 1]; ++j)
            rows.push_back(int32_t(sources.keys.row(j)));
      }
      ++queries;
    }
    end_source();
    keys_.rows = std::move(rows);
    positions_ = std::move(positions);
    projected_ = sources.projected;
    if (!keys_.rows.empty()) return;
    for (Tensor* x : {&projected_.key, &projected_.value})
      if (*x) *x = x->slice(0, keys_.lengths.rows());
  }
  StepSources(const StepSources&) = delete;
  StepSources& operator=(const StepSources&) = delete;

  const KeyValue& projected() const { return projected_; }
  AttentionLayout layout() const { return {queries_, keys_, Mask::none, &positions_}; }

 private:
  Ragged queries_;
  KeyRows keys_;
  Indices positions_;
  KeyValue projected_;
};

namespace {

// The states after each step, as those after each row.
DecoderStates states_of_rows(ForwardPass& pass,
                             const std::vector<std::vector<RecurrentState>>& steps,
                             const Tensor& attentional, const TimeOrder& order) {
  DecoderStates rows{{}, attentional};
  for (size_t i = 0; i < steps[0].size(); ++i) {
    std::vector<Tensor> states, cells;
    for (const std::vector<RecurrentState>& layers : steps) {
      states.push_back(layers[i].state);
      if (layers[i].cell) cells.push_back(layers[i].cell);
    }
    rows.layers.push_back({rows_of_steps(pass, states, order),
                           cells.empty() ? Tensor() : rows_of_steps(pass, cells, order)});
  }
  return rows;
}

// Puts the attention weights of all steps together; every sequence has a source of its own.
void capture(const std::vector<Tensor>& steps, const SourceKeys& sources, const Tokens& target,
             const TimeOrder& order, CapturedAttention& captured) {
  KeyRows keys;
  std::vector<int64_t> begins;
  int64_t count = 0;
  for (int64_t b = 0; b < target.layout.count(); ++b) {
    keys.lengths.add(sources.keys.lengths.length(sources.source_of[size_t(b)]));
    begins.push_back(count);
    count += keys.lengths.length(b) * target.layout.length(b);
  }
  Tensor* all = captured.request_for(AttentionSite::cross, 0, {target.layout, keys}).weights;
  if (all == nullptr) return;
  *all = Tensor({count}, steps[0].dtype(), steps[0].storage()->memory);
  for (size_t t = 0; t < steps.size(); ++t) {
    int64_t at = 0;
    for (int64_t i = 0; i < order.count(int64_t(t)); ++i) {
      const auto b = int64_t(order.sequences().ids[size_t(i)]);
      const int64_t length = keys.lengths.length(b), to = begins[size_t(b)] + int64_t(t) * length;
      Tensor place = all->slice(to, to + length);
      copy(steps[t].slice(at, at + length), place);
      at += length;
    }
  }
}

}  // namespace

// With input feeding (Luong et al., 2015, section 3.3) each step reads the attention of the one
// before.
Tensor RecurrentNetwork::decode_steps(ForwardPass& pass, const Tokens& target, const Tensor& table,
                                      const DecoderStates& before, const SourceKeys& sources,
                                      DecoderStates* after, CapturedAttention* captured) const {
  const TimeOrder order(target.layout);
  const int64_t rows = order.rows();
  const Tensor inputs = gather_rows(pass, embed(pass, target, table), order.to_time());
  const Tensor from_inputs = linear(pass, inputs, decoder_[0].layer.input);
  std::vector<StepwiseLinear> of_input, of_state;  // by layer
  std::vector<RecurrentState> states;
  for (size_t i = 0; i < decoder_.size(); ++i) {
    const auto& [input, state] = decoder_[i].layer;
    of_input.emplace_back(pass, input.weight, input.bias, i == 0 ? 0 : rows);
    of_state.emplace_back(pass, state.weight, state.bias, rows);
    states.push_back(rows_of_state(pass, before.layers[i], order.sequences()));
  }
  StepwiseLinear combine(pass, combine_.weight, combine_.bias, rows);
  std::vector<Tensor> attentional, weights;  // by step
  std::vector<std::vector<RecurrentState>> all_states;
  Tensor fed = gather_rows(pass, before.attentional, order.sequences());
  for (int64_t t = 0; t < order.steps(); ++t) {
    const int64_t n = order.count(t);
    Tensor x;
    for (size_t i = 0; i < decoder_.size(); ++i) {
      const RecurrentState last = first_of(states[i], n);
      if (i > 0) x = dropout(pass, x, config_.dropout);
      const Tensor from_input = i == 0 ? order.step(from_inputs, t) : of_input[i](pass, x);
      const Tensor read = i == 0 ? concatenate(pass, last.state, fed.slice(0, n)) : last.state;
      states[i] =
          recurrent_step(pass, from_input, of_state[i](pass, read), last, config_.variants.cell);
      x = states[i].state;
    }
    const StepSources read(sources, target, order, t);
    Tensor* captured_step = captured ? &weights.emplace_back() : nullptr;
    const Tensor context =
        attend(pass, attention_, *method_, {x, read.projected(), read.layout()}, {captured_step});
    fed = activate(pass, combine(pass, concatenate(pass, context, x)), Activation::tanh);
    attentional.push_back(fed);
    if (after) all_states.push_back(states);
  }
  if (captured) capture(weights, sources, target, order, *captured);
  Tensor result = rows_of_steps(pass, attentional, order);
  if (after) *after = states_of_rows(pass, all_states, result, order);
  return result;
}

}  // namespace heed
