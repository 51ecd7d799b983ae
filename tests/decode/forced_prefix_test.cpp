#include "heed/decode/forced_prefix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "heed/text/tokenizer_training.h"
#include "support/temporary_folder.h"

namespace heed {
namespace {

using ::testing::UnorderedElementsAre;

// </s>, <unk>, these, <pad>.
Vocabulary vocabulary(std::vector<std::string> pieces) {
  pieces.insert(pieces.begin(), {"</s>", "<unk>"});
  pieces.push_back("<pad>");
  return Vocabulary(std::move(pieces));
}

TEST(PieceIndex, FindsWhatBeginsWithAText) {
  const Vocabulary v = vocabulary({"an", "ant", "b", "a", "<0x61>", "anna"});
  const PieceIndex index(v);
  const auto pieces = [&](std::string_view text) {
    std::vector<std::string> found;
    for (const TokenId id : index.starting_with(text)) found.push_back(v.piece(id));
    return found;
  };
  EXPECT_THAT(pieces("an"), UnorderedElementsAre("an", "anna", "ant"));
  EXPECT_THAT(pieces("b"), UnorderedElementsAre("b"));
  EXPECT_THAT(pieces("c"), UnorderedElementsAre());
  EXPECT_THAT(pieces("<"), UnorderedElementsAre()) << "neither </s> nor a byte is literal";
  EXPECT_THAT(pieces("antsy"), UnorderedElementsAre());
  EXPECT_EQ(index.longest(), 4u);
}

// All sequences of pieces that match a text.
void segment(const ForcedText& text, const Vocabulary& v, size_t at, const std::string& so_far,
             std::set<std::string>& all) {
  if (at == text.size()) {
    all.insert(so_far);
    return;
  }
  text.for_each_continuation(at, [&](const ForcedText::Continuation& candidate) {
    ASSERT_GT(candidate.matched, at);
    segment(text, v, candidate.matched,
            so_far + (so_far.empty() ? "" : " ") + v.piece(candidate.id), all);
  });
}

TEST(ForcedText, AllowsEveryPieceAfterWhichTheRestIsPossible) {
  const Vocabulary v = vocabulary({"x", "xy", "yz", "yzu", "q", "xyzzy"});
  const PieceIndex index(v);
  const ForcedText text("xyz", index, v, 0);
  EXPECT_TRUE(text.is_possible());
  std::set<std::string> all;
  segment(text, v, 0, "", all);
  // "xy" would leave "z", which no piece begins with.
  EXPECT_EQ(all, (std::set<std::string>{"x yz", "x yzu", "xyzzy"}));
  EXPECT_FALSE(ForcedText("xyq z", index, v, 0).is_possible());
  EXPECT_FALSE(ForcedText("zx", index, v, 0).is_possible());
}

class PrefixEncoderTest : public ::testing::Test {
 protected:
  PrefixEncoderTest() : tokenizers_(make()) {}

  TokenizerPair make() {
    std::string text;
    for (int i = 0; i < 50; ++i)
      text += "ein Mann und eine Frau\ndie Mannschaft der Mannheimer\nman kann Mandeln essen\n";
    const std::vector<std::filesystem::path> files = {folder_.write("text", text)};
    TokenizerOptions options;
    options.vocabulary_size = 60;
    return TokenizerPair::joint(train_tokenizer(options, files));
  }

  // The texts that the forced prefix allows, up to the piece that completes it.
  std::set<std::string> texts(const std::string& prefix) const {
    const ForcedPrefix b = encoder_.encode(prefix);
    std::string forced;
    for (const std::string& piece : tokenizers_.target().pieces(b.ids)) forced += piece;
    std::set<std::string> matched, all;
    if (b.text)
      segment(*b.text, tokenizers_.target().vocabulary(), 0, "", matched);
    else
      matched.insert("");
    for (std::string each : matched) {
      std::erase(each, ' ');
      all.insert(forced + each);
    }
    return all;
  }

  testing::TemporaryFolder folder_;
  TokenizerPair tokenizers_;
  PrefixEncoder encoder_{tokenizers_.target()};
};

TEST_F(PrefixEncoderTest, NothingForcesNothing) {
  EXPECT_TRUE(encoder_.encode("").empty());
  EXPECT_TRUE(encoder_.encode("   ").empty());
}

TEST_F(PrefixEncoderTest, EveryTextBeginsWithThePrefix) {
  for (const std::string prefix : {"ein Man", "ein", "d", "die Mannschaft der Mannhe", "man k"}) {
    std::string expected = "\u2581" + prefix;
    for (size_t at; (at = expected.find(' ')) != std::string::npos;)
      expected.replace(at, 1, "\u2581");
    const std::set<std::string> all = texts(prefix);
    EXPECT_FALSE(all.empty());
    EXPECT_TRUE(all.count(expected)) << prefix;
    for (const std::string& text : all) EXPECT_EQ(text.rfind(expected, 0), 0u) << text;
  }
}

TEST_F(PrefixEncoderTest, AWordBrokenOffMayGoOnInAPieceThatRunsBeyondIt) {
  ASSERT_TRUE(tokenizers_.target().vocabulary().find("\u2581Mann")) << "a piece of this test";
  EXPECT_TRUE(texts("ein Man").count("\u2581ein\u2581Mann"));
  EXPECT_EQ(encoder_.encode("ein Man").ids, tokenizers_.target().encode("ein"))
      << "whole words are forced as the tokenizer cuts them";
}

TEST_F(PrefixEncoderTest, WhiteSpaceClosesTheWord) {
  for (const std::string prefix : {"ein Man ", "ein Man\t", "ein Man\u3000"}) {
    const std::set<std::string> all = texts(prefix);
    EXPECT_FALSE(all.empty());
    for (const std::string& text : all)
      EXPECT_EQ(text.rfind("\u2581ein\u2581Man\u2581", 0), 0u) << text;
  }
}

TEST_F(PrefixEncoderTest, APromptIsForcedInTheTokenizersPieces) {
  for (const std::string prompt : {"ein Man", "die Mannhe", "d"}) {
    const ForcedPrefix whole = encoder_.encode_prompt(prompt);
    EXPECT_EQ(whole.ids, tokenizers_.target().encode(prompt));
    EXPECT_FALSE(whole.text);
    EXPECT_FALSE(encoder_.ends_in_space(prompt));
  }
  // Whatever the tokenizer reads as white space.
  for (const std::string& space :
       std::vector<std::string>{" ", "\t", "\r", "\u2581", "\u3000 ", std::string("\0", 1)}) {
    EXPECT_TRUE(encoder_.ends_in_space("ein Man" + space)) << int(space[0]);
    const ForcedPrefix open = encoder_.encode_prompt("ein Man" + space);
    EXPECT_EQ(open.ids, tokenizers_.target().encode("ein Man" + space));
    ASSERT_TRUE(open.text);
    EXPECT_EQ(open.text->size(), std::string_view("\u2581").size());
  }
  EXPECT_TRUE(encoder_.encode_prompt("").empty());
}

TEST_F(PrefixEncoderTest, WhatTheVocabularyCannotWriteIsForcedAsUnknown) {
  const ForcedPrefix b = encoder_.encode("ein 😀 Man");
  const std::vector<TokenId> whole = tokenizers_.target().encode("ein 😀");
  EXPECT_EQ(b.ids, whole);
  EXPECT_EQ(b.ids.back(), tokenizers_.target().unknown_id());
  ASSERT_TRUE(b.text);
  const ForcedPrefix ends = encoder_.encode("ein 😀");
  EXPECT_EQ(ends.ids, whole);
  EXPECT_FALSE(ends.text);
}

TEST_F(PrefixEncoderTest, ALongWordIsForcedButForItsEnd) {
  std::string prefix;
  for (int i = 0; i < 40; ++i) prefix += "Mann";
  const ForcedPrefix b = encoder_.encode(prefix);
  ASSERT_TRUE(b.text);
  EXPECT_GT(b.ids.size(), 10u);
  EXPECT_GE(b.text->size(), PieceIndex(tokenizers_.target().vocabulary()).longest());
  const std::vector<TokenId> whole = tokenizers_.target().encode(prefix);
  EXPECT_TRUE(std::equal(b.ids.begin(), b.ids.end(), whole.begin()));
}

}  // namespace
}  // namespace heed
