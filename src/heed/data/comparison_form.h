// When lines count as the same text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heed::detail {

// The line as a model sees it whose source is normalized by nmt_nfkc, SentencePiece's default, so
// that lines which are one to the model have one form: Unicode's NFKC (composed characters, full
// width, ligatures), no control characters, and one space for any white space and for zero-width
// and byte order marks, none at the ends. Invalid UTF-8 stays as it is, and lines of more than
// 1 MiB are not composed. A Normalizer gives the same; it encodes each line, which takes many times
// as long and 100 bytes of memory for each byte.
std::string comparison_form(std::string_view line);

// The hash of comparison_form().
uint64_t line_fingerprint(std::string_view line);

}  // namespace heed::detail
