#include "heed/model/recurrent_network.h"
#include "heed/model/sequence_model.h"

namespace heed {
namespace {

// A row for each token of hypotheses, with the states after it, then one for each token of sources,
// of which the first has the states that the source's hypotheses begin from, and one of zeros.
class StateTable {
 public:
  StateTable(ForwardPass& pass, int64_t rows, int64_t d)
      : table_(pass.tensor({rows + 1, d}, DType::fp32)), zeros_(rows) {
    Tensor zeros = table_.slice(rows, rows + 1);
    fill_zeros(zeros);
  }
  int64_t zeros() const { return zeros_; }
  void write(ForwardPass& pass, const Tensor& states, const Indices& rows) {
    pass.backend.write_cache(states, rows, table_);
  }
  Tensor read(ForwardPass& pass, const Tokens& rows) const {
    return gather_rows(pass, table_, rows);
  }

 private:
  Tensor table_;
  int64_t zeros_;
};

class RecurrentStepModel : public StepModel {
 public:
  RecurrentStepModel(const ModelOnBackend& on, const RecurrentNetwork& layers)
      : model_(on.model), layers_(layers), pool_(on.backend.memory()), pass_(on.backend, pool_) {}

  Description description() const override {
    const ModelConfig& config = model_.config();
    return {config.start_id(), config.end_id(), config.max_positions, config.has_encoder()};
  }

  void reserve(const StepRows& rows) override {
    const ModelConfig& config = model_.config();
    rows_ = rows;
    const auto table = [&] { return StateTable(pass_, rows.target + rows.source, config.d_model); };
    for (int64_t i = 0; i < config.decoder_layers; ++i) {
      states_.push_back(table());
      if (config.variants.cell == Cell::lstm) cells_.push_back(table());
    }
    if (layers_.feeds()) attentional_.emplace(table());
    if (!layers_.attends()) return;
    const DType type = pass_.backend.cache_type(DType::fp32);
    const Shape shape{rows.source, config.d_model};
    if (config.variants.attention != ScoreFunction::location) keys_.key = pass_.tensor(shape, type);
    keys_.value = pass_.tensor(shape, type);
  }

  void admit(const Tokens& sources, const Indices& rows) override {
    if (!model_.config().has_encoder()) return;
    const EncoderOutput memory = model_.encode(pass_, sources);
    std::vector<int32_t> first;
    for (int64_t b = 0; b < sources.layout.count(); ++b)
      first.push_back(int32_t(rows_.target + rows[size_t(sources.layout.offsets[size_t(b)])]));
    write(layers_.start(pass_, &memory, sources.layout.count()), first);
    if (!layers_.attends()) return;
    const KeyValue projected = layers_.project(pass_, memory);
    if (projected.key) pass_.backend.write_cache(projected.key, rows, keys_.key);
    pass_.backend.write_cache(projected.value, rows, keys_.value);
  }

  Tensor logits(const StepTokens& step) override {
    const std::vector<int64_t> sentences = sentences_of(step);
    const Tokens last = rows_before(step, sentences);
    DecoderStates before, after;
    for (size_t i = 0; i < states_.size(); ++i)
      before.layers.push_back(
          {states_[i].read(pass_, last), cells_.empty() ? Tensor() : cells_[i].read(pass_, last)});
    if (attentional_) before.attentional = attentional_->read(pass_, last);
    std::optional<SourceKeys> sources;
    if (layers_.attends()) sources = {keys_, step.sources, step.sentences, sentences};
    const Tensor states = layers_.decode(pass_, step.tokens, model_.embeddings().target, before,
                                         sources ? &*sources : nullptr, &after, nullptr);
    write(after, step.new_rows);
    return model_.output().logits(pass_, states);
  }

  int64_t bytes_held() const override { return pool_.bytes_held(); }

 private:
  void write(const DecoderStates& states, const Indices& rows) {
    for (size_t i = 0; i < states_.size(); ++i) {
      states_[i].write(pass_, states.layers[i].state, rows);
      if (!cells_.empty()) cells_[i].write(pass_, states.layers[i].cell, rows);
    }
    if (attentional_) attentional_->write(pass_, states.attentional, rows);
  }

  // The sentence of each sequence of a step.
  static std::vector<int64_t> sentences_of(const StepTokens& step) {
    std::vector<int64_t> sentences;
    int64_t sentence = 0;
    for (int64_t b = 0; b < step.tokens.layout.count(); ++b) {
      while (step.sentences.offsets[size_t(sentence) + 1] <= step.tokens.layout.offsets[size_t(b)])
        ++sentence;
      sentences.push_back(sentence);
    }
    return sentences;
  }

  // The row of the token before the new ones of each sequence, or the one that it begins from.
  Tokens rows_before(const StepTokens& step, const std::vector<int64_t>& sentences) const {
    std::vector<int32_t> rows;
    for (int64_t b = 0; b < step.tokens.layout.count(); ++b) {
      const int64_t past = step.past.lengths.length(b) - step.tokens.layout.length(b);
      int64_t row = states_[0].zeros();
      if (past > 0)
        row = step.past.row(step.past.lengths.offsets[size_t(b)] + past - 1);
      else if (model_.config().has_encoder())
        row = rows_.target +
              step.sources.row(step.sources.lengths.offsets[size_t(sentences[size_t(b)])]);
      rows.push_back(int32_t(row));
    }
    return row_tokens(std::move(rows));
  }

  const SequenceModel& model_;
  const RecurrentNetwork& layers_;
  TensorPool pool_;
  ForwardPass pass_;
  StepRows rows_;
  std::vector<StateTable> states_, cells_;  // by layer; cells of the LSTM
  std::optional<StateTable> attentional_;
  KeyValue keys_;
};

}  // namespace

std::unique_ptr<StepModel> make_steps(const ModelOnBackend& on, const RecurrentNetwork& layers) {
  return std::make_unique<RecurrentStepModel>(on, layers);
}

}  // namespace heed
