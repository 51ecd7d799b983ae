// The characters of a text as a tokenizer sees them, and those that its normalization changes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "heed/core/character_set.h"
#include "heed/text/normalizer.h"

namespace heed {

// A character, with its marks, before and after normalization.
struct CharacterChange {
  std::string before, after;
  int64_t count = 0;
};

// Reads the lines of one side of a corpus. Each character is normalized once, however often it
// occurs.
class CharacterCounter {
 public:
  explicit CharacterCounter(Normalizer normalizer);

  // Valid UTF-8. White space at its ends and the length of runs of spaces do not count as changes.
  void add(std::string_view line);

  int64_t lines() const { return lines_; }
  // The lines with a character that normalization changes.
  int64_t changed_lines() const { return changed_lines_; }
  // At most so many changes, the most frequent first.
  std::vector<CharacterChange> changes(size_t most) const;
  // The characters of the normalized lines.
  const CharacterSet& characters() const { return characters_; }

 private:
  enum class Kind : uint8_t { unseen, kept, changed };
  struct Change {
    std::string after;
    int64_t count = 0;
  };
  // Whether normalization changes a grapheme, whose result then is in changes_.
  bool changes(std::string_view grapheme);
  Kind look_at(const std::string& grapheme);

  Normalizer normalizer_;
  std::vector<Kind> single_;                        // of graphemes of one character, by character
  std::unordered_map<std::string, Kind> compound_;  // of others
  std::unordered_map<std::string, Change> changes_;
  CharacterSet characters_;
  int64_t lines_ = 0, changed_lines_ = 0;
};

// "'，' to ',' (360), '…' to '...' (3)": changes for a message.
std::string to_string(const std::vector<CharacterChange>& changes);

}  // namespace heed
