// Learning a SentencePiece model from text.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/text/text_file.h"

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
  TokenizerKind kind = TokenizerKind::bpe;
  int64_t vocabulary = 8000;        // ids, </s>, <unk> and <pad> included
  double character_coverage = 1.0;  // share of the text's characters that get pieces
  bool byte_fallback = false;       // spell other characters as bytes instead of <unk>
  bool lowercase = false;           // inside the model's normalizer: every reader agrees
  Normalization normalization = Normalization::nmt_nfkc;
  int64_t sample_lines = 2'000'000;  // learn from at most this many lines
  uint64_t seed = 1;                 // of the sample

  // What stands on the command line (core/options.h).
  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v.group("Tokenizer");
    v("tokenizer", self.kind, {.help = "How words are cut into pieces"});
    v("vocabulary", self.vocabulary,
      {.help = "Ids of the vocabulary, of each one if they are separate",
       .unit = "ids",
       .minimum = 4,
       .maximum = 1 << 24});
    v("character_coverage", self.character_coverage,
      {.help = "Share of the text's characters that get pieces of their own",
       .minimum = 0.98,  // SentencePiece's own bound
       .maximum = 1});
    v("byte_fallback", self.byte_fallback, {.help = "Spell unknown characters as bytes"});
    v("lowercase", self.lowercase, {.help = "Read and write everything in lower case"});
    v("normalization", self.normalization, {.help = "Which characters are read as one"});
  }
};

// The bytes of a .spm file learnt from the lines of all `files`, or, with `kept` (kept_by_words),
// of those lines i of each side where kept[i] holds: others need not be UTF-8. The same lines and
// options give the same bytes. Ids are </s> = 0, <unk> = 1 and pieces; options.vocabulary - 1 in
// all, since <pad> comes behind them. The two kinds word and char take fewer where the text has
// fewer. UsageError: an option out of range. Error: a text too small for the vocabulary (with the
// largest that it could have), no text at all, a file that cannot be read or is not UTF-8.
std::string train_tokenizer(const TokenizerOptions& options, const TextFiles& files,
                            const std::vector<bool>& kept = {});
inline std::string train_tokenizer(const TokenizerOptions& options,
                                   const std::vector<std::filesystem::path>& files,
                                   const std::vector<bool>& kept = {}) {
  return train_tokenizer(options, TextFiles(files.begin(), files.end()), kept);
}

}  // namespace heed
