#include "heed/decode/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "heed/core/error.h"
#include "heed/core/rng.h"

namespace heed {
namespace {

std::vector<TokenWeight> choices(const std::vector<double>& logits) {
  std::vector<TokenWeight> all;
  for (size_t i = 0; i < logits.size(); ++i) all.push_back({TokenId(i), logits[i]});
  return all;
}

// Probabilities by id.
std::map<TokenId, double> probabilities(const std::vector<double>& logits,
                                        const SamplingOptions& options) {
  std::vector<TokenWeight> all = choices(logits);
  to_probabilities(all, options);
  std::map<TokenId, double> result;
  double sum = 0;
  for (const TokenWeight& choice : all) sum += result[choice.id] = choice.weight;
  EXPECT_NEAR(sum, 1, 1e-12);
  return result;
}

const double kHalf = std::log(0.5), kQuarter = std::log(0.25), kEighth = std::log(0.125);
const std::vector<double> kLogits = {kEighth, kHalf, kEighth, kQuarter};

TEST(Sampling, IsTheSoftmax) {
  const auto p = probabilities(kLogits, {});
  EXPECT_NEAR(p.at(0), 0.125, 1e-12);
  EXPECT_NEAR(p.at(1), 0.5, 1e-12);
  EXPECT_NEAR(p.at(2), 0.125, 1e-12);
  EXPECT_NEAR(p.at(3), 0.25, 1e-12);
}

TEST(Sampling, TemperatureDividesTheLogits) {
  // Squares, of which the sum is 1/4 + 1/16 + 2/64 = 22/64.
  const auto cold = probabilities(kLogits, {.temperature = 0.5});
  EXPECT_NEAR(cold.at(1), 16.0 / 22, 1e-12);
  EXPECT_NEAR(cold.at(0), 1.0 / 22, 1e-12);
  const auto frozen = probabilities(kLogits, {.temperature = 1e-300});
  EXPECT_EQ(frozen.at(1), 1);
  const auto hot = probabilities(kLogits, {.temperature = 100});
  EXPECT_NEAR(hot.at(0), 0.25, 0.01);
}

TEST(Sampling, TopKKeepsTheLikeliestAndOfEqualsTheLowerId) {
  EXPECT_EQ(probabilities(kLogits, {.top_k = 1}), (std::map<TokenId, double>{{1, 1.0}}));
  const auto three = probabilities(kLogits, {.top_k = 3});
  ASSERT_EQ(three.size(), 3u);
  EXPECT_NEAR(three.at(0), 1.0 / 7, 1e-12);
  EXPECT_EQ(three.count(2), 0u);
  EXPECT_EQ(probabilities(kLogits, {.top_k = 4}).size(), 4u);
  EXPECT_EQ(probabilities(kLogits, {.top_k = 1000}).size(), 4u);
}

TEST(Sampling, TopPKeepsTheFewestThatReachIt) {
  EXPECT_EQ(probabilities(kLogits, {.top_p = 1e-9}).size(), 1u);
  EXPECT_EQ(probabilities(kLogits, {.top_p = 0.499}).size(), 1u);
  EXPECT_EQ(probabilities(kLogits, {.top_p = 0.501}).size(), 2u);
  EXPECT_EQ(probabilities(kLogits, {.top_p = 0.76}).size(), 3u);
  EXPECT_EQ(probabilities(kLogits, {.top_p = 0.99}).size(), 4u);
  EXPECT_EQ(probabilities(kLogits, {.top_p = 1}).size(), 4u);
  const auto two = probabilities(kLogits, {.top_p = 0.7});
  EXPECT_NEAR(two.at(1), 2.0 / 3, 1e-12);
  EXPECT_NEAR(two.at(3), 1.0 / 3, 1e-12);
}

TEST(Sampling, TopPCountsWhatTopKLeaves) {
  // Of 1/2 and 1/4 the first has two thirds.
  EXPECT_EQ(probabilities(kLogits, {.top_k = 2, .top_p = 0.6}).size(), 1u);
  EXPECT_EQ(probabilities(kLogits, {.top_p = 0.6}).size(), 2u);
}

TEST(Sampling, AWideNucleusIsSortedThroughout) {
  // 1000 classes, the likelier the higher the id: more than are sorted at a time.
  std::vector<double> logits;
  for (int i = 0; i < 1000; ++i) logits.push_back(0.001 * i);
  const auto p = probabilities(logits, {.top_p = 0.5});
  double left_out = 0, all = 0;
  for (int i = 0; i < 1000; ++i) {
    all += std::exp(logits[size_t(i)]);
    if (!p.count(i)) left_out += std::exp(logits[size_t(i)]);
  }
  EXPECT_EQ(p.rbegin()->first, 999);
  EXPECT_EQ(p.begin()->first, TokenId(1000 - p.size()));
  EXPECT_LE(left_out / all, 0.5);
  EXPECT_GT((left_out + std::exp(logits[1000 - p.size()])) / all, 0.5);
}

TEST(Sampling, DrawsByCumulatedProbability) {
  const std::vector<TokenWeight> all = {{7, 0.5}, {3, 0.25}, {9, 0.25 - 1e-9}, {4, 0}};
  EXPECT_EQ(detail::draw(all, 0).id, 7);
  EXPECT_EQ(detail::draw(all, 0.4999).id, 7);
  EXPECT_EQ(detail::draw(all, 0.5).id, 3);
  EXPECT_EQ(detail::draw(all, 0.75).id, 9);
  EXPECT_EQ(detail::draw(all, 1 - 1e-16).id, 9) << "rounding must not give what has no probability";
}

TEST(Sampling, LogitsThatAreNotFiniteAreAnError) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
  const std::vector<SamplingOptions> all_options = {
      {}, {.temperature = 0.1}, {.top_k = 2}, {.top_p = 0.9}, {.top_k = 2, .top_p = 0.9}};
  const std::vector<std::vector<double>> all_logits = {{nan, nan, nan},
                                                       {nan, 1, 2},
                                                       {1, nan, 2},
                                                       {1, 2, nan},
                                                       {1, infinity, 2},
                                                       {1, infinity, nan},
                                                       {-infinity, -infinity, -infinity}};
  for (const auto& logits : all_logits)
    for (const SamplingOptions& options : all_options) {
      std::vector<TokenWeight> all = choices(logits);
      EXPECT_THROW(to_probabilities(all, options), Error)
          << logits[0] << " " << logits[1] << " " << logits[2];
    }
  for (const SamplingOptions& options : all_options) {
    std::vector<TokenWeight> all = choices({-infinity, 1, -infinity});
    to_probabilities(all, options);
    EXPECT_EQ(detail::draw(all, 0.999).id, 1)
        << "others finite, it is only a token without probability";
  }
}

TEST(Sampling, NoProbabilityAtAllIsABug) {
  EXPECT_THROW(detail::draw({{7, 0}, {3, std::nan("")}}, 0.5), Bug);
}

// As Sampling's rules say, with everything sorted.
std::vector<TokenWeight> by_definition(std::vector<TokenWeight> all,
                                       const SamplingOptions& options) {
  const auto likelier = [](const TokenWeight& a, const TokenWeight& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.id < b.id;
  };
  const auto normalize = [&] {
    double sum = 0;
    for (const TokenWeight& choice : all) sum += choice.weight;
    for (TokenWeight& choice : all) choice.weight /= sum;
  };
  if (options.top_k > 0 && options.top_k < int64_t(all.size())) {
    std::sort(all.begin(), all.end(), likelier);
    all.resize(size_t(options.top_k));
  }
  double top = all[0].weight;
  for (const TokenWeight& choice : all) top = std::max(top, choice.weight);
  for (TokenWeight& choice : all)
    choice.weight = std::exp((choice.weight - top) / options.temperature);
  normalize();
  if (options.top_p < 1) {
    std::sort(all.begin(), all.end(), likelier);
    double sum = 0;
    size_t kept = 0;
    while (kept < all.size() && sum < options.top_p) sum += all[kept++].weight;
    all.resize(kept);
    normalize();
  }
  return all;
}

TEST(Sampling, IsItsDefinitionToTheBit) {
  Random random(3);
  std::vector<double> logits(3000);
  for (double& logit : logits) logit = double(float(4 * random.normal()));
  for (size_t i = 0; i < 300; ++i) logits[random.below(3000)] = 2.5;  // ties
  for (const int64_t top_k : {0, 1, 7, 500, 3000})
    for (const double top_p : {0.3, 0.9, 0.999, 1.0})
      for (const double temperature : {0.1, 1.0, 20.0}) {
        const SamplingOptions options{temperature, top_k, top_p};
        const std::vector<TokenWeight> expected = by_definition(choices(logits), options);
        std::vector<TokenWeight> got = choices(logits);
        to_probabilities(got, options);
        ASSERT_EQ(got.size(), expected.size()) << top_k << " " << top_p;
        for (size_t i = 0; i < got.size(); ++i) {
          ASSERT_EQ(got[i].id, expected[i].id);
          ASSERT_EQ(got[i].weight, expected[i].weight);
        }
      }
}

}  // namespace
}  // namespace heed
