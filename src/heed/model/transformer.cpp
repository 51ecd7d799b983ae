#include "heed/model/transformer.h"

#include <cmath>

#include "heed/model/sequence_model.h"

namespace heed {

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

}  // namespace

Transformer::Transformer(const ModelConfig& config, DType type,
                         const std::shared_ptr<TensorMemory>& memory)
    : positions_(make_positions(config, type, memory)),
      encoder_(config, {config.encoder_layers, config.d_ff}, {AttentionSite::encoder_self},
               positions_, type, memory),
      decoder_(config, {config.decoder_layers, config.d_ff_of_decoder()}, decoder_sites(config),
               positions_, type, memory) {}

EncoderOutput Transformer::encode(ForwardPass& pass, const Tokens& source, const Tensor& table,
                                  CapturedAttention* captured) const {
  return {encoder_.forward(pass, source, table, nullptr, captured), source.layout};
}

Tensor Transformer::decode(ForwardPass& pass, const Tokens& target, const Tensor& table,
                           const EncoderOutput* memory, CapturedAttention* captured) const {
  return decoder_.forward(pass, target, table, memory, captured);
}

Tensor Transformer::decode(ForwardPass& pass, const Tokens& target, const Tensor& table,
                           AttentionContext& context, CapturedAttention* captured) const {
  return decoder_.forward(pass, target, table, context, captured);
}

KeyValue Transformer::cross_key_value(ForwardPass& pass, const EncoderOutput& memory,
                                      int64_t layer) const {
  return decoder_.cross_key_value(pass, memory, layer);
}

void Transformer::move_to(const std::shared_ptr<TensorMemory>& memory) {
  if (positions_) positions_.move_to(memory);
}

namespace {

class TransformerSteps : public StepModel {
 public:
  TransformerSteps(const ModelOnBackend& on, const Transformer& layers)
      : model_(on.model), layers_(layers), pool_(on.backend.memory()), pass_(on.backend, pool_) {}

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
      cache_->write_source(pass_, layer, layers_.cross_key_value(pass_, memory, layer), rows);
  }

  Tensor logits(const StepTokens& step) override {
    cache_->begin(step);
    const Tensor& table = model_.embeddings().target;
    return model_.output().logits(pass_, layers_.decode(pass_, step.tokens, table, *cache_));
  }

  int64_t bytes_held() const override { return pool_.bytes_held(); }

 private:
  const SequenceModel& model_;
  const Transformer& layers_;
  TensorPool pool_;
  ForwardPass pass_;
  std::optional<DecoderCache> cache_;
};

}  // namespace

std::unique_ptr<StepModel> make_steps(const ModelOnBackend& on, const Transformer& layers) {
  return std::make_unique<TransformerSteps>(on, layers);
}

}  // namespace heed
