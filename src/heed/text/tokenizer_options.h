// Options of SentencePiece training.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed {

enum class TokenizerKind { bpe, unigram, word, character };
constexpr std::array<std::pair<std::string_view, TokenizerKind>, 4> enum_names(TokenizerKind) {
  return {{{"bpe", TokenizerKind::bpe},
           {"unigram", TokenizerKind::unigram},
           {"word", TokenizerKind::word},
           {"char", TokenizerKind::character}}};
}

// SentencePiece's rules for characters: NFKC with its additions for translation, NFKC, or none.
enum class Normalization { nmt_nfkc, nfkc, identity };
constexpr std::array<std::pair<std::string_view, Normalization>, 3> enum_names(Normalization) {
  return {{{"nmt_nfkc", Normalization::nmt_nfkc},
           {"nfkc", Normalization::nfkc},
           {"identity", Normalization::identity}}};
}

struct TokenizerOptions {
  static constexpr int64_t kDefaultSize = 8000, kDefaultLines = 2'000'000;

  TokenizerKind kind = TokenizerKind::bpe;
  std::optional<int64_t> vocabulary_size = {};  // ids; includes </s>, <unk> and <pad>
  double character_coverage = 1.0;              // share of the characters that get pieces
  bool byte_fallback = false;                   // spell other characters as bytes instead of <unk>
  bool lowercase = false;                       // on each side whose normalization is not identity
  // Rules of the two sides. They are in the model's normalizers, so that every reader of the model
  // agrees.
  Normalization normalization = Normalization::nmt_nfkc;
  Normalization target_normalization = Normalization::identity;
  bool split_digits = false;  // each digit is a piece of its own
  // Learn from at most this many lines, drawn at random, and from the characters of all others.
  std::optional<int64_t> vocabulary_lines = {};
  std::string user_symbols;  // a file of texts that are pieces as they stand (text/user_symbols.h)
  // More of them. No option of the command line: the tags of corpora.
  std::vector<std::string> more_symbols = {};
  uint64_t seed = 1;  // of the lines

  // The number of ids.
  int64_t size() const { return vocabulary_size.value_or(kDefaultSize); }
  int64_t lines() const { return vocabulary_lines.value_or(kDefaultLines); }

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v.group("Tokenizer");
    v("tokenizer", self.kind, {.help = "Segmentation algorithm"});
    v("vocabulary_size", self.vocabulary_size,
      {.help = "Number of tokens in the vocabulary, or in each with --vocabularies separate",
       .unit = "tokens",
       .default_text = "8000, or chosen with --minutes",
       .minimum = 4,
       .maximum = 1 << 24});
    v("vocabulary_lines", self.vocabulary_lines,
      {.help = "Number of lines, drawn at random, from which the vocabulary is learned; the "
               "characters of all other lines are learned too",
       .unit = "lines",
       .default_text = "2000000, or chosen with --minutes",
       .minimum = 1});
    v("character_coverage", self.character_coverage,
      {.help = "Share of the characters in the text that get pieces of their own",
       .minimum = 0.98,  // SentencePiece's own bound
       .maximum = 1});
    v("byte_fallback", self.byte_fallback, {.help = "Spell unknown characters as UTF-8 bytes"});
    v("split_digits", self.split_digits, {.help = "Make every digit a token of its own"});
    v("user_symbols", self.user_symbols,
      {.help = "Make the texts of this file, one on each line, tokens of their own wherever they "
               "occur: emoji, codes, tags. No normalization changes them",
       .value = "FILE",
       .default_text = "none",
       .ignored_in_comparison = true});
    v("normalization", self.normalization, {.help = "Unicode normalization of the source text"});
    v("target_normalization", self.target_normalization,
      {.help = "Unicode normalization of the target text; identity: translations have the "
               "characters of the training text"});
    v("lowercase", self.lowercase,
      {.help = "Lowercase the source, and the target unless its normalization is identity"});
  }
};

}  // namespace heed
