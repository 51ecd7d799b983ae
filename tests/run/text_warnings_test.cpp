#include "heed/run/text_warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heed {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> texts(const CorpusFacts& facts, const TrainOptions& options = {}) {
  std::vector<std::string> all;
  for (const TextNote& note : text_notes(facts, options, 1000))
    all.push_back((note.warning ? "warning: " : "") + note.text);
  return all;
}

TEST(TextNotes, NothingIsSaidOfTextThatStaysAsItIs) {
  EXPECT_TRUE(texts({}).empty());
}

TEST(TextNotes, ChangedTargetsAreAWarningWithTheWayOut) {
  CorpusFacts facts;
  facts.source.changed_lines = 7;
  facts.source.changes = {{"\u2026", "...", 9}, {"\u00a0", " ", 1}, {"\u200b", "", 1}};
  EXPECT_THAT(
      texts(facts),
      ::testing::ElementsAre("normalization changes 7 of 1000 source lines: '\u2026' to '...' (9), "
                             "'\u00a0' to a space (1), '<U+200B>' to nothing (1)"));
  facts.source = {};
  facts.target.changed_lines = 360;
  for (int i = 0; i < 7; ++i)
    facts.target.changes.push_back({std::string(1, char('A' + i)), "a", 9});
  TrainOptions options;
  options.tokenizer.target_normalization = Normalization::nmt_nfkc;
  ASSERT_EQ(texts(facts, options).size(), 1u);
  EXPECT_THAT(texts(facts, options)[0], HasSubstr("warning: normalization changes 360 of 1000"));
  EXPECT_THAT(texts(facts, options)[0], HasSubstr("'E' to 'a' (9), ...:"));
  EXPECT_THAT(texts(facts, options)[0], HasSubstr("--target-normalization identity"));
  options.tokenizer_model = "given.spm";
  EXPECT_THAT(texts(facts, options)[0], Not(HasSubstr("--target-normalization")));
}

TEST(TextNotes, UnknownTextIsCountedWithExamples) {
  CorpusFacts facts;
  facts.target.unknown_lines = 2;
  facts.target.unknown = {{16, {"\u2603", "\u260e"}}, {99, {"\u2603"}}};
  TrainOptions options;
  const auto note = [&] { return texts(facts, options).at(0); };
  EXPECT_THAT(note(), HasSubstr("warning: 2 of 1000 target lines"));
  EXPECT_THAT(note(),
              HasSubstr("(line 17: '\u2603' '\u260e', line 100: '\u2603'); --byte-fallback"));
  options.tokenizer.character_coverage = 0.99;
  EXPECT_THAT(note(), HasSubstr("--character-coverage 1"));
  options.tokenizer.kind = TokenizerKind::word;
  EXPECT_THAT(note(), HasSubstr("--tokenizer bpe"));
  options.finetune_from = "base";
  EXPECT_THAT(note(), Not(HasSubstr("--")));
}

TEST(TextNotes, UnusedTokensOfAGivenVocabularyAreNoise) {
  CorpusFacts facts;
  facts.tokens = 4000;
  facts.unused_tokens = 190;
  TrainOptions options;
  EXPECT_TRUE(texts(facts, options).empty());
  options.tokenizer_model = "given.spm";
  ASSERT_EQ(texts(facts, options).size(), 1u);
  EXPECT_THAT(texts(facts, options)[0], HasSubstr("190 of 4000 tokens of --tokenizer-model"));
  facts.unused_tokens = 4;
  EXPECT_TRUE(texts(facts, options).empty());
}

}  // namespace
}  // namespace heed
