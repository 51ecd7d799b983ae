#include "heed/model/transformer_steps.h"

namespace heed {

TransformerSteps::TransformerSteps(const Transformer& model, Backend& backend, const StepRows& rows)
    : model_(model),
      rows_(rows),
      pool_(backend.memory()),
      pass_(backend, pool_),
      cache_(model.config(), backend, pool_, rows) {}

StepModel::Description TransformerSteps::description() const {
  const ModelConfig& config = model_.config();
  return {config.pad_id(), config.end_id(), config.max_positions, rows_};
}

void TransformerSteps::admit(const Tokens& sources, const Indices& rows) {
  const EncoderOutput memory = model_.encode(pass_, sources);
  for (int64_t layer = 0; layer < cache_.layers(); ++layer)
    cache_.write_source(pass_, layer, model_.cross_key_value(pass_, memory, layer), rows);
}

Tensor TransformerSteps::logits(const StepTokens& step) {
  cache_.begin(step);
  return model_.logits(pass_, model_.decode(pass_, step.tokens, cache_));
}

}  // namespace heed
