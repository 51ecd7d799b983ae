#include "heed/evaluate/ter_tokenizer.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "evaluate/every_character.h"

namespace heed {
namespace {

std::string words(const TerTokenizerOptions& options, std::string line) {
  std::vector<std::string_view> words = {"left from before"};
  tokenize_for_ter(options, line, words);
  return fmt::format("{}", fmt::join(words, " "));
}

// The right side is sacreBLEU's.
TEST(TerTokenizer, NormalizesAsTercom) {
  const std::string line = "The dog's \"5-6\" x..5 &amp;lt; 1,000.5 \u4f60\u597d\uff0c\u3042\u3044";
  EXPECT_EQ(words({}, line),
            "the dog's \"5-6\" x..5 &amp;lt; 1,000.5 \u4f60\u597d\uff0c\u3042\u3044");
  EXPECT_EQ(words({.normalized = true}, line),
            "the dog 's \" 5 - 6 \" x . .5 < 1,000.5 \u4f60\u597d\uff0c\u3042\u3044");
  EXPECT_EQ(words({.normalized = true, .asian_support = true, .case_sensitive = true}, line),
            "The dog 's \" 5 - 6 \" x . .5 < 1,000.5 \u4f60 \u597d \uff0c \u3042\u3044");
  EXPECT_EQ(words({.no_punctuation = true, .asian_support = true}, line),
            "the dog's 5-6 x5 &amplt 10005 \u4f60\u597d\u3042\u3044");
  EXPECT_EQ(words({.normalized = true}, "a\n-b\nc \u3000"), "ab c");
  EXPECT_EQ(words({.normalized = true}, " \u3000"), "");
}

TEST(TerTokenizer, EveryCharacterIsSacrebleus) {
  const auto hash_with = [](const TerTokenizerOptions& options) {
    return hash_of_tokens([&](std::string& line, std::vector<std::string_view>& words) {
      tokenize_for_ter(options, line, words);
    });
  };
  // TER(normalized=True, asian_support=True)
  EXPECT_EQ(hash_with({.normalized = true, .asian_support = true}), 0x6B056120EE150025u);
  // TER(no_punct=True, asian_support=True, case_sensitive=True)
  EXPECT_EQ(hash_with({.no_punctuation = true, .asian_support = true, .case_sensitive = true}),
            0x694FA7F8BB6B5DF1u);
}

}  // namespace
}  // namespace heed
