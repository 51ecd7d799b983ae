#include "heed/decode/translation.h"

#include "heed/core/error.h"
#include "heed/core/utf8.h"

namespace heed {

std::string LineStatus::text() const {
  std::string all;
  const auto add = [&](bool holds, const char* name) {
    if (!holds) return;
    if (!all.empty()) all += ',';
    all += name;
  };
  add(empty, "empty");
  add(split, "split");
  add(truncated, "truncated");
  add(unfinished, "unfinished");
  add(prefix_too_long, "prefix_too_long");
  add(invalid_utf8, "invalid_utf8");
  add(restored, "restored");
  add(terms_missed, "terms_missed");
  add(doubtful, "doubtful");
  add(!unknown_characters.empty(), "unknown_characters");
  return all.empty() ? "ok" : all;
}

std::string valid_utf8(const std::string& line, const LinePlace& place, LineStatus& status) {
  const auto at = find_invalid_utf8(line);
  if (!at) return line;
  if (place.strict)
    fail("line {} of the {} is not UTF-8 at byte {}", place.line + 1, place.text_name, *at + 1);
  status.invalid_utf8 = true;
  return replace_invalid_utf8(line);
}

std::vector<AlignedPair> aligned_pairs(const Translation& translation,
                                       const TextHypothesis& hypothesis, AlignmentUnit unit) {
  if (unit == AlignmentUnit::words)
    return aligned_pairs(translation.source_words, hypothesis.words, hypothesis.attention);
  return aligned_pairs(token_units(translation.source_pieces), token_units(hypothesis.pieces),
                       hypothesis.attention);
}

}  // namespace heed
