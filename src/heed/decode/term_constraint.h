// Terms that the translation of a sentence must have.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heed/decode/constraint.h"
#include "heed/decode/term_matcher.h"
#include "heed/text/tokenizer.h"

namespace heed {

// Spells the forms of terms in the pieces of a target vocabulary.
class TermSpeller {
 public:
  // The tokenizer, which must outlive this, is one that does not keep white space.
  explicit TermSpeller(const Tokenizer& tokenizer);

  // The text that a translation has for a form, in the characters of pieces (with kSpaceSymbol),
  // and pieces that may come next after its first bytes.
  struct Spelling {
    std::string text;
    TokenId after_space = kNoToken;               // the first piece, with the space before it
    std::map<size_t, std::vector<TokenId>> next;  // by the bytes that are written
  };
  // Nothing if the vocabulary lacks a character of it.
  std::optional<Spelling> spell(const std::string& form) const;
  // The longest piece with which this text begins; kNoToken if there is none.
  TokenId longest_piece(std::string_view text) const;
  // Appends what a piece writes, in the characters of pieces; of </s>, nothing.
  void append(std::string& text, TokenId id) const;
  const Tokenizer& tokenizer() const { return tokenizer_; }

 private:
  // A text in pieces, each with the number of bytes before it.
  struct Written {
    std::string text;
    std::vector<std::pair<size_t, TokenId>> pieces;
  };
  // Nothing if the vocabulary lacks a character.
  std::optional<Written> write(const std::string& text) const;

  const Tokenizer& tokenizer_;
  size_t longest_ = 0;  // piece, in bytes
};

// Demands of a translation that it has one form of each of some terms (hard lexical constraints;
// Hokamp and Liu, 2017). The search finds their places: at each step it also considers the pieces
// that begin or continue a form, and no hypothesis ends without all of them.
//
// The terms of a hypothesis are read from its text: in whatever pieces the model spells a form,
// and only as words of their own.
class TermConstraint : public Constraint {
 public:
  // `terms`: the forms of each, at least one of which is spelled. The speller must outlive this.
  TermConstraint(const std::vector<std::vector<TermSpeller::Spelling>>& terms,
                 const TermSpeller& speller);

  void update(std::span<const ConstrainedHypothesis> hypotheses) const override;

 private:
  std::vector<TokenId> suggested(const std::string& text, const TermMatcher::Result& found) const;

  const TermSpeller& speller_;
  const std::vector<std::vector<TermSpeller::Spelling>> terms_;
  std::map<std::string, TermSpeller::Spelling> spellings_;  // by their texts
  TermMatcher matcher_;
};

}  // namespace heed
