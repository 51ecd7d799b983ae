#include "heed/model/transformer.h"

#include <cmath>

namespace heed {

Transformer random_model(const ModelConfig& config, uint64_t seed, InitialWeights weights) {
  Transformer model(config);
  model.initialize(seed, weights);
  return model;
}

Transformer shapes_of(const ModelConfig& config) {
  return Transformer(config, DType::fp32, meta_memory());
}

Tensor positional_encoding(int64_t positions, int64_t d_model, DType type) {
  Tensor table({positions, d_model}, type);
  const int64_t half = d_model / 2;
  for (int64_t p = 0; p < positions; ++p) {
    for (int64_t i = 0; i < half; ++i) {
      const double angle = double(p) / std::pow(10000.0, 2.0 * double(i) / double(d_model));
      set_element(table, p * d_model + i, std::sin(angle));
      set_element(table, p * d_model + half + i, std::cos(angle));
    }
  }
  return table;
}

namespace {

Embeddings make_embeddings(const ModelConfig& config, DType type,
                           const std::shared_ptr<TensorMemory>& memory) {
  const Shape shape{config.vocabulary_size, config.d_model};
  Embeddings e{.tie = config.tie_embeddings};
  if (!config.has_decoder()) {
    e.source = Tensor(shape, type, memory);
    e.output = Tensor({config.classes, config.d_model}, type, memory);
    return e;
  }
  if (config.has_encoder()) e.source = Tensor(shape, type, memory);
  const bool shared = e.source && e.tie == TieEmbeddings::all;
  e.target = shared ? e.source : Tensor(shape, type, memory);
  e.output = e.tie == TieEmbeddings::none ? Tensor(shape, type, memory) : e.target;
  if (config.output_bias) e.output_bias = Tensor({config.vocabulary_size}, type, memory);
  return e;
}

// Section 3.5; none with other Positions.
Tensor make_positions(const ModelConfig& config, DType type,
                      const std::shared_ptr<TensorMemory>& memory) {
  if (config.variants.positions != Positions::sinusoidal) return {};
  if (!memory->has_values()) return Tensor({config.max_positions, config.d_model}, type, memory);
  Tensor table = positional_encoding(config.max_positions, config.d_model, type);
  table.move_to(memory);
  return table;
}

Stack::Sites decoder_sites(const ModelConfig& config) {
  Stack::Sites sites{AttentionSite::decoder_self};
  if (config.has_encoder()) sites.cross = AttentionSite::cross;
  return sites;
}

const ModelConfig& validated(const ModelConfig& config) {
  config.validate();
  return config;
}

}  // namespace

Transformer::Transformer(const ModelConfig& config, DType type,
                         const std::shared_ptr<TensorMemory>& memory)
    : config_(validated(config)),
      embeddings_(make_embeddings(config, type, memory)),
      positions_(make_positions(config, type, memory)),
      encoder_(config, {config.encoder_layers, config.d_ff}, {AttentionSite::encoder_self},
               positions_, type, memory),
      decoder_(config, {config.decoder_layers, config.d_ff_of_decoder()}, decoder_sites(config),
               positions_, type, memory) {}

Transformer Transformer::clone() const {
  std::vector<const Tensor*> values;
  for_each_leaf<Tensor>(*this, [&](const std::string&, const Tensor& tensor, ParameterRole) {
    values.push_back(&tensor);
  });
  const Tensor& any = embeddings_.output;
  Transformer model(config_, any.dtype(), any.storage()->memory);
  size_t next = 0;
  for (Parameter& p : parameters(model)) {
    check(values[next]->has_values(), "clone of a model whose values were released");
    copy(*values[next++], p.tensor);
  }
  model.alignment_heads_ = alignment_heads_;
  return model;
}

EncoderOutput Transformer::encode(ForwardPass& pass, const Tokens& source,
                                  CapturedAttention* captured) const {
  if (!config_.has_encoder()) {
    check(source.layout.rows() == 0, "a source for a model without an encoder");
    return {};
  }
  return {encoder_.forward(pass, source, embeddings_.source, nullptr, captured), source.layout};
}

Tensor Transformer::decode(ForwardPass& pass, const Tokens& target, const EncoderOutput& memory,
                           CapturedAttention* captured) const {
  const EncoderOutput* read = config_.has_encoder() ? &memory : nullptr;
  return decoder_.forward(pass, target, embeddings_.target, read, captured);
}

Tensor Transformer::decode(ForwardPass& pass, const Tokens& target, AttentionContext& context,
                           CapturedAttention* captured) const {
  return decoder_.forward(pass, target, embeddings_.target, context, captured);
}

KeyValue Transformer::cross_key_value(ForwardPass& pass, const EncoderOutput& memory,
                                      int64_t layer) const {
  return decoder_.cross_key_value(pass, memory, layer);
}

OutputHead Transformer::output() const {
  const int64_t size = config_.has_decoder() ? config_.output_vocabulary_size : config_.classes;
  const Tensor& bias = embeddings_.output_bias;
  return {embeddings_.output.slice(0, size), bias ? bias.slice(0, size) : Tensor()};
}

void Transformer::move_to(const std::shared_ptr<TensorMemory>& memory) {
  for (Parameter& p : parameters(*this)) p.tensor.move_to(memory);
  if (positions_) positions_.move_to(memory);
}

std::vector<Parameter> zero_parameters(const ModelConfig& config) {
  Transformer model(config);
  return parameters(model);
}

void pack(Transformer& model, Backend& backend, Purpose purpose, Workers* workers) {
  pack(parameters(model), backend, purpose, workers);
}

namespace {

class TransformerSteps : public StepModel {
 public:
  explicit TransformerSteps(const ModelOnBackend& on)
      : model_(on.model), pool_(on.backend.memory()), pass_(on.backend, pool_) {}

  Description description() const override {
    const ModelConfig& config = model_.config();
    return {config.start_id(), config.end_id(), config.max_positions, config.has_encoder()};
  }

  void reserve(const StepRows& rows) override {
    cache_.emplace(model_.config(), pass_.backend, pool_, rows);
  }

  void admit(const Tokens& sources, const Indices& rows) override {
    if (!model_.config().has_encoder()) return;
    const EncoderOutput memory = model_.encode(pass_, sources);
    for (int64_t layer = 0; layer < cache_->layers(); ++layer)
      cache_->write_source(pass_, layer, model_.cross_key_value(pass_, memory, layer), rows);
  }

  Tensor logits(const StepTokens& step) override {
    cache_->begin(step);
    return model_.output().logits(pass_, model_.decode(pass_, step.tokens, *cache_));
  }

  int64_t bytes_held() const override { return pool_.bytes_held(); }

 private:
  const Transformer& model_;
  TensorPool pool_;
  ForwardPass pass_;
  std::optional<DecoderCache> cache_;
};

}  // namespace

std::unique_ptr<StepModel> make_steps(const ModelOnBackend& on) {
  return std::make_unique<TransformerSteps>(on);
}

}  // namespace heed
