// Scaled dot-product attention (equation 1) per sequence and head, and its gradient.
//
// A head's keys are packed once, through the row list, whether one new query or a whole prefix
// attends to them. Every score is one accumulator over d_head, every output one accumulator over
// the keys in their order. Keys that a query does not see have weight 0, and a multiply-add of 0
// leaves an accumulator as it is: so a query's bits are the same alone and within its prefix.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/attention.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include "heed/backend/cpu/attention-inl.h"
#include "heed/backend/cpu/cached_attention-inl.h"
#include "heed/backend/cpu/dispatch.h"
#include "heed/backend/cpu/kernels.h"
#include "hwy/cache_control.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

// `rows` [count, depth] as a right operand whose columns they are.
Panels pack_transposed(const Rows& rows, int64_t count, int64_t depth, Scratch use) {
  const int64_t stride = depth * kPanel;
  float* out = scratch(use, divide_up(count, kPanel) * stride);
  pack_columns(rows, count, depth, stride, out);
  return {out, stride};
}

// `rows` [count, width] as a right operand whose rows they are.
Panels pack_plain(const Rows& rows, int64_t count, int64_t width, Scratch use) {
  const int64_t stride = count * kPanel;
  float* out = scratch(use, divide_up(width, kPanel) * stride);
  pack_rows<Fp32>(rows, count, width, out);
  return {out, stride};
}

// Few queries, as in decoding: keys and values are read where they lie, since packing them would
// cost more than the products. The accumulators are those of the packed form, and so are the bits.
constexpr int64_t kFewQueries = 4;

template <int kQueries>
void score_few(const Head& head, const Rows& key_rows, const float* query, const Block& block,
               float* scores) {
  for (int64_t begin = 0; begin < block.width; begin += kLanes) {
    const float* keys[kLanes];
    for (int64_t i = 0; i < kLanes; ++i)
      keys[i] = key_rows.at(std::min(begin + i, block.width - 1));
    // The next head's part of each row: rows lie far apart, where no hardware looks ahead.
    for (const float* key : keys)
      for (int64_t c = 0; c < head.d_head; c += 16) hwy::Prefetch(key + head.d_head + c);
    Vector sum[kQueries];
    for (Vector& accumulator : sum) accumulator = zero();
    int64_t k = 0;
    for (; k + 4 <= head.d_head; k += 4) {
      Vector column[4];
      four_columns(keys, k, column);
      HWY_UNROLL(4)
      for (int64_t j = 0; j < 4; ++j)
        for (int m = 0; m < kQueries; ++m)
          sum[m] = hn::MulAdd(set(query[m * head.d + k + j]), column[j], sum[m]);
    }
    for (; k < head.d_head; ++k) {
      const Vector column = one_column(keys, k);
      for (int m = 0; m < kQueries; ++m)
        sum[m] = hn::MulAdd(set(query[m * head.d + k]), column, sum[m]);
    }
    for (int m = 0; m < kQueries; ++m)
      hn::StoreU(sum[m], kFloats, scores + m * block.stride + begin);
  }
}

// One head of one sequence: its keys, and its values.
struct HeadOperands {
  Head head;
  Rows keys, values;
};

HeadOperands head_operands(const AttentionInput& input, const AttentionLayout& layout,
                           int64_t heads, int64_t b, int64_t h, float* weights) {
  HeadOperands o{make_head(input, layout, heads, b, h, weights),
                 sequence_rows<float>(input.key, layout.keys, b),
                 sequence_rows<float>(input.value, layout.keys, b)};
  o.keys.data += o.head.column;
  o.values.data += o.head.column;
  return o;
}

template <int kQueries>
void attend_few(const HeadOperands& o, const Tensor& query, const AttentionOptions& options,
                const AttentionOutput& output) {
  const Head& head = o.head;
  const Block block = make_block(head, 0);
  float* scores = scratch(Scratch::attention_weights, block.rows * block.stride);
  score_few<kQueries>(head, o.keys, head.part(query.data<float>(), 0), block, scores);
  weigh(head, block, options, scores, output.logsumexp);
  // The next head's part of each row.
  const auto prefetch = [&](const float* values, int64_t count) {
    for (int64_t j = 0; j < count; j += 16) hwy::Prefetch(values + head.d_head + j);
  };
  sum_values<kQueries>(head, block, o.values, prefetch, scores,
                       head.part(output.out.data<float>(), 0));
}

void attend(const HeadOperands& o, const Tensor& query, const AttentionOptions& options,
            const AttentionOutput& output) {
  using Few =
      void (*)(const HeadOperands&, const Tensor&, const AttentionOptions&, const AttentionOutput&);
  static constexpr Few kFew[] = {attend_few<1>, attend_few<2>, attend_few<3>, attend_few<4>};
  const Head& head = o.head;
  if (head.queries <= kFewQueries) {
    if (head.queries > 0) kFew[head.queries - 1](o, query, options, output);
    return;
  }
  const Panels keys = pack_transposed(o.keys, head.keys, head.d_head, Scratch::keys);
  const Panels values = pack_plain(o.values, head.keys, head.d_head, Scratch::values);
  for (int64_t begin = 0; begin < head.queries; begin += kQueryBlock) {
    const Block block = make_block(head, begin);
    float* scores = scratch(Scratch::attention_weights, block.rows * block.stride);
    multiply({head.part(query.data<float>(), begin), head.d, Along::rows}, keys, block.rows,
             block.stride, head.d_head, {scores, block.stride});
    weigh(head, block, options, scores, output.logsumexp);
    multiply({scores, block.stride, Along::rows}, values, block.rows, head.d_head, block.width,
             {head.part(output.out.data<float>(), begin), head.d});
  }
}

void attention(const AttentionInput& input, const AttentionLayout& layout,
               const AttentionOptions& options, const AttentionOutput& output) {
  float* weights = output.weights ? output.weights->data<float>() : nullptr;
  for (int64_t b = 0; b < layout.queries.count(); ++b) {
    if (input.key.dtype() == DType::bf16)
      attend_to_cached(input, layout, options, output, b, weights);
    for (int64_t h = 0; input.key.dtype() == DType::fp32 && h < options.heads; ++h)
      attend(head_operands(input, layout, options.heads, b, h, weights), input.query, options,
             output);
    if (weights)
      weights += options.heads * layout.queries.length(b) * layout.keys.lengths.length(b);
  }
}

// The sum of products of two rows.
HWY_INLINE float dot(const float* a, const float* b, int64_t count) {
  Vector sum = zero();
  for (int64_t c = 0; c < count; c += kLanes)
    sum = hn::MulAdd(load(a + c, count - c), load(b + c, count - c), sum);
  return sum_of(sum);
}

// One row of the gradient: weights from dot products, and the gradients of the scaled logits from
// those of the dropped weights.
struct WeightRow {
  float* weights;    // in: dot products; out: dropped weights
  float* gradients;  // in: gradients of the dropped weights; out: gradients of the dot products
  int64_t seen, stride;
  float logsumexp;
  float total;  // the sum over keys of dropped weight times its gradient: dout . out
  int64_t dropout_index;
};

void weight_row_gradient(const WeightRow& row, float scale, const Dropout& dropout) {
  const DropoutFactors factors(dropout, row.dropout_index);
  for (int64_t c = 0; c < row.stride; c += kLanes) {
    const Vector logit = hn::Mul(hn::LoadU(kFloats, row.weights + c), set(scale));
    const Vector weight = first(exp(hn::Sub(logit, set(row.logsumexp))), row.seen - c, zero());
    const Vector kept = factors.on() ? factors.at(row.dropout_index + c) : set(1.0f);
    const Vector gradient = hn::MulSub(hn::LoadU(kFloats, row.gradients + c), kept, set(row.total));
    hn::StoreU(hn::Mul(weight, kept), kFloats, row.weights + c);
    // Beyond `seen` the weight is 0, and so is its product with the gradient.
    hn::StoreU(hn::Mul(hn::Mul(weight, gradient), set(scale)), kFloats, row.gradients + c);
  }
}

// The tensors of the gradient.
struct GradientTensors {
  const float *dout, *query, *key, *value, *out, *logsumexp;
  float *dquery, *dkey, *dvalue;
};

// A head's keys and values, packed for the gradient's products, and where their gradients gather.
struct PackedHead {
  Panels keys, values;  // transposed
  Panels key_rows;
  float *dkeys, *dvalues;  // [keys, d_head]
};

void block_gradient(const Head& head, const PackedHead& packed, const GradientTensors& tensors,
                    const AttentionOptions& options, const Block& block) {
  const float* dout = head.part(tensors.dout, block.begin);
  const float* query = head.part(tensors.query, block.begin);
  float* weights = scratch(Scratch::attention_weights, block.rows * block.stride);
  float* gradients = scratch(Scratch::attention_weight_gradients, block.rows * block.stride);
  multiply({query, head.d, Along::rows}, packed.keys, block.rows, block.stride, head.d_head,
           {weights, block.stride});
  multiply({dout, head.d, Along::rows}, packed.values, block.rows, block.stride, head.d_head,
           {gradients, block.stride});
  for (int64_t i = 0; i < block.rows; ++i) {
    const int64_t query_row = block.begin + i;
    const float logsumexp =
        tensors.logsumexp[(head.query_begin + query_row) * head.heads + head.index];
    const float total = dot(dout + i * head.d, head.part(tensors.out, query_row), head.d_head);
    weight_row_gradient({weights + i * block.stride, gradients + i * block.stride,
                         head.seen(query_row), block.width, logsumexp, total,
                         options.dropout_index(head.query_begin + query_row, head.index)},
                        float(options.scale), options.dropout);
  }
  multiply({gradients, block.stride, Along::rows}, packed.key_rows, block.rows, head.d_head,
           block.width, {head.part(tensors.dquery, block.begin), head.d});
  const Panels queries = pack_plain({query, head.d}, block.rows, head.d_head, Scratch::queries);
  multiply({gradients, block.stride, Along::columns}, queries, block.width, head.d_head, block.rows,
           {packed.dkeys, head.d_head, WriteMode::accumulate});
  const Panels douts =
      pack_plain({dout, head.d}, block.rows, head.d_head, Scratch::output_gradients);
  multiply({weights, block.stride, Along::columns}, douts, block.width, head.d_head, block.rows,
           {packed.dvalues, head.d_head, WriteMode::accumulate});
}

void attend_gradient(const HeadOperands& o, const GradientTensors& tensors,
                     const AttentionOptions& options) {
  const Head& head = o.head;
  const int64_t size = head.keys * head.d_head;
  const PackedHead packed{pack_transposed(o.keys, head.keys, head.d_head, Scratch::keys),
                          pack_transposed(o.values, head.keys, head.d_head, Scratch::values),
                          pack_plain(o.keys, head.keys, head.d_head, Scratch::key_rows),
                          scratch(Scratch::dkeys, size), scratch(Scratch::dvalues, size)};
  std::fill_n(packed.dkeys, size, 0.0f);
  std::fill_n(packed.dvalues, size, 0.0f);
  for (int64_t begin = 0; begin < head.queries; begin += kQueryBlock)
    block_gradient(head, packed, tensors, options, make_block(head, begin));
  for (int64_t j = 0; j < head.keys; ++j) {
    std::copy_n(packed.dkeys + j * head.d_head, head.d_head,
                tensors.dkey + (o.keys.at(j) - tensors.key));
    std::copy_n(packed.dvalues + j * head.d_head, head.d_head,
                tensors.dvalue + (o.values.at(j) - tensors.value));
  }
}

void attention_gradient(const Tensor& dout, const AttentionInput& input,
                        const AttentionLayout& layout, const AttentionOptions& options,
                        const AttentionForward& forward, const AttentionGradient& gradient) {
  const GradientTensors tensors{dout.data<float>(),
                                input.query.data<float>(),
                                input.key.data<float>(),
                                input.value.data<float>(),
                                forward.out.data<float>(),
                                forward.logsumexp.data<float>(),
                                gradient.dquery.data<float>(),
                                gradient.dkey.data<float>(),
                                gradient.dvalue.data<float>()};
  for (int64_t b = 0; b < layout.queries.count(); ++b)
    for (int64_t h = 0; h < options.heads; ++h)
      attend_gradient(head_operands(input, layout, options.heads, b, h, nullptr), tensors, options);
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
