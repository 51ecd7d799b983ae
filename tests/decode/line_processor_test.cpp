#include "heed/decode/line_processor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "heed/model/sequence_model.h"
#include "reference/reference_backend.h"
#include "support/facts.h"
#include "support/small_translator.h"
#include "support/temporary_folder.h"

namespace heed {
namespace {

using ::testing::ElementsAre;

class LineProcessorTest : public ::testing::Test {
 protected:
  EncodedLine encode(const TranslationInput& input, const DecodeOptions& options = {}) const {
    return processor_.preprocess(input, 6, options);
  }

  // A part's result: hypotheses of these texts with scores -1, -2, ...
  SearchResult result(const std::vector<std::string>& texts) const {
    SearchResult result;
    for (const std::string& text : texts) {
      Hypothesis& h = result.hypotheses.emplace_back();
      h.ids = tokenizers_.target().encode(text);
      h.score = -double(result.hypotheses.size());
      h.log_probabilities.assign(h.ids.size() + 1, -0.5);
      h.log_probabilities.back() = h.score;  // of </s>
    }
    return result;
  }

  std::string source_text(const EncodedPart& part) const {
    return tokenizers_.source().decode(part.source);
  }

  testing::TemporaryFolder folder_;
  TokenizerPair tokenizers_ = testing::letter_tokenizers(folder_.path());
  LineProcessor processor_{tokenizers_, {.max_positions = 40}};
};

TEST_F(LineProcessorTest, AShortLineIsOnePart) {
  const EncodedLine line = encode({"abc def"});
  EXPECT_EQ(line.line, 6);
  EXPECT_EQ(line.status.text(), "ok");
  ASSERT_EQ(line.parts.size(), 1u);
  EXPECT_EQ(line.parts[0].source.back(), tokenizers_.source().end_id());
  EXPECT_EQ(source_text(line.parts[0]), "abc def");
  EXPECT_TRUE(line.parts[0].prefix.empty());
}

TEST_F(LineProcessorTest, AnAcceleratorMovesToALetterOfTheTranslation) {
  DecodeOptions options;
  options.protect = {"accelerators"};
  const EncodedLine line = encode({"ab _cd"}, options);
  EXPECT_EQ(source_text(line.parts.at(0)), "ab cd") << "the model does not see it";
  EXPECT_TRUE(line.has_moving_parts());
  const auto translation = [&](const std::string& text) {
    return processor_.postprocess(line, {result({text})}).hypotheses.front().text;
  };
  EXPECT_EQ(translation("de cf"), "de _cf");
  EXPECT_EQ(translation("de fg"), "_de fg");
  EXPECT_NE(source_text(encode({"ab _cd"}).parts.at(0)), "ab cd") << "only if it is named";
  EXPECT_FALSE(encode({"ab"}, options).has_moving_parts());
  EXPECT_NE(source_text(encode({"ab _cd", "x"}, options).parts.at(0)), "ab cd")
      << "a forced prefix keeps its beginning";
}

TEST_F(LineProcessorTest, SignalsOfTheConfidenceAreOfAllParts) {
  Confidence confidence{.bias = 1};
  const LineProcessor judging(tokenizers_, {.max_positions = 40}, {.alone = confidence});
  const std::string text = "abc def ghi. jkl mno pqr. stu vwx yz.";
  DecodeOptions options;
  options.min_confidence = 0.75;
  const EncodedLine line = judging.preprocess({text}, 0, options);
  const std::vector<SearchResult> parts = {result({"aa bb."}), result({"c."}), result({"d."})};
  const Translation translation = judging.postprocess(line, parts);
  EXPECT_EQ(translation.hypotheses.front().text, "aa bb. c. d.");
  size_t source_tokens = 0, target_tokens = 0;
  std::set<TokenId> source_ids, target_ids;
  for (size_t i = 0; i < parts.size(); ++i) {
    std::vector<TokenId> ids = line.parts[i].source;
    ids.pop_back();
    source_tokens += ids.size(), source_ids.insert(ids.begin(), ids.end());
    const std::vector<TokenId>& own = parts[i].hypotheses.front().ids;
    target_tokens += own.size(), target_ids.insert(own.begin(), own.end());
  }
  const auto tokens = double(target_tokens);  // -0.5 each, and -1 of the last </s>
  ASSERT_TRUE(translation.signals);
  const auto signal = [&](ConfidenceSignal one) { return (*translation.signals)[size_t(one)]; };
  EXPECT_NEAR(signal(ConfidenceSignal::token_probability),
              (tokens * std::exp(-0.5) + std::exp(-1)) / (tokens + 1), 1e-12);
  EXPECT_NEAR(signal(ConfidenceSignal::log_probability), -(tokens * 0.5 + 1) / (tokens + 1), 1e-12);
  EXPECT_NEAR(signal(ConfidenceSignal::length_ratio), std::log(13.0 / 38), 1e-12);
  EXPECT_NEAR(signal(ConfidenceSignal::piece_length), std::log(38.0 / double(1 + source_tokens)),
              1e-12);
  EXPECT_NEAR(signal(ConfidenceSignal::length), std::log(double(1 + source_tokens)), 1e-12);
  EXPECT_NEAR(
      signal(ConfidenceSignal::repetition),
      double(source_ids.size()) / double(source_tokens) - double(target_ids.size()) / tokens,
      1e-12);
  EXPECT_EQ(signal(ConfidenceSignal::unknown_characters), 0);
  EXPECT_EQ(signal(ConfidenceSignal::reverse), 0);
  EXPECT_NEAR(translation.confidence.value(), 1 / (1 + std::exp(-1)), 1e-12);
  EXPECT_EQ(translation.status.text(), "split,doubtful") << "0.73 is below 0.75";
  EXPECT_FALSE(processor_.postprocess(line, parts).confidence) << "of a model without one";
  EXPECT_FALSE(judging.postprocess(judging.preprocess({"  "}, 0, options), {}).status.doubtful);
}

TEST_F(LineProcessorTest, ALongLineIsSplitAndJoined) {
  const EncodedLine line = encode({"abc def ghi. jkl mno pqr. stu vwx yz."});
  EXPECT_EQ(line.status.text(), "split");
  ASSERT_EQ(line.parts.size(), 3u);
  EXPECT_EQ(source_text(line.parts[1]), "jkl mno pqr.");
  for (const EncodedPart& part : line.parts) EXPECT_LE(part.source.size(), 20u);

  std::vector<SearchResult> results = {result({"ab", "c"}), result({"def", "g", "h"}),
                                       result({"i", "j"})};
  const Translation translation = processor_.postprocess(line, results);
  EXPECT_EQ(translation.line, 6);
  ASSERT_EQ(translation.hypotheses.size(), 3u) << "as many as any part has";
  EXPECT_EQ(translation.hypotheses[0].text, "ab def i");
  EXPECT_EQ(translation.hypotheses[1].text, "c g j");
  EXPECT_EQ(translation.hypotheses[2].text, "c h j") << "the last ones again";
  EXPECT_DOUBLE_EQ(translation.hypotheses[2].score, -7);
  EXPECT_DOUBLE_EQ(translation.hypotheses[0].score, -3);
  EXPECT_THAT(translation.hypotheses[1].pieces,
              ElementsAre("\u2581", "c", "\u2581", "g", "\u2581", "j"));
  EXPECT_THAT(translation.hypotheses[1].log_probabilities,
              ElementsAre(-0.5, -0.5, -0.5, -0.5, -0.5, -0.5, -2))
      << "</s> of the last part only";
  EXPECT_EQ(translation.status.text(), "split");
  results[2].hypotheses[1].ended = false;
  EXPECT_EQ(processor_.postprocess(line, results).hypotheses[1].log_probabilities.size(), 6u);
  EXPECT_FALSE(processor_.postprocess(line, results).status.unfinished) << "not of the best";
  results[2].hypotheses[0].ended = false;
  EXPECT_TRUE(processor_.postprocess(line, results).status.unfinished);
}

// Whether ids or text are forced; the vocabulary has no other constraints.
bool has_prefix(const EncodedPart& part) {
  return !part.prefix.empty() || !part.constraints.empty();
}

TEST_F(LineProcessorTest, SentencesAreTranslatedOneByOneAndKeepTheirWhiteSpace) {
  DecodeOptions options;
  options.split = TextUnit::sentences;
  const EncodedLine line = encode({" Abc def. Ghi?  1 jkl mno pqr stu vwx yz. \r", "ab"}, options);
  EXPECT_EQ(line.status.text(), "split,unknown_characters") << "the third is too long";
  ASSERT_EQ(line.parts.size(), 4u);
  EXPECT_EQ(source_text(line.parts[0]), " \u2047 bc def.");
  EXPECT_TRUE(has_prefix(line.parts[0]));
  for (size_t i = 1; i < 4; ++i) EXPECT_FALSE(has_prefix(line.parts[i]));

  const std::vector<SearchResult> results = {result({"ab", "c"}), result({"def", "g"}),
                                             result({"h", "i"}), result({"j", "k"})};
  const Translation translation = processor_.postprocess(line, results);
  ASSERT_EQ(translation.hypotheses.size(), 2u);
  EXPECT_EQ(translation.hypotheses[0].text, " ab def  h j \r");
  EXPECT_EQ(translation.hypotheses[1].text, " c g  i k \r");
  EXPECT_DOUBLE_EQ(translation.hypotheses[0].score, -4);
  EXPECT_DOUBLE_EQ(translation.hypotheses[1].score, -8);
}

TEST_F(LineProcessorTest, ALineOfSentencesThatFitIsNotSplit) {
  DecodeOptions options;
  options.split = TextUnit::sentences;
  const EncodedLine line = encode({"Abc def ghi. Jkl mno pqr."}, options);
  EXPECT_EQ(line.parts.size(), 2u);
  EXPECT_FALSE(line.status.split);
  EXPECT_EQ(encode({"Abc def. Ghi."}).parts.size(), 1u) << "a line by default";
}

TEST_F(LineProcessorTest, ASentenceWithoutTokensKeepsItsPlace) {
  DecodeOptions options;
  options.split = TextUnit::sentences;
  const EncodedLine line = encode({"abc\v\v\u200b\v\vdef"}, options);
  ASSERT_EQ(line.parts.size(), 2u);
  EXPECT_EQ(processor_.postprocess(line, {result({"a"}), result({"b"})}).hypotheses[0].text,
            "a\v\v\v\vb");
  const EncodedLine space = encode({" \t"}, options);
  EXPECT_EQ(space.status.text(), "empty");
  EXPECT_EQ(processor_.postprocess(space, {}).hypotheses[0].text, " \t");
}

TEST_F(LineProcessorTest, TheFirstPartsOfALineAreAPartialTranslation) {
  const EncodedLine line = encode({"abc def ghi. jkl mno pqr. stu vwx yz."});
  EXPECT_TRUE(processor_.postprocess_first(line, {}).hypotheses.empty());
  const Translation first =
      processor_.postprocess_first(line, {result({"ab", "c"}), result({"def", "g"})});
  ASSERT_EQ(first.hypotheses.size(), 1u) << "of a beam the best";
  EXPECT_EQ(first.hypotheses[0].text, "ab def");
  EXPECT_EQ(first.status.text(), "split,unfinished");

  DecodeOptions options;
  options.split = TextUnit::sentences;
  const EncodedLine sentences = encode({"Abc def. Ghi jkl.  Mno. \r"}, options);
  ASSERT_EQ(sentences.parts.size(), 3u);
  const auto text_of = [&](const std::vector<SearchResult>& parts) {
    return processor_.postprocess_first(sentences, parts).hypotheses[0].text;
  };
  EXPECT_EQ(text_of({result({"ab"})}), "ab");
  EXPECT_EQ(text_of({result({"ab"}), result({"c"})}), "ab c");
  EXPECT_EQ(text_of({result({"ab"}), result({"c"}), result({"d"})}), "ab c  d") << "may go on";
}

// The space before a part depends on how the part begins, which quotation marks alone do not say.
TEST_F(LineProcessorTest, APartialTranslationHasOnlyWhatIsFinal) {
  const EncodedLine line = encode({"abc def ghi. jkl mno pqr. stu vwx yz."});
  const auto text_of = [&](const std::vector<SearchResult>& parts) {
    return processor_.postprocess_first(line, parts).hypotheses[0].text;
  };
  EXPECT_EQ(text_of({result({"ab"}), result({""})}), "ab");
  EXPECT_EQ(text_of({result({"ab"}), result({""}), result({"c"})}), "ab c");
}

// As of a model of several target languages, whose vocabulary has ">>up<<" and ">>LO<<".
class LanguageCodesTest : public ::testing::Test {
 protected:
  static TokenizerPair multilingual(const std::filesystem::path& folder) {
    const std::filesystem::path text = folder / "text";
    std::ofstream(text) << ">>up<< red dog. green trees\n>>LO<< a big cat, the fox?\n";
    TokenizerOptions options;
    options.kind = TokenizerKind::character;
    options.vocabulary_size = 64;
    const std::vector<std::filesystem::path> files = {text};
    return TokenizerPair::joint(train_tokenizer(options, files));
  }
  std::string text_of(const EncodedPart& part) const {
    std::string text;
    for (const std::string& piece : tokenizers_.source().pieces(part.source))
      if (piece != "</s>") text += piece == kSpaceSymbol ? " " : piece;
    return text;
  }
  std::vector<std::string> parts_of(const std::string& text, TextUnit unit) const {
    DecodeOptions options;
    options.split = unit;
    std::vector<std::string> parts;
    for (const EncodedPart& part : processor_.preprocess({text}, 2, options).parts)
      parts.push_back(text_of(part));
    return parts;
  }

  testing::TemporaryFolder folder_;
  TokenizerPair tokenizers_ = multilingual(folder_.path());
  LineProcessor processor_{tokenizers_, {.max_positions = 40}};
};

TEST_F(LanguageCodesTest, ACodeHoldsForAllThatFollowsIt) {
  EXPECT_THAT(parts_of(">>up<< red dog.", TextUnit::lines), ElementsAre(">>up<< red dog."));
  EXPECT_EQ(tokenizers_.source().encode(">>up<< red").size(), 5u) << "a code is one token";
  EXPECT_THAT(parts_of(" >>up<< red dog. 1 fox? >>LO<< 2 cats. 3 dogs", TextUnit::sentences),
              ElementsAre(">>up<< red dog.", ">>up<< <unk> fox?", ">>LO<< <unk> cats.",
                          ">>LO<< <unk> dogs"));
  const auto parts = parts_of(">>up<< red dog. green trees. a big cat, the fox?", TextUnit::lines);
  EXPECT_GE(parts.size(), 3u);
  for (const std::string& part : parts) EXPECT_TRUE(part.starts_with(">>up<< ")) << part;
  EXPECT_TRUE(parts_of(">>up<< ", TextUnit::lines).empty()) << "no text";
}

TEST_F(LanguageCodesTest, AnUnknownCodeIsAnErrorThatListsTheKnownOnes) {
  for (const char* text : {">>zz<< red dog.", ">>UP<<", "a cat. >>PT_br<< 1 dog."}) {
    try {
      parts_of(text, TextUnit::sentences);
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasFacts("line 3 >>LO<<, >>up<<"));
    }
  }
  for (const char* text : {">> red", ">>a dog<<", "red >>zz<<", ">><< dog"})
    EXPECT_EQ(parts_of(text, TextUnit::lines).size(), 1u) << text;
}

TEST_F(LineProcessorTest, ACodeIsTextForAModelWithoutCodes) {
  EXPECT_TRUE(processor_.languages().empty());
  const EncodedLine line = encode({">>zz<< abc def. ghi jkl mno pqr"});
  ASSERT_EQ(line.parts.size(), 2u);
  EXPECT_EQ(source_text(line.parts[1]).find("zz"), std::string::npos);
}

TEST_F(LineProcessorTest, AlternativesAreSortedByScore) {
  SearchResult samples = result({"ab", "c"});
  samples.hypotheses[0].score = -5;
  samples.hypotheses[0].ended = false;
  samples.hypotheses[0].log_probabilities.pop_back();
  const Translation translation = processor_.postprocess(encode({"abc"}), {samples});
  EXPECT_EQ(translation.hypotheses[0].text, "c");
  EXPECT_EQ(translation.hypotheses[0].number, 1);
  EXPECT_EQ(translation.hypotheses[1].number, 0);
  EXPECT_EQ(translation.status.text(), "ok") << "of the best, not of sample 0";
  EXPECT_FALSE(translation.hypotheses[1].ended);
  samples.hypotheses[0].score = 5;
  EXPECT_EQ(processor_.postprocess(encode({"abc"}), {samples}).status.text(), "unfinished");
}

TEST_F(LineProcessorTest, TextsThatPartsJoinToAreDistinct) {
  const EncodedLine line = encode({"abc def ghi. jkl mno pqr."});
  ASSERT_EQ(line.parts.size(), 2u);
  // Two ways to one line: the words are in one part or the other.
  const std::vector<SearchResult> results = {result({"a b", "a", "c"}), result({"d", "b d", "e"})};
  const Translation translation = processor_.postprocess(line, results);
  ASSERT_EQ(translation.hypotheses.size(), 2u);
  EXPECT_EQ(translation.hypotheses[0].text, "a b d");
  EXPECT_DOUBLE_EQ(translation.hypotheses[0].score, -2) << "the best";
  EXPECT_EQ(translation.hypotheses[1].text, "c e");

  DecodeOptions samples;
  samples.search.sample = true;
  EXPECT_EQ(
      processor_.postprocess(encode({"abc"}, samples), {result({"a", "a"})}).hypotheses.size(), 2u);
}

TEST_F(LineProcessorTest, ALineWithoutTokensIsTranslatedByItsPrefix) {
  for (const char* text : {"", "   "}) {
    const EncodedLine line = encode({text, "de"});
    EXPECT_TRUE(line.parts.empty());
    EXPECT_EQ(line.status.text(), "empty");
    const Translation translation = processor_.postprocess(line, {});
    ASSERT_EQ(translation.hypotheses.size(), 1u);
    EXPECT_EQ(translation.hypotheses[0].text, "de");
    EXPECT_EQ(translation.hypotheses[0].score, 0);
  }
}

TEST_F(LineProcessorTest, ThePrefixIsOfTheFirstPartAndLeavesRoomForTheRest) {
  const EncodedLine line = encode({"abc def ghi. jkl mno pqr. stu vwx yz.", "ab d"});
  EXPECT_TRUE(has_prefix(line.parts[0]));
  EXPECT_FALSE(has_prefix(line.parts[1]));
  DecodeOptions options;
  options.search.max_length = 4;
  EXPECT_TRUE(has_prefix(encode({"abc", "ab"}, options).parts[0]));
  // The fault: one such line ended the translation of a whole file.
  for (const char* text : {"abc", "", "abc def ghi. jkl mno pqr. stu vwx yz."}) {
    const EncodedLine too_long = encode({text, "abcd " + std::string(300, 'e')}, options);
    EXPECT_TRUE(too_long.status.prefix_too_long);
    const Translation translation = processor_.postprocess(too_long, {});
    EXPECT_EQ(translation.hypotheses.at(0).text, "abcd " + std::string(300, 'e'));
    EXPECT_FALSE(translation.status.split);
  }
  EXPECT_EQ(encode({"abc", "abcd"}, options).status.text(), "prefix_too_long");
  options.strict = true;
  try {
    encode({"abc", "abcd"}, options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasFacts("line 7 --max-length"));
  }
}

TEST_F(LineProcessorTest, InvalidUtf8IsReplacedOrRefused) {
  EXPECT_EQ(encode({"a\xff"}).status.text(), "invalid_utf8");
  EXPECT_EQ(encode({"a", "b\xff"}).status.text(), "invalid_utf8");
  DecodeOptions options;
  options.strict = true;
  EXPECT_THROW(encode({"a\xff"}, options), Error);
  EXPECT_THROW(encode({"a", "b\xff"}, options), Error);
}

TEST_F(LineProcessorTest, AttentionRowsAreShiftedToTheirPart) {
  const SequenceModel model = testing::random_model(tokenizers_);
  const auto backend = make_reference_backend();
  Aligner aligner({model, *backend});
  DecodeOptions options;
  options.attention = true;
  const EncodedLine line = encode({"abc def ghi. jkl mno pqr."}, options);
  ASSERT_EQ(line.parts.size(), 2u);
  const Translation translation =
      processor_.postprocess(line, {result({"ab"}), result({"c"})}, &aligner);
  const TextHypothesis& best = translation.hypotheses[0];
  ASSERT_EQ(best.attention.size(), best.pieces.size());
  EXPECT_EQ(translation.source_pieces.size(),
            line.parts[0].source.size() + line.parts[1].source.size());
  EXPECT_EQ(best.attention.front().offset, 0u);
  EXPECT_EQ(best.attention.back().offset, line.parts[0].source.size());
  EXPECT_EQ(best.attention.back().weights.size(), line.parts[1].source.size());
}

// "letter_tokenizers" know the letters of ASCII, '.', ',' and '?', if they know what they saw.
class UnknownCharactersTest : public LineProcessorTest {
 protected:
  UnknownCharactersTest() {
    TrainingCharacters seen;
    for (const char32_t c : U"abcdefghijklmnopqrstuvwxyz.,?123") seen.source.add(c);
    tokenizers_.set_characters(seen);
  }
  std::string copy_of(const std::string& text, const DecodeOptions& options = {}) const {
    const EncodedLine line = encode({text}, options);
    EXPECT_TRUE(line.parts.empty()) << text;
    const Translation translation = processor_.postprocess(line, {});
    EXPECT_EQ(translation.hypotheses.size(), 1u);
    EXPECT_TRUE(translation.hypotheses[0].pieces.empty());
    return translation.status.text() + ": " + translation.hypotheses[0].text;
  }
};

TEST_F(UnknownCharactersTest, ASentenceOfThemAloneIsCopied) {
  for (const char* text : {"\U0001f606", "\u2764\ufe0f", "\u266a\u266a", "\u00a7",
                           "\ud55c\uad6d\uc5b4 123", "\u266a 1, 2?"})
    EXPECT_EQ(copy_of(text), std::string("unknown_characters: ") + text);
  for (const char* text : {"\u266a\t\u266a", "\u266a\r", "\f\u266a"})
    EXPECT_EQ(copy_of(text), std::string("unknown_characters: ") + text);
  EXPECT_EQ(copy_of("\u266a\n\u266a"), "unknown_characters: \u266a \u266a");
  EXPECT_THAT(encode({"\u266a\u00a7\u266a"}).status.unknown_characters,
              (ElementsAre("\u266a", "\u00a7")));
}

// Normalization removes all of it.
TEST_F(UnknownCharactersTest, DamagedTextAloneIsCopied) {
  for (const char* text : {"\ufffd", "\ufffd\ufffd \ufffd", "\x07", "\x01\u200b\x02"})
    EXPECT_EQ(copy_of(text), std::string("unknown_characters: ") + text);
  EXPECT_THAT(encode({"\ufffd\x07\ufffd"}).status.unknown_characters,
              (ElementsAre("\ufffd", "\x07")));
  EXPECT_EQ(copy_of("\xff\xff"), "invalid_utf8,unknown_characters: \ufffd\ufffd");
}

TEST_F(UnknownCharactersTest, WhatTheVocabularyLacksIsUnknownThoughItWasSeen) {
  TrainingCharacters seen = *tokenizers_.characters();
  seen.source.add(U'\u266a');
  tokenizers_.set_characters(seen);
  EXPECT_EQ(copy_of("\u266a\u266a"), "unknown_characters: \u266a\u266a");
  EXPECT_THAT(encode({"abc \u266a"}).status.unknown_characters, ElementsAre("\u266a"));
}

TEST_F(LineProcessorTest, WhiteSpaceAloneIsAnEmptyLine) {
  // Without normalization the tokenizer has pieces of these.
  const TokenizerPair all = testing::character_tokenizers(folder_.path(), "a\u00a0b\u3000c\u2003");
  const LineProcessor processor(all, {.max_positions = 40});
  EXPECT_FALSE(all.source().encode("\u3000").empty());
  for (const char* text : {" ", "\t", "\u00a0", "\u3000 \u2003", "\u2028"}) {
    const EncodedLine line = processor.preprocess({text}, 0, {});
    EXPECT_TRUE(line.parts.empty()) << text;
    EXPECT_EQ(line.status.text(), "empty") << text;
  }
}

TEST_F(UnknownCharactersTest, OthersAreTranslatedAndListed) {
  for (const char* text : {"abc \u266a", "\u266a a", "\U0001f606abc"}) {
    const EncodedLine line = encode({text});
    EXPECT_EQ(line.parts.size(), 1u) << text;
    EXPECT_EQ(line.status.text(), "unknown_characters") << text;
    EXPECT_EQ(line.status.unknown_characters.size(), 1u);
  }
  for (const char* text : {"abc", "a, b?", "...", "", " ", "\u200b"})
    EXPECT_TRUE(encode({text}).status.unknown_characters.empty()) << text;
  EXPECT_EQ(encode({""}).status.text(), "empty");
  // A prefix is kept to.
  EXPECT_EQ(encode({"\u266a", "abc"}).parts.size(), 1u);
}

TEST_F(UnknownCharactersTest, AreCopiedInTheirPlaceAmongSentences) {
  DecodeOptions options;
  options.split = TextUnit::sentences;
  const EncodedLine line = encode({"Abc\u3002\u266a\u266a\u3002Ghi\u3002"}, options);
  ASSERT_EQ(line.parts.size(), 2u);
  EXPECT_EQ(processor_.postprocess(line, {result({"x"}), result({"y"})}).hypotheses[0].text,
            "x \u266a\u266a\u3002y");
  EXPECT_EQ(copy_of("  \u266a! \u00a7. ", options), "unknown_characters:   \u266a! \u00a7. ");
}

TEST_F(LineProcessorTest, ProtectedPartsAreRestored) {
  const EncodedLine line = encode({"abc %s def"});
  ASSERT_EQ(line.parts.size(), 1u);
  const Translation with = processor_.postprocess(line, {result({"ab"})});
  EXPECT_TRUE(with.status.restored);
  EXPECT_NE(with.hypotheses[0].text.find("%s"), std::string::npos) << with.hypotheses[0].text;
  // Not where there is nothing to restore, where the model has all to say, nor where the user said
  // how the translation begins.
  DecodeOptions none;
  none.protect = {"none"};
  for (const EncodedLine& other :
       {encode({"abc def"}), encode({"abc %s def"}, none), encode({"abc %s def", "a"})})
    EXPECT_FALSE(processor_.postprocess(other, {result({"ab"})}).status.restored);
}

TEST_F(LineProcessorTest, WithoutTrainingCharactersThoseWithoutAPieceAreUnknown) {
  const EncodedLine line = encode({"\u266a\u266a"});
  EXPECT_TRUE(line.parts.empty());
  EXPECT_THAT(line.status.unknown_characters, ElementsAre("\u266a"));
  EXPECT_EQ(encode({"abc \u266a"}).parts.size(), 1u);
  EXPECT_EQ(encode({"abc"}).status.text(), "ok");
}

}  // namespace
}  // namespace heed
