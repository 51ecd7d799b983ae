// A batch of sentence pairs for a model that is given the target (teacher forcing): in training and
// scoring.
#pragma once

#include <span>
#include <vector>

#include "heed/core/ragged.h"
#include "heed/model/sequence_model.h"

namespace heed {

// A batch of one sequence.
Tokens one_sequence(std::span<const TokenId> ids);

// The decoder's input for the prediction of these ids and what follows them: start_id(), then the
// ids.
std::vector<TokenId> decoder_input(std::span<const TokenId> target, const ModelConfig& config);

// Sources end with </s>, target inputs begin with start_id(), labels end with </s>: row i of the
// decoder's states predicts labels[i]. For a model without an encoder there are no sources.
struct PairBatch {
  Tokens source, target;
  Indices labels;

  // Ids of a pair, both without </s>; those of the source are empty for a model without an encoder.
  void add(std::span<const TokenId> source_ids, std::span<const TokenId> target_ids,
           const ModelConfig& config);
};

// The loss of the batch's labels. An empty batch has loss 0 and is not computed.
Loss loss_of(const SequenceModel& model, ForwardPass& pass, const PairBatch& batch,
             const LossOptions& options);

}  // namespace heed
