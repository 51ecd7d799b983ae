#include "heed/text/tokenizer_training.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "heed/core/options.h"
#include "heed/core/utf8.h"
#include "heed/text/tokenizer.h"
#include "support/facts.h"
#include "support/text_files.h"

namespace heed {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class TokenizerTrainingTest : public FolderTest {
 protected:
  std::string error_with(const TokenizerOptions& options, const std::string& text) const {
    const auto path = write("text", text);
    return error_of([&] { train_tokenizer(options, std::vector{path}); });
  }
};

TEST_F(TokenizerTrainingTest, TheSameTextGivesTheSameBytes) {
  const auto path = write("text", Sentences::text(sentences(400).target));
  const auto packed = write("text.gz", gzip(read(path)));
  for (const auto& [name, kind] : enum_names(TokenizerKind{})) {
    TokenizerOptions options;
    options.kind = kind;
    options.vocabulary_size = 70;
    const std::string model = train_tokenizer(options, std::vector{path});
    EXPECT_TRUE(train_tokenizer(options, std::vector{path}) == model) << name;
    EXPECT_TRUE(train_tokenizer(options, std::vector{packed}) == model) << name;
  }
}

TEST_F(TokenizerTrainingTest, TheSampleIsAFunctionOfTheSeed) {
  const auto path = write("text", Sentences::text(sentences(400).target));
  TokenizerOptions options;
  options.vocabulary_size = 60;
  options.vocabulary_lines = 50;
  const std::string model = train_tokenizer(options, std::vector{path});
  EXPECT_TRUE(train_tokenizer(options, std::vector{path}) == model);
  options.seed = 2;
  EXPECT_FALSE(train_tokenizer(options, std::vector{path}) == model);
}

TEST_F(TokenizerTrainingTest, SampleHasTheAskedSize) {
  // Each line has a word of its own, so the pieces of a word model tell which lines were taken.
  std::string text;
  for (int i = 0; i < 500; ++i) text += fmt::format("w{}\n\n", i);
  const auto path = write("text", text);
  TokenizerOptions options;
  options.kind = TokenizerKind::word;
  options.vocabulary_size = 5000;
  const auto whole = TokenizerPair::joint(train_tokenizer(options, std::vector{path}));
  EXPECT_EQ(whole.size(), 500 + 3);
  options.vocabulary_lines = 100;  // of 1000 lines, every other one empty
  const auto sample = TokenizerPair::joint(train_tokenizer(options, std::vector{path}));
  EXPECT_GT(sample.size(), 25);
  EXPECT_LT(sample.size(), 75);
}

TEST_F(TokenizerTrainingTest, CharactersOutsideTheSampleHavePieces) {
  // Each line of the target has a character of its own, one of them that SentencePiece reserves;
  // its sources have letters that are composed, and compatible with others.
  std::string source, target;
  for (int i = 0; i < 300; ++i) {
    source +=
        i == 200 ? "plain e\u0301 \uff21\n" : fmt::format("plain text of number {}\n", i % 50);
    target += fmt::format("plain words of sentence {} ", i % 50);
    append_utf8(target, char32_t(0x4e00 + i));
    target += i == 100 ? "\u2585\n" : "\n";
  }
  const auto s = write("s", source), t = write("t", target);
  for (const auto kind : {TokenizerKind::bpe, TokenizerKind::unigram}) {
    TokenizerOptions options;
    options.kind = kind;
    options.vocabulary_size = 340;
    options.vocabulary_lines = 20;
    const JointModels models = train_joint_tokenizer(options, {s}, {t});
    const auto tokenizers = TokenizerPair::joint_sides(models.source, models.target);
    const auto unknown = [&](const Tokenizer& tokenizer, const std::string& text) {
      const auto ids = tokenizer.encode(text);
      return std::ranges::count(ids, tokenizer.vocabulary().unknown_id());
    };
    EXPECT_EQ(unknown(tokenizers.source(), "plain \u00e9 A text"), 0) << to_text(kind);
    EXPECT_EQ(unknown(tokenizers.target(), "\u2585 \u4e00 \u4e2b \u4ef0"), 0) << to_text(kind);
    EXPECT_GT(unknown(tokenizers.target(), "\u6000"), 0) << to_text(kind);
  }
}

TEST_F(TokenizerTrainingTest, LearnsFromTheKeptLinesOfEachSide) {
  const std::vector files{write("s", "a b\nc\nd\n"), write("t", "v\nw\nx\n")};
  TokenizerOptions options;
  options.kind = TokenizerKind::word;
  const std::vector<bool> kept{true, false, true};
  const auto made = TokenizerPair::joint(train_tokenizer(options, files, kept));
  EXPECT_EQ(made.size(), 5 + 3);
  EXPECT_FALSE(made.source().vocabulary().find("▁c"));
  EXPECT_TRUE(made.source().vocabulary().find("▁x"));
  EXPECT_THAT(error_of([&] {
                train_tokenizer(options, files, {false, false, false});
              }),
              HasSubstr("no pair of the corpus passes"));
}

TEST_F(TokenizerTrainingTest, LinesLeftOutNeedNotBeUtf8) {
  const std::vector files{write("s", "a b\n\xff\nd\n"), write("t", "v\nw\nx\n")};
  TokenizerOptions options;
  options.kind = TokenizerKind::word;
  const auto made = TokenizerPair::joint(train_tokenizer(options, files, {true, false, true}));
  EXPECT_EQ(made.size(), 5 + 3);
  EXPECT_THAT(error_of([&] { train_tokenizer(options, files); }), HasSubstr("s:2:"));
}

TEST_F(TokenizerTrainingTest, LongLinesAreCutNotLost) {
  std::string text = "short\n";
  for (int i = 0; i < 4000; ++i) text += fmt::format("long{} ", i);
  text += "\n";
  for (int i = 0; i < 3000; ++i) text += "水火";
  const auto path = write("text", text);
  TokenizerOptions options;
  options.kind = TokenizerKind::word;
  options.vocabulary_size = 10'000;
  const auto tokenizers = TokenizerPair::joint(train_tokenizer(options, std::vector{path}));
  for (const std::string word : {"▁long0", "▁long1999", "▁long3999"}) {
    EXPECT_TRUE(tokenizers.source().vocabulary().find(word)) << word;
  }
  options.kind = TokenizerKind::character;
  const auto characters = TokenizerPair::joint(train_tokenizer(options, std::vector{path}));
  EXPECT_TRUE(characters.source().vocabulary().find("火"));
  EXPECT_FALSE(characters.source().vocabulary().find("\uFFFD"));
}

TEST_F(TokenizerTrainingTest, ATextTooSmallSaysWhatIsPossible) {
  const std::string text = Sentences::text(sentences(100).target);
  for (const TokenizerKind kind : {TokenizerKind::bpe, TokenizerKind::unigram}) {
    TokenizerOptions options;
    options.kind = kind;
    const std::string message = error_with(options, text);
    EXPECT_THAT(message, HasFacts("too small vocabulary 8000 ids"));
    EXPECT_THAT(message, HasSubstr("--vocabulary-size"));
    // What it names is possible, and one more is not.
    options.vocabulary_size = std::stoll(message.substr(message.find("at most ") + 8));
    EXPECT_EQ(error_with(options, text), "");
    ++*options.vocabulary_size;
    EXPECT_THAT(error_with(options, text), HasFacts("small"));
  }
}

TEST_F(TokenizerTrainingTest, TooFewIdsForTheCharactersIsAnError) {
  TokenizerOptions options;
  options.vocabulary_size = 10;
  const std::string text = Sentences::text(sentences(100).target);
  const std::string message = error_with(options, text);
  EXPECT_THAT(message, HasFacts("10 --vocabulary-size --character-coverage"));
  // What it names is enough, and one less is not.
  options.vocabulary_size = std::stoll(message.substr(message.find("at least ") + 9));
  EXPECT_EQ(error_with(options, text), "");
  --*options.vocabulary_size;
  EXPECT_THAT(error_with(options, text), HasFacts("--character-coverage"));
}

// SentencePiece would take the option and split nothing.
TEST_F(TokenizerTrainingTest, DigitsOfWholeWordsAreNotSplit) {
  TokenizerOptions options;
  options.split_digits = true;
  options.kind = TokenizerKind::word;
  options.vocabulary_size = 7;
  EXPECT_THAT(error_with(options, "room 12\nroom 345\n"),
              HasFacts("--split-digits --tokenizer word"));
  options.kind = TokenizerKind::character;
  options.vocabulary_size = 13;
  EXPECT_EQ(error_with(options, "room 12\nroom 345\n"), "");
}

TEST_F(TokenizerTrainingTest, ATextWithoutTextIsAnError) {
  EXPECT_THAT(error_with({}, ""), HasSubstr("no text to learn a tokenizer from"));
  EXPECT_THAT(error_with({}, "\n\n\n"), HasSubstr("no text to learn a tokenizer from"));
  EXPECT_NE(error_with({}, "  \n \n"), "");
  EXPECT_THAT(error_with({}, "good\nb\xc3\n"), HasSubstr("text:2: byte 2 of the line (0xc3)"));
  EXPECT_THAT(error_of([&] { train_tokenizer({}, std::vector{folder_ / "none"}); }),
              HasSubstr("none: No such file"));
}

TEST_F(TokenizerTrainingTest, OptionsOutOfRangeAreUsageErrors) {
  const auto path = write("text", "text\n");
  const auto expect_usage = [&](const TokenizerOptions& options) {
    EXPECT_THROW(train_tokenizer(options, std::vector{path}), UsageError);
  };
  expect_usage({.vocabulary_size = 3});
  expect_usage({.vocabulary_size = int64_t{1} << 40});
  expect_usage({.character_coverage = 0.97});  // SentencePiece would refuse it in its own words
  expect_usage({.character_coverage = 1.5});
  expect_usage({.character_coverage = NAN});
  expect_usage({.vocabulary_lines = 0});
  expect_usage({.lowercase = true,
                .normalization = Normalization::identity,
                .target_normalization = Normalization::identity});
  EXPECT_THROW(train_tokenizer({}, TextFiles()), UsageError);
}

TEST_F(TokenizerTrainingTest, NothingIsPrinted) {
  ::testing::internal::CaptureStderr();
  ::testing::internal::CaptureStdout();
  error_with({}, Sentences::text(sentences(50).target));
  TokenizerOptions options;
  options.vocabulary_size = 60;
  EXPECT_EQ(error_with(options, Sentences::text(sentences(50).target)), "");
  error_of([] { TokenizerPair::joint("garbage"); });
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

// SentencePiece keeps U+2585 and its own symbols for itself: it skips lines with the one, and cuts
// the others out of the text.
TEST_F(TokenizerTrainingTest, ReservedCharactersAndSymbolsArePiecesLikeOthers) {
  std::string text = Sentences::text(sentences(100).target);
  for (int i = 0; i < 60; ++i) text += fmt::format("bar {} \u2585\u2585 full\n", i % 7);
  for (int i = 0; i < 60; ++i) text += fmt::format("</s> end {} <unk>x <pad>\n", i % 5);
  const auto path = write("text", text);
  for (const auto& [name, kind] : enum_names(TokenizerKind{})) {
    if (kind == TokenizerKind::word) continue;  // has whole words only
    for (const Normalization rule : {Normalization::nmt_nfkc, Normalization::identity}) {
      const TokenizerOptions options{.kind = kind, .vocabulary_size = 80, .normalization = rule};
      const auto pair = TokenizerPair::joint(train_tokenizer(options, std::vector{path}));
      for (const std::string line :
           {"bar 1 \u2585\u2585 full", "</s> end 1 <unk>x <pad>", "bar <pad>"}) {
        EXPECT_EQ(pair.source().decode(pair.source().encode(line)), line) << name;
      }
    }
  }
}

// Whole wherever they occur, as they stand: neither segmented, nor normalized, nor lowercased.
TEST_F(TokenizerTrainingTest, UserSymbolsArePiecesAsTheyStand) {
  const auto source = write("source", Sentences::text(sentences(200).source));
  const auto target = write("target", Sentences::text(sentences(200).target));
  const std::vector<std::string> symbols = {"<Back>", "\u2460",     "a,b",
                                            "say\"",  "\U0001F600", "\uFF21"};
  std::string list = "\n";
  for (const std::string& symbol : symbols) list += symbol + "\r\n" + symbol + "\n";
  TokenizerOptions options;
  options.user_symbols = write("symbols", list).string();
  options.more_symbols = {"<extra>"};
  options.lowercase = true;
  for (const TokenizerKind kind :
       {TokenizerKind::bpe, TokenizerKind::unigram, TokenizerKind::character}) {
    options.kind = kind;
    options.vocabulary_size = 110;
    const JointModels models = train_joint_tokenizer(options, TextFiles{source}, TextFiles{target});
    const auto pair = TokenizerPair::joint_sides(models.source, models.target);
    for (const std::string& symbol : {symbols[0], symbols[1], symbols[2], symbols[3], symbols[4],
                                      symbols[5], std::string("<extra>")}) {
      for (const Tokenizer* side : {&pair.source(), &pair.target()}) {
        const auto id = side->vocabulary().find(symbol);
        ASSERT_TRUE(id) << symbol;
        const std::vector<TokenId> ids = side->encode("a " + symbol + "e" + symbol);
        EXPECT_EQ(std::ranges::count(ids, *id), 2) << to_text(kind) << symbol;
        EXPECT_EQ(side->decode(ids), "a " + symbol + "e" + symbol) << to_text(kind);
      }
    }
  }
}

TEST_F(TokenizerTrainingTest, UserSymbolsThatCannotBePiecesAreRefused) {
  const auto text = write("text", Sentences::text(sentences(100).target));
  const auto refusal = [&](const std::string& symbols) {
    TokenizerOptions options{.vocabulary_size = 60};
    options.user_symbols = write("symbols", symbols).string();
    return error_of([&] { train_tokenizer(options, std::vector{text}); });
  };
  EXPECT_THAT(refusal("good\ntwo words\n"), HasFacts("symbols:2: 'two words' white space"));
  EXPECT_THAT(refusal("a\u00a0b\n"), HasFacts("symbols:1: white space"));
  EXPECT_THAT(refusal("<unk>\n"), HasFacts("symbols:1: <unk>"));
  EXPECT_THAT(refusal("\xff\n"), HasFacts("symbols:1: UTF-8"));
  EXPECT_THAT(refusal("\n"), HasFacts("symbols no symbol"));
  EXPECT_THAT(refusal(std::string(2000, 'a')), HasFacts("symbols:1: 2000 bytes"));
  std::string many;
  for (int i = 0; i < 100; ++i) many += fmt::format("<{}>\n", i);
  EXPECT_THAT(refusal(many), HasFacts("vocabulary 60 too small"));
}

TEST_F(TokenizerTrainingTest, CharactersThatAreSpacesToSentencePieceAreRead) {
  using namespace std::string_literals;
  const auto path = write("text", "zeile\t1\r\nzeile\0002\nzeile\t3\n"s);
  for (const auto& [name, rule] : enum_names(Normalization{})) {
    const TokenizerOptions options{
        .kind = TokenizerKind::character, .vocabulary_size = 20, .normalization = rule};
    const auto pair = TokenizerPair::joint(train_tokenizer(options, std::vector{path}));
    const auto read = [&](std::string_view line) {
      return pair.target().decode(pair.target().encode(line));
    };
    EXPECT_EQ(read("zeile\t1\r"), "zeile 1") << name;
    EXPECT_EQ(read("zeile\0002"s), "zeile 2") << name;
    EXPECT_EQ(read(" \t\r"), "") << name;
  }
}

TEST_F(TokenizerTrainingTest, AVocabularyOfCharactersWithoutAllIsRefused) {
  std::string text;
  for (char32_t c = 0x4E00; c < 0x4E00 + 100; ++c) text += encode_utf8(std::u32string(1, c)) + "\n";
  TokenizerOptions options{.kind = TokenizerKind::character, .vocabulary_size = 60};
  // 100 characters, the space, </s>, <unk> and <pad>.
  EXPECT_THAT(error_with(options, text), AllOf(HasSubstr("60"), HasSubstr("at least 104 ids")));
  options.vocabulary_size = 103;
  EXPECT_THAT(error_with(options, text), HasSubstr("at least 104 ids"));
  for (const int64_t enough : {104, 1000}) {
    options.vocabulary_size = enough;
    const auto path = write("text", text);
    EXPECT_EQ(TokenizerPair::joint(train_tokenizer(options, std::vector{path})).size(), 104);
  }
  // Who asks for fewer characters gets fewer.
  options.vocabulary_size = 60;
  options.character_coverage = 0.98;
  EXPECT_EQ(error_with(options, text), "");
}

TEST_F(TokenizerTrainingTest, DigitsAreSplitOnRequest) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += fmt::format("room {} {}\n", 2026, i);
  const auto path = write("text", text);
  TokenizerOptions options{.vocabulary_size = 24};
  const auto pieces = [&] {
    const auto pair = TokenizerPair::joint(train_tokenizer(options, std::vector{path}));
    return pair.source().pieces(pair.source().encode("2026"));
  };
  EXPECT_LT(pieces().size(), 4);
  options.split_digits = true;
  EXPECT_GE(pieces().size(), 4);
}

TEST_F(TokenizerTrainingTest, SidesOfOneVocabularyAreNormalizedEachByItsRules) {
  const auto source = write("source", "Ｚeile … ｅins\nzwei ﬁ\n");
  const auto target = write("target", "Line… ™ ，\nﬁ two\n");
  TokenizerOptions options{.kind = TokenizerKind::character,
                           .vocabulary_size = 60,
                           .lowercase = true,
                           .target_normalization = Normalization::identity};
  const JointModels models = train_joint_tokenizer(options, {source}, {target});
  EXPECT_NE(models.source, models.target);
  auto pair = TokenizerPair::joint_sides(models.source, models.target);
  const auto check_sides = [&] {
    EXPECT_TRUE(pair.is_joint());
    const auto read = [](const Tokenizer& side, const char* text) {
      const std::vector<TokenId> ids = side.encode(text);
      EXPECT_EQ(std::count(ids.begin(), ids.end(), side.unknown_id()), 0) << text;
      return side.decode(ids);
    };
    EXPECT_EQ(read(pair.source(), "Ｚeile … ｅins"), "zeile ... eins");
    EXPECT_EQ(read(pair.source(), "zwei ﬁ"), "zwei fi");
    EXPECT_EQ(read(pair.target(), "Line… ™ ，"), "Line… ™ ，");
    EXPECT_EQ(read(pair.target(), "ﬁ two"), "ﬁ two");
    EXPECT_TRUE(pair.source().folds_case());
    EXPECT_FALSE(pair.target().folds_case());
  };
  check_sides();
  const uint64_t fingerprint = pair.fingerprint();
  const auto directory = folder_ / "model";
  std::filesystem::create_directory(directory);
  pair.save(directory);
  pair = TokenizerPair::load(directory);
  check_sides();
  EXPECT_EQ(pair.fingerprint(), fingerprint);

  options.target_normalization = options.normalization;
  const JointModels equal = train_joint_tokenizer(options, {source}, {target});
  EXPECT_EQ(equal.source, equal.target);
  EXPECT_EQ(equal.source, train_tokenizer(options, std::vector{source, target}));
}

}  // namespace
}  // namespace heed
