// Protected parts of a line (text/protected_spans.h) that reach its translation byte for byte,
// whatever the model writes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heed/model/cross_attention.h"
#include "heed/text/protected_spans.h"

namespace heed {

// The bytes [begin, end) of a text.
struct ByteRange {
  size_t begin = 0, end = 0;

  bool empty() const { return begin == end; }
  bool overlaps(size_t first, size_t last) const { return begin < last && first < end; }
};

// Appends the bytes of consecutive tokens, the first of which begins at `begin`; `ends` count from
// there.
void add_token_bytes(const std::vector<size_t>& ends, size_t begin, std::vector<ByteRange>& bytes);

// A part of a line that its translation must have.
struct ProtectedText {
  std::string text;
  // The source tokens [begin, end) that spell it, among those of all parts of the line; none in a
  // sentence that is copied.
  size_t begin_token = 0, end_token = 0;
  bool joined_before = false, joined_after = false;  // no white space, nor an end, on this side
};

struct ProtectedLine {
  ProtectedKinds kinds;
  std::vector<ProtectedText> spans;  // in order
  std::vector<std::string> unknown;  // characters, for protected_spans()
  // Of %{}, those that placeholders of the line have and nothing else of it, but for percent signs
  // of numbers ("50 %").
  std::string signs;
};

// The protected parts of a text whose tokens are these bytes of it.
ProtectedLine protected_line(std::string_view text, const ProtectedKinds& kinds,
                             const std::vector<std::string>& unknown,
                             const std::vector<ByteRange>& tokens);

// A translation in which protected parts were put into place.
struct RestoredText {
  std::string text;
  std::vector<ByteRange> tokens;  // as the bytes of the new text; of one that was removed, none
};

// Nothing if the translation has every protected part of the line as often as the line, and no
// other placeholder or address. Otherwise with exactly these: a part that is missing replaces what
// the model wrote in its place, by its attention, or follows the translation of what it
// follows; one too many is removed.
//
// `tokens` are those of the translation, as bytes of it. `attention` computes a row for each of
// them over the source tokens of the line; it may give none.
std::optional<RestoredText> restored(const ProtectedLine& line, const std::string& translation,
                                     const std::vector<ByteRange>& tokens,
                                     const std::function<AttentionWeights()>& attention);

}  // namespace heed
