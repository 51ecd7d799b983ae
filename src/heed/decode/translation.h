// A line to translate, and its translations.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/decode/alignment.h"
#include "heed/model/confidence.h"

namespace heed {

// Why a translation lacks a term.
enum class TermMiss {
  none,        // it has the term
  vocabulary,  // the target vocabulary lacks a character of every form
  copied,      // the sentence has no letter that the model knows, and is copied
  length,      // the translation came to its maximum length first
  restored,    // a protected part of the line took its place (decode/protection.h)
};
constexpr std::array<std::pair<std::string_view, TermMiss>, 5> enum_names(TermMiss) {
  return {{{"none", TermMiss::none},
           {"vocabulary", TermMiss::vocabulary},
           {"copied", TermMiss::copied},
           {"length", TermMiss::length},
           {"restored", TermMiss::restored}}};
}

// A term in a line, and the form of it that the translation has.
struct TermUse {
  size_t begin = 0, end = 0;  // bytes of the line
  std::string source;         // these bytes
  std::string target;         // empty if the translation has none
  TermMiss miss = TermMiss::none;
};

// How a line was processed.
struct LineStatus {
  bool empty = false;  // no tokens: the translation is empty
  bool split = false;  // translating: too long for the model, translated in parts
  // Scoring: a side has more tokens than the model has positions. Translating: a single
  // character has more; parsing: a word has. The rest is ignored.
  bool truncated = false;
  bool unfinished = false;       // the best translation of a part has no </s>
  bool prefix_too_long = false;  // the forced prefix leaves no room: it is the translation
  bool invalid_utf8 = false;     // invalid UTF-8 was replaced by U+FFFD
  // Protected parts that the model left out or changed were put into the best translation
  // (decode/protection.h).
  bool restored = false;
  bool terms_missed = false;  // the best translation lacks a term (Translation::terms)
  bool doubtful = false;      // the confidence is below DecodeOptions::min_confidence
  // The characters of the source that the model has not seen in training. Translating: a sentence
  // (DecodeOptions::split) without any letter that it has seen is copied.
  std::vector<std::string> unknown_characters = {};

  // "ok", "empty", "split,unfinished", ...
  std::string text() const;
};

// A line of a text, and whether it must be UTF-8.
struct LinePlace {
  int64_t line;  // from 0
  const char* text_name;
  bool strict;
};
// The line with U+FFFD for invalid bytes; an Error that names the place if it is strict.
std::string valid_utf8(const std::string& line, const LinePlace& place, LineStatus& status);

// A line to translate, or a prompt that a language model continues, which has no prefix.
struct TranslationInput {
  TranslationInput(std::string text, std::string prefix = "")  // NOLINT: a line is a text
      : text(std::move(text)), prefix(std::move(prefix)) {}
  std::string text;
  std::string prefix;  // forced prefix of the translation (decode/forced_prefix.h); may be empty
};

// One of the `nbest` translations of a line.
struct TextHypothesis {
  std::string text;
  double score = 0;  // the sum over the parts of a split line
  std::vector<std::string> pieces;
  // With DecodeOptions::attention: each piece's attention to the source pieces.
  AttentionWeights attention = {};
  // Natural logarithms, by the model, of each piece and then of the </s> that ends the last part
  // (not if it has none). A split line has none for the </s> of its other parts, so that piece i
  // has number i. Empty for a line without tokens, which the model does not translate.
  std::vector<double> log_probabilities = {};
  bool ended = true;   // all parts with </s>
  int64_t number = 0;  // of a sample, from 0; in beam search the rank
  // With DecodeOptions::attention: the words of `text` (decode/text_units.h) of each piece.
  std::vector<UnitRange> words = {};
};

struct Translation {
  int64_t line = 0;                        // from 0
  std::vector<TextHypothesis> hypotheses;  // best first, at least one
  std::vector<std::string> source_pieces;  // if there is attention; each part ends with </s>
  LineStatus status;
  // With DecodeOptions::terms: those of the line, in order, and of its best translation.
  std::vector<TermUse> terms = {};
  // Of the best translation of beam search; none for a line of which the model translated nothing,
  // nor for a translation without </s>.
  std::optional<ConfidenceSignals> signals = {};
  // The probability that it is good, if the model was calibrated (model/confidence.h); 0 without
  // </s>.
  std::optional<double> confidence = {};
  // If there is attention: the words of the line, as it was given, of each source piece.
  std::vector<UnitRange> source_words = {};
};

// Pairs of words or tokens that belong together: one of the line, one of its hypothesis, which must
// have attention.
std::vector<AlignedPair> aligned_pairs(const Translation& translation,
                                       const TextHypothesis& hypothesis, AlignmentUnit unit);

// Returns the next line, and std::nullopt at the end of the input.
using NextInput = std::function<std::optional<TranslationInput>()>;
using EmitTranslation = std::function<void(const Translation&)>;

}  // namespace heed
