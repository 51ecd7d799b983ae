// SentencePiece's normalization of text, apart from any vocabulary.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "heed/text/tokenizer_options.h"

namespace heed {

// SentencePiece's symbol for a space at the start of a word: U+2581.
inline constexpr std::string_view kSpaceSymbol = "\u2581";

namespace detail {

// SentencePiece's name of a normalization. identity has no lowercase.
std::string normalization_name(Normalization rule, bool lowercase);

}  // namespace detail

// The text with a space for each character that SentencePiece cannot have in a piece: NUL, tabs and
// line ends. Every byte keeps its place.
std::string with_plain_spaces(std::string_view text);

// The rules of a vocabulary for characters, and its treatment of spaces. Const: any number of
// threads may use one; copies share the rules.
class Normalizer {
 public:
  // The rules of a vocabulary that heed trains. identity has no lowercase; it makes tabs and line
  // ends spaces, as nmt_nfkc does, so that other readers of the model see them as heed does.
  Normalizer(Normalization rule, bool lowercase);
  // The rules of a .spm file: its NormalizerSpec (detail::normalizer_of).
  explicit Normalizer(std::string specification);

  // Valid UTF-8 as the pieces of the vocabulary see it: its characters replaced, and each run of
  // white space as one space, with none at the ends.
  std::string normalize(std::string_view text) const;

  // Bytes of the NormalizerSpec.
  const std::string& specification() const;

 private:
  struct Rules;
  std::shared_ptr<const Rules> rules_;
};

}  // namespace heed
