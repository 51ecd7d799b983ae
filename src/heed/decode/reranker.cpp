#include "heed/decode/reranker.h"

#include <algorithm>
#include <numeric>

#include "heed/core/error.h"
#include "heed/core/options.h"

namespace heed {
namespace {

double& value_of(HypothesisFeatures& features, RerankFeature feature) {
  return features.values[size_t(feature)];
}

}  // namespace

double rerank_score(const RerankValues& values, const RerankValues& weights) {
  return std::inner_product(values.begin(), values.end(), weights.begin(), 0.0);
}

std::vector<size_t> reranked(std::span<const HypothesisFeatures> hypotheses,
                             const RerankValues& weights) {
  std::vector<size_t> order(hypotheses.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    if (hypotheses[a].is_scored != hypotheses[b].is_scored) return hypotheses[a].is_scored;
    return hypotheses[a].is_scored && rerank_score(hypotheses[a].values, weights) >
                                          rerank_score(hypotheses[b].values, weights);
  });
  return order;
}

Reranker::Reranker(Scorer model, std::optional<Scorer> reverse, std::optional<Scorer> language)
    : model_(std::move(model)), reverse_(std::move(reverse)), language_(std::move(language)) {}

bool Reranker::has(RerankFeature feature) const {
  if (feature == RerankFeature::reverse) return reverse_.has_value();
  if (feature == RerankFeature::language) return language_.has_value();
  return true;
}

void Reranker::expect_models_for(const RerankValues& weights) const {
  for (const auto& [feature, flag] : {std::pair(RerankFeature::reverse, "--reverse-model"),
                                      {RerankFeature::language, "--language-model"}})
    if (weights[size_t(feature)] != 0 && !has(feature))
      fail_usage("--weights {}={} needs {}", to_text(feature), weights[size_t(feature)], flag);
}

std::vector<std::vector<HypothesisFeatures>> Reranker::features(
    std::span<const NbestList> lists) const {
  std::vector<std::vector<HypothesisFeatures>> features;
  features.reserve(lists.size());
  for (const NbestList& list : lists) features.emplace_back(list.hypotheses.size());

  // Scores pair(source, hypothesis) of all hypotheses.
  const auto score = [&](const Scorer& scorer, auto pair, auto set) {
    std::vector<TextPair> pairs;
    for (const NbestList& list : lists)
      for (const std::string& hypothesis : list.hypotheses)
        pairs.push_back(pair(list.source, hypothesis));
    const std::vector<PairScore> scores = scorer.score(pairs);
    auto next = scores.begin();
    for (std::vector<HypothesisFeatures>& of_list : features)
      for (HypothesisFeatures& hypothesis : of_list) {
        hypothesis.is_scored = hypothesis.is_scored && next->is_scored();
        set(hypothesis, *next++);
      }
  };
  using Text = const std::string&;
  score(
      model_,
      [](Text source, Text hypothesis) {
        return TextPair{source, hypothesis};
      },
      [](HypothesisFeatures& hypothesis, const PairScore& pair) {
        value_of(hypothesis, RerankFeature::model) = pair.log_probability;
        value_of(hypothesis, RerankFeature::length) = double(pair.pieces.size());
      });
  if (reverse_)
    score(
        *reverse_,
        [](Text source, Text hypothesis) {
          return TextPair{hypothesis, source};
        },
        [](HypothesisFeatures& hypothesis, const PairScore& pair) {
          value_of(hypothesis, RerankFeature::reverse) = pair.log_probability;
        });
  if (language_)
    score(
        *language_,
        [](Text, Text hypothesis) {
          return TextPair{"", hypothesis};
        },
        [](HypothesisFeatures& hypothesis, const PairScore& pair) {
          value_of(hypothesis, RerankFeature::language) = pair.log_probability;
        });
  return features;
}

}  // namespace heed
