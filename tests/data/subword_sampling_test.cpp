#include "heed/data/subword_sampling.h"

#include <gtest/gtest.h>

#include "heed/data/batches.h"
#include "heed/data/corpus.h"
#include "heed/text/tokenizer_training.h"
#include "support/text_files.h"

namespace heed {
namespace {

class SubwordSamplingTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    const Sentences pairs = sentences(300);
    write("zh", Sentences::text(pairs.source));
    write("de", Sentences::text(pairs.target));
    TokenizerOptions options;
    options.vocabulary_size = 150;
    tokenizers_ =
        TokenizerPair::joint(train_tokenizer(options, std::vector{folder_ / "zh", folder_ / "de"}));
    Workers workers(1);
    corpus_ = std::make_unique<Corpus>(Corpus::open({{folder_ / "zh"}, {folder_ / "de"}},
                                                    *tokenizers_, {}, folder_ / "cache", workers));
  }

  SubwordSampling sampled(const SubwordSamplingOptions& options, int64_t max_tokens = 1000) const {
    return {*corpus_, SubwordSamplers(*tokenizers_, options), 7, max_tokens};
  }
  static Example example(const Dataset& data, int64_t epoch, uint32_t index) {
    return data.examples(epoch, {&index, 1}).front();
  }

  std::optional<TokenizerPair> tokenizers_;
  std::unique_ptr<Corpus> corpus_;
};

TEST_F(SubwordSamplingTest, ASideIsSampledWhereItIsAskedFor) {
  for (const auto& [options, source, target] :
       {std::tuple(SubwordSamplingOptions{0.5, 0}, true, false),
        std::tuple(SubwordSamplingOptions{0, 0.5}, false, true),
        std::tuple(SubwordSamplingOptions{0.5, 0.5}, true, true)}) {
    const SubwordSampling data = sampled(options);
    int64_t other_source = 0, other_target = 0;
    for (uint32_t i = 0; i < 300; ++i) {
      const Example plain = corpus_->example(i), drawn = example(data, 0, i);
      other_source += drawn.source != plain.source;
      other_target += drawn.target != plain.target;
      EXPECT_EQ(tokenizers_->target().decode(drawn.target),
                tokenizers_->target().decode(plain.target));
    }
    EXPECT_EQ(other_source > 100, source);
    EXPECT_EQ(other_target > 100, target);
  }
}

TEST_F(SubwordSamplingTest, EachEpochDrawsAnotherSampleOfTheSizeThatItSays) {
  const SubwordSampling data = sampled({0.2, 0.2});
  int64_t differ = 0;
  for (uint32_t i = 0; i < 300; ++i) {
    for (const int64_t epoch : {0, 1}) {
      const Example drawn = example(data, epoch, i);
      const ExampleSize size = data.size_in(epoch, i), bound = data.bound(i);
      EXPECT_EQ(size.source, int64_t(drawn.source.size()) + 1);
      EXPECT_EQ(size.target, int64_t(drawn.target.size()) + 1);
      EXPECT_LE(size.source, bound.source);
      EXPECT_LE(size.target, bound.target);
    }
    differ += example(data, 0, i).target != example(data, 1, i).target;
  }
  EXPECT_GT(differ, 100);
}

TEST_F(SubwordSamplingTest, ASampleThatIsTooLongIsNotTaken) {
  const int64_t longest = longest_side(*corpus_);
  const SubwordSampling data = sampled({0.9, 0.9}, longest);
  EXPECT_EQ(longest_side(data), longest);
  bool other = false;
  for (uint32_t i = 0; i < 300; ++i) {
    const Example drawn = example(data, 0, i);
    EXPECT_LT(int64_t(drawn.source.size()), longest);
    EXPECT_LT(int64_t(drawn.target.size()), longest);
    other |= drawn.target != corpus_->example(i).target;
  }
  EXPECT_TRUE(other);
}

TEST_F(SubwordSamplingTest, BatchesHaveTheTokensOfTheirSamples) {
  const SubwordSampling data = sampled({0.5, 0.1});
  const BatchOptions options{.batch_tokens = 200};
  for (const int64_t epoch : {0, 3}) {
    const BatchPlan plan = BatchPlan::shuffled(data, options, 1, epoch);
    for (int64_t i = 0; i < plan.size(); ++i) {
      ExampleSize tokens;
      for (const Example& drawn : data.examples(epoch, plan.batch(i))) {
        tokens.source += int64_t(drawn.source.size()) + 1;
        tokens.target += int64_t(drawn.target.size()) + 1;
      }
      EXPECT_EQ(plan.tokens(i).source, tokens.source);
      EXPECT_EQ(plan.tokens(i).target, tokens.target);
      EXPECT_LE(std::max(tokens.source, tokens.target), 200);
    }
  }
}

}  // namespace
}  // namespace heed
