#include "heed/decode/search_memory.h"

#include <algorithm>
#include <numeric>

#include "heed/backend/meta_backend.h"
#include "heed/decode/search.h"
#include "heed/model/captured_attention.h"
#include "heed/model/cross_attention.h"
#include "heed/model/sequence_model.h"

namespace heed {
namespace {

// `rows` tokens, in as few sequences as the model's positions allow.
Tokens longest_sequences(int64_t rows, int64_t max_positions) {
  Tokens tokens;
  for (int64_t left = rows; left > 0; left -= max_positions)
    tokens.add(std::vector<TokenId>(size_t(std::min(left, max_positions))));
  return tokens;
}

// A step of a search with the most rows, in sequences of this many new tokens.
void run_step(StepModel& steps, const SearchShape& shape, int64_t new_tokens) {
  const int64_t positions = steps.description().max_positions;
  StepTokens step;
  step.tokens = longest_sequences(shape.step_rows, new_tokens);
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

// The sources that join together, and steps of prefixes and hypotheses: the first, of the longest
// prefixes, has the most keys; the others have tensors of other shapes, which a pool keeps too.
void run_steps(StepModel& steps, const SearchShape& shape) {
  const int64_t positions = steps.description().max_positions;
  const Tokens sources = longest_sequences(shape.rows.source, positions);
  steps.admit(sources, all_rows(sources.layout));
  for (int64_t new_tokens = positions; new_tokens > 1; new_tokens /= 4)
    run_step(steps, shape, new_tokens);
  run_step(steps, shape, 1);
}

// As Aligner, for one pair.
void run_alignment(const ModelOnBackend& on, int64_t layers, TensorPool& pool) {
  ForwardPass pass(on.backend, pool);
  const int64_t positions = on.model.config().max_positions;
  const Tokens longest = longest_sequences(positions, positions);
  std::vector<int64_t> numbers(static_cast<size_t>(layers));
  std::iota(numbers.begin(), numbers.end(), 0);
  cross_attention(on.model, pass, on.model.encode(pass, longest),
                  std::vector<TokenId>(size_t(positions)), numbers);
}

}  // namespace

SearchMemory search_memory(const ModelConfig& config, const Backend& backend,
                           const SearchLimits& limits, int64_t alignment_layers) {
  const auto meta = make_meta_backend(backend.compute_type());
  const auto shapes = shapes_of(config);
  const ModelOnBackend on{shapes, *meta};
  const SearchShape shape(config.max_positions, limits);
  const std::unique_ptr<StepModel> steps = make_steps(on);
  steps->reserve(shape.rows);
  const int64_t caches = steps->bytes_held();
  run_steps(*steps, shape);
  TensorPool alignment(meta_memory());
  if (config.has_encoder())
    run_alignment(on, std::min(alignment_layers, attention_layers(config, AttentionSite::cross)),
                  alignment);
  const int64_t widest = std::max({config.d_model, config.d_ff, config.d_ff_of_decoder(),
                                   config.key_columns(), config.output_vocabulary_size});
  // A pool keeps tensors of every shape that it had; no dry run has the shapes of all steps.
  const int64_t of_steps = (steps->bytes_held() - caches) * 9 / 8;
  return {.caches = caches,
          .activations = of_steps + alignment.bytes_held(),
          .scratch = backend.scratch_bytes(widest)};
}

}  // namespace heed
