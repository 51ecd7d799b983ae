// The attention weights of forward passes, for those layers that were asked for (as hooks in
// PyTorch or output_attentions in transformers).
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/backend/backend.h"
#include "heed/model/config.h"

namespace heed {

// The three places of attention in the model, section 3.2.3.
enum class AttentionSite { encoder_self, decoder_self, cross };
constexpr auto enum_names(AttentionSite) {
  return std::array<std::pair<std::string_view, AttentionSite>, 3>{
      {{"encoder", AttentionSite::encoder_self},
       {"decoder", AttentionSite::decoder_self},
       {"cross", AttentionSite::cross}}};
}

// The number of layers with attention at this site. A recurrent decoder attends once, from its top
// layer.
int64_t attention_layers(const ModelConfig& config, AttentionSite site);

// Where to put the weights of an attention block.
struct WeightsRequest {
  Tensor* weights = nullptr;  // null: they are not requested
  // Only this head's, before dropout, as a tensor that has a gradient; not where a layer computes
  // its scores in steps (model/multi_head.h: is_fused).
  std::optional<int64_t> head = {};
};

class CapturedAttention {
 public:
  // The weights of one layer in the last pass.
  struct Layer {
    Tensor weights;  // AttentionOutput::weights
    Ragged queries, keys;
    std::optional<int64_t> head = {};  // the only one whose weights they are

    // The weights of one sequence, [heads, queries, keys].
    Tensor of_sequence(int64_t sequence) const;
  };

  // Call before a pass: it captures the weights of this layer.
  void request(AttentionSite site, int64_t layer) { layers_[{site, layer}] = {}; }
  // The same for one head (WeightsRequest::head).
  void request_head(AttentionSite site, int64_t layer, int64_t head) {
    layers_[{site, layer}].head = head;
  }
  // The captured weights of a requested layer.
  const Layer& at(AttentionSite site, int64_t layer) const;
  // Called by the model for each layer.
  WeightsRequest request_for(AttentionSite site, int64_t layer, const AttentionLayout& layout);

 private:
  std::map<std::pair<AttentionSite, int64_t>, Layer> layers_;
};

}  // namespace heed
