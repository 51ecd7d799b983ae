#include "heed/text/character_counter.h"

#include <algorithm>

#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/text/line_damage.h"
#include "heed/text/words.h"

namespace heed {
namespace {

constexpr size_t kMaxCompounds = 1 << 16;  // remembered; others are normalized each time
constexpr size_t kMaxChanges = 1 << 16;    // counted
constexpr size_t kMaxShown = 16;           // characters of a side of a change
constexpr char32_t kCharacters = 0x110000;

}  // namespace

CharacterCounter::CharacterCounter(Normalizer normalizer)
    : normalizer_(std::move(normalizer)), single_(kCharacters) {}

void CharacterCounter::add(std::string_view line) {
  line = detail::trimmed(line);
  bool changed = false;
  while (!line.empty()) {
    const std::string_view grapheme = line.substr(0, first_grapheme_bytes(line));
    line.remove_prefix(grapheme.size());
    if (grapheme != " ") changed |= changes(grapheme);
  }
  ++lines_;
  changed_lines_ += changed;
}

bool CharacterCounter::changes(std::string_view grapheme) {
  const Utf8Character first = first_utf8_character(grapheme);
  Kind kind = Kind::unseen;
  if (first.bytes == grapheme.size()) {
    kind = single_[first.value];
    if (kind == Kind::kept) return false;
    if (kind == Kind::unseen) kind = single_[first.value] = look_at(std::string(grapheme));
  } else {
    const std::string compound(grapheme);
    const auto found = compound_.find(compound);
    kind = found == compound_.end() ? look_at(compound) : found->second;
    if (found == compound_.end() && compound_.size() < kMaxCompounds)
      compound_.emplace(compound, kind);
  }
  if (kind == Kind::kept) return false;
  if (const auto change = changes_.find(std::string(grapheme)); change != changes_.end())
    ++change->second.count;
  return true;
}

// Adds the characters of the grapheme as normalized, and the change if it is one.
CharacterCounter::Kind CharacterCounter::look_at(const std::string& grapheme) {
  // Between digits, so that a space is told from nothing.
  std::string after = normalizer_.normalize("0" + grapheme + "0");
  if (after.size() >= 2) after = after.substr(1, after.size() - 2);
  for (const char32_t c : decode_utf8(after))
    if (c != ' ') characters_.add(c);
  if (after == grapheme) return Kind::kept;
  if (changes_.size() < kMaxChanges) changes_.emplace(grapheme, Change{after, 0});
  return Kind::changed;
}

std::vector<CharacterChange> CharacterCounter::changes(size_t most) const {
  std::vector<CharacterChange> all;
  for (const auto& [before, change] : changes_)
    if (change.count > 0) all.push_back({before, change.after, change.count});
  std::sort(all.begin(), all.end(), [](const CharacterChange& a, const CharacterChange& b) {
    return a.count != b.count ? a.count > b.count : a.before < b.before;
  });
  if (all.size() > most) all.resize(most);
  return all;
}

std::string to_string(const std::vector<CharacterChange>& changes) {
  std::string text;
  for (const CharacterChange& change : changes) {
    text +=
        fmt::format("{}'{}' ", text.empty() ? "" : ", ", detail::visible(change.before, kMaxShown));
    text += change.after.empty() ? "to nothing"
            : change.after == " "
                ? "to a space"
                : fmt::format("to '{}'", detail::visible(change.after, kMaxShown));
    text += fmt::format(" ({})", change.count);
  }
  return text;
}

}  // namespace heed
