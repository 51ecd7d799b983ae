// The products of attention in steps: scaled scores Q K^T, the mix of values, and their gradients.
//
// Every score is one accumulator over d_key, every mixed value one accumulator over the keys in
// their order, and a multiply-add of weight 0 leaves an accumulator as it is: so a query's bits are
// the same alone and within its prefix.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/attention_products.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include "heed/backend/cpu/attention_steps-inl.h"
#include "heed/backend/cpu/dispatch.h"
#include "heed/backend/cpu/head_panels-inl.h"
#include "heed/backend/cpu/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

void scale_row(float* row, int64_t count, float scale) {
  if (scale == 1) return;
  for (int64_t c = 0; c < count; c += kLanes)
    store(hn::Mul(load(row + c, count - c), set(scale)), row + c, count - c);
}

// Queries that are computed together, and the keys that any of them sees.
struct QueryBlock {
  int64_t begin, rows, width;
};
template <class F>
void each_block(const StepHead& head, const F& f) {
  for (int64_t begin = 0; begin < head.queries; begin += kQueryBlock) {
    const int64_t rows = std::min(kQueryBlock, head.queries - begin);
    f(QueryBlock{begin, rows, head.seen(begin + rows - 1)});
  }
}

// pairs = scale * a . keys for the keys that are seen, 0 for others; a [query rows, heads * d].
void products_of_pairs(const StepHead& head, const float* a, const Panels& keys, int64_t d,
                       float scale, float* pairs) {
  each_block(head, [&](const QueryBlock& block) {
    float* out = pairs + head.row_of_scores(block.begin);
    multiply({head.part(a, d, block.begin), head.heads * d, Along::rows}, keys, block.rows,
             block.width, d, {out, head.keys});
    for (int64_t i = 0; i < block.rows; ++i, out += head.keys) {
      const int64_t seen = head.seen(block.begin + i);
      scale_row(out, seen, scale);
      std::fill(out + seen, out + head.keys, 0.0f);
    }
  });
}

// out = scale * pairs . rows; out [query rows, heads * d].
void sums_over_keys(const StepHead& head, const float* pairs, const Panels& rows, int64_t d,
                    float scale, float* out) {
  each_block(head, [&](const QueryBlock& block) {
    multiply({pairs + head.row_of_scores(block.begin), head.keys, Along::rows}, rows, block.rows, d,
             block.width, {head.part(out, d, block.begin), head.heads * d});
    for (int64_t i = 0; i < block.rows; ++i)
      scale_row(head.part(out, d, block.begin + i), d, scale);
  });
}

// sums += pairs^T . a; sums [keys, d], a [query rows, heads * d].
void add_sums_over_queries(const StepHead& head, const float* pairs, const float* a, int64_t d,
                           float* sums) {
  each_block(head, [&](const QueryBlock& block) {
    const Panels rows =
        pack_plain({head.part(a, d, block.begin), head.heads * d}, block.rows, d, Scratch::queries);
    multiply({pairs + head.row_of_scores(block.begin), head.keys, Along::columns}, rows,
             block.width, d, block.rows, {sums, d, WriteMode::accumulate});
  });
}

// The gradient of a head of keys or values, which is summed over the heads that share it.
class SharedGradient {
 public:
  SharedGradient(const GroupedHeads& shared, Tensor& gradient)
      : shared_(shared), gradient_(gradient.data<float>()) {}

  // [keys, d], to be added to.
  float* sums(const StepHead& head) const {
    const int64_t size = head.keys * shared_.d;
    float* sums = scratch(Scratch::dkeys, size);
    if (shared_.begin_with(head)) std::fill_n(sums, size, 0.0f);
    return sums;
  }
  // Writes them, scaled, after the last head.
  void finish(const StepHead& head, float scale) const {
    if (!shared_.end_with(head)) return;
    float* row = scratch(Scratch::dkeys, head.keys * shared_.d);
    const Rows places = rows_of(shared_, head);
    for (int64_t j = 0; j < head.keys; ++j, row += shared_.d) {
      scale_row(row, shared_.d, scale);
      std::copy_n(row, shared_.d, gradient_ + (places.at(j) - shared_.tensor.data<float>()));
    }
  }

 private:
  const GroupedHeads& shared_;
  float* gradient_;
};

void scaled_scores(const ScoreOperands& operands, const AttentionLayout& layout,
                   const ScaledScores& options, Tensor& scores) {
  const int64_t d = operands.query.columns() / options.heads;
  const GroupedHeads shared(operands.key, d, options.heads);
  Panels keys{};
  each_head(layout, options.heads, [&](const StepHead& head) {
    if (shared.begin_with(head))
      keys = pack_transposed(rows_of(shared, head), head.keys, d, Scratch::keys);
    products_of_pairs(head, operands.query.data<float>(), keys, d, float(options.scale),
                      scores.data<float>());
  });
}

void scaled_scores_gradient(const Tensor& dscores, const ScoreOperands& operands,
                            const AttentionLayout& layout, const ScaledScores& options,
                            const ScoreGradient& gradient) {
  const int64_t d = operands.query.columns() / options.heads;
  const float scale = float(options.scale);
  const GroupedHeads shared(operands.key, d, options.heads);
  const SharedGradient dkey(shared, gradient.dkey);
  Panels keys{};
  each_head(layout, options.heads, [&](const StepHead& head) {
    if (shared.begin_with(head))
      keys = pack_plain(rows_of(shared, head), head.keys, d, Scratch::key_rows);
    sums_over_keys(head, dscores.data<float>(), keys, d, scale, gradient.dquery.data<float>());
    add_sums_over_queries(head, dscores.data<float>(), operands.query.data<float>(), d,
                          dkey.sums(head));
    dkey.finish(head, scale);
  });
}

void mix(const Tensor& weights, const Tensor& value, const AttentionLayout& layout, int64_t heads,
         Tensor& out) {
  const int64_t d = out.columns() / heads;
  const GroupedHeads shared(value, d, heads);
  Panels values{};
  each_head(layout, heads, [&](const StepHead& head) {
    if (shared.begin_with(head))
      values = pack_plain(rows_of(shared, head), head.keys, d, Scratch::values);
    sums_over_keys(head, weights.data<float>(), values, d, 1, out.data<float>());
  });
}

void mix_gradient(const Tensor& dout, const Tensor& weights, const Tensor& value,
                  const AttentionLayout& layout, int64_t heads, const MixGradient& gradient) {
  const int64_t d = dout.columns() / heads;
  const GroupedHeads shared(value, d, heads);
  const SharedGradient dvalue(shared, gradient.dvalue);
  Panels values{};
  each_head(layout, heads, [&](const StepHead& head) {
    if (shared.begin_with(head))
      values = pack_transposed(rows_of(shared, head), head.keys, d, Scratch::values);
    products_of_pairs(head, dout.data<float>(), values, d, 1, gradient.dweights.data<float>());
    add_sums_over_queries(head, weights.data<float>(), dout.data<float>(), d, dvalue.sums(head));
    dvalue.finish(head, 1);
  });
}

}  // namespace

void fill_attention_product_kernels(CpuKernels& kernels) {
  kernels.scaled_scores = scaled_scores;
  kernels.scaled_scores_gradient = scaled_scores_gradient;
  kernels.mix = mix;
  kernels.mix_gradient = mix_gradient;
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {

HWY_EXPORT(fill_attention_product_kernels);
void fill_attention_products(int64_t target, CpuKernels& kernels) {
  HWY_DISPATCH_TABLE(fill_attention_product_kernels)[dispatch_index(target)](kernels);
}

}  // namespace heed::cpu
#endif
