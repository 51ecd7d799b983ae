// Batches without padding: sequences laid end to end, and their offsets.
#pragma once

#include <cstdint>
#include <span>

#include "heed/core/error.h"
#include "heed/core/indices.h"

namespace heed {

using TokenId = int32_t;
// The id of a token that a vocabulary lacks.
inline constexpr TokenId kNoToken = -1;

// The offsets of sequences in a tensor that has them end to end: sequence b is rows
// [offsets[b], offsets[b + 1]). FlashAttention calls such offsets cu_seqlens.
struct Ragged {
  Indices offsets = {0};

  int64_t count() const { return int64_t(offsets.size()) - 1; }
  int64_t rows() const { return offsets.back(); }
  int64_t length(int64_t b) const { return offsets[size_t(b) + 1] - offsets[size_t(b)]; }
  // Appends a sequence of `length` rows.
  void add(int64_t length) {
    check(length >= 0 && length <= INT32_MAX - rows(), "too many rows in one batch");
    offsets.push_back(int32_t(rows() + length));
  }
};

// Token ids of a batch, and the position in its sentence at which each sequence begins.
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
