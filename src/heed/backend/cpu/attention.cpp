// Scaled dot-product attention (equation 1) per sequence and head; its gradient is in
// attention_gradient-inl.h.
//
// A key-value head is packed once for the heads that share it, through the row list. Every score is
// one accumulator over d_key, every output one accumulator over the keys in their order. Keys that
// a query does not see have weight 0, and a multiply-add of 0 leaves an accumulator as it is: so a
// query's bits are the same alone and within its prefix.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/attention.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include "heed/backend/cpu/attention-inl.h"
#include "heed/backend/cpu/attention_gradient-inl.h"
#include "heed/backend/cpu/cached_attention-inl.h"
#include "heed/backend/cpu/kernels.h"
#include "hwy/cache_control.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

// Few queries, as in decoding: keys and values are read where they lie, since packing them would
// cost more than the products. The accumulators are those of the packed form, and so are the bits.
constexpr int64_t kFewQueries = 4;

template <int kQueries>
void score_few(const Sequence& sequence, const Rows& key_rows, const float* query,
               const Block& block, float* scores) {
  const int64_t depth = sequence.heads.d_key, stride = sequence.query_stride();
  const int64_t begin = block.keys.begin / kLanes * kLanes, end = block.keys.end;
  for (int64_t first = begin; first < end; first += kLanes) {
    const float* keys[kLanes];
    for (int64_t i = 0; i < kLanes; ++i) keys[i] = key_rows.at(std::min(first + i, end - 1));
    // The next head's part of each row: rows lie far apart, where no hardware looks ahead.
    for (const float* key : keys)
      for (int64_t c = 0; c < depth; c += 16) hwy::Prefetch(key + depth + c);
    Vector sum[kQueries];
    for (Vector& accumulator : sum) accumulator = zero();
    int64_t k = 0;
    for (; k + 4 <= depth; k += 4) {
      Vector column[4];
      four_columns(keys, k, column);
      HWY_UNROLL(4)
      for (int64_t j = 0; j < 4; ++j)
        for (int m = 0; m < kQueries; ++m)
          sum[m] = hn::MulAdd(set(query[m * stride + k + j]), column[j], sum[m]);
    }
    for (; k < depth; ++k) {
      const Vector column = one_column(keys, k);
      for (int m = 0; m < kQueries; ++m)
        sum[m] = hn::MulAdd(set(query[m * stride + k]), column, sum[m]);
    }
    for (int m = 0; m < kQueries; ++m)
      hn::StoreU(sum[m], kFloats, scores + m * block.stride + first - block.first);
  }
}

template <int kQueries>
void attend_few(const GroupOperands& o, const Block& block, const Tensor& query,
                const AttentionOptions& options, const AttentionOutput& output) {
  const int64_t d_value = o.sequence.heads.d_value;
  // The next head's part of each row.
  const auto prefetch = [&](const float* values, int64_t count) {
    for (int64_t j = 0; j < count; j += 16) hwy::Prefetch(values + d_value + j);
  };
  float* scores = scratch(Scratch::attention_weights, block.rows * block.stride);
  for (int64_t h = o.begin; h < o.end; ++h) {
    const Head head(o.sequence, h);
    score_few<kQueries>(o.sequence, o.keys, head.query_part(query.data<float>(), 0), block, scores);
    weigh(head, block, options, scores, output.logsumexp);
    sum_values<kQueries>(head, block, o.values, prefetch, scores,
                         head.out_part(output.out.data<float>(), 0));
  }
}

// Keys and values from key `begin` on, packed for products with many queries.
struct PackedKeyValue {
  int64_t begin;
  Panels keys, values;
};

PackedKeyValue pack_visible(const GroupOperands& o) {
  const KeyRange keys = o.sequence.visible_to(0, o.sequence.queries);
  const int64_t begin = panel_begin(keys.begin), count = keys.end - begin;
  const AttentionHeads& heads = o.sequence.heads;
  return {begin, pack_transposed(o.keys.from(begin), count, heads.d_key, Scratch::keys),
          pack_plain(o.values.from(begin), count, heads.d_value, Scratch::values)};
}

void attend_many(const Head& head, const PackedKeyValue& packed, const Tensor& query,
                 const AttentionOptions& options, const AttentionOutput& output) {
  const Sequence& sequence = head.sequence;
  const AttentionHeads& heads = sequence.heads;
  for (int64_t begin = 0; begin < sequence.queries; begin += kQueryBlock) {
    const Block block = make_block(sequence, begin);
    const int64_t before = block.first - packed.begin;
    float* scores = scratch(Scratch::attention_weights, block.rows * block.stride);
    multiply({head.query_part(query.data<float>(), begin), sequence.query_stride(), Along::rows},
             columns_from(packed.keys, before), block.rows, block.stride, heads.d_key,
             {scores, block.stride});
    weigh(head, block, options, scores, output.logsumexp);
    multiply({scores, block.stride, Along::rows}, rows_from(packed.values, before), block.rows,
             heads.d_value, block.width,
             {head.out_part(output.out.data<float>(), begin), sequence.out_stride()});
  }
}

// The heads that share a key-value head.
void attend(const GroupOperands& o, const Tensor& query, const AttentionOptions& options,
            const AttentionOutput& output) {
  using Few = void (*)(const GroupOperands&, const Block&, const Tensor&, const AttentionOptions&,
                       const AttentionOutput&);
  static constexpr Few kFew[] = {attend_few<1>, attend_few<2>, attend_few<3>, attend_few<4>};
  const int64_t queries = o.sequence.queries;
  if (queries == 0) return;
  if (queries <= kFewQueries)
    return kFew[queries - 1](o, make_block(o.sequence, 0), query, options, output);
  const PackedKeyValue packed = pack_visible(o);
  for (int64_t h = o.begin; h < o.end; ++h)
    attend_many(Head(o.sequence, h), packed, query, options, output);
}

void attention(const AttentionInput& input, const AttentionLayout& layout,
               const AttentionOptions& options, const AttentionOutput& output) {
  float* weights = output.weights ? output.weights->data<float>() : nullptr;
  for (int64_t b = 0; b < layout.queries.count(); ++b) {
    const Sequence sequence = make_sequence(input, layout, options.scores, b, weights);
    if (input.key.dtype() == DType::bf16)
      attend_to_cached(sequence, input, options, output);
    else
      for (int64_t shared = 0; shared < sequence.heads.key_value; ++shared)
        attend(group_operands(sequence, input, shared), input.query, options, output);
    if (weights) weights += options.scores.heads * sequence.queries * sequence.keys;
  }
}

}  // namespace

void fill_attention_kernels(CpuKernels& kernels) {
  kernels.write_cache = write_cache;
  kernels.attention = attention;
  kernels.attention_gradient = attention_gradient;
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {

HWY_EXPORT(fill_attention_kernels);
void fill_attention(int64_t target, CpuKernels& kernels) {
  HWY_DISPATCH_TABLE(fill_attention_kernels)[dispatch_index(target)](kernels);
}

}  // namespace heed::cpu
#endif
