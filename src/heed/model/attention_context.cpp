#include "heed/model/attention_context.h"

#include <numeric>

namespace heed {
namespace {

void write(ForwardPass& pass, const KeyValue& computed, const Indices& rows, KeyValue& cache) {
  if (computed.key) pass.backend.write_cache(computed.key, rows, cache.key);
  pass.backend.write_cache(computed.value, rows, cache.value);
}

}  // namespace

DecoderCache::DecoderCache(const ModelConfig& config, const Backend& backend, TensorPool& pool,
                           const StepRows& rows) {
  const DType type = backend.cache_type(DType::fp32);
  // Pooled memory is not touched before it is written, so unused rows cost address space only.
  const auto room = [&](int64_t count) {
    return KeyValue{pool.tensor({count, config.key_columns()}, type),
                    pool.tensor({count, config.value_columns()}, type)};
  };
  const bool by_location = config.variants.attention == ScoreFunction::location;
  for (int64_t i = 0; i < config.decoder_layers; ++i) {
    self_.push_back(room(rows.target));
    if (!config.has_encoder()) continue;
    cross_.push_back(room(rows.source));
    if (by_location) cross_.back().key = Tensor();
  }
}

int64_t DecoderCache::bytes_per_token(const ModelConfig& config, const Backend& backend) {
  return config.decoder_layers * (config.key_columns() + config.value_columns()) *
         size_of(backend.cache_type(DType::fp32));
}

void DecoderCache::write_source(ForwardPass& pass, int64_t layer, const KeyValue& computed,
                                const Indices& rows) {
  write(pass, computed, rows, cross_[size_t(layer)]);
}

KeyValue DecoderCache::self_key_value(ForwardPass& pass, int64_t layer, const KeyValue& computed) {
  write(pass, computed, step_->new_rows, self_[size_t(layer)]);
  return self_[size_t(layer)];
}

KeyValue DecoderCache::cross_key_value(ForwardPass&, int64_t layer) {
  return cross_[size_t(layer)];
}

Indices all_rows(const Ragged& layout) {
  std::vector<int32_t> rows(size_t(layout.rows()));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

KeyValue as_cached(ForwardPass& pass, const KeyValue& computed, const Indices& rows) {
  const DType type = computed.value.dtype(), cached = pass.backend.cache_type(type);
  if (pass.tape || cached == type) return computed;
  KeyValue rounded{computed.key ? pass.tensor(computed.key.shape(), cached) : Tensor(),
                   pass.tensor(computed.value.shape(), cached)};
  write(pass, computed, rows, rounded);
  return rounded;
}

}  // namespace heed
