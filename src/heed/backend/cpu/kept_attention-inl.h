// Keys and values as a decoder keeps them where products are not fp32: rounded to bf16, a key's
// element in the upper half of a word and the value's of the same column in the lower one. Decoding
// reads all of them again at every step, from far away: pairs halve the way, and a row is one
// stretch of memory for all heads.
//
// A score is the sum over lanes of one chain a lane; an output is one chain over the keys. Neither
// depends on how many queries share the work, so a query's bits are the same alone and within its
// prefix.
#if defined(HEED_BACKEND_CPU_KEPT_ATTENTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_BACKEND_CPU_KEPT_ATTENTION_INL_H_
#undef HEED_BACKEND_CPU_KEPT_ATTENTION_INL_H_
#else
#define HEED_BACKEND_CPU_KEPT_ATTENTION_INL_H_
#endif

#include "heed/backend/cpu/attention-inl.h"
#include "hwy/cache_control.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

HWY_INLINE Vector key_of(Vector pair) {
  const Words words;
  return hn::BitCast(kFloats, hn::And(hn::BitCast(words, pair), hn::Set(words, 0xFFFF0000u)));
}
HWY_INLINE Vector value_of(Vector pair) {
  return hn::BitCast(kFloats, hn::ShiftLeft<16>(hn::BitCast(Words(), pair)));
}

// out[rows[i]] = row i of key_value [n, 2 d] as pairs [d].
inline void keep_pairs(const Tensor& key_value, std::span<const int32_t> rows, const Tensor& out) {
  const int64_t d = out.columns();
  for (size_t i = 0; i < rows.size(); ++i) {
    const float* keys = key_value.data<float>() + int64_t(i) * 2 * d;
    float* to = out.data<float>() + rows[i] * d;
    for (int64_t c = 0; c < d; c += kLanes) {
      const auto key = rounded_to_bf16(load(keys + c, d - c));
      const auto value = hn::ShiftRight<16>(rounded_to_bf16(load(keys + d + c, d - c)));
      store(hn::BitCast(kFloats, hn::Or(key, value)), to + c, d - c);
    }
  }
}

// Queries that share a walk over the keys.
constexpr int64_t kKeptQueries = 4;

// One sequence, all heads of it.
struct KeptSequence {
  Head head;      // the first; its rows are those of the pairs
  int64_t ahead;  // how many rows, from the sequence's first one, a walk will come to: the next
                  // sequences' follow
  const float* query;

  const float* pairs(int64_t key, int64_t h) const {
    return head.key_rows.at(key) + h * head.d_head;
  }
  void prefetch(int64_t key) const {
    if (key >= ahead) return;
    const float* row = head.key_rows.at(key);
    for (int64_t c = 0; c < head.d; c += 16) hwy::Prefetch(row + c);
  }
  Head head_of(int64_t h) const {
    Head one = head;
    one.index = h;
    one.column = h * head.d_head;
    return one;
  }
};

inline KeptSequence kept_sequence(const Tensor& query, const Tensor& kept, const Sight& sight,
                                  int64_t heads, int64_t b) {
  const int64_t d = query.columns(), begin = sight.keys.layout.begin[size_t(b)];
  const int32_t* list = sight.keys.rows.empty() ? nullptr : sight.keys.rows.data() + begin;
  const Rows rows{kept.data<float>() + (list ? 0 : begin * d), d, list};
  return {{sight.queries.begin[size_t(b)], sight.queries.length(b), sight.keys.layout.length(b), d,
           d / heads, 0, 0, heads, rows, rows, sight.order},
          sight.keys.layout.rows() - begin,
          query.data<float>()};
}

// Dot products of `kQueries` queries and the keys that any of them sees: scores [heads, kQueries,
// stride].
template <int kQueries>
void score_kept(const KeptSequence& sequence, const Block& block, float* scores) {
  constexpr int64_t kAhead = 3;  // rows
  const Head& head = sequence.head;
  const float* queries = head.part(sequence.query, block.begin);
  for (int64_t key = 0; key < block.width; ++key) {
    sequence.prefetch(key + kAhead);
    for (int64_t h = 0; h < head.heads; ++h) {
      const float* pairs = sequence.pairs(key, h);
      const float* query = queries + h * head.d_head;
      Vector sum[kQueries];
      for (Vector& chain : sum) chain = zero();
      for (int64_t c = 0; c < head.d_head; c += kLanes) {
        const Vector part = key_of(load(pairs + c, head.d_head - c));
        for (int m = 0; m < kQueries; ++m)
          sum[m] = hn::MulAdd(load(query + m * head.d + c, head.d_head - c), part, sum[m]);
      }
      for (int m = 0; m < kQueries; ++m)
        scores[(h * kQueries + m) * block.stride + key] = sum_of(sum[m]);
    }
  }
}

// The values of one head of the pairs: near already, since their keys have just been read.
struct PairValues {
  const KeptSequence& sequence;
  int64_t h;

  const float* row(int64_t key) const { return sequence.pairs(key, h); }
  void prefetch(const float*, int64_t) const {}
  HWY_INLINE Vector value(Vector pair) const { return value_of(pair); }
};

template <int kQueries>
void attend_to_kept_block(const KeptSequence& sequence, const Block& block,
                          const AttentionOptions& options, const Tensor& out,
                          const Tensor& logsumexp) {
  const int64_t heads = sequence.head.heads, size = kQueries * block.stride;
  float* scores = scratch(Scratch::scores, heads * size);
  score_kept<kQueries>(sequence, block, scores);
  for (int64_t h = 0; h < heads; ++h) {
    const Head head = sequence.head_of(h);
    weigh(head, block, options, scores + h * size, logsumexp);
    sum_values<kQueries>(head, block, PairValues{sequence, h}, scores + h * size,
                         head.part(out.data<float>(), block.begin));
  }
}

inline void attend_to_kept(const Tensor& query, const Tensor& kept, const Sight& sight,
                           const AttentionOptions& options, const Tensor& out,
                           const Tensor& logsumexp) {
  using Some = void (*)(const KeptSequence&, const Block&, const AttentionOptions&, const Tensor&,
                        const Tensor&);
  static constexpr Some kSome[] = {attend_to_kept_block<1>, attend_to_kept_block<2>,
                                   attend_to_kept_block<3>, attend_to_kept_block<4>};
  for (int64_t b = 0; b < sight.queries.count(); ++b) {
    const KeptSequence sequence = kept_sequence(query, kept, sight, options.heads, b);
    for (int64_t begin = 0; begin < sequence.head.queries; begin += kKeptQueries) {
      const Block block = make_block(sequence.head, begin, kKeptQueries);
      kSome[block.rows - 1](sequence, block, options, out, logsumexp);
    }
  }
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
