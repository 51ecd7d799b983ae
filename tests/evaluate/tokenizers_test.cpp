#include "heed/evaluate/tokenizers.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <utf8proc.h>

#include "evaluate/every_character.h"
#include "heed/core/unicode.h"

namespace heed {
namespace {

std::string tokens(BleuTokenizer tokenizer, std::string line) {
  std::vector<std::string_view> tokens = {"left from before"};
  tokenize(tokenizer, line, tokens);
  return fmt::format("{}", fmt::join(tokens, " "));
}

// The right side is sacreBLEU's.
TEST(BleuTokenizer, Mteval13a) {
  const auto tokens_13a = [](const char* line) { return tokens(BleuTokenizer::mteval_13a, line); };
  EXPECT_EQ(tokens_13a("It's 1,000.5 (or so), isn't it?"), "It's 1,000.5 ( or so ) , isn't it ?");
  EXPECT_EQ(tokens_13a("well-known 10-year 5- -5"), "well-known 10 - year 5 - -5");
  EXPECT_EQ(tokens_13a("a.b ... 5. .5 ,,"), "a . b . . . 5 . . 5 , ,");
  EXPECT_EQ(tokens_13a("&amp;lt; &amp;quot; AT&amp;T<skipped>"), "< & quot ; AT & T");
  EXPECT_EQ(tokens_13a("Straße。你好，\u00a0世界.  "), "Straße。你好， 世界 .");
  EXPECT_EQ(tokens_13a(" \u3000"), "");
}

// Erased one by one, they would take minutes.
TEST(BleuTokenizer, ALongLineOfMarkupIsReadQuickly) {
  std::string line;
  for (int i = 0; i < 1'000'000; ++i) line += "<skipped>&amp;";
  std::vector<std::string_view> found;
  tokenize(BleuTokenizer::mteval_13a, line, found);
  EXPECT_EQ(found.size(), 1'000'000u);
}

TEST(BleuTokenizer, NoneAndCharacter) {
  EXPECT_EQ(tokens(BleuTokenizer::none, " a,b \u2028 c. "), "a,b c.");
  EXPECT_EQ(tokens(BleuTokenizer::character, "ab 你好e\u0301"), "a b 你 好 e \u0301");
}

TEST(BleuTokenizer, International) {
  const auto intl = [](const char* line) { return tokens(BleuTokenizer::international, line); };
  EXPECT_EQ(intl("It's 1,000.5 (or so)… isn't it?"), "It ' s 1,000.5 ( or so ) … isn ' t it ?");
  EXPECT_EQ(intl("a_b x^2 5% 3€ in 1999."), "a _ b x ^ 2 5 % 3 € in 1999.");
  EXPECT_EQ(intl("¿Qué? 你好，世"), "¿ Qué ? 你好 ， 世");
}

TEST(BleuTokenizer, Chinese) {
  const auto zh = [](const char* line) { return tokens(BleuTokenizer::chinese, line); };
  EXPECT_EQ(zh(" 你好abc，3.5!"), "你 好 abc ， 3.5 !");
  // By sacreBLEU's ranges a dash counts as Chinese, a rare ideograph does not.
  EXPECT_EQ(zh("a—b\U00020000\U00020001"), "a — b\U00020000\U00020001");
  EXPECT_EQ(zh("　"), "");
}

uint64_t hash_with(BleuTokenizer tokenizer) {
  return hash_of_tokens([&](std::string& line, std::vector<std::string_view>& tokens) {
    tokenize(tokenizer, line, tokens);
  });
}

TEST(BleuTokenizer, EveryCharacterIsSacrebleus) {
  EXPECT_EQ(hash_with(BleuTokenizer::mteval_13a), 0x35F9E42005C6896Au);
  EXPECT_EQ(hash_with(BleuTokenizer::chinese), 0x112A565257CB8CEAu);
}

// With the module regex 2022.10.31.
TEST(BleuTokenizer, EveryCharacterIsSacrebleusInternational) {
  if (utf8proc_unicode_version() != kGoldenUnicode)
    GTEST_SKIP() << "Unicode " << utf8proc_unicode_version();
  EXPECT_EQ(hash_with(BleuTokenizer::international), 0xEF623FD88C1159E0u);
}

BleuTokenizer chosen(const Lines& lines) {
  return suitable_bleu_tokenizer(std::span(&lines, 1));
}

TEST(BleuTokenizerChoice, FollowsTheScriptOfTheReferences) {
  EXPECT_EQ(chosen({"昨天我的老师买了三本书。", "你好。"}), BleuTokenizer::chinese);
  EXPECT_EQ(chosen({"昨日、先生は本を三冊買いました。"}), BleuTokenizer::character);
  EXPECT_EQ(chosen({"カタカナ"}), BleuTokenizer::character);
  EXPECT_EQ(chosen({"เมื่อวานครูของฉันซื้อหนังสือสามเล่ม"}), BleuTokenizer::character);
  EXPECT_EQ(chosen({"ຂ້ອຍມັກອ່ານປຶ້ມ"}), BleuTokenizer::character);
  EXPECT_EQ(chosen({"ខ្ញុំចូលចិត្តអានសៀវភៅ"}), BleuTokenizer::character);
  EXPECT_EQ(chosen({"ကျွန်တော်စာအုပ်ဖတ်ရတာကြိုက်တယ်"}), BleuTokenizer::character);
  for (const char* spaced : {"Yesterday my teacher bought three books.", "Вчера он купил книгу.",
                             "어제 선생님이 책을 샀다.", "كتاب", "123 !"})
    EXPECT_EQ(chosen({spaced}), BleuTokenizer::mteval_13a) << spaced;
  EXPECT_EQ(chosen({}), BleuTokenizer::mteval_13a);
  EXPECT_EQ(chosen({"\xFF"}), BleuTokenizer::mteval_13a);
}

TEST(BleuTokenizerChoice, MixedTextGoesByItsGreaterPart) {
  EXPECT_EQ(chosen({"用 PyTorch 训练 Transformer 模型"}), BleuTokenizer::chinese);
  EXPECT_EQ(chosen({"The word 书 means book, and 老师 means teacher."}), BleuTokenizer::mteval_13a);
  EXPECT_EQ(chosen({"优の良品是一家公司，很多人喜欢那里的东西。"}), BleuTokenizer::chinese);
  // All references count.
  const std::vector<Lines> two{{"book"}, {"三本书"}};
  EXPECT_EQ(suitable_bleu_tokenizer(two), BleuTokenizer::chinese);
}

std::string ter_words(const TerOptions& options, std::string line) {
  std::vector<std::string_view> words = {"left from before"};
  tokenize_for_ter(options, line, words);
  return fmt::format("{}", fmt::join(words, " "));
}

// The right side is sacreBLEU's.
TEST(TerTokenizer, NormalizesAsTercom) {
  const std::string line = "The dog's \"5-6\" x..5 &amp;lt; 1,000.5 \u4f60\u597d\uff0c\u3042\u3044";
  EXPECT_EQ(ter_words({}, line),
            "the dog's \"5-6\" x..5 &amp;lt; 1,000.5 \u4f60\u597d\uff0c\u3042\u3044");
  EXPECT_EQ(ter_words({.normalized = true}, line),
            "the dog 's \" 5 - 6 \" x . .5 < 1,000.5 \u4f60\u597d\uff0c\u3042\u3044");
  EXPECT_EQ(ter_words({.normalized = true, .asian_support = true, .case_sensitive = true}, line),
            "The dog 's \" 5 - 6 \" x . .5 < 1,000.5 \u4f60 \u597d \uff0c \u3042\u3044");
  EXPECT_EQ(ter_words({.no_punctuation = true, .asian_support = true}, line),
            "the dog's 5-6 x5 &amplt 10005 \u4f60\u597d\u3042\u3044");
  EXPECT_EQ(ter_words({.normalized = true}, "a\n-b\nc \u3000"), "ab c");
  EXPECT_EQ(ter_words({.normalized = true}, " \u3000"), "");
}

TEST(TerTokenizer, EveryCharacterIsSacrebleus) {
  const auto ter_hash_with = [](const TerOptions& options) {
    return hash_of_tokens([&](std::string& line, std::vector<std::string_view>& words) {
      tokenize_for_ter(options, line, words);
    });
  };
  // TER(normalized=True, asian_support=True)
  EXPECT_EQ(ter_hash_with({.normalized = true, .asian_support = true}), 0x6B056120EE150025u);
  // TER(no_punct=True, asian_support=True, case_sensitive=True)
  EXPECT_EQ(ter_hash_with({.no_punctuation = true, .asian_support = true, .case_sensitive = true}),
            0x694FA7F8BB6B5DF1u);
}

}  // namespace
}  // namespace heed
