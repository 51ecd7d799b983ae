// What attention's kernels share: the view of one head, blocks of scores, and their softmax.
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

// One sequence under one head.
struct Head {
  int64_t query_begin, queries;  // rows of the query tensor
  int64_t keys;
  int64_t d, d_head;     // columns of the query tensor, and of the head
  int64_t column;        // the head's first
  int64_t index, heads;  // which head of how many
  Mask mask;
  float* weights;  // [queries, keys] of AttentionOutput::weights; may be null

  // How many keys the sequence's query i attends to.
  int64_t seen(int64_t i) const {
    return mask == Mask::causal ? std::clamp<int64_t>(keys - queries + i + 1, 0, keys) : keys;
  }
  // Of the tensor `data` [query rows, d], the head's part of the sequence's query i.
  template <class T>
  T* part(T* data, int64_t i) const {
    return data + (query_begin + i) * d + column;
  }
};

// Sequence b under head h. `weights` is where the sequence's weights are; may be null.
inline Head make_head(const AttentionInput& input, const AttentionLayout& layout, int64_t heads,
                      int64_t b, int64_t h, float* weights) {
  const int64_t d = input.query.columns(), d_head = d / heads;
  const int64_t queries = layout.queries.length(b), keys = layout.keys.lengths.length(b);
  return {layout.queries.offsets[size_t(b)],
          queries,
          keys,
          d,
          d_head,
          h * d_head,
          h,
          heads,
          layout.mask,
          weights ? weights + h * queries * keys : nullptr};
}

// The rows of sequence b in a tensor of keys or values.
template <class T>
RowsOf<T> sequence_rows(const Tensor& tensor, const KeyRows& keys, int64_t b) {
  const int64_t begin = keys.lengths.offsets[size_t(b)];
  const int32_t* list = keys.rows.empty() ? nullptr : keys.rows.data() + begin;
  return {tensor.data<T>() + (list ? 0 : begin * tensor.columns()), tensor.columns(), list};
}

// Scores of one block of queries: `rows` rows of `width` keys, `stride` apart.
struct Block {
  int64_t begin, rows;  // queries
  int64_t width;        // keys that any of them sees
  int64_t stride;       // width in whole panels; what follows width has no meaning
};

// The queries from `begin` on, `most` of them at most.
inline Block make_block(const Head& head, int64_t begin, int64_t most = kQueryBlock) {
  const int64_t rows = std::min(most, head.queries - begin);
  const int64_t width = head.seen(begin + rows - 1);
  return {begin, rows, width, divide_up(width, kPanel) * kPanel};
}

// Turns a row of dot products into weights, 0 from `seen` on; returns their logsumexp.
inline float softmax_row(float* row, int64_t seen, int64_t stride, float scale) {
  const Vector least = set(-std::numeric_limits<float>::infinity());
  Vector top = least;
  for (int64_t c = 0; c < seen; c += kLanes) {
    const Vector logit = hn::Mul(hn::LoadU(kFloats, row + c), set(scale));
    top = hn::Max(top, first(logit, seen - c, least));
  }
  top = hn::MaxOfLanes(kFloats, top);
  Vector total = zero();
  for (int64_t c = 0; c < stride; c += kLanes) {
    const Vector logit = hn::Mul(hn::LoadU(kFloats, row + c), set(scale));
    const Vector weight = first(exp(hn::Sub(logit, top)), seen - c, zero());
    hn::StoreU(weight, kFloats, row + c);
    total = hn::Add(total, weight);
  }
  total = hn::SumOfLanes(kFloats, total);
  const Vector inverse = hn::Div(set(1.0f), total);
  for (int64_t c = 0; c < seen; c += kLanes)
    hn::StoreU(hn::Mul(hn::LoadU(kFloats, row + c), inverse), kFloats, row + c);
  return hn::GetLane(top) + std::log(hn::GetLane(total));
}

// Drops out the weights of one row, the first of which has the dropout index `index`.
inline void drop_row(const Dropout& dropout, int64_t index, int64_t seen, float* row) {
  const DropoutFactors factors(dropout, index);
  for (int64_t c = 0; c < seen; c += kLanes)
    hn::StoreU(hn::Mul(hn::LoadU(kFloats, row + c), factors.at(index + c)), kFloats, row + c);
}

// Softmax and dropout of one block's scores.
inline void weigh(const Head& head, const Block& block, const AttentionOptions& options,
                  float* scores, Tensor& logsumexp) {
  for (int64_t i = 0; i < block.rows; ++i) {
    const int64_t query = block.begin + i, seen = head.seen(query);
    float* row = scores + i * block.stride;
    logsumexp.data<float>()[(head.query_begin + query) * head.heads + head.index] =
        softmax_row(row, seen, block.stride, float(options.scale));
    if (options.dropout)
      drop_row(options.dropout, options.dropout_index(head.query_begin + query, head.index), seen,
               row);
    if (head.weights == nullptr) continue;
    float* weights = head.weights + query * head.keys;
    std::copy_n(row, seen, weights);
    std::fill(weights + seen, weights + head.keys, 0.0f);
  }
}

// out = the values' sum by their weights, of one head and `kQueries` queries: one accumulator over
// the keys for each element. prefetch(row, count) is called for each part of a value's row before
// it is read.
template <int kQueries, class T, class Prefetch>
void sum_values(const Head& head, const Block& block, const RowsOf<T>& values,
                const Prefetch& prefetch, const float* weights, float* out) {
  constexpr int kVectors = 4;
  for (int64_t c = 0; c < head.d_head; c += kVectors * kLanes) {
    Vector sum[kQueries][kVectors];
    for (auto& row : sum)
      for (Vector& accumulator : row) accumulator = zero();
    const int64_t left = head.d_head - c;
    for (int64_t key = 0; key < block.width; ++key) {
      const T* row = values.at(key) + c;
      prefetch(row, kVectors * kLanes);
      Vector value[kVectors];
      HWY_UNROLL(4)
      for (int j = 0; j < kVectors; ++j)
        value[j] = load(row + j * kLanes, std::max<int64_t>(left - j * kLanes, 0));
      for (int m = 0; m < kQueries; ++m) {
        const Vector weight = set(weights[m * block.stride + key]);
        HWY_UNROLL(4)
        for (int j = 0; j < kVectors; ++j) sum[m][j] = hn::MulAdd(weight, value[j], sum[m][j]);
      }
    }
    for (int m = 0; m < kQueries; ++m)
      for (int64_t j = 0; j < kVectors && j * kLanes < left; ++j)
        store(sum[m][j], out + m * head.d + c + j * kLanes, left - j * kLanes);
  }
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
