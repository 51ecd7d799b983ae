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
struct CachedSequence {
  Head head;  // the first
  RowsOf<Bf16> keys, values;
  int64_t ahead;  // how many rows, from the sequence's first one, a walk will come to: the next
                  // sequences' follow
  const float* query;

  void prefetch(int64_t key) const {
    if (key >= ahead) return;
    constexpr int64_t kLine = 64 / sizeof(Bf16);
    for (int64_t c = 0; c < head.d; c += kLine) {
      hwy::Prefetch(keys.at(key) + c);
      hwy::Prefetch(values.at(key) + c);
    }
  }
  Head head_of(int64_t h) const {
    Head one = head;
    one.index = h;
    one.column = h * head.d_head;
    if (one.weights) one.weights += h * head.queries * head.keys;
    return one;
  }
  RowsOf<Bf16> values_of(int64_t h) const {
    return {values.data + h * head.d_head, values.stride, values.list};
  }
};

// Dot products of `kQueries` queries and the keys that any of them sees: scores [heads, kQueries,
// stride].
template <int kQueries>
void score_cached(const CachedSequence& sequence, const Block& block, float* scores) {
  constexpr int64_t kAhead = 3;  // rows
  const Head& head = sequence.head;
  const float* queries = head.part(sequence.query, block.begin);
  for (int64_t key = 0; key < block.width; ++key) {
    sequence.prefetch(key + kAhead);
    for (int64_t h = 0; h < head.heads; ++h) {
      const Bf16* row = sequence.keys.at(key) + h * head.d_head;
      const float* query = queries + h * head.d_head;
      Vector sum[kQueries];
      for (Vector& accumulator : sum) accumulator = zero();
      for (int64_t c = 0; c < head.d_head; c += kLanes) {
        const Vector part = load(row + c, head.d_head - c);
        for (int m = 0; m < kQueries; ++m)
          sum[m] = hn::MulAdd(load(query + m * head.d + c, head.d_head - c), part, sum[m]);
      }
      for (int m = 0; m < kQueries; ++m)
        scores[(h * kQueries + m) * block.stride + key] = sum_of(sum[m]);
    }
  }
}

template <int kQueries>
void attend_to_cached_block(const CachedSequence& sequence, const Block& block,
                            const AttentionOptions& options, const AttentionOutput& output) {
  const int64_t heads = sequence.head.heads, size = kQueries * block.stride;
  float* scores = scratch(Scratch::attention_weights, heads * size);
  score_cached<kQueries>(sequence, block, scores);
  const auto near = [](const Bf16*, int64_t) {};  // since its key has just been read
  for (int64_t h = 0; h < heads; ++h) {
    const Head head = sequence.head_of(h);
    weigh(head, block, options, scores + h * size, output.logsumexp);
    sum_values<kQueries>(head, block, sequence.values_of(h), near, scores + h * size,
                         head.part(output.out.data<float>(), block.begin));
  }
}

inline void attend_to_cached(const AttentionInput& input, const AttentionLayout& layout,
                             const AttentionOptions& options, const AttentionOutput& output,
                             int64_t b, float* weights) {
  using Some = void (*)(const CachedSequence&, const Block&, const AttentionOptions&,
                        const AttentionOutput&);
  static constexpr Some kSome[] = {attend_to_cached_block<1>, attend_to_cached_block<2>,
                                   attend_to_cached_block<3>, attend_to_cached_block<4>};
  const CachedSequence sequence{make_head(input, layout, options.heads, b, 0, weights),
                                sequence_rows<Bf16>(input.key, layout.keys, b),
                                sequence_rows<Bf16>(input.value, layout.keys, b),
                                layout.keys.lengths.rows() - layout.keys.lengths.offsets[size_t(b)],
                                input.query.data<float>()};
  for (int64_t begin = 0; begin < sequence.head.queries; begin += kCachedQueries) {
    const Block block = make_block(sequence.head, begin, kCachedQueries);
    kSome[block.rows - 1](sequence, block, options, output);
  }
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
