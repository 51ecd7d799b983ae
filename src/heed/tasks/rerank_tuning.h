// The weights of a Reranker for which the best hypotheses have the highest BLEU: minimum error rate
// training (Och, 2003).
#pragma once

#include <span>
#include <vector>

#include "heed/decode/reranker.h"
#include "heed/evaluate/bleu.h"

namespace heed {

// The hypotheses of an n-best list, each with its BLEU statistics against the references.
struct TuningList {
  std::vector<HypothesisFeatures> features;
  std::vector<BleuStatistics> statistics;
};

// Lists with the values of their hypotheses, and as many references.
std::vector<TuningList> tuning_lists(std::span<const NbestList> lists,
                                     std::vector<std::vector<HypothesisFeatures>> features,
                                     const Lines& references, const BleuOptions& options = {});

struct TunedWeights {
  RerankValues weights = {};
  double bleu = 0;  // of the hypotheses that they choose
};

// The BLEU of the hypotheses that reranked() puts first.
double bleu_of_reranked(std::span<const TuningList> lists, const RerankValues& weights,
                        const BleuOptions& options = {});

// The weight of the model is 1; those of `tuned` are searched for, from several beginnings, one
// after another, until none gets better; the others are 0. Depends on the arguments alone.
TunedWeights tune_rerank_weights(std::span<const TuningList> lists,
                                 std::span<const RerankFeature> tuned,
                                 const BleuOptions& options = {});
// Those of all features that the reranker has.
TunedWeights tune_rerank_weights(std::span<const TuningList> lists, const Reranker& reranker,
                                 const BleuOptions& options = {});

}  // namespace heed
