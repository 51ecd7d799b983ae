#include "heed/decode/forced_prefix.h"

#include <algorithm>

#include "heed/core/utf8.h"
#include "heed/text/byte_pieces.h"

namespace heed {
namespace {

// White space that completes the last word of a prefix.
bool ends_in_common_space(std::string_view text) {
  for (const std::string_view space : {" ", "\t", "\u00a0", "\u3000"})
    if (text.ends_with(space)) return true;
  return false;
}

}  // namespace

PieceIndex::PieceIndex(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {
  for (TokenId id = 0; id < vocabulary.output_size(); ++id) {
    if (!is_literal(id)) continue;
    order_.push_back(id);
    longest_ = std::max(longest_, vocabulary.piece(id).size());
  }
  std::sort(order_.begin(), order_.end(),
            [&](TokenId a, TokenId b) { return vocabulary.piece(a) < vocabulary.piece(b); });
}

bool PieceIndex::is_literal(TokenId id) const {
  return id != vocabulary_.end_id() && id != vocabulary_.unknown_id() &&
         id < vocabulary_.output_size() && !byte_of(vocabulary_.piece(id));
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

ForcedText::ForcedText(std::string text, const PieceIndex& index, const Vocabulary& vocabulary,
                       size_t ids_before)
    : text_(std::move(text)), positions_(text_.size() + 1), ids_before_(ids_before) {
  positions_.back().is_possible = true;
  // From the end, so that it is known whether the position after each piece is possible.
  for (size_t at = text_.size(); at-- > 0;) {
    const std::string_view rest = std::string_view(text_).substr(at);
    Position& position = positions_[at];
    position.to_end = index.starting_with(rest);
    for (size_t length = 1; length < std::min(rest.size(), index.longest() + 1); ++length) {
      if (!positions_[at + length].is_possible) continue;
      const auto id = vocabulary.find(rest.substr(0, length));
      if (id && index.is_literal(*id)) position.inside.push_back({*id, at + length});
    }
    position.is_possible = !position.to_end.empty() || !position.inside.empty();
  }
}

size_t ForcedText::matched_after(size_t matched, TokenId id) const {
  size_t after = matched;
  for_each_continuation(matched, [&](const Continuation& next) {
    if (next.id == id) after = next.matched;
  });
  check(after > matched, "an id that the forced text does not allow");
  return after;
}

void ForcedText::update(std::span<const ConstrainedHypothesis> hypotheses) const {
  for (const ConstrainedHypothesis& h : hypotheses) {
    auto matched = size_t(h.state);
    for (size_t i = std::max(h.seen, ids_before_); i < h.ids.size() && matched < text_.size(); ++i)
      matched = matched_after(matched, h.ids[i]);
    h.state = int64_t(matched);
    if (matched == text_.size()) continue;
    std::vector<TokenId> ids;
    for_each_continuation(matched, [&](const Continuation& next) { ids.push_back(next.id); });
    h.next.allow_only(std::move(ids));
  }
}

const PieceIndex& PrefixEncoder::index() const {
  std::call_once(once_, [&] { index_ = std::make_unique<PieceIndex>(tokenizer_.vocabulary()); });
  return *index_;
}

ForcedPrefix PrefixEncoder::encode(std::string_view prefix) const {
  ForcedPrefix forced{tokenizer_.encode(prefix), nullptr};
  std::vector<TokenId>& ids = forced.ids;
  if (ids.empty()) return forced;
  const std::vector<std::string> pieces = tokenizer_.pieces(ids);
  // The first piece of the last word. All pieces from there on must be literal.
  size_t first = ids.size();
  while (first > 0 && index().is_literal(ids[first - 1]) &&
         !pieces[first - 1].starts_with(kSpaceSymbol))
    --first;
  if (first > 0 && index().is_literal(ids[first - 1])) --first;
  std::string text;
  for (size_t i = first; i < pieces.size(); ++i) text += pieces[i];
  if (ends_in_common_space(prefix)) text += kSpaceSymbol;
  // In scripts without spaces a word is a whole sentence: pieces that are further from the end than
  // the length of the longest piece are forced as ids.
  while (first < pieces.size() && text.size() >= pieces[first].size() + index().longest())
    text.erase(0, pieces[first++].size());
  if (text.empty()) return forced;
  auto forced_text = std::make_shared<ForcedText>(text, index(), tokenizer_.vocabulary(), first);
  if (!forced_text->is_possible()) return forced;
  ids.resize(first);
  forced.text = std::move(forced_text);
  return forced;
}

bool PrefixEncoder::ends_in_space(std::string_view text) const {
  // Whether a letter that follows would begin a word. It may be unknown to the vocabulary.
  const std::vector<std::string> pieces =
      tokenizer_.pieces(tokenizer_.encode(std::string(text) + "x"));
  if (pieces.empty() || pieces.back().starts_with(kSpaceSymbol)) return !pieces.empty();
  return pieces.size() > 1 && pieces[pieces.size() - 2].ends_with(kSpaceSymbol);
}

ForcedPrefix PrefixEncoder::encode_prompt(std::string_view prompt) const {
  ForcedPrefix forced{tokenizer_.encode(prompt), nullptr};
  // A tokenizer that keeps white space has the one at the end among the ids.
  if (forced.ids.empty() || tokenizer_.keeps_white_space() || !ends_in_space(prompt)) return forced;
  auto space = std::make_shared<ForcedText>(std::string(kSpaceSymbol), index(),
                                            tokenizer_.vocabulary(), forced.ids.size());
  if (space->is_possible()) forced.text = std::move(space);
  return forced;
}

}  // namespace heed
