#include "heed/decode/text_units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/decode/line_processor.h"
#include "heed/text/tokenizer_training.h"
#include "support/folder_test.h"

namespace heed {
namespace {

using ::testing::ElementsAre;
using Ranges = std::vector<UnitRange>;

// The units of consecutive parts of a text, each of which is a token.
Ranges units_of(const std::vector<std::string>& parts) {
  std::string text;
  std::vector<size_t> ends;
  for (const std::string& part : parts) ends.push_back((text += part).size());
  return TextUnits(text).of_tokens(ends);
}

Ranges ranges(const std::vector<std::pair<int64_t, int64_t>>& all) {
  Ranges result;
  for (const auto& [begin, end] : all) result.push_back({begin, end});
  return result;
}

TEST(TextUnits, WordsAreWhatStandsBetweenWhiteSpace) {
  EXPECT_EQ(TextUnits("").count(), 0);
  EXPECT_EQ(TextUnits(" \t ").count(), 0);
  EXPECT_EQ(TextUnits("  one two,\u3000three\u00a0four ").count(), 4);
  EXPECT_EQ(TextUnits("mother\u200bs book here").count(), 3);
  EXPECT_EQ(TextUnits("ab\u200ecd ef").count(), 2);
  EXPECT_EQ(TextUnits("a\ufeffb c").count(), 2);
  EXPECT_EQ(TextUnits("a \u200b c").count(), 3) << "a word that is not seen";
  EXPECT_EQ(TextUnits("می\u200cروم خانه").count(), 2) << "a joiner within a word";
  EXPECT_EQ(TextUnits("a\xff\xfe b").count(), 2) << "invalid bytes are characters";
}

TEST(TextUnits, CharactersAreUnitsOfTextWithoutSpaces) {
  EXPECT_EQ(TextUnits("我用Linux 2024版！").count(), 6);
  EXPECT_EQ(TextUnits("ok！ 我").count(), 3) << "full-width, not as NFKC has it";
  EXPECT_EQ(TextUnits("the ＨＯＵＳＥ is １２ metres").count(), 5);
  EXPECT_EQ(TextUnits("我用Ｌｉｎｕｘ！").count(), 4);
  EXPECT_EQ(units_of({"我用", "Lin", "ux", " 2024", "版", "！"}),
            ranges({{0, 2}, {2, 3}, {2, 3}, {3, 4}, {4, 5}, {5, 6}}));
}

TEST(TextUnits, ATokenHasTheUnitsOfItsCharacters) {
  EXPECT_EQ(units_of({"a", "b", " c", " d e"}), ranges({{0, 1}, {0, 1}, {1, 2}, {2, 4}}));
  EXPECT_EQ(units_of({"mother", "\u200bs", " book"}), ranges({{0, 1}, {0, 1}, {1, 2}}));
  EXPECT_EQ(units_of({"a", " \u200b c"}), ranges({{0, 1}, {2, 3}})) << "what was removed";
  EXPECT_EQ(units_of({"a", "\u200b", " b"}), ranges({{0, 1}, {0, 1}, {1, 2}}));
}

TEST(TextUnits, ATokenWithoutCharactersIsPartOfTheNextUnit) {
  // The space that SentencePiece adds; and byte pieces, of which the last has the character.
  EXPECT_EQ(units_of({"", "我", "", "", "夏", "Z"}),
            ranges({{0, 1}, {0, 1}, {1, 2}, {1, 2}, {1, 2}, {2, 3}}));
  EXPECT_EQ(units_of({"a", " ", "我"}), ranges({{0, 1}, {1, 2}, {1, 2}}));
  EXPECT_EQ(units_of({"a", " "}), ranges({{0, 1}, {0, 0}}));
}

TEST(TextUnits, UnitsHavePieces) {
  EXPECT_THAT(pieces_of_units(ranges({{0, 1}, {1, 2}, {1, 2}, {2, 3}, {0, 0}})),
              ElementsAre(PieceRange{0, 1}, PieceRange{1, 3}, PieceRange{3, 4}));
  EXPECT_THAT(pieces_of_units(ranges({{0, 2}, {2, 3}, {3, 4}, {3, 4}})),
              ElementsAre(PieceRange{0, 1}, PieceRange{0, 1}, PieceRange{1, 2}, PieceRange{2, 4}));
  EXPECT_THAT(pieces_of_units(ranges({{4, 5}, {6, 7}})),
              ElementsAre(PieceRange{0, 1}, PieceRange{1, 1}, PieceRange{1, 2}))
      << "the second part of a line, with a word that has no piece";
  EXPECT_THAT(pieces_of_units(ranges({{0, 0}})), ElementsAre());
}

class GivenTextTest : public FolderTest {
 protected:
  // Learned with nmt_nfkc, which makes spaces of U+200B, U+200E and U+FEFF.
  TokenizerPair tokenizers() {
    std::string text;
    for (int i = 0; i < 40; ++i) text += "mother book here ab cd ef a b c s 版 老师 好 ...\n";
    TokenizerOptions options;
    options.kind = TokenizerKind::character;
    options.vocabulary_size = 40;
    options.normalization = Normalization::nmt_nfkc;
    const std::vector files{write("text", text)};
    return TokenizerPair::joint(train_tokenizer(options, files));
  }

  // The words of the tokens of a line, without </s>.
  static std::vector<int64_t> words(const TokenizerPair& tokenizers, const std::string& line,
                                    int64_t positions = 100) {
    const LineProcessor processor(tokenizers, {.max_positions = positions});
    DecodeOptions options;
    options.attention = true;
    std::vector<int64_t> all;
    for (const EncodedPart& part : processor.preprocess({line}, 0, options).parts) {
      EXPECT_EQ(part.words.size(), part.source.size()) << line;
      EXPECT_TRUE(part.words.back().empty()) << line;
      for (size_t i = 0; i + 1 < part.words.size(); ++i) {
        EXPECT_EQ(part.words[i].end, part.words[i].begin + 1) << line;
        if (all.empty() || all.back() != part.words[i].begin) all.push_back(part.words[i].begin);
      }
    }
    return all;
  }
};

// Where the vocabulary lacks them, invisible characters at the beginning are tokens of their own
// after one without characters.
TEST_F(GivenTextTest, InvisibleCharactersThatAreUnknownKeepTheOrder) {
  for (const std::string_view hidden :
       {"\u00ad", "\u202e", "\u200d", "\u2060", " \u2066", "\u061c"})
    for (const std::string_view text : {"我", " 我 ", "\u00ad我", "a b", "", "\u202c\u00ad ok"}) {
      const std::string line = std::string(hidden) + std::string(text);
      // A token for "▁", one for each character.
      std::vector<size_t> ends{0};
      for (size_t at = 0; at < line.size(); ++at)
        if (at + 1 == line.size() || (uint8_t(line[at + 1]) & 0xC0) != 0x80) ends.push_back(at + 1);
      const std::vector<UnitRange> units = TextUnits(line).of_tokens(ends);
      int64_t last = 0;
      for (const UnitRange& range : units) {
        if (range.empty()) continue;
        EXPECT_GE(range.begin, last) << line;
        last = range.begin;
      }
      EXPECT_LE(int64_t(pieces_of_units(units).size()), TextUnits(line).count()) << line;
    }
}

TEST_F(GivenTextTest, WordsAreThoseOfTheLineNotOfItsNormalizedForm) {
  const TokenizerPair all = tokenizers();
  EXPECT_THAT(words(all, "mother\u200bs book here"), ElementsAre(0, 1, 2));
  EXPECT_THAT(words(all, "ab\u200ecd ef"), ElementsAre(0, 1));
  EXPECT_THAT(words(all, "a\ufeffb c"), ElementsAre(0, 1));
  EXPECT_THAT(words(all, "  a  \u200b  b "), ElementsAre(0, 2)) << "the second word has no token";
  EXPECT_THAT(words(all, "ｂｏｏｋ… here"), ElementsAre(0, 1)) << "… is three tokens of its word";
  // In parts, in sentences.
  EXPECT_THAT(words(all, "a\u200bb cd. ef a\ufeffb here. book 老师好", 16),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8));
}

TEST_F(GivenTextTest, ADecodedTextHasTheEndsOfItsPieces) {
  const TokenizerPair all = tokenizers();
  const Tokenizer& tokenizer = all.target();
  std::vector<TokenId> ids = tokenizer.encode("ab 老师 c");
  ids.insert(ids.begin() + 1, tokenizer.end_id());
  const Decoding decoding = tokenizer.decode_with_ends(ids);
  EXPECT_EQ(decoding.text, tokenizer.decode(ids));
  EXPECT_EQ(decoding.text, "ab 老师 c");
  EXPECT_THAT(decoding.ends, ElementsAre(0, 0, 1, 2, 3, 6, 9, 10, 11));
  EXPECT_TRUE(tokenizer.decode_with_ends({}).ends.empty());
}

}  // namespace
}  // namespace heed
