#include "heed/text/subword_sampler.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sentencepiece_processor.h>

#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "heed/text/tokenizer_training.h"
#include "support/facts.h"
#include "support/text_files.h"

namespace heed {
namespace {

using ::testing::HasSubstr;
using Ids = std::vector<TokenId>;

constexpr int kDraws = 20000;
// Five standard errors of a share of all draws, at most.
const double kTolerance = 5 * 0.5 / std::sqrt(double(kDraws));

class SubwordSamplerTest : public FolderTest {
 protected:
  Tokenizer learned(TokenizerOptions options, const std::string& text) const {
    return TokenizerPair::joint(train_tokenizer(options, std::vector{write("text", text)}))
        .source();
  }
  Tokenizer learned(TokenizerKind kind) const {
    TokenizerOptions options{.kind = kind, .vocabulary_size = 150};
    const Sentences pairs = sentences(600);
    return learned(options, Sentences::text(pairs.source) + Sentences::text(pairs.target));
  }

  static std::map<Ids, double> shares(const SubwordSampler& sampler, const Ids& ids) {
    std::map<Ids, double> shares;
    for (uint64_t seed = 0; seed < uint64_t(kDraws); ++seed)
      shares[sampler.sample(ids, seed)] += 1.0 / kDraws;
    return shares;
  }
  static void expect_near(const std::map<Ids, double>& found,
                          const std::map<Ids, double>& expected) {
    for (const auto& [ids, share] : expected) {
      const auto of_ids = found.find(ids);
      EXPECT_NEAR(of_ids == found.end() ? 0 : of_ids->second, share, kTolerance);
    }
  }
};

TEST_F(SubwordSamplerTest, WithoutDropoutBpeIsThatOfSentencePiece) {
  const Tokenizer tokenizer = learned(TokenizerKind::bpe);
  const SubwordSampler sampler(tokenizer, 0, "--alpha");
  for (const std::string& line : sentences(200).target) {
    const Ids ids = tokenizer.encode(line);
    EXPECT_EQ(sampler.sample(ids, 1), ids) << line;
  }
}

TEST_F(SubwordSamplerTest, ASampleHasTheSameTextAndFollowsFromItsSeed) {
  for (const TokenizerKind kind : {TokenizerKind::bpe, TokenizerKind::unigram}) {
    const Tokenizer tokenizer = learned(kind);
    const SubwordSampler sampler(tokenizer, 0.3, "--alpha");
    std::set<Ids> seen;
    const std::string line = sentences(1).target.front();
    const Ids ids = tokenizer.encode(line);
    for (uint64_t seed = 0; seed < 100; ++seed) {
      const Ids sample = sampler.sample(ids, seed);
      EXPECT_EQ(tokenizer.decode(sample), tokenizer.decode(ids));
      EXPECT_EQ(sampler.sample(ids, seed), sample);
      seen.insert(sample);
    }
    EXPECT_GT(seen.size(), 10u) << int(kind);
  }
}

TEST_F(SubwordSamplerTest, BpeDropoutIsThatOfSentencePiece) {
  const Tokenizer tokenizer = learned({.kind = TokenizerKind::bpe, .vocabulary_size = 14},
                                      "banana banana banana\nananas ban ban\nnab nab bananas\n");
  sentencepiece::SentencePieceProcessor processor;
  ASSERT_TRUE(processor.LoadFromSerializedProto(tokenizer.model()).ok());
  sentencepiece::SetRandomGeneratorSeed(1);
  constexpr float kDropout = 0.3f;
  std::map<Ids, double> expected;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::vector<std::string> pieces;
    ASSERT_TRUE(processor.SampleEncode("bananas ban", -1, kDropout, &pieces).ok());
    Ids ids;
    for (const std::string& piece : pieces) ids.push_back(*tokenizer.vocabulary().find(piece));
    expected[ids] += 1.0 / kDraws;
  }
  ASSERT_GT(expected.size(), 20u);
  const auto found = shares({tokenizer, kDropout, "--alpha"}, tokenizer.encode("bananas ban"));
  expect_near(found, expected);
  expect_near(expected, found);
}

TEST_F(SubwordSamplerTest, UnigramSegmentationsAreDrawnByTheirProbabilities) {
  const Tokenizer tokenizer = learned(TokenizerKind::unigram);
  std::map<std::string, std::pair<TokenId, float>> pieces;
  for (const ScoredPiece& piece : tokenizer.scored_pieces().pieces)
    pieces[piece.text] = {piece.id, piece.score};
  const Ids ids = tokenizer.encode(sentences(1).target.front().substr(0, 12));
  std::string text;
  for (const TokenId id : ids) text += tokenizer.vocabulary().piece(id);
  constexpr double kAlpha = 0.4;
  std::map<Ids, double> expected;
  double total = 0;
  const std::function<void(size_t, Ids, double)> cut = [&](size_t begin, const Ids& before,
                                                           double weight) {
    if (begin == text.size()) {
      expected[before] = weight;
      total += weight;
    }
    for (size_t end = begin + 1; end <= text.size(); ++end) {
      const auto found = pieces.find(text.substr(begin, end - begin));
      if (found == pieces.end()) continue;
      Ids longer = before;
      longer.push_back(found->second.first);
      cut(end, longer, weight * std::exp(kAlpha * double(found->second.second)));
    }
  };
  cut(0, {}, 1);
  ASSERT_GT(expected.size(), 6u);
  for (auto& [of_ids, share] : expected) share /= total;
  const auto found = shares({tokenizer, kAlpha, "--alpha"}, ids);
  expect_near(found, expected);
  for (const auto& [of_ids, share] : found) EXPECT_TRUE(expected.contains(of_ids));
}

TEST_F(SubwordSamplerTest, UnknownTextStaysWhatItIs) {
  const Tokenizer tokenizer = learned(TokenizerKind::bpe);
  const SubwordSampler sampler(tokenizer, 0.9, "--alpha");
  const Ids ids = tokenizer.encode("☃" + sentences(1).target.front() + "☃☃");
  const auto unknown = [&](const Ids& of) {
    return std::ranges::count(of, tokenizer.unknown_id());
  };
  ASSERT_EQ(unknown(ids), 2);
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const Ids sample = sampler.sample(ids, seed);
    EXPECT_EQ(unknown(sample), 2);
    EXPECT_EQ(tokenizer.decode(sample), tokenizer.decode(ids));
  }
  EXPECT_EQ(sampler.sample({}, 1), Ids());
}

TEST_F(SubwordSamplerTest, AVocabularyThatCutsInOneWayIsRefused) {
  EXPECT_THAT(error_of([&] { SubwordSampler(learned(TokenizerKind::word), 0.1, "--alpha"); }),
              HasSubstr("--alpha needs a vocabulary of SentencePiece's bpe or unigram"));
  EXPECT_THAT(error_of([&] { SubwordSampler(learned(TokenizerKind::bpe), 1, "--alpha"); }),
              HasSubstr("--alpha is 1: with BPE, expected a probability from 0 to below 1"));
  EXPECT_THAT(error_of([&] { SubwordSampler(learned(TokenizerKind::unigram), 0, "--alpha"); }),
              HasSubstr("--alpha is 0, expected a number above 0"));
}

}  // namespace
}  // namespace heed
