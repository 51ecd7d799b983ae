// The attention weights of forward passes, for those layers that were asked for (as hooks in
// PyTorch or output_attentions in transformers).
#pragma once

#include <array>
#include <map>
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

class CapturedAttention {
 public:
  // The weights of one layer in the last pass.
  struct Layer {
    Tensor weights;  // AttentionOutput::weights
    Ragged queries, keys;

    // The weights of one sequence, [heads, queries, keys].
    Tensor of_sequence(int64_t sequence) const;
  };

  // Call before a pass: it captures the weights of this layer.
  void request(AttentionSite site, int64_t layer) { layers_[{site, layer}] = {}; }
  // The captured weights of a requested layer.
  const Layer& at(AttentionSite site, int64_t layer) const;
  // Called by the model: where to put a layer's weights, null if they were not requested.
  Tensor* tensor_for(AttentionSite site, int64_t layer, const AttentionLayout& layout);

 private:
  std::map<std::pair<AttentionSite, int64_t>, Layer> layers_;
};

}  // namespace heed
