// Forced prefixes of translations: token ids, and text that is matched by its bytes rather than by
// tokens (also called token healing).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/decode/constraint.h"
#include "heed/text/tokenizer.h"

namespace heed {

// The pieces of the target vocabulary, sorted by their bytes.
class PieceIndex {
 public:
  explicit PieceIndex(const Vocabulary& vocabulary);
  // The literal pieces that start with `text`, or equal it.
  std::span<const TokenId> starting_with(std::string_view text) const;
  // Length of the longest literal piece in bytes.
  size_t longest() const { return longest_; }
  // Whether the piece decodes to its own characters, unlike </s>, <unk> and bytes ("<0x41>").
  bool is_literal(TokenId id) const;

 private:
  const Vocabulary& vocabulary_;
  std::vector<TokenId> order_;
  size_t longest_ = 0;
};

// Text that a translation must continue with after its first ids, in any segmentation: every
// sequence of pieces whose concatenation starts with the text. The state of a hypothesis is the
// number of bytes matched.
class ForcedText : public Constraint {
 public:
  // A piece that may follow, and how many bytes of the text are matched after it.
  struct Continuation {
    TokenId id;
    size_t matched;
  };

  // `text` is in the characters of pieces (with kSpaceSymbol) and follows the first `ids_before`
  // ids; the index must outlive this.
  ForcedText(std::string text, const PieceIndex& index, const Vocabulary& vocabulary,
             size_t ids_before);

  // In bytes.
  size_t size() const { return text_.size(); }
  // Whether any sequence of pieces starts with the text.
  bool is_possible() const { return positions_[0].is_possible; }
  void update(std::span<const ConstrainedHypothesis> hypotheses) const override;
  // Calls f(Continuation) for every piece that may follow the first `matched` bytes and after which
  // the rest of the text is still possible.
  template <class F>
  void for_each_continuation(size_t matched, F&& f) const {
    for (const Continuation& continuation : positions_[matched].inside) f(continuation);
    for (const TokenId id : positions_[matched].to_end) f(Continuation{id, text_.size()});
  }

 private:
  struct Position {
    std::vector<Continuation> inside;  // pieces that end before the text does
    std::span<const TokenId> to_end;   // pieces that end with the text or extend beyond it
    bool is_possible = false;
  };
  size_t matched_after(size_t matched, TokenId id) const;

  std::string text_;
  std::vector<Position> positions_;  // by bytes matched
  const size_t ids_before_;
};

// The constraint of a prefix on a translation: these ids, then pieces that match the text.
struct ForcedPrefix {
  std::vector<TokenId> ids;
  std::shared_ptr<const ForcedText> text;  // may be null

  bool empty() const { return ids.empty() && !text; }
};

// Turns prefixes of text into forced prefixes.
//
// The pieces of "Ein Man" are not the first pieces of "Ein Mann": forcing them would prevent the
// segmentation that the model was trained on. So all words of a prefix except the last are forced
// as the tokenizer segments them, and the last one as text, for which the search chooses the most
// probable pieces, "▁Mann" among them. White space at the end of a prefix completes its last word.
class PrefixEncoder {
 public:
  // The tokenizer must outlive this. Safe to use from several threads.
  explicit PrefixEncoder(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
  ForcedPrefix encode(std::string_view prefix) const;
  // All words as the tokenizer segments them, for the prompts of language models: samples and
  // greedy search choose the pieces of a text one by one, without knowing that the next ones must
  // fit, and would spell a last word in pieces after which the model is lost. After white space the
  // next piece begins a word.
  ForcedPrefix encode_prompt(std::string_view prompt) const;
  // Whether the tokenizer reads the end of the text as white space.
  bool ends_in_space(std::string_view text) const;

 private:
  const PieceIndex& index() const;

  const Tokenizer& tokenizer_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<const PieceIndex> index_;  // built for the first prefix
};

}  // namespace heed
