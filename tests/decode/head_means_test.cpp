#include <gmock/gmock.h>

#include <vector>

#include "heed/decode/head_analysis.h"

namespace heed {
namespace {

using ::testing::DoubleNear;
using ::testing::Optional;

std::optional<double> weight(const HeadReport& report, KeyPosition position) {
  return report.weights[size_t(position)];
}

// [queries, keys] with all of the weight of query i on keys[i].
std::vector<float> weights_looking_at(const std::vector<int64_t>& keys, int64_t count) {
  std::vector<float> weights(keys.size() * size_t(count), 0);
  for (size_t query = 0; query < keys.size(); ++query)
    weights[query * size_t(count) + size_t(keys[query])] = 1;
  return weights;
}

HeadReport report_of(AttentionSite site, const std::vector<float>& weights, int64_t queries) {
  HeadMeans means(site);
  means.add(weights.data(), queries, int64_t(weights.size()) / queries);
  return means.report();
}

TEST(HeadMeans, NamesWhatAHeadOfTheEncoderLooksAt) {
  const auto role = [](const std::vector<int64_t>& keys) {
    return report_of(AttentionSite::encoder_self, weights_looking_at(keys, 6), 6).role();
  };
  EXPECT_EQ(role({3, 0, 1, 2, 3, 4}), "previous");
  EXPECT_EQ(role({0, 1, 2, 3, 4, 5}), "same");
  EXPECT_EQ(role({1, 2, 3, 4, 5, 2}), "next");
  EXPECT_EQ(role({0, 0, 0, 0, 0, 0}), "first");
  EXPECT_EQ(role({5, 5, 5, 5, 5, 5}), "last");
  EXPECT_EQ(report_of(AttentionSite::encoder_self, std::vector<float>(36, 1.0F / 6), 6).role(),
            "diffuse");
  // Half of the weight on each of two keys that have no name.
  std::vector<float> two(100, 0);
  for (size_t query = 0; query < 10; ++query)
    two[query * 10 + (query + 3) % 10] = two[query * 10 + (query + 5) % 10] = 0.5F;
  EXPECT_EQ(report_of(AttentionSite::encoder_self, two, 10).role(), "mixed");
}

TEST(HeadMeans, CountsOnlyQueriesThatHaveTheKey) {
  // Every query but the first, which has no previous key, looks at it.
  const HeadReport report =
      report_of(AttentionSite::decoder_self, weights_looking_at({0, 0, 1, 2}, 4), 4);
  EXPECT_THAT(weight(report, KeyPosition::previous), Optional(1.0));
  EXPECT_THAT(weight(report, KeyPosition::same), Optional(0.25));
  EXPECT_THAT(weight(report, KeyPosition::first), Optional(0.5));
  EXPECT_EQ(weight(report, KeyPosition::next), std::nullopt);
  EXPECT_EQ(weight(report, KeyPosition::last), std::nullopt);
  EXPECT_EQ(report.offsets[HeadReport::kMaxOffset + 1], std::nullopt);
  EXPECT_THAT(report.offsets[HeadReport::kMaxOffset - 1], Optional(1.0));
  EXPECT_EQ(report.entropy, 0);
}

TEST(HeadMeans, TheDiagonalOfCrossAttentionFollowsTheLengths) {
  // Three target positions over five source positions: 0, 2, 4.
  const HeadReport report = report_of(AttentionSite::cross, weights_looking_at({0, 2, 4}, 5), 3);
  EXPECT_EQ(report.role(), "diagonal");
  EXPECT_THAT(weight(report, KeyPosition::diagonal), Optional(1.0));
  EXPECT_THAT(report.offsets[HeadReport::kMaxOffset], Optional(1.0));
  EXPECT_EQ(weight(report, KeyPosition::previous), std::nullopt);
  EXPECT_EQ(report_of(AttentionSite::cross, weights_looking_at({4}, 5), 1).role(), "last");
}

TEST(HeadMeans, EntropyIsRelativeToTheNumberOfKeys) {
  // Two of four keys with half of the weight each: half of the possible bits.
  const std::vector<float> half = {0.5F, 0.5F, 0, 0};
  EXPECT_NEAR(report_of(AttentionSite::cross, half, 1).entropy, 0.5, 1e-9);
  // The first query of the decoder has one key, and no entropy to speak of.
  const std::vector<float> causal = {1, 0, 0.5F, 0.5F};
  EXPECT_NEAR(report_of(AttentionSite::decoder_self, causal, 2).entropy, 1, 1e-9);
}

}  // namespace
}  // namespace heed
