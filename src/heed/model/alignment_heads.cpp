#include "heed/model/alignment_heads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "heed/model/captured_attention.h"

namespace heed {

std::vector<int64_t> AlignmentHeads::layers() const {
  std::vector<int64_t> all;
  for (const DecoderHead& head : heads)
    if (all.empty() || all.back() != head.layer) all.push_back(head.layer);
  return all;
}

AlignmentHeads heads_of_layers(const ModelConfig& config, int64_t first, int64_t last,
                               AlignmentStep step) {
  AlignmentHeads all{{}, step};
  for (int64_t layer = first; layer <= last; ++layer)
    for (int64_t head = 0; head < config.heads; ++head) all.heads.push_back({layer, head});
  return all;
}

AlignmentHeads default_alignment_heads(const ModelConfig& config) {
  constexpr int64_t kDeep = 4;
  const int64_t layers = attention_layers(config, AttentionSite::cross);
  const int64_t layer = layers - (layers >= kDeep ? 2 : 1);
  if (layers == 0) return {};
  return heads_of_layers(config, layer, layer, AlignmentStep::predicting);
}

std::string to_string(const AlignmentHeads& heads, const ModelConfig& config) {
  std::vector<int64_t> layers = heads.layers();
  const int64_t depth = attention_layers(config, AttentionSite::cross);
  const bool whole = heads.heads.size() == layers.size() * size_t(config.heads);
  const bool one = layers.size() == 1;
  for (int64_t& layer : layers) ++layer;
  std::vector<std::string> names;
  for (const DecoderHead& head : heads.heads)
    names.push_back(fmt::format("{}.{}", head.layer + 1, head.head + 1));
  std::string text = whole ? fmt::format("layer{} {} of {}, mean of the {} heads", one ? "" : "s",
                                         fmt::join(layers, ", "), depth, heads.heads.size())
                           : fmt::format("head{} {} of {} layers", names.size() == 1 ? "" : "s",
                                         fmt::join(names, ", "), depth);
  if (heads.step == AlignmentStep::following) text += ", at the step after the token";
  return text;
}

}  // namespace heed
