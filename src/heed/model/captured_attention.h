// The attention weights of a forward pass, kept for those who want to see them.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "heed/backend/backend.h"

namespace heed {

// The three places of attention in the model, section 3.2.3.
enum class AttentionSite { encoder_self, decoder_self, cross };

class CapturedAttention {
 public:
  // What a pass leaves of one layer.
  struct Layer {
    Tensor weights;  // AttentionOutput::weights
    Ragged queries, keys;

    // Of a sequence, [heads, queries, keys]: how much each query attends to each key.
    Tensor of_sequence(int64_t sequence) const;
    // The same without heads: their mean, [queries, keys].
    std::vector<double> mean_over_heads(int64_t sequence) const;
  };

  // Asks for the weights of a layer, before the pass.
  void request(AttentionSite site, int64_t layer) { layers_[{site, layer}] = {}; }
  // What a pass left of a layer that was asked for.
  const Layer& at(AttentionSite site, int64_t layer) const;
  // Where a pass leaves a layer's weights; null if nobody asked.
  Tensor* place(AttentionSite site, int64_t layer, const AttentionLayout& layout);

 private:
  std::map<std::pair<AttentionSite, int64_t>, Layer> layers_;
};

}  // namespace heed
