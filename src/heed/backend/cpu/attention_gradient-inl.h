// The gradient of attention. Weights are computed again, from the logsumexp of the forward pass.
#if defined(HEED_BACKEND_CPU_ATTENTION_GRADIENT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_BACKEND_CPU_ATTENTION_GRADIENT_INL_H_
#undef HEED_BACKEND_CPU_ATTENTION_GRADIENT_INL_H_
#else
#define HEED_BACKEND_CPU_ATTENTION_GRADIENT_INL_H_
#endif

#include "heed/backend/cpu/attention-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

// One row of the gradient: weights from dot products, and the gradients of the dot products from
// those of the dropped weights.
struct WeightRow {
  float* weights;    // in: dot products; out: dropped weights
  float* gradients;  // in: gradients of the dropped weights; out: gradients of the dot products
  KeyRange columns;  // that have a weight; the others of `stride` become 0
  int64_t stride;
  float logsumexp;
  float total;            // the sum over keys of dropped weight times its gradient: dout . out
  int64_t dropout_index;  // of column 0
};

template <class Logits>
HWY_INLINE void weight_row_gradient(const WeightRow& row, const Logits& logits,
                                    const Dropout& dropout) {
  const DropoutFactors factors(dropout, row.dropout_index);
  const int64_t begin = row.columns.begin / kLanes * kLanes, end = row.columns.end;
  int64_t c = begin;
  for (; c < end; c += kLanes) {
    const Vector logit = logits.at(hn::LoadU(kFloats, row.weights + c), c);
    const Vector weight =
        between(exp(hn::Sub(logit, set(row.logsumexp))), row.columns.begin - c, end - c, zero());
    const Vector kept = factors.on() ? factors.at(row.dropout_index + c) : set(1.0f);
    const Vector gradient = hn::MulSub(hn::LoadU(kFloats, row.gradients + c), kept, set(row.total));
    hn::StoreU(hn::Mul(weight, kept), kFloats, row.weights + c);
    // Outside of `columns` the weight is 0, and so is its product with the gradient.
    hn::StoreU(hn::Mul(hn::Mul(weight, gradient), set(logits.scale)), kFloats, row.gradients + c);
  }
  for (float* values : {row.weights, row.gradients}) {
    for (int64_t i = 0; i < begin; i += kLanes) hn::StoreU(zero(), kFloats, values + i);
    for (int64_t i = c; i < row.stride; i += kLanes) hn::StoreU(zero(), kFloats, values + i);
  }
}

// The tensors of the gradient.
struct GradientTensors {
  const float *dout, *query, *key, *value, *out, *logsumexp;
  float *dquery, *dkey, *dvalue;
};

// A group's keys and values, packed for the gradient's products, and where their gradients gather.
struct PackedGroup {
  Panels keys, values;  // transposed
  Panels key_rows;
  float* dkeys;    // [keys, d_key]
  float* dvalues;  // [keys, d_value]
};

// weights [block.rows, block.stride]: from dot products to dropped weights; gradients: from those
// of the dropped weights to those of the dot products.
inline void weight_gradients(const Head& head, const GradientTensors& tensors,
                             const AttentionOptions& options, const Block& block, float* weights,
                             float* gradients) {
  const Sequence& sequence = head.sequence;
  for (int64_t i = 0; i < block.rows; ++i) {
    const int64_t query = block.begin + i;
    const float total = dot(head.out_part(tensors.dout, query), head.out_part(tensors.out, query),
                            sequence.heads.d_value);
    const WeightRow row{
        weights + i * block.stride,
        gradients + i * block.stride,
        block.columns(sequence.visible(query)),
        block.stride,
        tensors.logsumexp[head.element(query)],
        total,
        options.dropout_index(sequence.query_begin + query, head.index) + block.first};
    if (options.scores.bias == ScoreBias::none)
      weight_row_gradient(row, ScaledLogits{float(options.scores.scale)}, options.dropout);
    else
      weight_row_gradient(row, AlibiLogits(head, block, query), options.dropout);
  }
}

inline void block_gradient(const Head& head, const PackedGroup& packed,
                           const GradientTensors& tensors, const AttentionOptions& options,
                           const Block& block) {
  const int64_t d_key = head.sequence.heads.d_key, d_value = head.sequence.heads.d_value;
  const int64_t query_stride = head.sequence.query_stride();
  const int64_t out_stride = head.sequence.out_stride();
  const int64_t first = block.first, stride = block.stride;
  const float* dout = head.out_part(tensors.dout, block.begin);
  const float* query = head.query_part(tensors.query, block.begin);
  float* weights = scratch(Scratch::attention_weights, block.rows * stride);
  float* gradients = scratch(Scratch::attention_weight_gradients, block.rows * stride);
  multiply({query, query_stride, Along::rows}, columns_from(packed.keys, first), block.rows, stride,
           d_key, {weights, stride});
  multiply({dout, out_stride, Along::rows}, columns_from(packed.values, first), block.rows, stride,
           d_value, {gradients, stride});
  weight_gradients(head, tensors, options, block, weights, gradients);
  multiply({gradients, stride, Along::rows}, rows_from(packed.key_rows, first), block.rows, d_key,
           block.width, {head.query_part(tensors.dquery, block.begin), query_stride});
  const Panels queries = pack_plain({query, query_stride}, block.rows, d_key, Scratch::queries);
  multiply({gradients, stride, Along::columns}, queries, block.width, d_key, block.rows,
           {packed.dkeys + first * d_key, d_key, WriteMode::accumulate});
  const Panels douts =
      pack_plain({dout, out_stride}, block.rows, d_value, Scratch::output_gradients);
  multiply({weights, stride, Along::columns}, douts, block.width, d_value, block.rows,
           {packed.dvalues + first * d_value, d_value, WriteMode::accumulate});
}

// The heads that share a key-value head: its gradients are their sum, one after the other.
inline void attend_gradient(const GroupOperands& o, const GradientTensors& tensors,
                            const AttentionOptions& options) {
  const Sequence& sequence = o.sequence;
  const int64_t keys = sequence.keys;
  const int64_t d_key = sequence.heads.d_key, d_value = sequence.heads.d_value;
  const PackedGroup packed{pack_transposed(o.keys, keys, d_key, Scratch::keys),
                           pack_transposed(o.values, keys, d_value, Scratch::values),
                           pack_plain(o.keys, keys, d_key, Scratch::key_rows),
                           scratch(Scratch::dkeys, keys * d_key),
                           scratch(Scratch::dvalues, keys * d_value)};
  std::fill_n(packed.dkeys, keys * d_key, 0.0f);
  std::fill_n(packed.dvalues, keys * d_value, 0.0f);
  for (int64_t h = o.begin; h < o.end; ++h)
    for (int64_t begin = 0; begin < sequence.queries; begin += kQueryBlock)
      block_gradient(Head(sequence, h), packed, tensors, options, make_block(sequence, begin));
  for (int64_t j = 0; j < keys; ++j) {
    std::copy_n(packed.dkeys + j * d_key, d_key, tensors.dkey + (o.keys.at(j) - tensors.key));
    std::copy_n(packed.dvalues + j * d_value, d_value,
                tensors.dvalue + (o.values.at(j) - tensors.value));
  }
}

inline void attention_gradient(const Tensor& dout, const AttentionInput& input,
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
  for (int64_t b = 0; b < layout.queries.count(); ++b) {
    const Sequence sequence = make_sequence(input, layout, options.scores, b, nullptr);
    for (int64_t shared = 0; shared < sequence.heads.key_value; ++shared)
      attend_gradient(group_operands(sequence, input, shared), tensors, options);
  }
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
