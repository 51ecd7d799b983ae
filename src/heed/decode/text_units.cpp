#include "heed/decode/text_units.h"

#include <algorithm>
#include <optional>

#include "heed/core/error.h"
#include "heed/core/scripts.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"

namespace heed {

TextUnits::TextUnits(std::string_view text) {
  // Whether the last unit is a word that may go on: more characters of spaced text belong to it.
  enum class Takes { nothing, spaced } takes = Takes::nothing;
  characters_.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const Utf8Character character = first_utf8_character(text.substr(at));
    const char32_t value = character.value;
    const bool space = is_whitespace(value), unspaced = is_unspaced(value);
    if (!space && (unspaced || takes == Takes::nothing)) ++count_;
    takes = space || unspaced ? Takes::nothing : Takes::spaced;
    characters_.push_back({at, count_ - 1,
                           space                        ? Kind::white_space
                           : is_format_character(value) ? Kind::format
                                                        : Kind::other});
    at += character.bytes;
  }
}

std::vector<std::string_view> TextUnits::texts(std::string_view text) const {
  std::vector<std::string_view> all;
  all.reserve(size_t(count_));
  for (size_t i = 0; i < characters_.size(); ++i) {
    const Character& c = characters_[i];
    if (c.kind == Kind::white_space) continue;
    const size_t end = i + 1 < characters_.size() ? characters_[i + 1].begin : text.size();
    if (int64_t(all.size()) == c.unit) all.push_back(text.substr(c.begin, 0));
    all.back() = text.substr(size_t(all.back().data() - text.data()),
                             end - size_t(all.back().data() - text.data()));
  }
  return all;
}

UnitRange TextUnits::of(size_t begin, size_t end) const {
  const auto from = [&](size_t byte) {
    return std::lower_bound(characters_.begin(), characters_.end(), byte,
                            [](const Character& c, size_t at) { return c.begin < at; });
  };
  const auto first = from(begin), last = from(end);
  const bool spaced =
      std::any_of(first, last, [](const Character& c) { return c.kind == Kind::white_space; });
  for (const Kind kind : {Kind::other, Kind::format}) {
    UnitRange range;
    for (auto c = first; c != last; ++c) {
      if (c->kind != kind) continue;
      if (range.empty()) range.begin = c->unit;
      range.end = c->unit + 1;
    }
    if (!range.empty()) return range;
    if (spaced) break;  // normalization makes one space of white space and format characters
  }
  const auto next = std::find_if(first, characters_.end(),
                                 [](const Character& c) { return c.kind == Kind::other; });
  if (next == characters_.end()) return {};
  return {next->unit, next->unit + 1};
}

std::vector<UnitRange> TextUnits::of_tokens(const std::vector<size_t>& ends, size_t begin) const {
  std::vector<UnitRange> units;
  units.reserve(ends.size());
  size_t at = begin;
  for (const size_t end : ends) {
    units.push_back(of(at, begin + end));
    at = std::max(at, begin + end);
  }
  // of() gives a token without characters the next unit with a visible character. If tokens of
  // format characters follow it, whose units come earlier, it gets the first of their units
  // instead, so that the units of tokens are in their order.
  std::optional<int64_t> next;
  for (size_t i = units.size(); i-- > 0;) {
    UnitRange& range = units[i];
    if (range.empty()) continue;
    if (next && range.begin > *next) range = {*next, *next + 1};
    next = range.begin;
  }
  return units;
}

std::vector<PieceRange> pieces_of_units(const std::vector<UnitRange>& tokens) {
  std::vector<PieceRange> all;
  std::optional<int64_t> first;
  int64_t seen = 0;  // tokens up to the last one that has units
  for (size_t token = 0; token < tokens.size(); ++token) {
    const auto [begin, end] = tokens[token];
    if (begin == end) continue;
    if (!first) first = begin;
    check(begin >= *first, "text units out of the order of their tokens");
    for (int64_t unit = begin - *first; unit < end - *first; ++unit) {
      while (int64_t(all.size()) < unit) all.push_back({seen, seen});
      if (int64_t(all.size()) == unit) all.push_back({int64_t(token), 0});
      all[size_t(unit)].end = int64_t(token) + 1;
    }
    seen = int64_t(token) + 1;
  }
  return all;
}

std::vector<PieceRange> word_pieces(const Tokenizer& tokenizer, std::string_view text) {
  return pieces_of_units(TextUnits(text).of_tokens(tokenizer.encode_with_ends(text).ends));
}

}  // namespace heed
