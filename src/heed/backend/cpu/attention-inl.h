// Shared by the kernels of attention: the view of one head, blocks of scores, and their softmax.
#if defined(HEED_BACKEND_CPU_ATTENTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_BACKEND_CPU_ATTENTION_INL_H_
#undef HEED_BACKEND_CPU_ATTENTION_INL_H_
#else
#define HEED_BACKEND_CPU_ATTENTION_INL_H_
#endif

#include <cmath>
#include <limits>

#include "heed/backend/backend.h"
#include "heed/backend/cpu/gemm-inl.h"
#include "heed/backend/cpu/scratch.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

// Queries that share one block of scores.
constexpr int64_t kQueryBlock = 32;

// One sequence.
struct Sequence {
  const AttentionLayout& layout;
  const AttentionScores& scores;
  AttentionHeads heads;
  int64_t index;                 // which sequence
  int64_t query_begin, queries;  // rows of the query tensor
  int64_t keys;
  float* weights;  // [heads, queries, keys] of AttentionOutput::weights; may be null

  KeyRange visible(int64_t i) const { return layout.visible(index, i, scores.window); }
  // The keys that any of the queries [begin, end) attends to.
  KeyRange visible_to(int64_t begin, int64_t end) const {
    // Without given positions neither end of the range moves back from one query to the next.
    if (!scores.window || layout.positions == nullptr)
      return {visible(begin).begin, visible(end - 1).end};
    KeyRange all{keys, 0};
    for (int64_t i = begin; i < end; ++i) {
      const KeyRange one = visible(i);
      if (one.empty()) continue;
      all = {std::min(all.begin, one.begin), std::max(all.end, one.end)};
    }
    return all.empty() ? KeyRange{0, 0} : all;
  }
  // Columns of the query tensor, and of the output.
  int64_t query_stride() const { return heads.count * heads.d_key; }
  int64_t out_stride() const { return heads.count * heads.d_value; }
};

// Sequence b. `weights` is where its weights are; may be null.
inline Sequence make_sequence(const AttentionInput& input, const AttentionLayout& layout,
                              const AttentionScores& scores, int64_t b, float* weights) {
  return {layout,
          scores,
          AttentionHeads(input, scores.heads),
          b,
          layout.queries.offsets[size_t(b)],
          layout.queries.length(b),
          layout.keys.lengths.length(b),
          weights};
}

// One sequence under one head of the query.
struct Head {
  const Sequence& sequence;
  int64_t index;
  float slope;  // of ScoreBias::alibi

  Head(const Sequence& sequence, int64_t index)
      : sequence(sequence),
        index(index),
        slope(sequence.scores.bias == ScoreBias::none
                  ? 0
                  : float(alibi_slope(index, sequence.heads.count))) {}

  // The element of the sequence's query i in a tensor with a column for each head.
  int64_t element(int64_t i) const {
    return (sequence.query_begin + i) * sequence.heads.count + index;
  }
  // The head's part of query i in a tensor of the query's shape, or of the output's.
  template <class T>
  T* query_part(T* data, int64_t i) const {
    return data + element(i) * sequence.heads.d_key;
  }
  template <class T>
  T* out_part(T* data, int64_t i) const {
    return data + element(i) * sequence.heads.d_value;
  }
  // Where the weights of query i are written; may be null.
  float* weights_of(int64_t i) const {
    return sequence.weights ? sequence.weights + (index * sequence.queries + i) * sequence.keys
                            : nullptr;
  }
};

// The rows of sequence b in a tensor of keys or values.
template <class T>
RowsOf<T> sequence_rows(const Tensor& tensor, const KeyRows& keys, int64_t b) {
  const int64_t begin = keys.lengths.offsets[size_t(b)];
  const int32_t* list = keys.rows.empty() ? nullptr : keys.rows.data() + begin;
  return {tensor.data<T>() + (list ? 0 : begin * tensor.columns()), tensor.columns(), list};
}

// The first key of the panel (kPanel columns, gemm-inl.h) in which a range of keys begins. Scores,
// panels of keys and the lanes of sums over keys are counted from such a key: so key j is in lane j
// % kLanes, wherever the range begins.
constexpr int64_t panel_begin(int64_t key) {
  return key / kPanel * kPanel;
}

// Scores of one block of queries: `rows` rows of `width` keys, `stride` apart.
struct Block {
  int64_t begin, rows;  // queries
  KeyRange keys;        // that any of them attends to
  int64_t first;        // the key of the first column
  int64_t width;        // columns up to the last key
  int64_t stride;       // width in whole panels; what follows width has no meaning

  // The columns of the keys `visible`.
  KeyRange columns(const KeyRange& visible) const {
    if (visible.empty()) return {0, 0};
    return {visible.begin - first, visible.end - first};
  }
};

// The queries from `begin` on, `most` of them at most.
inline Block make_block(const Sequence& sequence, int64_t begin, int64_t most = kQueryBlock) {
  const int64_t rows = std::min(most, sequence.queries - begin);
  const KeyRange keys = sequence.visible_to(begin, begin + rows);
  const int64_t first = panel_begin(keys.begin), width = keys.end - first;
  return {begin, rows, keys, first, width, divide_up(width, kPanel) * kPanel};
}

// The logits of dot products from column `column` on.
struct ScaledLogits {
  float scale;

  HWY_INLINE Vector at(Vector products, int64_t /*column*/) const {
    return hn::Mul(products, set(scale));
  }
};

// The same with the bias of ScoreBias::alibi.
struct AlibiLogits {
  float scale, slope;
  int64_t origin;  // the key of column 0, less the query's position

  AlibiLogits(const Head& head, const Block& block, int64_t query)
      : scale(float(head.sequence.scores.scale)),
        slope(head.slope),
        origin(block.first - head.sequence.layout.position(head.sequence.index, query)) {}

  HWY_INLINE Vector at(Vector products, int64_t column) const {
    const Vector distance = hn::Abs(hn::Iota(kFloats, float(origin + column)));
    return hn::NegMulAdd(set(slope), distance, hn::Mul(products, set(scale)));
  }
};

// Turns the dot products in `columns` of a row into weights and writes 0 to the others, `stride` in
// all; returns their logsumexp.
template <class Logits>
HWY_INLINE float softmax_row(float* row, const KeyRange& columns, int64_t stride,
                             const Logits& logits) {
  const int64_t begin = columns.begin / kLanes * kLanes, end = columns.end;
  const Vector least = set(-std::numeric_limits<float>::infinity());
  Vector top = least;
  for (int64_t c = begin; c < end; c += kLanes) {
    const Vector logit = logits.at(hn::LoadU(kFloats, row + c), c);
    top = hn::Max(top, between(logit, columns.begin - c, end - c, least));
  }
  top = hn::MaxOfLanes(kFloats, top);
  Vector total = zero();
  for (int64_t c = 0; c < begin; c += kLanes) hn::StoreU(zero(), kFloats, row + c);
  int64_t next = begin;
  for (; next < end; next += kLanes) {
    const Vector logit = logits.at(hn::LoadU(kFloats, row + next), next);
    const Vector weight =
        between(exp(hn::Sub(logit, top)), columns.begin - next, end - next, zero());
    hn::StoreU(weight, kFloats, row + next);
    total = hn::Add(total, weight);
  }
  for (; next < stride; next += kLanes) hn::StoreU(zero(), kFloats, row + next);
  total = hn::SumOfLanes(kFloats, total);
  const Vector inverse = hn::Div(set(1.0f), total);
  for (int64_t c = begin; c < end; c += kLanes)
    hn::StoreU(hn::Mul(hn::LoadU(kFloats, row + c), inverse), kFloats, row + c);
  return hn::GetLane(top) + std::log(hn::GetLane(total));
}

// Drops out the weights in `columns` of a row. `index` is the dropout index of column 0.
inline void drop_row(const Dropout& dropout, int64_t index, const KeyRange& columns, float* row) {
  const DropoutFactors factors(dropout, index);
  for (int64_t c = columns.begin / kLanes * kLanes; c < columns.end; c += kLanes)
    hn::StoreU(hn::Mul(hn::LoadU(kFloats, row + c), factors.at(index + c)), kFloats, row + c);
}

// Writes a row of weights to `out`, [keys] of the sequence; those outside of `columns` are 0.
inline void put_weights(const float* row, const KeyRange& columns, int64_t first, int64_t keys,
                        float* out) {
  std::fill_n(out, keys, 0.0f);
  std::copy(row + columns.begin, row + columns.end, out + first + columns.begin);
}

// Softmax and dropout of one block's scores.
inline void weigh(const Head& head, const Block& block, const AttentionOptions& options,
                  float* scores, Tensor& logsumexp) {
  const Sequence& sequence = head.sequence;
  for (int64_t i = 0; i < block.rows; ++i) {
    const int64_t query = block.begin + i;
    const KeyRange columns = block.columns(sequence.visible(query));
    float* row = scores + i * block.stride;
    logsumexp.data<float>()[head.element(query)] =
        options.scores.bias == ScoreBias::none
            ? softmax_row(row, columns, block.stride, ScaledLogits{float(options.scores.scale)})
            : softmax_row(row, columns, block.stride, AlibiLogits(head, block, query));
    if (options.dropout)
      drop_row(options.dropout,
               options.dropout_index(sequence.query_begin + query, head.index) + block.first,
               columns, row);
    if (float* weights = head.weights_of(query))
      put_weights(row, columns, block.first, sequence.keys, weights);
  }
}

// out = the values' sum by their weights, of one head and `kQueries` queries: one accumulator over
// the keys for each element. prefetch(row, count) is called for each part of a value's row before
// it is read.
template <int kQueries, class T, class Prefetch>
void sum_values(const Head& head, const Block& block, const RowsOf<T>& values,
                const Prefetch& prefetch, const float* weights, float* out) {
  constexpr int kVectors = 4;
  const RowsOf<T> rows = values.from(block.keys.begin);
  const int64_t count = block.keys.end - block.keys.begin, stride = block.stride;
  const int64_t out_stride = head.sequence.out_stride();
  weights += block.keys.begin - block.first;
  for (int64_t c = 0; c < head.sequence.heads.d_value; c += kVectors * kLanes) {
    Vector sum[kQueries][kVectors];
    for (auto& row : sum)
      for (Vector& accumulator : row) accumulator = zero();
    const int64_t left = head.sequence.heads.d_value - c;
    for (int64_t key = 0; key < count; ++key) {
      const T* row = rows.at(key) + c;
      prefetch(row, kVectors * kLanes);
      Vector value[kVectors];
      HWY_UNROLL(4)
      for (int j = 0; j < kVectors; ++j)
        value[j] = load(row + j * kLanes, std::max<int64_t>(left - j * kLanes, 0));
      for (int m = 0; m < kQueries; ++m) {
        const Vector weight = set(weights[m * stride + key]);
        HWY_UNROLL(4)
        for (int j = 0; j < kVectors; ++j) sum[m][j] = hn::MulAdd(weight, value[j], sum[m][j]);
      }
    }
    // Unrolled whole: an accumulator that is chosen by a variable would be in memory.
    HWY_UNROLL(4)
    for (int m = 0; m < kQueries; ++m) {
      HWY_UNROLL(4)
      for (int j = 0; j < kVectors; ++j)
        if (j * kLanes < left)
          store(sum[m][j], out + m * out_stride + c + j * kLanes, left - j * kLanes);
    }
  }
}

// The operand without its first `count` columns, a multiple of kPanel.
inline Panels columns_from(const Panels& panels, int64_t count) {
  return {panels.data + count / kPanel * panels.stride, panels.stride};
}

// The operand without its first `count` rows.
inline Panels rows_from(const Panels& panels, int64_t count) {
  return {panels.data + count * kPanel, panels.stride};
}

// One sequence under the heads that share a key-value head: its keys and values.
struct GroupOperands {
  const Sequence& sequence;
  int64_t begin, end;  // the heads
  Rows keys, values;
};

// The operands of the heads that share the key-value head of number `shared`.
inline GroupOperands group_operands(const Sequence& sequence, const AttentionInput& input,
                                    int64_t shared) {
  const AttentionHeads& heads = sequence.heads;
  const auto rows = [&](const Tensor& tensor, int64_t width) {
    return sequence_rows<float>(tensor, sequence.layout.keys, sequence.index)
        .columns(shared * width);
  };
  return {sequence, shared * heads.group, (shared + 1) * heads.group, rows(input.key, heads.d_key),
          rows(input.value, heads.d_value)};
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
