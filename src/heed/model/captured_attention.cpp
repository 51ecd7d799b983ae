#include "heed/model/captured_attention.h"

namespace heed {

int64_t attention_layers(const ModelConfig& config, AttentionSite site) {
  const bool is_cross = site == AttentionSite::cross;
  if (is_cross && !(config.has_encoder() && config.has_decoder())) return 0;
  if (config.is_recurrent())
    return is_cross && config.variants.attention != ScoreFunction::none ? 1 : 0;
  return site == AttentionSite::encoder_self ? config.encoder_layers : config.decoder_layers;
}

Tensor CapturedAttention::Layer::of_sequence(int64_t sequence) const {
  check(sequence >= 0 && sequence < queries.count(), "no such sequence");
  int64_t all = 0, before = 0;  // weights of one head
  for (int64_t b = 0; b < queries.count(); ++b) {
    if (b == sequence) before = all;
    all += queries.length(b) * keys.length(b);
  }
  const int64_t heads = all == 0 ? 0 : weights.size() / all;
  const int64_t rows = queries.length(sequence), columns = keys.length(sequence);
  return to_host(weights.slice(heads * before, heads * (before + rows * columns))
                     .reshape({heads, rows, columns}));
}

const CapturedAttention::Layer& CapturedAttention::at(AttentionSite site, int64_t layer) const {
  const auto found = layers_.find({site, layer});
  check(found != layers_.end() && found->second.weights, "attention that no pass captured");
  return found->second;
}

WeightsRequest CapturedAttention::request_for(AttentionSite site, int64_t layer,
                                              const AttentionLayout& layout) {
  const auto found = layers_.find({site, layer});
  if (found == layers_.end()) return {};
  found->second.queries = layout.queries;
  found->second.keys = layout.keys.lengths;
  return {&found->second.weights, found->second.head};
}

}  // namespace heed
