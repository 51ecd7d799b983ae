#include "heed/model/transformer_steps.h"

#include <optional>

#include "heed/model/decoder_context.h"

namespace heed {
namespace {

class TransformerSteps : public StepModel {
 public:
  explicit TransformerSteps(const ModelOnBackend& on)
      : model_(on.model), pool_(on.backend.memory()), pass_(on.backend, pool_) {}

  Description description() const override {
    const ModelConfig& config = model_.config();
    return {config.pad_id(), config.end_id(), config.max_positions, true};
  }

  void reserve(const StepRows& rows) override {
    cache_.emplace(model_.config(), pass_.backend, pool_, rows);
  }

  void admit(const Tokens& sources, const Indices& rows) override {
    const EncoderOutput memory = model_.encode(pass_, sources);
    for (int64_t layer = 0; layer < cache_->layers(); ++layer)
      cache_->write_source(pass_, layer, model_.cross_key_value(pass_, memory, layer), rows);
  }

  Tensor logits(const StepTokens& step) override {
    cache_->begin(step);
    return model_.logits(pass_, model_.decode(pass_, step.tokens, *cache_));
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
