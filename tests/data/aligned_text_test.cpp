#include "heed/data/aligned_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/core/files.h"
#include "heed/data/subword_sampling.h"
#include "heed/text/tokenizer_training.h"
#include "support/text_files.h"

namespace heed {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class AlignedTextTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    const Sentences pairs = sentences(5000);  // more than are found at a time
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

  // The last source token with the last target token, and, in every third pair, each source token
  // with the first target token; none in every seventh.
  std::vector<WordLink> links_of(int64_t pair) const {
    const Example example = corpus_->example(pair);
    if (pair % 7 == 0) return {};
    const auto last = int32_t(example.source.size()) - 1;
    std::vector<WordLink> links = {{last, int32_t(example.target.size()) - 1}};
    for (int32_t source = 0; pair % 3 == 0 && source <= last; ++source)
      links.push_back({source, 0});
    return links;
  }
  AlignedText open(uint64_t key = 1) {
    return AlignedText::open(*corpus_, key, folder_ / "links", [&](int64_t begin, int64_t end) {
      ++calls_;
      std::vector<std::vector<WordLink>> all;
      for (int64_t pair = begin; pair < end; ++pair) all.push_back(links_of(pair));
      return all;
    });
  }

  std::optional<TokenizerPair> tokenizers_;
  std::unique_ptr<Corpus> corpus_;
  int calls_ = 0;
};

TEST_F(AlignedTextTest, ExamplesHaveTheirLinks) {
  const AlignedText text = open();
  EXPECT_EQ(calls_, 2);
  ASSERT_EQ(text.size(), 5000);
  int64_t links = 0, aligned = 0;
  for (uint32_t i = 0; i < 5000; ++i) {
    const Example example = text.examples(3, {&i, 1}).front();
    EXPECT_EQ(example.links, in_target_order(links_of(i)));
    EXPECT_EQ(example.source, corpus_->example(i).source);
    links += int64_t(example.links.size());
    aligned += !example.links.empty();
  }
  EXPECT_EQ(text.link_count(), links);
  EXPECT_EQ(text.aligned_pairs(), aligned);
  EXPECT_EQ(text.bound(4).target, corpus_->bound(4).target);
}

TEST_F(AlignedTextTest, AreFoundOnceForAKey) {
  open();
  open();
  EXPECT_EQ(calls_, 2);
  open(2);
  EXPECT_EQ(calls_, 4);
}

TEST_F(AlignedTextTest, ADamagedFileIsReplaced) {
  open();
  const std::string good = read_file(folder_ / "links");
  std::vector<std::string> damaged = {"", good.substr(0, 20), good.substr(0, good.size() - 8),
                                      good + std::string(8, '\0')};
  for (size_t at = 0; at < good.size(); at += good.size() / 40) {
    damaged.push_back(good);
    damaged.back()[at] = char(damaged.back()[at] ^ 1);
  }
  for (const std::string& bytes : damaged) {
    write("links", bytes);
    calls_ = 0;
    open();
    EXPECT_EQ(calls_, 2);
    EXPECT_EQ(read_file(folder_ / "links"), good);
  }
}

TEST_F(AlignedTextTest, LinksFollowTheirTextIntoOtherPieces) {
  const AlignedText text = open();
  const SubwordSampling sampled(text, SubwordSamplers(*tokenizers_, {0.5, 0.5}), 7, 1000);
  // For each byte of a side the token that has it.
  const auto owners = [&](const Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
    std::vector<int32_t> of_bytes;
    for (size_t i = 0; i < ids.size(); ++i)
      of_bytes.insert(of_bytes.end(), tokenizer.vocabulary().piece(ids[i]).size(), int32_t(i));
    return of_bytes;
  };
  int64_t more = 0;
  for (uint32_t i = 0; i < 300; ++i) {
    const Example plain = text.examples(0, {&i, 1}).front();
    const Example drawn = sampled.examples(0, {&i, 1}).front();
    const auto source = owners(tokenizers_->source(), plain.source);
    const auto other_source = owners(tokenizers_->source(), drawn.source);
    const auto target = owners(tokenizers_->target(), plain.target);
    const auto other_target = owners(tokenizers_->target(), drawn.target);
    std::vector<WordLink> expected;
    for (const WordLink& link : plain.links)
      for (size_t s = 0; s < source.size(); ++s)
        for (size_t t = 0; t < target.size(); ++t)
          if (source[s] == link.source && target[t] == link.target)
            expected.push_back({other_source[s], other_target[t]});
    EXPECT_EQ(drawn.links, in_target_order(expected));
    more += drawn.links.size() > plain.links.size();
  }
  EXPECT_GT(more, 50);
}

}  // namespace
}  // namespace heed
