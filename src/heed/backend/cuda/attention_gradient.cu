// The gradient of equation 1, from the weights that are computed again with the logsumexp. With
// P the softmax, F the factors of dropout and D the row sums of dout * out:
//   dvalue = (P F)^T dout,  dscore = P (F (dout value^T) - D),
//   dquery = scale dscore key,  dkey = scale dscore^T query.
//
// A block has a tile of keys, and sums over the queries that see them, for all heads that share the
// keys, in their order.
// Where that tile has all keys of the sequence, the block computes dquery too. Other sequences have
// their dquery from a second kernel, a block for each tile of queries. No two blocks write the same
// element, and every sum is one accumulator that goes through the rows in their order.
#include "heed/backend/cuda/attention.h"
#include "heed/backend/cuda/attention_tiles-inl.h"

namespace heed::cuda {
namespace {

// Two warps compute the products of queries and keys, two those of dout and values. Then two sum up
// dvalue, two dkey, and all of them dquery.
constexpr int kThreads = 128;
constexpr int kWarps = kThreads / kWarp;

template <bool kFours>
struct Backward {
  Layout layout;
  int heads;   // of the query
  int group;   // heads that share a key-value head
  int slices;  // chunks of columns; each is summed apart
  AttentionRule rule;
  WeightDropout dropout;
  HeadMatrix<const float, kFours> query, key, value, dout, out;
  const float* logsumexp;
  HeadMatrix<float, kFours> dquery, dkey, dvalue;
};

constexpr int64_t kSharedBytes =
    (4 * kTile * kRowStride + 2 * kTile * kPairStride + 2 * kTile) * sizeof(float) +
    kTile * int64_t(sizeof(Sight));

// A tile of queries, one of keys, and the weights and dscores of their pairs, in shared memory.
template <bool kFours>
class Tiles {
 public:
  __device__ Tiles(const Thread& thread, const Backward<kFours>& o, const Sequence& sequence,
                   int slice)
      : thread_(thread),
        o_(o),
        sequence_(sequence),
        slice_(slice),
        chunks_(
            int(chunks_of(o.query.columns > o.value.columns ? o.query.columns : o.value.columns))) {
    SharedMemory shared(thread);
    query_ = shared.take<float>(kTile * kRowStride);
    dout_ = shared.take<float>(kTile * kRowStride);
    key_ = shared.take<float>(kTile * kRowStride);
    value_ = shared.take<float>(kTile * kRowStride);
    weights_ = shared.take<float>(kTile * kPairStride);
    dscores_ = shared.take<float>(kTile * kPairStride);
    logsumexp_ = shared.take<float>(kTile);
    dots_ = shared.take<float>(kTile);
    sights_ = shared.take<Sight>(kTile);
  }

  // Chooses the queries from `first` on under a head. Returns what they see.
  __device__ Hull look_at(int head, int first) {
    head_ = head;
    first_query_ = first;
    const int left = int(sequence_.queries) - first;
    queries_ = left < kTile ? left : kTile;
    sight_ = sight_of(sequence_, first + thread_.lane(), o_.rule, o_.dropout, head, o_.heads);
    return hull_of(thread_, sight_);
  }

  // Computes weights and dscores of these queries and the keys [begin, end) of the tile that begins
  // at key `first`, and loads the slice's columns of the operands. Queries and keys are those of
  // the call before unless they are new.
  __device__ void pair(int first, int begin, int end, bool new_queries, bool new_keys) {
    if (new_queries) prepare_queries();
    float products[4][4] = {};
    const PairLane lane(thread_);
    for (int chunk = 0; chunk < chunks_; ++chunk) {
      load(chunk * kColumns, first, begin, end, new_queries || chunks_ > 1,
           new_keys || chunks_ > 1);
      const int left = (of_values() ? o_.value.columns : o_.query.columns) - chunk * kColumns;
      if (lane.warp_query < queries_ && left > 0)
        add_products(lane, of_values() ? dout_ : query_, of_values() ? value_ : key_, left,
                     products);
    }
    float* const pairs = of_values() ? dscores_ : weights_;
    for (int i = 0; i < 4; ++i)
      for (int m = 0; m < 4; ++m)
        pairs[(lane.first_query + 4 * i) * kPairStride + lane.first_key + 8 * m] = products[i][m];
    if (chunks_ > 1) load(slice_ * kColumns, first, begin, end, true, true);
    thread_.barrier();
    weigh(first);
    thread_.barrier();
  }

  // Adds the tile's share of dvalue (the upper half of the threads) or dkey: four keys and eight
  // columns a thread.
  __device__ void add_key_sums(float (&sums)[4][8]) const {
    const float* pairs = (of_values() ? weights_ : dscores_) + thread_.index() % 64 / 8 * 4;
    const float* rows = (of_values() ? dout_ : query_) + thread_.index() % 8 * 4;
    for (int i = 0; i < queries_; ++i) {
      const Four<float> weight = four_at(pairs + i * kPairStride);
      const Four<float> low = four_at(rows + i * kRowStride);
      const Four<float> high = four_at(rows + i * kRowStride + kColumns / 2);
      for (int k = 0; k < 4; ++k)
        for (int n = 0; n < 4; ++n) {
          sums[k][n] = fmaf(weight.at[k], low.at[n], sums[k][n]);
          sums[k][4 + n] = fmaf(weight.at[k], high.at[n], sums[k][4 + n]);
        }
    }
  }
  // Writes them for the keys of a head from `first` on.
  __device__ void write_key_sums(int key_value_head, int first, const float (&sums)[4][8]) const {
    const HeadColumns<float, kFours> to = (of_values() ? o_.dvalue : o_.dkey).head(key_value_head);
    const int column = slice_ * kColumns + thread_.index() % 8 * 4;
    for (int k = 0; k < 4; ++k) {
      const int j = first + thread_.index() % 64 / 8 * 4 + k;
      if (j >= sequence_.keys) return;
      const int row = int(sequence_.key_row(j));
      to.put({sums[k][0], sums[k][1], sums[k][2], sums[k][3]}, row, column);
      to.put({sums[k][4], sums[k][5], sums[k][6], sums[k][7]}, row, column + kColumns / 2);
    }
  }

  // Adds to dquery what the tile's first `keys` keys contribute: four queries and columns a thread.
  __device__ void add_query_sums(int keys, float (&sums)[4][4]) const {
    const float* dscores = dscores_ + thread_.index() / kRowFours * kPairStride;
    const float* rows = key_ + thread_.index() % kRowFours * 4;
    for (int j = 0; j < keys; j += 4) {
      Four<float> dscore[4];
      for (int i = 0; i < 4; ++i) dscore[i] = four_at(dscores + i * 8 * kPairStride + j);
      for (int k = 0; k < 4; ++k) {
        const Four<float> key = four_at(rows + (j + k) * kRowStride);
        for (int i = 0; i < 4; ++i)
          for (int n = 0; n < 4; ++n) sums[i][n] = fmaf(dscore[i].at[k], key.at[n], sums[i][n]);
      }
    }
  }
  __device__ void write_query_sums(const float (&sums)[4][4]) const {
    const HeadColumns<float, kFours> to = o_.dquery.head(head_);
    for (int i = 0; i < 4; ++i) {
      const int query = thread_.index() / kRowFours + 8 * i;
      if (query >= queries_) return;
      to.put({sums[i][0], sums[i][1], sums[i][2], sums[i][3]}, query_row(query),
             slice_ * kColumns + thread_.index() % kRowFours * 4);
    }
  }

 private:
  // Whether this thread computes products of dout and values, or dvalue; the others those of
  // queries and keys, or dkey.
  __device__ bool of_values() const { return thread_.warp() >= kWarps / 2; }
  __device__ int query_row(int r) const { return int(sequence_.first_query) + first_query_ + r; }

  // Computes the numbers of each query that weigh() needs: sight, dout * out, logsumexp. Four
  // neighbouring threads sum up a row of dout * out.
  __device__ void prepare_queries() {
    if (thread_.warp() == 0) sights_[thread_.lane()] = sight_;
    const int query = thread_.index() / 4;
    const HeadColumns<const float, kFours> dout = o_.dout.head(head_), out = o_.out.head(head_);
    float sum = 0;
    for (int begin = 0; begin < out.columns; begin += kColumns)
      for (int c = 0; c < kColumns; c += 16) {
        if (query >= queries_) continue;
        const int column = begin + c + thread_.index() % 4 * 4;
        const Four<float> a = dout.four(query_row(query), column);
        const Four<float> b = out.four(query_row(query), column);
        for (int k = 0; k < 4; ++k) sum = fmaf(a.at[k], b.at[k], sum);
      }
    sum += thread_.shuffle_xor(sum, 1);
    sum += thread_.shuffle_xor(sum, 2);
    if (thread_.index() % 4 != 0) return;
    dots_[query] = sum;
    logsumexp_[query] =
        query < queries_ ? o_.logsumexp[int64_t(query_row(query)) * o_.heads + head_] : 0;
  }

  // Waits until no thread reads the tiles, loads them, and waits until all threads have done so.
  __device__ void load(int column, int first, int begin, int end, bool queries, bool keys) {
    thread_.barrier();
    if (queries) {
      const auto row = [this](int r) { return query_row(r); };
      load_tile<kThreads>(thread_, o_.query.head(head_), column, 0, queries_, row, query_);
      load_tile<kThreads>(thread_, o_.dout.head(head_), column, 0, queries_, row, dout_);
    }
    if (keys) {
      const auto row = [this, first](int r) { return int(sequence_.key_row(first + r)); };
      const int head = head_ / o_.group;
      load_tile<kThreads>(thread_, o_.key.head(head), column, begin, end, row, key_);
      load_tile<kThreads>(thread_, o_.value.head(head), column, begin, end, row, value_);
    }
    thread_.barrier();
  }

  // Turns products into weights and gradients of scores, a warp for each query, a lane for a key.
  __device__ void weigh(int first) {
    const float slope = slope_of(o_.rule.bias, head_, o_.heads);
    for (int i = thread_.warp(); i < kTile; i += kWarps) {
      float& weight = weights_[i * kPairStride + thread_.lane()];
      float& dscore = dscores_[i * kPairStride + thread_.lane()];
      const Sight& sight = sights_[i];
      const int j = first + thread_.lane();
      const bool seen = sight.sees(j);
      const float score = score_of(weight, o_.rule.scale, slope, j - sight.position);
      const float softmax = seen ? expf(score - logsumexp_[i]) : 0;
      const float factor = o_.dropout.factor(sight.dropout, j);
      weight = softmax * factor;
      dscore = seen ? softmax * fmaf(factor, dscore, -dots_[i]) * o_.rule.scale : 0;
    }
  }

  const Thread& thread_;
  const Backward<kFours>& o_;
  const Sequence& sequence_;
  const int slice_, chunks_;
  float *query_, *dout_, *key_, *value_;
  float *weights_, *dscores_;  // [queries, keys]; until weigh(), the products they are made of
  float *logsumexp_, *dots_;   // [queries]
  Sight* sights_;              // [queries]
  int head_ = 0;
  int first_query_ = 0, queries_ = 0;
  Sight sight_;  // of the query of this lane
};

// Whether all keys of a sequence are in one tile, so that its gradients need one walk.
__device__ bool in_one_tile(const Sequence& sequence) {
  return sequence.keys <= kTile;
}

// dkey and dvalue of a tile of keys, and dquery if these are all keys.
template <bool kFours>
__device__ void sum_over_queries(const Thread& thread, const Backward<kFours>& o) {
  const int key_value_heads = o.heads / o.group;
  const BlockPlace place(thread.block(), key_value_heads, o.slices);
  const TilePlace tile = tile_place(thread, o.layout.keys, o.layout.sequences, place.number);
  const Sequence sequence(o.layout, tile.sequence);
  const bool whole = in_one_tile(sequence);
  // The first tile of a sequence without keys writes zeros to dquery.
  if (tile.first >= sequence.keys && tile.first > 0) return;
  const int first = int(tile.first);
  const int keys = int(sequence.keys - first < kTile ? sequence.keys - first : int64_t(kTile));

  Tiles<kFours> tiles(thread, o, sequence, place.slice);
  float key_sums[4][8] = {};
  bool new_keys = true;
  for (int head = place.head * o.group; head < (place.head + 1) * o.group; ++head)
    for (int query = 0; query < sequence.queries; query += kTile) {
      if (!tiles.look_at(head, query).meets(first) && !whole) continue;
      tiles.pair(first, 0, keys, true, new_keys);
      new_keys = false;
      tiles.add_key_sums(key_sums);
      if (!whole) continue;
      float query_sums[4][4] = {};
      tiles.add_query_sums(keys, query_sums);
      tiles.write_query_sums(query_sums);
    }
  tiles.write_key_sums(place.head, first, key_sums);
}

// dquery of a tile of queries, where that is not done yet.
template <bool kFours>
__device__ void sum_over_keys(const Thread& thread, const Backward<kFours>& o) {
  const BlockPlace place(thread.block(), o.heads, o.slices);
  const TilePlace tile = tile_place(thread, o.layout.queries, o.layout.sequences, place.number);
  const Sequence sequence(o.layout, tile.sequence);
  if (tile.first >= sequence.queries || in_one_tile(sequence)) return;

  Tiles<kFours> tiles(thread, o, sequence, place.slice);
  const Hull hull = tiles.look_at(place.head, int(tile.first));
  float sums[4][4] = {};
  bool new_queries = true;
  for (int first = hull.begin / kTile * kTile; first < hull.end; first += kTile) {
    const int end = hull.end_in(first);
    tiles.pair(first, hull.begin_in(first), end, new_queries, true);
    new_queries = false;
    tiles.add_query_sums(end, sums);
  }
  tiles.write_query_sums(sums);
}

template <bool kFours>
void sum_up(const Layout& layout, const AttentionShape& shape, const AttentionRule& rule,
            const AttentionOperands<float>& operands, const AttentionGradientOperands& gradient) {
  const int64_t heads = shape.heads, kv = shape.key_value_heads;
  const int64_t d_key = shape.d_key, d_value = shape.d_value;
  const Backward<kFours> o = {layout,
                              int(heads),
                              int(heads / kv),
                              int(chunks_of(d_key > d_value ? d_key : d_value)),
                              rule,
                              WeightDropout(rule.dropout),
                              {operands.query, heads, d_key},
                              {operands.key, kv, d_key},
                              {operands.value, kv, d_value},
                              {gradient.dout, heads, d_value},
                              {gradient.out, heads, d_value},
                              gradient.logsumexp,
                              {gradient.dquery, heads, d_key},
                              {gradient.dkey, kv, d_key},
                              {gradient.dvalue, kv, d_value}};
  if (layout.sequences == 0) return;
  launch<kThreads>(tile_places(shape.keys, layout.sequences) * kv * o.slices, kSharedBytes,
                   [o] __device__(const Thread& thread) { sum_over_queries(thread, o); });
  if (layout.most_keys > kTile)
    launch<kThreads>(tile_places(shape.queries, layout.sequences) * heads * o.slices, kSharedBytes,
                     [o] __device__(const Thread& thread) { sum_over_keys(thread, o); });
}

}  // namespace

void attention_gradient(const Layout& layout, const AttentionShape& shape,
                        const AttentionRule& rule, const AttentionOperands<float>& operands,
                        const AttentionGradientOperands& gradient) {
  const int64_t d_key = shape.d_key, d_value = shape.d_value;
  if (in_fours(operands.query, d_key) && in_fours(operands.key, d_key) &&
      in_fours(operands.value, d_value) && in_fours(gradient.dout, d_value) &&
      in_fours(gradient.out, d_value) && in_fours(gradient.dquery, d_key) &&
      in_fours(gradient.dkey, d_key) && in_fours(gradient.dvalue, d_value))
    sum_up<true>(layout, shape, rule, operands, gradient);
  else
    sum_up<false>(layout, shape, rule, operands, gradient);
}

}  // namespace heed::cuda
