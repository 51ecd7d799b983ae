#include "heed/decode/search_memory.h"

#include <algorithm>

#include "heed/backend/meta_backend.h"
#include "heed/decode/search.h"

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
void run_step(const Transformer& shapes, const SearchShape& shape, ForwardPass& pass,
              DecoderCache& cache) {
  const int64_t positions = shapes.config().max_positions;
  const Tokens source = longest_sequences(shape.source_rows, positions);
  const Tokens target = longest_sequences(shape.step_rows, positions);
  const EncoderOutput memory = shapes.encode(pass, source);
  for (int64_t layer = 0; layer < cache.layers(); ++layer)
    cache.write_source(pass, layer, shapes.cross_key_value(pass, memory, layer),
                       all_rows(source.layout));
  cache.new_rows = all_rows(target.layout);
  cache.target = {target.layout, all_rows(target.layout)};
  cache.sentences = target.layout;
  for (int64_t i = 0; i < target.layout.count(); ++i) {
    const Ragged longest =
        longest_sequences(std::min(positions, shape.source_rows), positions).layout;
    cache.source.lengths.add(longest.rows());
    cache.source.rows.append(all_rows(longest));
  }
  shapes.logits(pass, shapes.decode(pass, target, cache));
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
  const SearchShape shape(config, limits);
  TensorPool caches(meta_memory()), step(meta_memory()), alignment(meta_memory());
  DecoderCache cache(config, *meta, caches, shape.target_rows, shape.source_rows);
  ForwardPass pass(*meta, step), aligning(*meta, alignment);
  run_step(shapes, shape, pass, cache);
  run_alignment(shapes, alignment_layers, aligning);
  const int64_t widest =
      std::max({config.d_model, config.d_ff, config.key_columns(), config.output_vocabulary_size});
  return {.caches = caches.bytes_held(),
          .activations = step.bytes_held() + alignment.bytes_held(),
          .scratch = backend.scratch_bytes(widest)};
}

}  // namespace heed
