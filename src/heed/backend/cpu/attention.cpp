// Scaled dot-product attention (equation 1) per sequence and head, and its gradient.
//
// A key-value head is packed once for the heads that share it, its rows as KeyRows lists them.
// Every score is one accumulator over d_key, every output one accumulator over the keys in their
// order. Keys that a query does not see have weight 0, and a multiply-add of 0 leaves an
// accumulator as it is: so the result of a query has the same bits alone, as in decoding, and
// together with other queries.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/attention.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include "heed/backend/cpu/attention-inl.h"
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
    multiply(
        {head.query_part(query.data<float>(), begin), sequence.query_stride(), Order::row_major},
        columns_from(packed.keys, before), block.rows, block.stride, heads.d_key,
        {scores, block.stride});
    weigh(head, block, options, scores, output.logsumexp);
    multiply({scores, block.stride, Order::row_major}, rows_from(packed.values, before), block.rows,
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

// From here on: attention over keys and values that a decoder cached in bf16. Decoding reads all of
// them again at every step, from far away, so a row is read once for all heads, and rows are half
// as long.
//
// A score is the sum of the lanes of an accumulator; an output is one accumulator over the
// keys. Neither depends on how many queries share the work, so the result of a query has the same
// bits alone and together with other queries.

void write_cache(const Tensor& x, std::span<const int32_t> rows, Tensor& cache) {
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
  int64_t prefetch_end;  // keys below this, counted from the sequence's first, are prefetched;
                         // without a window it goes on into the sequences that are next
  const float* query;

  static void prefetch(const RowsOf<Bf16>& rows, int64_t key) {
    constexpr int64_t kLine = 64 / sizeof(Bf16);
    for (int64_t c = 0; c < rows.stride; c += kLine) hwy::Prefetch(rows.at(key) + c);
  }
  void prefetch(int64_t key) const {
    if (key >= prefetch_end) return;
    prefetch(keys, key);
    prefetch(values, key);
  }
};

CachedOperands cached_operands(const Sequence& sequence, const AttentionInput& input) {
  const KeyRows& keys = sequence.layout.keys;
  const int64_t b = sequence.index;
  const int64_t prefetch_end = sequence.scores.window && sequence.queries > 0
                                   ? sequence.visible_to(0, sequence.queries).end
                                   : keys.lengths.rows() - keys.lengths.offsets[size_t(b)];
  return {sequence, sequence_rows<Bf16>(input.key, keys, b),
          sequence_rows<Bf16>(input.value, keys, b), prefetch_end, input.query.data<float>()};
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
  const auto no_prefetch = [](const Bf16*, int64_t) {};  // score_cached() did that
  for (int64_t shared = 0; shared < heads.key_value; ++shared) {
    const RowsOf<Bf16> values = o.values.columns(shared * heads.d_value);
    for (int64_t h = shared * heads.group; h < (shared + 1) * heads.group; ++h) {
      const Head head(o.sequence, h);
      weigh(head, block, options, scores + h * size, output.logsumexp);
      sum_values<kQueries>(head, block, values, no_prefetch, scores + h * size,
                           head.out_part(output.out.data<float>(), block.begin));
    }
  }
}

void attend_to_cached(const Sequence& sequence, const AttentionInput& input,
                      const AttentionOptions& options, const AttentionOutput& output) {
  using AttendBlock = void (*)(const CachedOperands&, const Block&, const AttentionOptions&,
                               const AttentionOutput&);
  // By the number of queries in the block, from 1.
  static constexpr AttendBlock kByRows[] = {attend_to_cached_block<1>, attend_to_cached_block<2>,
                                            attend_to_cached_block<3>, attend_to_cached_block<4>};
  const CachedOperands o = cached_operands(sequence, input);
  for (int64_t begin = 0; begin < sequence.queries; begin += kCachedQueries) {
    const Block block = make_block(sequence, begin, kCachedQueries);
    kByRows[block.rows - 1](o, block, options, output);
  }
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

// The gradient of attention. Weights are computed again, from the logsumexp of the forward pass.

// One row of the gradient: weights from dot products, and the gradients of the dot products from
// those of the weights after dropout.
struct WeightRow {
  float* weights;    // in: dot products; out: weights after dropout
  float* gradients;  // in: gradients of these; out: gradients of the dot products
  KeyRange columns;  // that have a weight; the others of `stride` become 0
  int64_t stride;
  float logsumexp;
  float total;  // the sum over keys of a weight after dropout times its gradient: dout . out
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

// weights [block.rows, block.stride]: from dot products to weights after dropout; gradients: from
// those of the weights after dropout to those of the dot products.
void weight_gradients(const Head& head, const GradientTensors& tensors,
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

void block_gradient(const Head& head, const PackedGroup& packed, const GradientTensors& tensors,
                    const AttentionOptions& options, const Block& block) {
  const int64_t d_key = head.sequence.heads.d_key, d_value = head.sequence.heads.d_value;
  const int64_t query_stride = head.sequence.query_stride();
  const int64_t out_stride = head.sequence.out_stride();
  const int64_t first = block.first, stride = block.stride;
  const float* dout = head.out_part(tensors.dout, block.begin);
  const float* query = head.query_part(tensors.query, block.begin);
  float* weights = scratch(Scratch::attention_weights, block.rows * stride);
  float* gradients = scratch(Scratch::attention_weight_gradients, block.rows * stride);
  multiply({query, query_stride, Order::row_major}, columns_from(packed.keys, first), block.rows,
           stride, d_key, {weights, stride});
  multiply({dout, out_stride, Order::row_major}, columns_from(packed.values, first), block.rows,
           stride, d_value, {gradients, stride});
  weight_gradients(head, tensors, options, block, weights, gradients);
  multiply({gradients, stride, Order::row_major}, rows_from(packed.key_rows, first), block.rows,
           d_key, block.width, {head.query_part(tensors.dquery, block.begin), query_stride});
  const Panels queries = pack_plain({query, query_stride}, block.rows, d_key, Scratch::queries);
  multiply({gradients, stride, Order::column_major}, queries, block.width, d_key, block.rows,
           {packed.dkeys + first * d_key, d_key, WriteMode::accumulate});
  const Panels douts =
      pack_plain({dout, out_stride}, block.rows, d_value, Scratch::output_gradients);
  multiply({weights, stride, Order::column_major}, douts, block.width, d_value, block.rows,
           {packed.dvalues + first * d_value, d_value, WriteMode::accumulate});
}

// The heads that share a key-value head: its gradients are their sum, one after the other.
void attend_gradient(const GroupOperands& o, const GradientTensors& tensors,
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
  for (int64_t b = 0; b < layout.queries.count(); ++b) {
    const Sequence sequence = make_sequence(input, layout, options.scores, b, nullptr);
    for (int64_t shared = 0; shared < sequence.heads.key_value; ++shared)
      attend_gradient(group_operands(sequence, input, shared), tensors, options);
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
