// The positions of the tokens of a batch, for attention.
#pragma once

#include <vector>

#include "heed/core/ragged.h"

namespace heed::detail {

// The position of each token in its sentence.
inline Indices positions_of(const Tokens& tokens) {
  std::vector<int32_t> positions;
  positions.reserve(size_t(tokens.layout.rows()));
  for (int64_t b = 0; b < tokens.layout.count(); ++b)
    for (int64_t i = 0; i < tokens.layout.length(b); ++i)
      positions.push_back(int32_t(tokens.start_of(b) + i));
  return positions;
}

}  // namespace heed::detail
