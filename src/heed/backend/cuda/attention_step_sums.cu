// The products of attention in steps. Every score is one sum over d_key, every weighted sum one sum
// over the keys that a query sees, in their order: so the result of a query has the same bits alone
// and together with others.
#include <algorithm>

#include "heed/backend/cuda/attention_steps.h"
#include "heed/backend/cuda/layout_rules-inl.h"
#include "heed/backend/cuda/parts-inl.h"

namespace heed::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kWarp;
constexpr int kTile = kWarp;           // rows and columns of what a block computes
constexpr int kRows = kTile / kWarps;  // of a tile that one warp computes, a column in each lane
constexpr int kStride = kTile + 1;     // of rows in shared memory, so that a column is in all banks
constexpr int64_t kTileBytes = (kTile * kStride * int64_t(sizeof(float)) + 15) / 16 * 16;

constexpr int64_t tiles(int64_t count) {
  return blocks_for(count, kTile);
}

// For each lane, the sum of its values in all warps of the block; every warp gets it. `parts` is
// shared memory for a value of each thread, which the next call may use again.
__device__ float sum_of_warps(const Thread& thread, float value, float* parts) {
  parts[thread.index()] = value;
  thread.barrier();
  float sum = 0;
  for (int i = 0; i < thread.warps(); ++i) sum += parts[i * kWarp + thread.lane()];
  thread.barrier();
  return sum;
}

// out[c] += scale * the sum of partial[p][c] over p < count.
void add_partials(const float* partial, int64_t count, int64_t columns, float scale, float* out) {
  constexpr int kSumThreads = 1024;
  launch<kSumThreads>(
      tiles(columns), kSumThreads * int64_t(sizeof(float)), [=] __device__(const Thread& thread) {
        SharedMemory shared(thread);
        float* const parts = shared.take<float>(kSumThreads);
        const int64_t column = thread.block() * kTile + thread.lane();
        float sum = 0;
        for (int64_t p = thread.warp(); column < columns && p < count; p += thread.warps())
          sum += partial[p * columns + column];
        sum = sum_of_warps(thread, sum, parts);
        if (thread.warp() == 0 && column < columns) out[column] = fmaf(scale, sum, out[column]);
      });
}

// The tiles of every sequence and head: `rows` by `columns` of them, for the longest sequence.
struct Tiles {
  int64_t heads, rows, columns;

  int64_t count() const { return heads * rows * columns; }  // of a sequence
};

// The tile of a block.
struct Place {
  int64_t sequence;
  int head;
  int first_row, first_column;
  int64_t partial;  // which of the blocks that have this head and column

  __device__ Place(const Tiles& tiles, int64_t block) {
    const int64_t column = block % tiles.columns;
    const int64_t row = block / tiles.columns % tiles.rows;
    head = int(block / (tiles.columns * tiles.rows) % tiles.heads);
    sequence = block / (tiles.columns * tiles.rows * tiles.heads);
    first_row = int(row) * kTile;
    first_column = int(column) * kTile;
    partial = sequence * tiles.rows + row;
  }
};

// A matrix in a tensor: a head's queries, keys or scores of one sequence. Its sizes fit an int as
// offsets of a layout do.
struct Matrix {
  StepValues values;
  int64_t first;  // of its elements
  int stride;     // of its rows
  int rows, columns;
  const int32_t* places;  // of its rows in the tensor; null: they follow one another

  __device__ int64_t index(int row, int column) const {
    return first + int64_t(places ? places[row] : row) * stride + column;
  }
  // 0 where it has no element.
  __device__ float at(int row, int column) const {
    if (row >= rows || column >= columns) return 0;
    const int64_t i = index(row, column);
    return values.rounded ? from_bf16(values.rounded[i]) : values.floats[i];
  }
  // Copies the tile from this element on to shared memory.
  __device__ void load(const Thread& thread, int row, int column, float* tile) const {
    for (int i = thread.warp(); i < kTile; i += kWarps)
      tile[i * kStride + thread.lane()] = at(row + i, column + thread.lane());
  }
};

__device__ Matrix queries_of(const Sequence& sequence, const StepHeads& heads, int64_t head,
                             const float* query) {
  const int64_t stride = heads.count * heads.d, first = sequence.first_query * stride;
  return {{query, nullptr},      first + head * heads.d, int(stride),
          int(sequence.queries), int(heads.d),           nullptr};
}
// `head` is a key-value head.
__device__ Matrix keys_of(const Sequence& sequence, const StepHeads& heads, int64_t head,
                          const StepValues& key) {
  const int32_t* const rows = sequence.layout.key_rows;
  const int64_t stride = heads.key_value * heads.d, first = rows ? 0 : sequence.first_key * stride;
  return {key,          first + head * heads.d,
          int(stride),  int(sequence.keys),
          int(heads.d), rows ? rows + sequence.first_key : nullptr};
}
__device__ Matrix scores_of(const Sequence& sequence, int64_t number, const StepHeads& heads,
                            int64_t head, const float* scores) {
  const int64_t first = heads.count * sequence.layout.pairs[number];
  const int queries = int(sequence.queries), keys = int(sequence.keys);
  return {{scores, nullptr}, first + head * queries * keys, keys, queries, keys, nullptr};
}

// A term of a score: of a column of the query and the key.
struct Product {
  __device__ float add(float query, float key, int64_t, float sum) const {
    return fmaf(query, key, sum);
  }
};
struct AdditiveTerm {
  const float* v;

  __device__ float add(float query, float key, int64_t column, float sum) const {
    return fmaf(v[column], tanhf(query + key), sum);
  }
};

// scores = scale * the sum of the terms of all columns.
template <class Term>
void score_pairs(const StepShape& shape, const float* query, const StepValues& key, float scale,
                 const Term& term, float* scores) {
  const Tiles grid = {shape.heads.count, tiles(shape.layout.most_queries),
                      tiles(shape.layout.most_keys)};
  const int64_t group = shape.heads.group();
  launch<kThreads>(
      shape.layout.sequences * grid.count(), 2 * kTileBytes, [=] __device__(const Thread& thread) {
        SharedMemory shared(thread);
        float* const query_tile = shared.take<float>(kTile * kStride);
        float* const key_tile = shared.take<float>(kTile * kStride);
        const Place place(grid, thread.block());
        const Sequence sequence(shape.layout, place.sequence);
        if (place.first_row >= sequence.queries || place.first_column >= sequence.keys) return;
        const Matrix queries = queries_of(sequence, shape.heads, place.head, query);
        const Matrix keys = keys_of(sequence, shape.heads, place.head / group, key);
        const int64_t last = std::min<int64_t>(place.first_row + kTile, sequence.queries) - 1;
        const bool seen = place.first_column < sequence.visible_keys(last);
        float sums[kRows] = {};
        for (int column = 0; seen && column < queries.columns; column += kTile) {
          queries.load(thread, place.first_row, column, query_tile);
          keys.load(thread, place.first_column, column, key_tile);
          thread.barrier();
          const int count = std::min(int(kTile), queries.columns - column);
          for (int c = 0; c < count; ++c) {
            const float own = key_tile[thread.lane() * kStride + c];
            for (int r = 0; r < kRows; ++r)
              sums[r] = term.add(query_tile[(thread.warp() * kRows + r) * kStride + c], own,
                                 place.head * shape.heads.d + column + c, sums[r]);
          }
          thread.barrier();
        }
        const Matrix out = scores_of(sequence, place.sequence, shape.heads, place.head, scores);
        const int j = place.first_column + thread.lane();
        for (int r = 0; r < kRows; ++r) {
          const int i = place.first_row + thread.warp() * kRows + r;
          if (i < out.rows && j < out.columns)
            scores[out.index(i, j)] = j < sequence.visible_keys(i) ? scale * sums[r] : 0;
        }
      });
}

enum class Over { keys, queries };

// The keys that a query sees, for a sum over keys, or the queries that see a key, for one over
// queries.
template <Over over>
__device__ Keys others_of(const Sequence& sequence, int64_t own) {
  if (over == Over::keys) return {0, own < sequence.queries ? sequence.visible_keys(own) : 0};
  if (own >= sequence.keys) return {0, 0};
  const bool causal = sequence.layout.mask == Mask::causal;
  const int64_t first = causal ? own + sequence.queries - sequence.keys : 0;
  return {first > 0 ? first : 0, sequence.queries};
}

// A term of a sum over keys or queries: the weight of a pair, and a column of both of them.
struct WeightedTerm {
  static constexpr bool kReadsOwn = false;

  __device__ float factor(int64_t) const { return 1; }
  __device__ void add(float weight, float, float other, float, float& sum, float&) const {
    sum = fmaf(weight, other, sum);
  }
};
// The gradient of AdditiveTerm: the sum is that of query or key, dv that of v.
struct AdditiveSlope {
  static constexpr bool kReadsOwn = true;
  const float* v;

  __device__ float factor(int64_t column) const { return v[column]; }
  __device__ void add(float weight, float own, float other, float factor, float& sum,
                      float& dv) const {
    const float t = tanhf(own + other);
    sum = fmaf(weight * factor, fmaf(-t, t, 1.0f), sum);
    dv = fmaf(weight, t, dv);
  }
};

// A warp's part of a tile of sums: kRows queries or keys, a column in each lane.
template <Over over, class Term>
struct WarpSums {
  int first_row, column;
  float own[kRows] = {}, sums[kRows] = {}, dv = 0;
  int begin[kRows], end[kRows];  // of what each row is summed over

  __device__ WarpSums(const Thread& thread, const Place& place, const Sequence& sequence)
      : first_row(place.first_row + thread.warp() * kRows),
        column(place.first_column + thread.lane()) {
    for (int r = 0; r < kRows; ++r) {
      const Keys others = others_of<over>(sequence, first_row + r);
      begin[r] = int(others.begin), end[r] = int(others.end);
    }
  }
  __device__ void read_own(const Matrix& matrix) {
    for (int r = 0; Term::kReadsOwn && r < kRows; ++r) own[r] = matrix.at(first_row + r, column);
  }
  // Adds the terms of `count` others from the tiles in shared memory.
  __device__ void add(const Thread& thread, const Term& term, float factor, const float* weights,
                      const float* others, int first, int count) {
    // Distances in the tile of weights between two rows of this warp, and between two others that
    // are summed over.
    constexpr int kOwnStride = over == Over::keys ? kStride : 1;
    constexpr int kOtherStride = over == Over::keys ? 1 : kStride;
    for (int i = 0; i < count; ++i) {
      const float other = others[i * kStride + thread.lane()];
      for (int r = 0; r < kRows; ++r) {
        const float weight = weights[(thread.warp() * kRows + r) * kOwnStride + i * kOtherStride];
        if (first + i >= begin[r] && first + i < end[r])
          term.add(weight, own[r], other, factor, sums[r], dv);
      }
    }
  }
  __device__ void write(const Matrix& result, float scale, float* out) const {
    for (int r = 0; r < kRows; ++r)
      if (first_row + r < result.rows && column < result.columns)
        out[result.index(first_row + r, column)] = scale * sums[r];
  }
};

struct SumOperands {
  const float *weights, *query;
  StepValues key;
};

// out = scale * the sum of the terms over keys, for each query, or over the queries of all heads of
// the group, for each key. Sums of dv over each block are written to partial_dv, if it is not null.
template <Over over, class Term>
void sum_pairs(const StepShape& shape, const SumOperands& operands, float scale, const Term& term,
               float* out, float* partial_dv) {
  constexpr bool kOverKeys = over == Over::keys;
  const StepHeads heads = shape.heads;
  const int group = int(heads.group()), summed_heads = kOverKeys ? 1 : group;
  const Tiles grid = {kOverKeys ? heads.count : heads.key_value,
                      tiles(kOverKeys ? shape.layout.most_queries : shape.layout.most_keys),
                      tiles(heads.d)};
  launch<kThreads>(
      shape.layout.sequences * grid.count(), 2 * kTileBytes, [=] __device__(const Thread& thread) {
        SharedMemory shared(thread);
        float* const weight_tile = shared.take<float>(kTile * kStride);
        float* const other_tile = shared.take<float>(kTile * kStride);
        const Place place(grid, thread.block());
        const Sequence sequence(shape.layout, place.sequence);
        WarpSums<over, Term> sums(thread, place, sequence);
        const int64_t rows = kOverKeys ? sequence.queries : sequence.keys;
        const int64_t last = std::min<int64_t>(place.first_row + kTile, rows) - 1;
        const int begin = int(others_of<over>(sequence, place.first_row).begin);
        const int end = place.first_row < rows ? int(others_of<over>(sequence, last).end) : 0;
        for (int h = place.head * summed_heads; h < (place.head + 1) * summed_heads; ++h) {
          const Matrix weights = scores_of(sequence, place.sequence, heads, h, operands.weights);
          const Matrix queries = queries_of(sequence, heads, h, operands.query);
          const Matrix keys = keys_of(sequence, heads, h / group, operands.key);
          const float factor = sums.column < heads.d ? term.factor(h * heads.d + sums.column) : 0;
          sums.read_own(kOverKeys ? queries : keys);
          for (int first = begin; first < end; first += kTile) {
            weights.load(thread, kOverKeys ? place.first_row : first,
                         kOverKeys ? first : place.first_row, weight_tile);
            (kOverKeys ? keys : queries).load(thread, first, place.first_column, other_tile);
            thread.barrier();
            sums.add(thread, term, factor, weight_tile, other_tile, first,
                     std::min(int(kTile), end - first));
            thread.barrier();
          }
        }
        sums.write(kOverKeys ? queries_of(sequence, heads, place.head, out)
                             : keys_of(sequence, heads, place.head, {out, nullptr}),
                   scale, out);
        if (!partial_dv) return;
        const float dv = sum_of_warps(thread, sums.dv, weight_tile);
        if (thread.warp() == 0 && sums.column < heads.d)
          partial_dv[(place.partial * heads.count + place.head) * heads.d + sums.column] = dv;
      });
}

}  // namespace

void scaled_scores(const StepShape& shape, const float* query, const StepValues& key, float scale,
                   float* scores) {
  score_pairs(shape, query, key, scale, Product{}, scores);
}

void additive_scores(const StepShape& shape, const float* query, const StepValues& key,
                     const float* v, float* scores) {
  score_pairs(shape, query, key, 1, AdditiveTerm{v}, scores);
}

void sum_over_keys(const StepShape& shape, const float* weights, const StepValues& key, float scale,
                   float* out) {
  sum_pairs<Over::keys>(shape, {weights, nullptr, key}, scale, WeightedTerm{}, out, nullptr);
}

void sum_over_queries(const StepShape& shape, const float* weights, const float* query, float scale,
                      float* out) {
  sum_pairs<Over::queries>(shape, {weights, query, {}}, scale, WeightedTerm{}, out, nullptr);
}

int64_t additive_partials(const StepShape& shape) {
  return shape.layout.sequences * tiles(shape.layout.most_queries) * shape.heads.count *
         shape.heads.d;
}

void additive_scores_gradient(const StepShape& shape, const AdditiveOperands& operands,
                              const AdditiveGradient& gradient) {
  const SumOperands sum = {operands.dscores, operands.query, {operands.key, nullptr}};
  const AdditiveSlope term = {operands.v};
  sum_pairs<Over::keys>(shape, sum, 1, term, gradient.dquery, gradient.partial_dv);
  sum_pairs<Over::queries>(shape, sum, 1, term, gradient.dkey, nullptr);
  const int64_t columns = shape.heads.count * shape.heads.d;
  add_partials(gradient.partial_dv, additive_partials(shape) / columns, columns, 1, gradient.dv);
}

int64_t position_partials(const StepShape& shape, const PositionTable& options) {
  if (!options.shared) return 0;
  return shape.layout.sequences * tiles(shape.layout.most_queries) * shape.heads.count *
         options.count;
}

// A block for each tile of queries, a lane for each bucket. A call with one query has the same bits
// whether its table is one that queries share or has a row for each query.
void sum_weights_by_position(const StepShape& shape, const PositionTable& options,
                             const int32_t* ranges, const float* weights, float* partial,
                             float* sums) {
  const Tiles grid = {shape.heads.count, tiles(shape.layout.most_queries), tiles(options.count)};
  launch<kThreads>(
      shape.layout.sequences * grid.count(), kThreads * int64_t(sizeof(float)),
      [=] __device__(const Thread& thread) {
        SharedMemory shared(thread);
        float* const parts = shared.take<float>(kThreads);
        const Place place(grid, thread.block());
        const Sequence sequence(shape.layout, place.sequence);
        const Matrix rows = scores_of(sequence, place.sequence, shape.heads, place.head, weights);
        const int64_t bucket = place.first_column + thread.lane();
        const bool present = bucket < options.count;
        const int64_t begin = present ? ranges[2 * bucket] : 0;
        const int64_t end = present ? ranges[2 * bucket + 1] : 0;
        const int64_t last = std::min<int64_t>(place.first_row + kTile, sequence.queries);
        float total = 0;
        for (int i = place.first_row + thread.warp(); present && i < last; i += kWarps) {
          const int64_t origin = options.absolute ? 0 : sequence.position(i);
          const int stop = int(std::min(end + origin, sequence.visible_keys(i)));
          float sum = 0;
          for (int j = int(std::max<int64_t>(begin + origin, 0)); j < stop; ++j)
            sum += weights[rows.index(i, j)];
          total += sum;
          if (options.shared) continue;
          float& to =
              sums[((sequence.first_query + i) * shape.heads.count + place.head) * options.count +
                   bucket];
          to = fmaf(options.scale, sum, to);
        }
        if (!options.shared) return;
        total = sum_of_warps(thread, total, parts);
        if (thread.warp() == 0 && present)
          partial[(place.partial * shape.heads.count + place.head) * options.count + bucket] =
              total;
      });
  if (!options.shared) return;
  const int64_t columns = shape.heads.count * options.count;
  add_partials(partial, shape.layout.sequences * tiles(shape.layout.most_queries), columns,
               options.scale, sums);
}

}  // namespace heed::cuda
