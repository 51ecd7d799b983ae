#include "heed/decode/alignment_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "heed/decode/alignment.h"
#include "search_fixture.h"

namespace heed {
namespace {

using testing::backends;
using testing::computing_name;

class AlignmentChoiceTest : public testing::SearchTest {
 protected:
  // Pairs of which target i + 1 is the translation of source i, over the pieces 2 to 10.
  static AlignmentText text(int count) {
    Random random(3);
    AlignmentText all;
    for (int i = 0; i < count; ++i) {
      TokenPair& pair = all.lexical.emplace_back();
      for (uint64_t n = 1 + random.below(5); n > 0; --n) {
        pair.source.push_back(TokenId(2 + random.below(8)));
        pair.target.push_back(pair.source.back() + 1);
      }
    }
    all.measured.assign(all.lexical.begin(), all.lexical.begin() + count / 2);
    return all;
  }

  // How many links the rows of these heads agree with, by what Aligner reads.
  int64_t agreeing(const AlignmentHeads& heads, const AlignmentText& text) {
    model_.set_generation_defaults({.alignment = heads});
    const WordLinks lexicon(text.lexical);
    int64_t count = 0;
    for (const TokenPair& pair : text.measured) {
      std::vector<TokenId> source = pair.source;
      source.push_back(model_.config().end_id());
      const auto rows = Aligner({model_, *backend_}).weights(source, {pair.target})[0];
      const std::vector<int32_t> links = lexicon.of(pair);
      for (size_t t = 0; t < links.size(); ++t) {
        const std::vector<float>& row = rows[t].weights;
        count += links[t] == std::max_element(row.begin(), row.end() - 1) - row.begin();
      }
    }
    return count;
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, AlignmentChoiceTest, ::testing::ValuesIn(backends()),
                         computing_name);

TEST_P(AlignmentChoiceTest, CountsTheLinksThatTheAttentionAgreesWith) {
  const AlignmentText pairs = text(80);
  Workers one(1), three(3);
  const AlignmentMeasurement measured = measure_alignment({model_, *backend_}, pairs, one);
  EXPECT_EQ(measured.pairs, 40);
  EXPECT_GE(measured.links, AlignmentMeasurement::kMinLinks);
  const ModelConfig& config = model_.config();
  EXPECT_GE(int64_t(measured.candidates.size()), 2 * config.decoder_layers * (1 + config.heads));
  int64_t most = 0;
  for (const AlignmentCandidate& candidate : measured.candidates) {
    EXPECT_EQ(candidate.agreeing, agreeing(candidate.heads, pairs));
    most = std::max(most, candidate.agreeing);
    EXPECT_EQ(measured.find(candidate.heads)->agreeing, candidate.agreeing);
  }
  ASSERT_TRUE(measured.best);
  EXPECT_GE(measured.best->agreeing, most - measured.links / 100);
  EXPECT_EQ(measured.find({{{0, 0}, {0, 5}}}), nullptr);

  const AlignmentMeasurement again = measure_alignment({model_, *backend_}, pairs, three);
  ASSERT_EQ(again.candidates.size(), measured.candidates.size());
  for (size_t i = 0; i < again.candidates.size(); ++i)
    EXPECT_EQ(again.candidates[i].agreeing, measured.candidates[i].agreeing);
  EXPECT_EQ(again.best->heads, measured.best->heads);
}

TEST_P(AlignmentChoiceTest, FewLinksDecideNothing) {
  Workers workers(1);
  AlignmentText pairs = text(80);
  pairs.measured.resize(3);
  const AlignmentMeasurement few = measure_alignment({model_, *backend_}, pairs, workers);
  EXPECT_FALSE(few.best);
  EXPECT_GT(few.links, 0);
  EXPECT_FALSE(measure_alignment({model_, *backend_}, {}, workers).best);
}

}  // namespace
}  // namespace heed
