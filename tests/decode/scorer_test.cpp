#include "heed/decode/scorer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/model/sequence_model.h"
#include "search_fixture.h"
#include "support/folder_test.h"
#include "support/isolated_backend.h"
#include "support/little_memory.h"
#include "support/overflow.h"
#include "support/sanitized.h"
#include "support/small_translator.h"

namespace heed {
namespace {

class ScorerTest : public FolderTest {
 protected:
  ScorerTest()
      : tokenizers_(testing::character_tokenizers(folder_)),
        model_(testing::random_model(tokenizers_)) {
    use(DType::fp32);
  }

  void use(DType compute) {
    backend_ = testing::isolated_if_asked(make_cpu_backend("", compute));
    model_.move_to(backend_->memory());
  }

  std::vector<PairScore> score(const std::vector<TextPair>& pairs,
                               const ScoreOptions& options = {}) {
    return Scorer({{model_, *backend_}, tokenizers_}, options).score(pairs);
  }
  PairScore score_one(const std::string& source, const std::string& target) {
    return score({{source, target}}).front();
  }

  std::unique_ptr<Backend> backend_;
  TokenizerPair tokenizers_;
  SequenceModel model_;
};

std::vector<TextPair> odd_pairs() {
  std::vector<TextPair> pairs = {{"", ""},          {"a", ""},     {"", "b"},
                                 {"\xff\xfe", "a"}, {"b", "\xe4"}, {"   ", "over"},
                                 {"日本語", "☃"},   {"a\r", "b"},  {std::string(1, '\0'), "a"}};
  for (int i = 0; i < 40; ++i)
    pairs.push_back({std::string(size_t(1 + i % 7), char('a' + i % 26)),
                     std::string(size_t(1 + i % 5), char('z' - i % 26))});
  pairs.push_back({std::string(200, 'a'), "over"});
  pairs.push_back({"over", std::string(200, 'b')});
  return pairs;
}

TEST_F(ScorerTest, EqualsTransformersTokenByToken) {
  const auto goldens = nlohmann::json::parse(std::ifstream(HEED_TESTS "/decode/data/score.json"));
  std::vector<TextPair> pairs;
  for (const auto& pair : goldens["pairs"]) pairs.push_back({pair["source"], pair["target"]});
  ASSERT_GE(pairs.size(), 10u);
  const std::vector<PairScore> scores = score(pairs);
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto golden = goldens["pairs"][i]["log_probabilities"].get<std::vector<double>>();
    EXPECT_THAT(scores[i].log_probabilities,
                ::testing::Pointwise(::testing::DoubleNear(1e-4), golden))
        << pairs[i].source;
    EXPECT_FALSE(scores[i].status.truncated) << pairs[i].source;
  }
}

TEST_F(ScorerTest, IsWhatTheSearchSaysOfItsOwnTranslations) {
  for (const std::string source : {"a lazy dog", "老师", "q"}) {
    std::vector<TokenId> ids = tokenizers_.source().encode(source);
    ids.push_back(tokenizers_.source().end_id());
    SearchOptions options;
    options.nbest = 4;
    const std::vector<SearchResult> found = testing::search(model_, *backend_, options, {ids});
    for (const Hypothesis& hypothesis : found[0].hypotheses) {
      const std::string text = tokenizers_.target().decode(hypothesis.ids);
      if (!hypothesis.ended || tokenizers_.target().encode(text) != hypothesis.ids) continue;
      const PairScore score = score_one(source, text);
      EXPECT_NEAR(score.log_probability, hypothesis.log_probability, 1e-4);
      EXPECT_THAT(hypothesis.log_probabilities,
                  ::testing::Pointwise(::testing::DoubleNear(1e-4), score.log_probabilities));
    }
  }
}

TEST_F(ScorerTest, OneScoreForEachPairInOrder) {
  const auto pairs = odd_pairs();
  const auto scores = score(pairs);
  ASSERT_EQ(scores.size(), pairs.size());
  for (size_t i = 0; i < scores.size(); ++i) {
    EXPECT_EQ(scores[i].line, int64_t(i));
    ASSERT_EQ(scores[i].pieces.size(), scores[i].log_probabilities.size());
    EXPECT_LT(scores[i].log_probability, 0);
    double sum = 0;
    for (double each : scores[i].log_probabilities) sum += each;
    EXPECT_DOUBLE_EQ(scores[i].log_probability, sum);
  }
  EXPECT_EQ(scores[0].status.text(), "empty");
  EXPECT_THAT(scores[1].pieces, ::testing::ElementsAre("</s>"));
  EXPECT_EQ(scores[2].status.text(), "empty");
  EXPECT_TRUE(scores[3].status.invalid_utf8);
  EXPECT_TRUE(scores[4].status.invalid_utf8);
  EXPECT_EQ(scores[9].status.text(), "ok");
}

TEST_F(ScorerTest, ALongSideIsCutToThePositions) {
  const auto all = score({{std::string(200, 'a'), "over"}, {"over", std::string(200, 'b')}});
  EXPECT_EQ(all[0].status.text(), "truncated");
  EXPECT_EQ(all[0].log_probability, score_one(std::string(38, 'a'), "over").log_probability)
      << "39 tokens, the space in front included, and </s>";
  EXPECT_EQ(all[0].pieces.back(), "</s>");
  EXPECT_EQ(all[1].status.text(), "truncated");
  EXPECT_EQ(all[1].pieces.size(), 39u);
  EXPECT_EQ(all[1].pieces.back(), "b") << "the text did not end there";
}

TEST_F(ScorerTest, NothingButThePairMatters) {
  for (const DType type : {DType::fp32, DType::bf16, DType::int8}) {
    use(type);
    const auto pairs = odd_pairs();
    const auto expected = score(pairs);
    for (const int64_t threads : {1, 3}) {
      for (const int64_t batch_tokens : {1, 11, 4000}) {
        const auto same = score({pairs.rbegin(), pairs.rend()},
                                {.batch_tokens = batch_tokens, .threads = threads});
        for (size_t i = 0; i < pairs.size(); ++i)
          EXPECT_EQ(expected[i].log_probabilities, same[pairs.size() - 1 - i].log_probabilities);
      }
    }
  }
}

TEST_F(ScorerTest, TheWholeIsTheSumOfWhatCounts) {
  const auto scores = score({{"a", "bc"}, {"", "b"}, {"lazy", "dog"}, {"a", std::string(50, 'x')}});
  const CorpusScore corpus = corpus_score(scores);
  EXPECT_EQ(corpus.pairs, 2);
  EXPECT_EQ(corpus.skipped, 2);
  EXPECT_EQ(corpus.tokens, int64_t(scores[0].pieces.size() + scores[2].pieces.size()));
  EXPECT_DOUBLE_EQ(corpus.loss(), -(scores[0].log_probability + scores[2].log_probability) /
                                      double(corpus.tokens));
  EXPECT_DOUBLE_EQ(corpus.perplexity(), std::exp(corpus.loss()));
  EXPECT_TRUE(std::isnan(corpus_score({}).perplexity()));
}

TEST_F(ScorerTest, MoreThanAWindowComesOutInOrder) {
  int64_t given = 0, taken = 0;
  Scorer({{model_, *backend_}, tokenizers_}, {})
      .score(
          [&]() -> std::optional<TextPair> {
            if (given == 5000) return {};
            return TextPair{"a", ++given % 2 ? "b" : "cd"};
          },
          [&](const PairScore& pair) {
            EXPECT_EQ(pair.line, taken++);
            EXPECT_EQ(pair.pieces.size(), pair.line % 2 ? 4u : 3u);
          });
  EXPECT_EQ(taken, 5000);
}

TEST_F(ScorerTest, StrictNamesSideLineAndByte) {
  const auto strict = [&](const TextPair& pair) {
    return error_of([&] { score({{"ok", "ok"}, pair}, {.strict = true}); });
  };
  EXPECT_EQ(strict({"a\xff", "b"}), "line 2 of the source is not UTF-8 at byte 2");
  EXPECT_EQ(strict({"a", "bc\xff"}), "line 2 of the target is not UTF-8 at byte 3");
}

TEST_F(ScorerTest, AnotherModelsTokenizersAreRefused) {
  ModelConfig config = model_.config();
  config.output_vocabulary_size -= 5;
  const SequenceModel fewer(config);
  EXPECT_THAT(error_of([&] {
                Scorer({{fewer, *backend_}, tokenizers_}, {});
              }),
              ::testing::HasSubstr("they do not belong together"));
  config.vocabulary_size += 3;
  const SequenceModel more(config);
  EXPECT_THAT(error_of([&] {
                Scorer({{more, *backend_}, tokenizers_}, {});
              }),
              ::testing::HasSubstr("they do not belong together"));
}

TEST_F(ScorerTest, AModelThatOverflowsIsAnError) {
  testing::make_overflow(model_);
  EXPECT_THROW(score_one("lazy", "dog"), Error);
}

TEST_F(ScorerTest, ALongLineIsScoredByItsBeginning) {
  // The score up to the model's positions does not depend on the rest.
  const std::string beginning(200, 'a');
  const auto expected = score_one(beginning, beginning);
  const auto got =
      score_one(beginning + std::string(1 << 20, 'b'), beginning + std::string(1 << 20, 'b'));
  EXPECT_TRUE(expected.status.truncated && got.status.truncated);
  EXPECT_EQ(got.pieces, expected.pieces);
  EXPECT_EQ(got.log_probabilities, expected.log_probabilities);
}

TEST_F(ScorerTest, AThreadThatTheMachineRefusesIsAnErrorAndOnePairNeedsNone) {
  if (testing::is_sanitized()) GTEST_SKIP() << "sanitizers need all addresses";
  ScoreOptions options;
  options.threads = 20;
  const PairScore expected = score_one("over", "over");
  EXPECT_EQ(testing::status_with(testing::kThreadStack / 2,
                                 [&] {
                                   const auto got = score({{"over", "over"}}, options);
                                   return got[0].log_probability != expected.log_probability;
                                 }),
            0);
  EXPECT_EQ(testing::status_with(4 * testing::kThreadStack,
                                 [&] {
                                   try {
                                     score(std::vector<TextPair>(200, {"over", "over"}), options);
                                   } catch (const Error& error) {
                                     const std::string text = error.what();
                                     return text.find("20 threads") == text.npos;
                                   }
                                   return true;
                                 }),
            0);
}

}  // namespace
}  // namespace heed
