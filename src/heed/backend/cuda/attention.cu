// Equation 1 in two kernels with the same arithmetic: one for tiles of queries, whose keys and
// values lie in shared memory, and one for few queries, as in decoding, a warp for each.
//
// A score is one accumulator over d_key, an output one over the keys in their order, from tile to
// tile of kTile keys by the online softmax (Milakov and Gimelshein, 2018): what was summed is
// multiplied by exp(old maximum - new maximum). A key that a query does not see adds 0 and changes
// no bit, nor does a tile of such keys. So the result of a query depends neither on the other
// queries nor on the kernel.
#include "heed/backend/cuda/attention.h"
#include "heed/backend/cuda/attention_tiles-inl.h"

namespace heed::cuda {
namespace {

// Sequences of at most this number of queries have a warp for each query: a warp of a tile computes
// on 16 queries, however few there are.
constexpr int64_t kFewQueries = 8;

constexpr int kTileThreads = 64;

template <class T, bool kFours>
struct Forward {
  Layout layout;
  int heads;   // of the query
  int group;   // heads that share a key-value head
  int slices;  // chunks of the values' columns; each is summed apart
  AttentionRule rule;
  WeightDropout dropout;
  HeadMatrix<const float, kFours> query;
  HeadMatrix<const T, kFours> key, value;
  HeadMatrix<float, kFours> out;
  float *logsumexp, *weights;
};

// The softmax of a query so far.
struct Softmax {
  float maximum = -INFINITY, sum = 0;

  // Returns the factor of what was summed before.
  __device__ float raise_maximum(float other) {
    const float before = maximum;
    maximum = fmaxf(maximum, other);
    return expf(before - reference());
  }
  __device__ float reference() const { return maximum == -INFINITY ? 0 : maximum; }
  // The last step of the hardware's expf is an exact product with a power of two, so a sum with
  // the result has the same bits whether or not the compiler contracts the two to a multiply-add.
  __device__ float term(float score) const { return expf(score - reference()); }
  __device__ void add(float factor, float terms) { sum = fmaf(sum, factor, terms); }
  __device__ float inverse() const { return sum == 0 ? 0 : 1 / sum; }
  __device__ float logarithm() const { return maximum + logf(sum); }
};

// The maximum, or the sum, over a tile's 32 keys, of which each of eight lanes has four (PairLane
// in attention_tiles-inl.h): first over a lane's own keys, then over the eight lanes. It is the
// order of warp_sum() where each of 32 lanes has one key.
__device__ float octets_max(const Thread& thread, const float (&keys)[4]) {
  float maximum = fmaxf(fmaxf(keys[0], keys[2]), fmaxf(keys[1], keys[3]));
  for (int mask = 4; mask > 0; mask /= 2)
    maximum = fmaxf(maximum, thread.shuffle_xor(maximum, mask));
  return maximum;
}
__device__ float octets_sum(const Thread& thread, const float (&keys)[4]) {
  float sum = (keys[0] + keys[2]) + (keys[1] + keys[3]);
  for (int mask = 4; mask > 0; mask /= 2) sum += thread.shuffle_xor(sum, mask);
  return sum;
}

// A lane's share of a tile: eight columns of the output for each of four queries.
template <class T, bool kFours>
class TileLane {
 public:
  __device__ TileLane(const Thread& thread, const Forward<T, kFours>& o, float slope,
                      const Sight* sights, float* weights)
      : thread_(thread), o_(o), lane_(thread), slope_(slope), sights_(sights), weights_(weights) {}

  // Adds the keys of a tile, [key, key + kTile), whose products with the queries are given, to the
  // softmax, except those that a query does not see. Their weights are written to shared memory.
  __device__ void weigh(int key, const float (&products)[4][4]) {
    for (int i = 0; i < 4; ++i) {
      const int query = lane_.first_query + 4 * i;
      const Sight& sight = sights_[query];
      float terms[4];
      for (int m = 0; m < 4; ++m) {
        const int j = key + lane_.first_key + 8 * m;
        terms[m] = sight.sees(j)
                       ? score_of(products[i][m], o_.rule.scale, slope_, j - sight.position)
                       : -INFINITY;
      }
      Softmax& softmax = softmax_[i];
      const float factor = softmax.raise_maximum(octets_max(thread_, terms));
      for (float& term : terms) term = softmax.term(term);
      softmax.add(factor, octets_sum(thread_, terms));
      for (float& sum : sums_[i]) sum *= factor;
      for (int m = 0; m < 4; ++m) {
        const int j = lane_.first_key + 8 * m;
        weights_[query * kPairStride + j] = terms[m] * o_.dropout.factor(sight.dropout, key + j);
      }
    }
  }

  // Adds the weighted values of the tile's first `keys` keys.
  __device__ void add_values(const float* values, int keys) {
    const float* weights = weights_ + lane_.first_query * kPairStride;
    values += column();
    for (int j = 0; j < keys; j += 4) {
      Four<float> weight[4];
      for (int i = 0; i < 4; ++i) weight[i] = four_at(weights + i * 4 * kPairStride + j);
      for (int k = 0; k < 4; ++k) {
        const Four<float> low = four_at(values + (j + k) * kRowStride);
        const Four<float> high = four_at(values + (j + k) * kRowStride + kColumns / 2);
        for (int i = 0; i < 4; ++i)
          for (int n = 0; n < 4; ++n) {
            sums_[i][n] = fmaf(weight[i].at[k], low.at[n], sums_[i][n]);
            sums_[i][4 + n] = fmaf(weight[i].at[k], high.at[n], sums_[i][4 + n]);
          }
      }
    }
  }

  // `row`: of the tile's first query; `queries`: of the tile.
  __device__ void write(const BlockPlace& place, int row, int queries) const {
    const HeadColumns<float, kFours> out = o_.out.head(place.head);
    for (int i = 0; i < 4; ++i) {
      const int query = lane_.first_query + 4 * i;
      if (query >= queries) return;
      const float inverse = softmax_[i].inverse();
      for (int half = 0; half < 2; ++half) {
        Four<float> four;
        for (int n = 0; n < 4; ++n) four.at[n] = sums_[i][4 * half + n] * inverse;
        out.put(four, row + query, place.slice * kColumns + half * kColumns / 2 + column());
      }
      if (place.slice == 0 && lane_.first_key == 0)
        o_.logsumexp[int64_t(row + query) * o_.heads + place.head] = softmax_[i].logarithm();
    }
  }

 private:
  __device__ int column() const { return lane_.first_key * 4; }

  const Thread& thread_;
  const Forward<T, kFours>& o_;
  const PairLane lane_;
  const float slope_;
  const Sight* sights_;
  float* weights_;
  Softmax softmax_[4];
  float sums_[4][8] = {};
};

constexpr int64_t kTileBytes =
    (3 * kTile * kRowStride + kTile * kPairStride) * sizeof(float) + kTile * int64_t(sizeof(Sight));

// One tile of queries under one head, for a chunk of the values' columns.
template <class T, bool kFours>
__device__ void attend_tile(const Thread& thread, const Forward<T, kFours>& o) {
  SharedMemory shared(thread);
  auto* const queries = shared.take<float>(kTile * kRowStride);
  auto* const keys = shared.take<float>(kTile * kRowStride);
  auto* const values = shared.take<float>(kTile * kRowStride);
  auto* const weights = shared.take<float>(kTile * kPairStride);
  auto* const sights = shared.take<Sight>(kTile);

  const BlockPlace place(thread.block(), o.heads, o.slices);
  const TilePlace tile = tile_place(thread, o.layout.queries, o.layout.sequences, place.number);
  const Sequence sequence(o.layout, tile.sequence);
  if (tile.first >= sequence.queries) return;
  const int count =
      int(sequence.queries - tile.first < kTile ? sequence.queries - tile.first : int64_t(kTile));
  const int row = int(sequence.first_query + tile.first);
  const HeadColumns<const float, kFours> query = o.query.head(place.head);
  const HeadColumns<const T, kFours> key = o.key.head(place.head / o.group);
  const HeadColumns<const T, kFours> value = o.value.head(place.head / o.group);
  const Sight sight =
      sight_of(sequence, tile.first + thread.lane(), o.rule, o.dropout, place.head, o.heads);
  const Hull hull = hull_of(thread, sight);
  if (thread.warp() == 0) sights[thread.lane()] = sight;

  TileLane<T, kFours> lane(thread, o, slope_of(o.rule.bias, place.head, o.heads), sights, weights);
  const PairLane pairs(thread);
  const bool works = pairs.warp_query < count;
  const auto query_row = [row](int r) { return row + r; };
  for (int first = hull.begin / kTile * kTile; first < hull.end; first += kTile) {
    const int begin = hull.begin_in(first), end = hull.end_in(first);
    const auto key_row = [&sequence, first](int r) { return int(sequence.key_row(first + r)); };
    float products[4][4] = {};
    for (int c = 0; c < query.columns; c += kColumns) {
      thread.barrier();  // the tiles are read no more
      // Queries of a single chunk stay in shared memory after the first tile of keys.
      if (c > 0 || query.columns > kColumns || first == hull.begin / kTile * kTile)
        load_tile<kTileThreads>(thread, query, c, 0, count, query_row, queries);
      load_tile<kTileThreads>(thread, key, c, begin, end, key_row, keys);
      if (c == 0)
        load_tile<kTileThreads>(thread, value, place.slice * kColumns, begin, end, key_row, values);
      thread.barrier();
      if (works) add_products(pairs, queries, keys, query.columns - c, products);
    }
    if (works) lane.weigh(first, products);
    thread.barrier();  // the weights are written
    if (works) lane.add_values(values, end);
  }
  lane.write(place, row, count);
}

// The warp's query under a head, for kernels in which lane i has key first + i of a tile.
template <class T, bool kFours>
struct WarpQuery {
  // The number of the sequence that a query row belongs to.
  __device__ static int sequence_of(const Thread& thread, const Layout& layout, int row) {
    // One query a sequence, as in decoding, needs no search.
    if (row < layout.sequences && layout.queries[row] == row && layout.queries[row + 1] > row)
      return row;
    return last_not_above(thread, int(layout.sequences), row,
                          [&layout](int b) { return layout.queries[b]; });
  }

  __device__ WarpQuery(const Thread& thread, const Forward<T, kFours>& operands, int row_number,
                       int head_number)
      : o(operands),
        row(row_number),
        head(head_number),
        number(sequence_of(thread, o.layout, row)),
        sequence(o.layout, number),
        sight(sight_of(sequence, row - sequence.first_query, o.rule, o.dropout, head, o.heads)),
        slope(slope_of(o.rule.bias, head, o.heads)) {}

  // The score of key j; -infinity for one that is not seen.
  __device__ float score(int j, int key_row) const {
    if (!sight.sees(j)) return -INFINITY;
    const HeadColumns<const float, kFours> query = o.query.head(head);
    const HeadColumns<const T, kFours> key = o.key.head(head / o.group);
    float sum = 0;
    for (int begin = 0; begin < query.columns; begin += kColumns) {
      Four<T> fours[kRowFours];  // all of them are on their way at the same time
      for (int i = 0; i < kRowFours; ++i) fours[i] = key.four(key_row, begin + 4 * i);
      for (int i = 0; i < kRowFours; ++i) {
        const Four<float> wanted = query.four(row, begin + 4 * i);
        for (int k = 0; k < 4; ++k) sum = fmaf(wanted.at[k], to_float(fours[i].at[k]), sum);
      }
    }
    return score_of(sum, o.rule.scale, slope, j - sight.position);
  }

  const Forward<T, kFours>& o;
  const int row, head, number;
  const Sequence sequence;
  const Sight sight;
  const float slope;
};

// Two neighbouring columns of a row.
template <class T>
struct alignas(2 * sizeof(T)) Pair {
  T at[2];
};
template <class T, bool kFours>
__device__ Pair<T> pair_of(const HeadColumns<const T, kFours>& from, int row, int column) {
  Pair<T> pair = {};
  if (column >= from.columns) return pair;
  const T* at = from.first + int64_t(row) * from.stride + column;
  if constexpr (kFours) {
    pair = *reinterpret_cast<const Pair<T>*>(at);
  } else {
    pair.at[0] = at[0];
    if (column + 1 < from.columns) pair.at[1] = at[1];
  }
  return pair;
}

// sums += the weighted values of a tile; each lane has the weight and row of one key, and two
// columns of the sums.
template <class T, bool kFours>
__device__ void add_values(const Thread& thread, const HeadColumns<const T, kFours>& value,
                           int column, const Hull& keys, float weight, int key_row,
                           float (&sums)[2]) {
  constexpr int kStaged = 16;
  for (int begin = 0; begin < kTile; begin += kStaged) {
    if (begin >= keys.end || begin + kStaged <= keys.begin) continue;
    Pair<T> pairs[kStaged];
    for (int j = 0; j < kStaged; ++j) {
      const int row = thread.shuffle(key_row, begin + j);
      const bool seen = begin + j >= keys.begin && begin + j < keys.end;
      pairs[j] = {};
      if (seen) pairs[j] = pair_of(value, row, column);
    }
    for (int j = 0; j < kStaged; ++j) {
      const float factor = thread.shuffle(weight, begin + j);
      for (int n = 0; n < 2; ++n) sums[n] = fmaf(factor, to_float(pairs[j].at[n]), sums[n]);
    }
  }
}

// One query under one head, for a chunk of the values' columns, by a warp. Warps of the same query
// lie together, since they read the same rows.
template <class T, bool kFours>
__device__ void attend_query(const Thread& thread, const Forward<T, kFours>& o, int row, int head,
                             int slice) {
  const WarpQuery<T, kFours> query(thread, o, row, head);
  const Hull hull = {query.sight.begin, query.sight.end};
  const HeadColumns<const T, kFours> value = o.value.head(head / o.group);
  const int column = slice * kColumns + thread.lane() * 2;
  Softmax softmax;
  float sums[2] = {0, 0};
  for (int first = hull.begin / kTile * kTile; first < hull.end; first += kTile) {
    const int j = first + thread.lane();
    const int key_row = query.sight.sees(j) ? int(query.sequence.key_row(j)) : 0;
    const float score = query.score(j, key_row);
    const float factor = softmax.raise_maximum(warp_max(thread, score));
    const float term = softmax.term(score);
    softmax.add(factor, warp_sum(thread, term));
    for (float& sum : sums) sum *= factor;
    add_values(thread, value, column, {hull.begin_in(first), hull.end_in(first)},
               term * o.dropout.factor(query.sight.dropout, j), key_row, sums);
  }
  const float inverse = softmax.inverse();
  float* const out = o.out.head(head).first + int64_t(row) * o.out.head(head).stride;
  for (int n = 0; n < 2; ++n)
    if (column + n < o.out.columns) out[column + n] = sums[n] * inverse;
  if (slice == 0 && thread.lane() == 0)
    o.logsumexp[int64_t(row) * o.heads + head] = softmax.logarithm();
}

// The weights of one query under one head, by a warp.
template <class T, bool kFours>
__device__ void write_weights(const Thread& thread, const Forward<T, kFours>& o, int row,
                              int head) {
  const WarpQuery<T, kFours> query(thread, o, row, head);
  const Sequence& sequence = query.sequence;
  const int keys = int(sequence.keys);
  const float logarithm = o.logsumexp[int64_t(row) * o.heads + head];
  float* const weights = o.weights + o.layout.pairs[query.number] * o.heads +
                         (head * sequence.queries + row - sequence.first_query) * sequence.keys;
  for (int j = thread.lane(); j < keys; j += kWarp) {
    float weight = 0;
    if (query.sight.sees(j))
      weight = expf(query.score(j, int(sequence.key_row(j))) - logarithm) *
               o.dropout.factor(query.sight.dropout, j);
    weights[j] = weight;
  }
}

template <class T, bool kFours>
void attend(const Layout& layout, const AttentionShape& shape, const AttentionRule& rule,
            const AttentionOperands<T>& operands, const AttentionResult& result) {
  const Forward<T, kFours> o = {layout,
                                int(shape.heads),
                                int(shape.heads / shape.key_value_heads),
                                int(chunks_of(shape.d_value)),
                                rule,
                                WeightDropout(rule.dropout),
                                {operands.query, shape.heads, shape.d_key},
                                {operands.key, shape.key_value_heads, shape.d_key},
                                {operands.value, shape.key_value_heads, shape.d_value},
                                {result.out, shape.heads, shape.d_value},
                                result.logsumexp,
                                result.weights};
  if (layout.sequences == 0) return;
  if (layout.most_queries <= kFewQueries)
    for_each_warp(shape.queries * o.heads * o.slices,
                  [o] __device__(const Thread& thread, int64_t number) {
                    const BlockPlace place(number, o.heads, o.slices);
                    attend_query(thread, o, int(place.number), place.head, place.slice);
                  });
  else
    launch<kTileThreads>(tile_places(shape.queries, layout.sequences) * o.heads * o.slices,
                         kTileBytes,
                         [o] __device__(const Thread& thread) { attend_tile(thread, o); });
  if (result.weights)
    for_each_warp(shape.queries * o.heads, [o] __device__(const Thread& thread, int64_t number) {
      write_weights(thread, o, int(number / o.heads), int(number % o.heads));
    });
}

}  // namespace

template <class T>
void attention(const Layout& layout, const AttentionShape& shape, const AttentionRule& rule,
               const AttentionOperands<T>& operands, const AttentionResult& result) {
  if (in_fours(operands.query, shape.d_key) && in_fours(operands.key, shape.d_key) &&
      in_fours(operands.value, shape.d_value) && in_fours(result.out, shape.d_value))
    attend<T, true>(layout, shape, rule, operands, result);
  else
    attend<T, false>(layout, shape, rule, operands, result);
}

template void attention(const Layout&, const AttentionShape&, const AttentionRule&,
                        const AttentionOperands<float>&, const AttentionResult&);
template void attention(const Layout&, const AttentionShape&, const AttentionRule&,
                        const AttentionOperands<uint16_t>&, const AttentionResult&);

}  // namespace heed::cuda
