#include "heed/decode/search_memory.h"

#include <algorithm>

#include "heed/backend/meta_backend.h"
#include "heed/decode/search.h"
#include "heed/model/transformer_steps.h"

namespace heed {
namespace {

// `rows` tokens, in as few sequences as the model's positions allow.
Tokens longest_sequences(int64_t rows, int64_t max_positions) {
  Tokens tokens;
  for (int64_t left = rows; left > 0; left -= max_positions)
    tokens.add(std::vector<TokenId>(size_t(std::min(left, max_positions))));
  return tokens;
}

// The step of a search with the most rows and keys: the first one, of long prefixes.
void run_step(StepModel& steps, const SearchShape& shape) {
  const int64_t positions = steps.description().max_positions;
  const Tokens sources = longest_sequences(shape.rows.source, positions);
  steps.admit(sources, all_rows(sources.layout));
  StepTokens step;
  step.tokens = longest_sequences(shape.step_rows, positions);
  const Ragged& targets = step.tokens.layout;
  step.new_rows = all_rows(targets);
  step.past = {targets, all_rows(targets)};
  step.sentences = targets;
  for (int64_t i = 0; i < targets.count(); ++i) {
    const Ragged longest =
        longest_sequences(std::min(positions, shape.rows.source), positions).layout;
    step.sources.lengths.add(longest.rows());
    step.sources.rows.append(all_rows(longest));
  }
  steps.logits(step);
}

// As Aligner, for one pair.
void run_alignment(const Transformer& shapes, int64_t layers, ForwardPass& pass) {
  const int64_t positions = shapes.config().max_positions;
  const Tokens longest = longest_sequences(positions, positions);
  CapturedAttention captured;
  for (int64_t layer = 0; layer < layers; ++layer) captured.request(AttentionSite::cross, layer);
  shapes.decode(pass, longest, shapes.encode(pass, longest), &captured);
}

}  // namespace

SearchMemory search_memory(const ModelConfig& config, const Backend& backend,
                           const SearchLimits& limits, int64_t alignment_layers) {
  const auto meta = make_meta_backend(backend.compute_type());
  const Transformer shapes(config, DType::fp32, meta_memory());
  const SearchShape shape(config.max_positions, limits);
  TransformerSteps steps(shapes, *meta, shape.rows);
  const int64_t caches = steps.bytes_held();
  run_step(steps, shape);
  TensorPool alignment(meta_memory());
  ForwardPass aligning(*meta, alignment);
  run_alignment(shapes, alignment_layers, aligning);
  const int64_t widest =
      std::max({config.d_model, config.d_ff, config.key_columns(), config.output_vocabulary_size});
  return {.caches = caches,
          .activations = steps.bytes_held() - caches + alignment.bytes_held(),
          .scratch = backend.scratch_bytes(widest)};
}

}  // namespace heed
