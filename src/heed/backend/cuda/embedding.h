// Rows that are read or written at places which a list gives: embeddings and the KV cache.
#pragma once

#include <cstdint>

#include "heed/core/rng.h"

namespace heed::cuda {

// As the kernel embed in backend/backend.h.
struct Embedding {
  const int32_t* ids;  // [rows]
  const float* table;  // or null: then `bf16_table` has the values
  const uint16_t* bf16_table;
  int64_t stride;          // of the table's rows
  const float* positions;  // or null: then the layout is not read
  const int32_t* offsets;  // [sequences + 1] where each one's rows begin
  const int32_t* start;    // [sequences] or null: all 0
  int64_t rows, sequences, columns;
  float scale;
  float* out;
};
void embed(const Embedding& embedding, const Dropout& dropout);

// Rows of the gradient that have one id: order[begin, end). Those of a frequent id are in several
// pieces, whose sums are added in the end.
struct EmbeddingPiece {
  int32_t id, begin, end;
  int32_t partial;  // the number of the piece's partial sum, or -1 for an id's only piece
};
// The partial sums [begin, end) of a frequent id.
struct EmbeddingSum {
  int32_t id, begin, end;
};
constexpr int32_t kPieceRows = 32;

struct EmbeddingGradient {
  const int32_t* order;  // rows, sorted by their ids, those of an id in increasing order
  const EmbeddingPiece* pieces;
  const EmbeddingSum* sums;
  int64_t piece_count, sum_count, columns;
  const float* dout;
  float scale;
  float* partials;  // [partial sums, columns]
  float* dtable;
};
void embed_gradient(const EmbeddingGradient& gradient, const Dropout& dropout);

// cache[rows[i]] = x[i] for `count` rows.
void write_cache(const float* x, const int32_t* rows, int64_t count, int64_t columns, float* cache);
void write_cache(const float* x, const int32_t* rows, int64_t count, int64_t columns,
                 uint16_t* cache);

}  // namespace heed::cuda
