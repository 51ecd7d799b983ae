// Attention over keys and values that a decoder cached in bf16. Decoding reads all of them again at
// every step, from far away, so a row is read once for all heads, and rows are half as long.
//
// A score is the sum over lanes of one accumulator a lane; an output is one accumulator over the
// keys. Neither depends on how many queries share the work, so a query's bits are the same alone
// and within its prefix.
#if defined(HEED_BACKEND_CPU_CACHED_ATTENTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_BACKEND_CPU_CACHED_ATTENTION_INL_H_
#undef HEED_BACKEND_CPU_CACHED_ATTENTION_INL_H_
#else
#define HEED_BACKEND_CPU_CACHED_ATTENTION_INL_H_
#endif

#include "heed/backend/cpu/attention-inl.h"
#include "hwy/cache_control.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

inline void write_cache(const Tensor& x, std::span<const int32_t> rows, Tensor& cache) {
  const int64_t d = x.columns();
  const Words words;
  for (size_t i = 0; i < rows.size(); ++i) {
    const float* from = x.data<float>() + int64_t(i) * d;
    if (cache.dtype() == DType::fp32) {
      std::copy_n(from, d, cache.data<float>() + rows[i] * d);
      continue;
    }
    Bf16* to = cache.data<Bf16>() + rows[i] * d;
    for (int64_t c = 0; c < d; c += kLanes) {
      HWY_ALIGN uint32_t lanes[kLanes];
      hn::Store(rounded_to_bf16(load(from + c, d - c)), words, lanes);
      for (int64_t j = 0; j < std::min(kLanes, d - c); ++j)
        to[c + j].bits = uint16_t(lanes[j] >> 16);
    }
  }
}

// Queries that share a walk over the keys.
constexpr int64_t kCachedQueries = 4;

// One sequence, all heads of it.
struct CachedOperands {
  const Sequence& sequence;
  RowsOf<Bf16> keys, values;
  int64_t ahead;  // how many rows, from the sequence's first one, a walk will come to: where a
                  // query attends to all, the next sequences' follow
  const float* query;

  static void prefetch(const RowsOf<Bf16>& rows, int64_t key) {
    constexpr int64_t kLine = 64 / sizeof(Bf16);
    for (int64_t c = 0; c < rows.stride; c += kLine) hwy::Prefetch(rows.at(key) + c);
  }
  void prefetch(int64_t key) const {
    if (key >= ahead) return;
    prefetch(keys, key);
    prefetch(values, key);
  }
};

inline CachedOperands cached_operands(const Sequence& sequence, const AttentionInput& input) {
  const KeyRows& keys = sequence.layout.keys;
  const int64_t b = sequence.index;
  const int64_t ahead = sequence.scores.window && sequence.queries > 0
                            ? sequence.visible_to(0, sequence.queries).end
                            : keys.lengths.rows() - keys.lengths.offsets[size_t(b)];
  return {sequence, sequence_rows<Bf16>(input.key, keys, b),
          sequence_rows<Bf16>(input.value, keys, b), ahead, input.query.data<float>()};
}

// The dot product of a key with `kQueries` queries of one head: to out[m * stride].
template <int kQueries>
HWY_INLINE void score_key(const Sequence& sequence, const float* query, const Bf16* key,
                          int64_t stride, float* out) {
  const int64_t depth = sequence.heads.d_key, query_stride = sequence.query_stride();
  Vector sum[kQueries];
  for (Vector& accumulator : sum) accumulator = zero();
  for (int64_t c = 0; c < depth; c += kLanes) {
    const Vector part = load(key + c, depth - c);
    for (int m = 0; m < kQueries; ++m)
      sum[m] = hn::MulAdd(load(query + m * query_stride + c, depth - c), part, sum[m]);
  }
  for (int m = 0; m < kQueries; ++m) out[m * stride] = sum_of(sum[m]);
}

// Dot products of `kQueries` queries and the keys that any of them attends to: scores [heads,
// kQueries, stride].
template <int kQueries>
void score_cached(const CachedOperands& o, const Block& block, float* scores) {
  constexpr int64_t kAhead = 3;  // rows
  const AttentionHeads& heads = o.sequence.heads;
  const float* first_query = Head(o.sequence, 0).query_part(o.query, block.begin);
  for (int64_t key = block.keys.begin; key < block.keys.end; ++key) {
    o.prefetch(key + kAhead);
    const Bf16* row = o.keys.at(key);
    const float* query = first_query;
    float* out = scores + key - block.first;
    for (int64_t shared = 0; shared < heads.key_value; ++shared, row += heads.d_key) {
      for (int64_t h = 0; h < heads.group; ++h) {
        score_key<kQueries>(o.sequence, query, row, block.stride, out);
        query += heads.d_key;
        out += kQueries * block.stride;
      }
    }
  }
}

template <int kQueries>
void attend_to_cached_block(const CachedOperands& o, const Block& block,
                            const AttentionOptions& options, const AttentionOutput& output) {
  const AttentionHeads& heads = o.sequence.heads;
  const int64_t size = kQueries * block.stride;
  float* scores = scratch(Scratch::attention_weights, heads.count * size);
  score_cached<kQueries>(o, block, scores);
  const auto near = [](const Bf16*, int64_t) {};  // since its key has just been read
  for (int64_t shared = 0; shared < heads.key_value; ++shared) {
    const RowsOf<Bf16> values = o.values.columns(shared * heads.d_value);
    for (int64_t h = shared * heads.group; h < (shared + 1) * heads.group; ++h) {
      const Head head(o.sequence, h);
      weigh(head, block, options, scores + h * size, output.logsumexp);
      sum_values<kQueries>(head, block, values, near, scores + h * size,
                           head.out_part(output.out.data<float>(), block.begin));
    }
  }
}

inline void attend_to_cached(const Sequence& sequence, const AttentionInput& input,
                             const AttentionOptions& options, const AttentionOutput& output) {
  using Some = void (*)(const CachedOperands&, const Block&, const AttentionOptions&,
                        const AttentionOutput&);
  static constexpr Some kSome[] = {attend_to_cached_block<1>, attend_to_cached_block<2>,
                                   attend_to_cached_block<3>, attend_to_cached_block<4>};
  const CachedOperands o = cached_operands(sequence, input);
  for (int64_t begin = 0; begin < sequence.queries; begin += kCachedQueries) {
    const Block block = make_block(sequence, begin, kCachedQueries);
    kSome[block.rows - 1](o, block, options, output);
  }
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
