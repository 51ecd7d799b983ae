// Shared by the kernels of attention in steps: the views of a head and of its rows of scores.
#if defined(HEED_BACKEND_CPU_ATTENTION_STEPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_BACKEND_CPU_ATTENTION_STEPS_INL_H_
#undef HEED_BACKEND_CPU_ATTENTION_STEPS_INL_H_
#else
#define HEED_BACKEND_CPU_ATTENTION_STEPS_INL_H_
#endif

#include "heed/backend/cpu/attention-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

// One sequence under one head of the query.
struct StepHead {
  const AttentionLayout& layout;
  int64_t sequence, index, heads;  // which sequence, which head of how many
  int64_t query_begin, queries;    // rows of the query tensor
  int64_t keys;
  int64_t scores_begin;  // the index of its first score, of [queries, keys]

  // How many keys the sequence's query i sees.
  int64_t seen(int64_t i) const { return layout.visible_keys(sequence, i); }
  int64_t row_of_scores(int64_t i) const { return scores_begin + i * keys; }
  // The head's part of the sequence's query i in a tensor `data` [query rows, heads * d].
  template <class T>
  T* part(T* data, int64_t d, int64_t i) const {
    return data + ((query_begin + i) * heads + index) * d;
  }
};

// Calls f(head) for each sequence and head, in the order of their scores.
template <class F>
void each_head(const AttentionLayout& layout, int64_t heads, const F& f) {
  int64_t begin = 0;
  for (int64_t b = 0; b < layout.queries.count(); ++b) {
    const int64_t queries = layout.queries.length(b), keys = layout.keys.lengths.length(b);
    for (int64_t h = 0; h < heads; ++h, begin += queries * keys)
      f(StepHead{layout, b, h, heads, layout.queries.offsets[size_t(b)], queries, keys, begin});
  }
}

// A tensor of keys or values with `d` columns a head, and how many heads of the query share one of
// its heads.
struct GroupedHeads {
  const Tensor& tensor;
  int64_t d, group;

  GroupedHeads(const Tensor& tensor, int64_t d, int64_t heads)
      : tensor(tensor), d(d), group(heads / (tensor.columns() / d)) {}
  bool is_first_of_group(const StepHead& head) const { return head.index % group == 0; }
  bool is_last_of_group(const StepHead& head) const { return head.index % group == group - 1; }
  int64_t column(const StepHead& head) const { return head.index / group * d; }
};

// The rows of keys or values of `head`'s sequence under the key-value head that it shares: in their
// place if they are fp32, otherwise a copy that was widened from bf16.
inline Rows rows_of(const GroupedHeads& shared, const StepHead& head) {
  const KeyRows& keys = head.layout.keys;
  if (shared.tensor.dtype() == DType::fp32)
    return sequence_rows<float>(shared.tensor, keys, head.sequence).columns(shared.column(head));
  const RowsOf<Bf16> cached =
      sequence_rows<Bf16>(shared.tensor, keys, head.sequence).columns(shared.column(head));
  float* out = scratch(Scratch::cached_rows, head.keys * shared.d);
  for (int64_t j = 0; j < head.keys; ++j) {
    const Bf16* from = cached.at(j);
    float* to = out + j * shared.d;
    for (int64_t c = 0; c < shared.d; c += kLanes)
      store(load(from + c, shared.d - c), to + c, shared.d - c);
  }
  return {out, shared.d};
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
