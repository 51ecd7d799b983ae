// Batches without padding: sequences laid end to end.
#pragma once

#include <cstdint>
#include <span>

#include "heed/core/error.h"
#include "heed/core/indices.h"

namespace heed {

using TokenId = int32_t;

// Sequence b owns rows [begin[b], begin[b + 1]).
struct Ragged {
  Indices begin = {0};

  int64_t count() const { return int64_t(begin.size()) - 1; }
  int64_t rows() const { return begin.back(); }
  int64_t length(int64_t b) const { return begin[size_t(b) + 1] - begin[size_t(b)]; }
  // Adds a sequence of `length` rows behind the last.
  void add(int64_t length) {
    check(length >= 0 && length <= INT32_MAX - rows(), "too many rows in one batch");
    begin.push_back(int32_t(rows() + length));
  }
};

// Token ids of a batch, and where in its sentence each sequence begins.
struct Tokens {
  Indices ids;    // [rows]
  Ragged layout;  // rows of each sequence
  Indices start;  // [sequences] position of the first token; empty: all 0

  int64_t start_of(int64_t b) const { return start.empty() ? 0 : start[size_t(b)]; }
  void add(std::span<const TokenId> sequence) {
    ids.append(sequence);
    layout.add(int64_t(sequence.size()));
  }
};

}  // namespace heed
