#include "heed/data/varied_text.h"

#include <gtest/gtest.h>

#include <memory>

#include "heed/core/unicode.h"
#include "heed/data/corpus.h"
#include "heed/text/tokenizer_training.h"
#include "support/text_files.h"

namespace heed {
namespace {

class VariedTextTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    const Sentences pairs = sentences(300);
    // Capitals of all letters, and what noise is made of, so that the vocabulary can spell them.
    std::string spelled = "0123456789 %s%d%1 {0} {name} ${value} https://a.b/c #-@";
    for (char c = 'a'; c <= 'z'; ++c) spelled += c;
    write("zh", Sentences::text(pairs.source));
    write("de", Sentences::text(pairs.target));
    const auto letters = write("letters", uppercase(Sentences::text(pairs.target)) + spelled +
                                              "\n" + uppercase(spelled) + "\n");
    TokenizerOptions options;
    options.vocabulary_size = 200;
    tokenizers_ = TokenizerPair::joint(
        train_tokenizer(options, std::vector{folder_ / "zh", folder_ / "de", letters}));
    Workers workers(1);
    corpus_ = std::make_unique<Corpus>(Corpus::open({{folder_ / "zh"}, {folder_ / "de"}},
                                                    *tokenizers_, {}, folder_ / "cache", workers));
  }

  VariedText varied(const std::vector<std::string>& vary, int64_t max_tokens = 1000) const {
    return {*corpus_, *tokenizers_, VariationShares(vary), 7, max_tokens};
  }
  std::string target(const Example& example) const {
    return tokenizers_->target().decode(example.target);
  }
  static Example example(const Dataset& data, int64_t epoch, uint32_t index) {
    return data.examples(epoch, {&index, 1}).front();
  }

  std::optional<TokenizerPair> tokenizers_;
  std::unique_ptr<Corpus> corpus_;
};

TEST_F(VariedTextTest, AShareOfThePairsIsVariedOthersInEachEpoch) {
  const VariedText data = varied({"upper=0.3"});
  int64_t in_first = 0, in_both = 0;
  for (uint32_t i = 0; i < 300; ++i) {
    bool changed[2];
    for (const int64_t epoch : {0, 1}) {
      const Example found = example(data, epoch, i), plain = corpus_->example(i);
      changed[epoch] = found.target != plain.target;
      EXPECT_EQ(target(found), changed[epoch] ? uppercase(target(plain)) : target(plain));
      if (!changed[epoch]) EXPECT_EQ(found.source, plain.source);
      EXPECT_EQ(data.size_in(epoch, i).target, int64_t(found.target.size()) + 1);
      EXPECT_EQ(data.size_in(epoch, i).source, int64_t(found.source.size()) + 1);
      EXPECT_GE(data.bound(i).target, data.size_in(epoch, i).target);
    }
    in_first += changed[0];
    in_both += changed[0] && changed[1];
  }
  EXPECT_NEAR(double(in_first), 90, 25);  // three standard errors
  EXPECT_NEAR(double(in_both), 27, 16);
}

TEST_F(VariedTextTest, EveryVariationReachesTheIds) {
  for (const char* name :
       {"upper=1", "title=1", "unpunctuated=1", "typos=1", "joined=1", "noise=1"}) {
    const VariedText data = varied({name});
    int64_t changed = 0;
    for (uint32_t i = 0; i < 100; ++i) {
      const Example found = example(data, 0, i), plain = corpus_->example(i);
      changed += found.source != plain.source || found.target != plain.target;
    }
    EXPECT_GT(changed, 50) << name;
  }
}

TEST_F(VariedTextTest, WhatDoesNotFitStaysAsItIs) {
  const VariedText data = varied({"joined=1"}, 12);
  for (uint32_t i = 0; i < 300; ++i) {
    const Example found = example(data, 0, i), plain = corpus_->example(i);
    EXPECT_TRUE(found.target.size() < 12 || found.target == plain.target);
  }
}

TEST_F(VariedTextTest, TextThatTheVocabularyLacksIsNoVariation) {
  TokenizerOptions options;
  options.vocabulary_size = 150;  // of lowercase letters and the capitals of names
  const TokenizerPair plain =
      TokenizerPair::joint(train_tokenizer(options, std::vector{folder_ / "zh", folder_ / "de"}));
  Workers workers(1);
  const Corpus corpus =
      Corpus::open({{folder_ / "zh"}, {folder_ / "de"}}, plain, {}, folder_ / "other", workers);
  const VariedText data(corpus, plain, VariationShares({"upper=1"}), 7, 1000);
  for (uint32_t i = 0; i < 100; ++i)
    EXPECT_EQ(example(data, 0, i).target, corpus.example(i).target);
}

}  // namespace
}  // namespace heed
