// How a translation must begin: a prefix in text, and what it leaves to the search.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/tokenizer.h"

namespace heed {

// The target vocabulary's pieces in the order of their bytes.
class PieceIndex {
 public:
  explicit PieceIndex(const Vocabulary& vocabulary);
  // The pieces that begin with `text`, itself included.
  std::span<const TokenId> starting_with(std::string_view text) const;
  // Bytes of the longest piece.
  size_t longest() const { return longest_; }
  // Whether the piece's characters are what it writes: not so for <unk> and bytes ("<0x41>").
  bool is_spelled(TokenId id) const;

 private:
  const Vocabulary& vocabulary_;
  std::vector<TokenId> order_;
  size_t longest_ = 0;
};

// Text that pieces are to spell, cut as the search likes: any pieces that together begin with it.
class Spelling {
 public:
  // A piece that may come next, and how many bytes are spelled then.
  struct Way {
    TokenId id;
    size_t spelled;
  };

  // `text` in the characters of pieces; the index must outlive the spelling.
  Spelling(std::string text, const PieceIndex& index, const Vocabulary& vocabulary);

  size_t size() const { return text_.size(); }
  // Whether any pieces begin with the text.
  bool possible() const { return places_[0].possible; }
  // Calls f(Way) for every piece that may come where so many bytes are spelled, and from which the
  // rest can still be spelled.
  template <class F>
  void each_way(size_t spelled, F&& f) const {
    for (const Way& way : places_[spelled].inside) f(way);
    for (const TokenId id : places_[spelled].beyond) f(Way{id, text_.size()});
  }

 private:
  struct Place {
    std::vector<Way> inside;          // pieces that end before the text does
    std::span<const TokenId> beyond;  // pieces that end with it, or run on
    bool possible = false;
  };
  std::string text_;
  std::vector<Place> places_;  // by bytes spelled
};

// What add() of a search is told: these ids first, then pieces that spell a text.
struct Beginning {
  std::vector<TokenId> ids;
  std::shared_ptr<const Spelling> spelling;  // may be none

  bool empty() const { return ids.empty() && !spelling; }
};

// Turns prefixes into beginnings.
//
// A tokenizer cuts "Ein Man" into pieces that do not begin those of "Ein Mann": forced as they are,
// they would force the model off the pieces that it knows. So the words of a prefix but the last
// are forced as the tokenizer cuts them, and the last is forced as text, which the search spells
// with whatever pieces are likeliest, "▁Mann" too. White space at the prefix's end closes its last
// word.
class Prefixes {
 public:
  // The tokenizer must outlive this. Any number of threads may use one.
  explicit Prefixes(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
  Beginning beginning(std::string_view prefix) const;

 private:
  const PieceIndex& index() const;

  const Tokenizer& tokenizer_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<const PieceIndex> index_;  // made for the first prefix
};

}  // namespace heed
