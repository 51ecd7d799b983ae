// The parts of attention and its gradient: tiles of queries and keys in shared memory, their
// products, and the rules of scores and dropout.
#pragma once

#include "heed/backend/cuda/attention.h"
#include "heed/backend/cuda/layout_rules-inl.h"
#include "heed/backend/cuda/parts-inl.h"

namespace heed::cuda {

// Queries or keys of a tile. Tiles of keys begin at multiples of kTile from the sequence's key 0.
constexpr int kTile = 32;
constexpr int kColumns = 64;  // columns of a tile; wider heads are several chunks
constexpr int kRowFours = kColumns / 4;
// How far apart rows lie in shared memory: the Fours of eight neighbouring rows have different
// banks.
constexpr int kRowStride = kColumns + 4;
constexpr int kPairStride = kTile + 4;

constexpr int64_t chunks_of(int64_t columns) {
  return blocks_for(columns, kColumns);
}

// Four values that are read or written at once.
template <class T>
struct alignas(4 * sizeof(T)) Four {
  T at[4];
};
__device__ inline Four<float> four_at(const float* from) {
  return *reinterpret_cast<const Four<float>*>(from);
}
__device__ inline void put_four(const Four<float>& four, float* to) {
  *reinterpret_cast<Four<float>*>(to) = four;
}

__device__ inline float to_float(float x) {
  return x;
}
__device__ inline float to_float(uint16_t x) {
  return from_bf16(x);
}

// Whether rows of heads of this number of columns can be read four values at once.
template <class T>
bool in_fours(const T* values, int64_t columns) {
  return columns % 4 == 0 && reinterpret_cast<uintptr_t>(values) % (4 * sizeof(T)) == 0;
}

// The columns of one head in a matrix. kFours: it is in_fours(). Kernels that know it when they are
// compiled take far fewer registers.
template <class T, bool kFours>
struct HeadColumns {
  T* first;  // of row 0
  int stride, columns;

  // Columns [column, column + 4) of a row, 0 where there are none.
  __device__ auto four(int row, int column) const {
    Four<std::remove_const_t<T>> result = {};
    if (column >= columns) return result;
    const T* from = first + int64_t(row) * stride + column;
    if constexpr (kFours) {
      result = *reinterpret_cast<const decltype(result)*>(from);
    } else {
      for (int i = 0; i < 4; ++i)
        if (column + i < columns) result.at[i] = from[i];
    }
    return result;
  }
  __device__ void put(const Four<float>& four, int row, int column) const {
    if (column >= columns) return;
    T* to = first + int64_t(row) * stride + column;
    if constexpr (kFours) {
      put_four(four, to);
    } else {
      for (int i = 0; i < 4; ++i)
        if (column + i < columns) to[i] = four.at[i];
    }
  }
};

// A matrix [rows, heads * columns].
template <class T, bool kFours>
struct HeadMatrix {
  HeadMatrix(T* values, int64_t head_count, int64_t head_columns)
      : data(values), heads(int(head_count)), columns(int(head_columns)) {}

  __device__ HeadColumns<T, kFours> head(int head) const {
    return {data + head * columns, heads * columns, columns};
  }

  T* data;
  int heads, columns;
};

// The last i of [0, count) with value(i) <= wanted, for values that do not decrease and begin with
// one that is not greater. All lanes of the warp call it, and get it after few steps.
template <class F>
__device__ inline int last_not_above(const Thread& thread, int count, int64_t wanted,
                                     const F& value) {
  int begin = 0, end = count;
  while (end - begin > 1) {
    const int step = (end - begin + kWarp - 1) / kWarp, i = begin + thread.lane() * step;
    const int below = warp_sum(thread, i < end && value(i) <= wanted ? 1 : 0);
    begin += (below - 1) * step;
    end = end < begin + step ? end : begin + step;
  }
  return begin;
}

// A block's tile of the rows of a ragged matrix. Sequence b has tiles from number
// offsets[b] / kTile + b on: at least as many as it needs, and at least
// one.
struct TilePlace {
  int sequence;
  int64_t first;  // row in the sequence; may be beyond its end
};
constexpr int64_t tile_places(int64_t rows, int64_t sequences) {
  return rows / kTile + sequences;
}
__device__ inline TilePlace tile_place(const Thread& thread, const int32_t* offsets,
                                       int64_t sequences, int64_t number) {
  const auto begin = [offsets](int b) { return int64_t(offsets[b] / kTile) + b; };
  const int b = last_not_above(thread, int(sequences), number, begin);
  return {b, (number - begin(b)) * kTile};
}

// The work of a block of a launch: a head and a slice of one of the numbered tiles or rows.
struct BlockPlace {
  __device__ BlockPlace(int64_t block, int heads, int slices)
      : number(uint32_t(block) / uint32_t(heads * slices)),
        head(int(uint32_t(block) / uint32_t(slices) % uint32_t(heads))),
        slice(int(uint32_t(block) % uint32_t(slices))) {}

  int64_t number;  // of the tile or row
  int head, slice;
};

// A tile's rows [begin, end) are rows row_of(r) of a matrix; the rows before them, those up to a
// multiple of four after them, and columns that the matrix lacks are 0.
template <int kThreads, class T, bool kFours, class RowOf>
__device__ inline void load_tile(const Thread& thread, const HeadColumns<T, kFours>& from,
                                 int column, int begin, int end, const RowOf& row_of, float* tile) {
  constexpr int kRows = kThreads / kRowFours, kRounds = 4;  // rounds that are on their way together
  const int c = thread.index() % kRowFours * 4, rows = (end + 3) / 4 * 4;
  for (int first = thread.index() / kRowFours; first < rows; first += kRounds * kRows) {
    Four<std::remove_const_t<T>> staged[kRounds];
    for (int i = 0; i < kRounds; ++i) {
      const int r = first + i * kRows;
      staged[i] = {};
      if (r >= begin && r < end) staged[i] = from.four(row_of(r), column + c);
    }
    for (int i = 0; i < kRounds; ++i) {
      Four<float> four;
      for (int k = 0; k < 4; ++k) four.at[k] = to_float(staged[i].at[k]);
      if (first + i * kRows < rows) put_four(four, tile + (first + i * kRows) * kRowStride + c);
    }
  }
}

// In products of a tile of queries and one of keys, two warps share the tile: a lane has the
// queries first_query + 4 i and the keys first_key + 8 m.
struct PairLane {
  __device__ explicit PairLane(const Thread& thread)
      : warp_query(thread.warp() % 2 * (kTile / 2)),
        first_query(warp_query + thread.lane() / 8),
        first_key(thread.lane() % 8) {}

  int warp_query;  // the first of the warp
  int first_query, first_key;
};

// sums[i][m] += query i . key m for the lane's queries and keys of two tiles, in the order of the
// columns. The products of rows that were not loaded are not used.
__device__ inline void add_products(const PairLane& lane, const float* queries, const float* keys,
                                    int columns, float (&sums)[4][4]) {
  const float* a = queries + lane.first_query * kRowStride;
  const float* b = keys + lane.first_key * kRowStride;
  const float* const end = a + (columns < kColumns ? (columns + 3) / 4 * 4 : kColumns);
  for (; a < end; a += 4, b += 4) {
    Four<float> left[4], right[4];
    for (int i = 0; i < 4; ++i) left[i] = four_at(a + i * 4 * kRowStride);
    for (int m = 0; m < 4; ++m) right[m] = four_at(b + m * 8 * kRowStride);
    for (int k = 0; k < 4; ++k)
      for (int i = 0; i < 4; ++i)
        for (int m = 0; m < 4; ++m) sums[i][m] = fmaf(left[i].at[k], right[m].at[k], sums[i][m]);
  }
}

// The score of a key, from the product of its column vector with the query's. No other expression
// computes it, so that all kernels get the same bits.
__device__ inline float score_of(float product, float scale, float slope, int distance) {
  return fmaf(product, scale, -slope * fabsf(float(distance)));
}
// 0 without ALiBi.
__device__ inline float slope_of(ScoreBias bias, int head, int heads) {
  if (bias == ScoreBias::none) return 0;
  return float(exp2(-8 * double(head + 1) / double(heads)));
}

// Dropout on weights: each row of each head has DropoutKeys of its own.
struct WeightDropout {
  explicit WeightDropout(const Dropout& options)
      : dropout(options),
        threshold(options.threshold()),
        scale(float(options.scale())),
        drops(bool(options)) {}

  __device__ DropoutKeys keys(int64_t row, int head, int heads) const {
    return drops ? dropout.keys(uint64_t(row * heads + head)) : DropoutKeys{0, 0};
  }
  __device__ float factor(DropoutKeys random, int key) const {
    return !drops ? 1 : dropout_bits(random, uint32_t(key)) >= threshold ? scale : 0;
  }

  Dropout dropout;
  uint32_t threshold;
  float scale;
  bool drops;
};

// The keys [begin, end) that a query sees.
struct Sight {
  int begin = 0, end = 0, position = 0;
  DropoutKeys dropout = {0, 0};

  __device__ bool sees(int key) const { return key >= begin && key < end; }
};
__device__ inline Sight sight_of(const Sequence& sequence, int64_t query, const AttentionRule& rule,
                                 const WeightDropout& dropout, int head, int heads) {
  if (query >= sequence.queries) return {};
  const Keys keys = sequence.visible(query, rule.window);
  return {int(keys.begin), int(keys.end), int(sequence.position(query)),
          dropout.keys(sequence.first_query + query, head, heads)};
}

// The keys from the first to the last that a query of the warp's lanes sees.
struct Hull {
  int begin, end;

  // Their part of the tile of keys that begins at `key`, counted from it; may be empty.
  __device__ int begin_in(int key) const { return begin > key ? begin - key : 0; }
  __device__ int end_in(int key) const { return end - key < kTile ? end - key : kTile; }
  __device__ bool meets(int key) const { return begin_in(key) < end_in(key); }
};
__device__ inline Hull hull_of(const Thread& thread, const Sight& sight) {
  const bool blind = sight.begin >= sight.end;
  Hull hull = {blind ? INT32_MAX : sight.begin, blind ? 0 : sight.end};
  for (int mask = kWarp / 2; mask > 0; mask /= 2) {
    const int begin = thread.shuffle_xor(hull.begin, mask);
    const int end = thread.shuffle_xor(hull.end, mask);
    hull = {begin < hull.begin ? begin : hull.begin, end > hull.end ? end : hull.end};
  }
  return hull;
}

}  // namespace heed::cuda
