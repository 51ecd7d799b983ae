// Reorders the hypotheses of n-best lists by several models: a noisy channel (Yee et al., 2019).
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/decode/scorer.h"

namespace heed {

// A line, and its translations by a search.
struct NbestList {
  std::string source;
  std::vector<std::string> hypotheses;  // at least one
};

// The numbers whose weighted sum orders hypotheses: natural logarithms of probabilities, and a
// count.
enum class RerankFeature {
  model,     // of the hypothesis, given the source
  reverse,   // of the source, given the hypothesis
  language,  // of the hypothesis as a text of its language
  length     // tokens of the hypothesis, </s> included
};
constexpr std::array<std::pair<std::string_view, RerankFeature>, 4> enum_names(RerankFeature) {
  return {{{"model", RerankFeature::model},
           {"reverse", RerankFeature::reverse},
           {"language", RerankFeature::language},
           {"length", RerankFeature::length}}};
}

// One for each RerankFeature, by its number.
using RerankValues = std::array<double, enum_names(RerankFeature{}).size()>;

struct HypothesisFeatures {
  RerankValues values = {};  // 0 for a model that is not used
  // Whether all models scored the hypothesis: not if it is empty, or too long for one of them.
  bool is_scored = true;
};

// The weighted sum.
double rerank_score(const RerankValues& values, const RerankValues& weights);

// The indices of hypotheses by descending rerank_score(). Equal ones keep their order; those that
// are not scored come last.
std::vector<size_t> reranked(std::span<const HypothesisFeatures> hypotheses,
                             const RerankValues& weights);

// Any number of threads may use one.
class Reranker {
 public:
  // The models that the scorers use must outlive it. `reverse` translates the other way round.
  explicit Reranker(Scorer model, std::optional<Scorer> reverse = {},
                    std::optional<Scorer> language = {});

  // Whether there is a model for it.
  bool has(RerankFeature feature) const;
  // UsageError for a weight whose model there is not.
  void expect_models_for(const RerankValues& weights) const;
  // By list and hypothesis. A hypothesis has the same values in any list.
  std::vector<std::vector<HypothesisFeatures>> features(std::span<const NbestList> lists) const;

 private:
  const Scorer model_;
  const std::optional<Scorer> reverse_, language_;
};

}  // namespace heed
