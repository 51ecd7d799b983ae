#include "heed/backend/cuda/chunk-inl.h"
#include "heed/backend/cuda/embedding.h"
#include "heed/backend/cuda/parts-inl.h"

namespace heed::cuda {
namespace {

constexpr int kThreads = 128;

// The sequence that a row belongs to: the last one that begins at it or before.
__device__ int64_t sequence_of(const int32_t* offsets, int64_t sequences, int64_t row) {
  int64_t begin = 0, end = sequences;  // sequences 0 to `begin` begin at the row or before
  while (end - begin > 1) {
    const int64_t middle = (begin + end) / 2;
    (offsets[middle] <= row ? begin : end) = middle;
  }
  return begin;
}

// The position of a row in its sentence.
__device__ int64_t position_of(const Embedding& e, int64_t row) {
  const int64_t b = sequence_of(e.offsets, e.sequences, row);
  return (e.start ? e.start[b] : 0) + row - e.offsets[b];
}

template <class T>
void embed_from(const T* table, const Embedding& e, const Dropout& dropout) {
  const DropoutFactors factor(dropout);
  const Columns columns = columns_of(e.columns, table, e.positions, e.out);
  for_each_chunk(e.rows, columns, [=] __device__(int64_t row, int64_t c) {
    const Chunk values = load_chunk(table + e.ids[row] * e.stride, c, columns);
    Chunk out = {};
    if (e.positions)
      out = load_chunk(e.positions + position_of(e, row) * columns.count, c, columns);
    const int64_t first = row * columns.count;
    for (int j = 0; j < kChunk; ++j)
      out.value[j] = fmaf(e.scale, values.value[j], out.value[j]) * factor(first + c + j);
    store_chunk(out, e.out + first, c, columns);
  });
}

// The sum of dropout(row) over the rows of `from` that begin at first_of(i) for i in [begin, end),
// in this order, of the columns from c on. The values of kAhead rows are on their way at a time.
template <int kAhead, class FirstOf>
__device__ Chunk sum_rows(const float* from, int32_t begin, int32_t end, int64_t c,
                          const Columns& columns, const DropoutFactors& factor,
                          const FirstOf& first_of) {
  Chunk sum = {};
  for (int32_t i = begin; i < end; i += kAhead) {
    int64_t first[kAhead] = {};
    Chunk ahead[kAhead] = {};
    for (int k = 0; k < kAhead; ++k)
      if (i + k < end) first[k] = first_of(i + k);
    for (int k = 0; k < kAhead; ++k)
      if (i + k < end) ahead[k] = load_chunk(from + first[k], c, columns);
    for (int k = 0; k < kAhead; ++k)  // beyond the end zeros
      for (int j = 0; j < kChunk; ++j)
        sum.value[j] = fmaf(factor(first[k] + c + j), ahead[k].value[j], sum.value[j]);
  }
  return sum;
}

// row += scale * sum, for a chunk.
__device__ void add_scaled(const Chunk& sum, float scale, float* row, int64_t c,
                           const Columns& columns) {
  Chunk total = load_chunk(row, c, columns);
  for (int j = 0; j < kChunk; ++j) total.value[j] = fmaf(scale, sum.value[j], total.value[j]);
  store_chunk(total, row, c, columns);
}

// A block for each piece: its sum is complete, or one of those that sum_partials() adds.
void sum_pieces(const EmbeddingGradient& g, const Columns& columns, const Dropout& dropout) {
  const DropoutFactors factor(dropout);
  launch<kThreads>(g.piece_count, 0, [=] __device__(const Thread& thread) {
    const EmbeddingPiece piece = g.pieces[thread.block()];
    for (int64_t c = thread.index() * kChunk; c < columns.count; c += kThreads * kChunk) {
      const Chunk sum = sum_rows<4>(g.dout, piece.begin, piece.end, c, columns, factor,
                                    [&](int32_t i) { return g.order[i] * columns.count; });
      if (piece.partial < 0)
        add_scaled(sum, g.scale, g.dtable + piece.id * columns.count, c, columns);
      else
        store_chunk(sum, g.partials + piece.partial * columns.count, c, columns);
    }
  });
}

// A block for each frequent id.
void sum_partials(const EmbeddingGradient& g, const Columns& columns) {
  const DropoutFactors as_they_are{Dropout()};
  launch<kThreads>(g.sum_count, 0, [=] __device__(const Thread& thread) {
    const EmbeddingSum part = g.sums[thread.block()];
    for (int64_t c = thread.index() * kChunk; c < columns.count; c += kThreads * kChunk) {
      const Chunk sum = sum_rows<8>(g.partials, part.begin, part.end, c, columns, as_they_are,
                                    [&](int32_t i) { return i * columns.count; });
      add_scaled(sum, g.scale, g.dtable + part.id * columns.count, c, columns);
    }
  });
}

template <class T>
void write_rows(const float* x, const int32_t* rows, int64_t count, int64_t width, T* cache) {
  const Columns columns = columns_of(width, x, cache);
  for_each_chunk(count, columns, [=] __device__(int64_t i, int64_t c) {
    store_chunk(load_chunk(x + i * width, c, columns), cache + rows[i] * width, c, columns);
  });
}

}  // namespace

void embed(const Embedding& embedding, const Dropout& dropout) {
  if (embedding.table)
    embed_from(embedding.table, embedding, dropout);
  else
    embed_from(embedding.bf16_table, embedding, dropout);
}

void embed_gradient(const EmbeddingGradient& gradient, const Dropout& dropout) {
  const Columns columns =
      columns_of(gradient.columns, gradient.dout, gradient.partials, gradient.dtable);
  sum_pieces(gradient, columns, dropout);
  sum_partials(gradient, columns);
}

void write_cache(const float* x, const int32_t* rows, int64_t count, int64_t columns,
                 float* cache) {
  write_rows(x, rows, count, columns, cache);
}
void write_cache(const float* x, const int32_t* rows, int64_t count, int64_t columns,
                 uint16_t* cache) {
  write_rows(x, rows, count, columns, cache);
}

}  // namespace heed::cuda
