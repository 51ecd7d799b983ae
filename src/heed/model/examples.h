// Sentence pairs as the model takes them where both sides are known: in training and scoring.
#pragma once

#include <span>
#include <vector>

#include "heed/core/ragged.h"
#include "heed/model/transformer.h"

namespace heed {

// Sources end with </s>, target inputs begin with <pad>, labels end with </s>: row i of the
// target's states predicts labels[i].
struct Examples {
  Tokens source, target;
  Indices labels;

  // Ids of a pair, both without </s>.
  void add(std::span<const TokenId> source_ids, std::span<const TokenId> target_ids,
           const ModelConfig& config);
};

// The loss of the examples' labels. Nothing is computed where there are none.
Loss loss_of(const Transformer& model, Pass& pass, const Examples& examples,
             const LossOptions& options);

}  // namespace heed
