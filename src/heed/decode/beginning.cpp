#include "heed/decode/beginning.h"

#include <algorithm>

#include "heed/core/utf8.h"
#include "heed/decode/byte_piece.h"

namespace heed {
namespace {

bool ends_in_space(std::string_view text) {
  for (const std::string_view space : {" ", "\t", "\u00a0", "\u3000"})
    if (text.ends_with(space)) return true;
  return false;
}

}  // namespace

PieceIndex::PieceIndex(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {
  for (TokenId id = 0; id < vocabulary.classes(); ++id) {
    if (!is_spelled(id)) continue;
    order_.push_back(id);
    longest_ = std::max(longest_, vocabulary.piece(id).size());
  }
  std::sort(order_.begin(), order_.end(),
            [&](TokenId a, TokenId b) { return vocabulary.piece(a) < vocabulary.piece(b); });
}

bool PieceIndex::is_spelled(TokenId id) const {
  return id != vocabulary_.end_id() && id != vocabulary_.unknown_id() &&
         id < vocabulary_.classes() && !byte_of(vocabulary_.piece(id));
}

std::span<const TokenId> PieceIndex::starting_with(std::string_view text) const {
  const auto head = [&](TokenId id) {
    return std::string_view(vocabulary_.piece(id)).substr(0, text.size());
  };
  const auto begin = std::partition_point(order_.begin(), order_.end(),
                                          [&](TokenId id) { return head(id) < text; });
  const auto end =
      std::partition_point(begin, order_.end(), [&](TokenId id) { return head(id) == text; });
  return {begin, end};
}

Spelling::Spelling(std::string text, const PieceIndex& index, const Vocabulary& vocabulary)
    : text_(std::move(text)), places_(text_.size() + 1) {
  places_.back().possible = true;
  // From the end, so that it is known where each piece leads.
  for (size_t at = text_.size(); at-- > 0;) {
    const std::string_view rest = std::string_view(text_).substr(at);
    Place& place = places_[at];
    place.beyond = index.starting_with(rest);
    for (size_t length = 1; length < std::min(rest.size(), index.longest() + 1); ++length) {
      if (!places_[at + length].possible) continue;
      const auto id = vocabulary.find(rest.substr(0, length));
      if (id && index.is_spelled(*id)) place.inside.push_back({*id, at + length});
    }
    place.possible = !place.beyond.empty() || !place.inside.empty();
  }
}

const PieceIndex& Prefixes::index() const {
  std::call_once(once_, [&] { index_ = std::make_unique<PieceIndex>(tokenizer_.vocabulary()); });
  return *index_;
}

Beginning Prefixes::beginning(std::string_view prefix) const {
  Beginning beginning{tokenizer_.encode(prefix), nullptr};
  std::vector<TokenId>& ids = beginning.ids;
  if (ids.empty()) return beginning;
  const std::vector<std::string> pieces = tokenizer_.pieces(ids);
  // The last word's first piece. Behind it only pieces that write their own characters.
  size_t first = ids.size();
  while (first > 0 && index().is_spelled(ids[first - 1]) &&
         !pieces[first - 1].starts_with(kSpaceSymbol))
    --first;
  if (first > 0 && index().is_spelled(ids[first - 1])) --first;
  std::string text;
  for (size_t i = first; i < pieces.size(); ++i) text += pieces[i];
  if (ends_in_space(prefix)) text += kSpaceSymbol;
  // In scripts without spaces a word is a sentence: what stands further from the end than any piece
  // reaches is forced as it is cut.
  while (first < pieces.size() && text.size() >= pieces[first].size() + index().longest())
    text.erase(0, pieces[first++].size());
  if (text.empty()) return beginning;
  auto spelling = std::make_shared<Spelling>(text, index(), tokenizer_.vocabulary());
  if (!spelling->possible()) return beginning;
  ids.resize(first);
  beginning.spelling = std::move(spelling);
  return beginning;
}

}  // namespace heed
