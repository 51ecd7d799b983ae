#include "heed/text/word_encoding.h"

#include <gmock/gmock.h>

#include "heed/text/tokenizer_training.h"
#include "support/text_files.h"

namespace heed {
namespace {

using ::testing::ElementsAre;

class WordEncodingTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    std::string text, labels;
    for (int i = 0; i < 60; ++i) {
      text += "the cat sat on the mat\nthe hat\n";
      labels += "DET NOUN VERB ADP DET NOUN\nB-PER I-PER\n";
    }
    TokenizerOptions words, of_labels;
    words.vocabulary_size = 24;
    of_labels.kind = TokenizerKind::word;
    of_labels.vocabulary_size = 1000;
    of_labels.normalization = Normalization::identity;
    pair_.emplace(
        TokenizerPair::separate(train_tokenizer(words, TextFiles{write("text", text)}),
                                train_tokenizer(of_labels, TextFiles{write("labels", labels)})));
  }
  std::optional<TokenizerPair> pair_;
};

TEST_F(WordEncodingTest, WordsAreEncodedByThemselves) {
  const Tokenizer& tokenizer = pair_->source();
  const EncodedWords words = encode_words(tokenizer, " the  hat\t\u200b on ");
  ASSERT_EQ(words.first.size(), 4u);
  std::vector<TokenId> expected = tokenizer.encode("the");
  EXPECT_EQ(words.first[1], int32_t(expected.size()));
  const std::vector<TokenId> hat = tokenizer.encode("hat");
  expected.insert(expected.end(), hat.begin(), hat.end());
  EXPECT_EQ(words.first[2], int32_t(expected.size()));
  expected.push_back(tokenizer.unknown_id());  // nothing is left of U+200B
  EXPECT_EQ(words.first[3], int32_t(expected.size()));
  const std::vector<TokenId> on = tokenizer.encode("on");
  expected.insert(expected.end(), on.begin(), on.end());
  EXPECT_EQ(words.ids, expected);
  EXPECT_TRUE(encode_words(tokenizer, " \t").ids.empty());
}

TEST_F(WordEncodingTest, LabelsHaveNumbers) {
  const std::vector<std::string> labels = labels_of(pair_->target().vocabulary());
  EXPECT_THAT(labels,
              ::testing::UnorderedElementsAre("DET", "NOUN", "VERB", "ADP", "B-PER", "I-PER"));
  for (size_t i = 0; i < labels.size(); ++i)
    EXPECT_EQ(label_id(pair_->target(), labels[i]), TokenId(i) + kFirstLabel);
  EXPECT_EQ(label_id(pair_->target(), "ADV"), pair_->target().unknown_id());
  EXPECT_EQ(label_id(pair_->target(), "</s>"), pair_->target().unknown_id());
}

}  // namespace
}  // namespace heed
