// Tags inside a sentence, put around the words of its translation that they wrapped.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heed/decode/alignment.h"

namespace heed {

// A tag, or a pair of tags with what is between them.
struct TagSpan {
  static constexpr size_t kNone = size_t(-1);

  size_t begin = 0, end = 0;  // bytes of the text between the tags; equal: none
  size_t open = 0;            // a number for the start tag, or for a tag alone
  size_t close = kNone;       // the same for the end tag, if there is one
  bool spaced = false;        // white space that the text has before it was also behind it
  bool fixed = false;         // the text belongs to the tag `open`, and is not translated
  size_t parent = kNone;      // the span around it: an earlier one
};

struct MarkedText {
  std::string text;            // without the tags
  std::vector<TagSpan> spans;  // in the order of their start tags, properly nested
};

// A part of a translation: text, or a tag.
struct PlacedPart {
  std::string_view text;
  size_t tag = TagSpan::kNone;  // TagSpan::open or close; kNone: it is text

  bool is_tag() const { return tag != TagSpan::kNone; }
};

// Every tag of the text is in the result exactly once, properly nested, in its parent. A span is
// put around the words of the translation that are aligned with its words, more of them than of
// others; a span without such words, or without text, follows the translation of the word before
// it. The text of the result is that of the translation, but for that of fixed spans, which their
// tags replace.
//
// `links` are pairs of words (decode/text_units.h). The translation must outlive the result.
std::vector<PlacedPart> place_tags(const MarkedText& source, std::string_view translation,
                                   const std::vector<AlignedPair>& links);

}  // namespace heed
