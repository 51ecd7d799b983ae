// How texts of reStructuredText are written.
#pragma once

#include <string>
#include <string_view>

#include "heed/documents/formatted_document.h"

namespace heed::detail {

// Paragraphs and titles; the terms of definitions, which " : " would end; paragraphs before a
// literal block, which end in "::"; and values that docutils reads as they are.
extern const TextStyle kRstText, kRstTerm, kRstIntroduction, kRstValue;

// The shapes of tags (DocumentTag::shape): those around words, whose own words are
// DocumentTag::tried, and those that are whole.
inline constexpr std::string_view kRstOpen = "\1", kRstClose = "\2", kRstWhole = "\3";

}  // namespace heed::detail
