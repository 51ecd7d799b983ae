// The products of attention in steps: scaled scores Q K^T, additive scores v . tanh(q + k)
// (Bahdanau et al. 2015), the weighted sum of values, and their gradients. Additive scores spend
// most of their time in tanh.
//
// Every score is one accumulator over d_key, every element of the weighted sum one accumulator over
// the keys in their order, and a multiply-add of weight 0 leaves an accumulator as it is: so the
// result of a query has the same bits alone and together with others.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/attention_scores.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include "heed/backend/cpu/attention_steps-inl.h"
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

// A value for each pair of a query and a key: pairs = scale * a . keys for the keys that the query
// sees, 0 for others; a [query rows, heads * d].
void products_of_pairs(const StepHead& head, const float* a, const Panels& keys, int64_t d,
                       float scale, float* pairs) {
  each_block(head, [&](const QueryBlock& block) {
    float* out = pairs + head.row_of_scores(block.begin);
    multiply({head.part(a, d, block.begin), head.heads * d, Order::row_major}, keys, block.rows,
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
    multiply({pairs + head.row_of_scores(block.begin), head.keys, Order::row_major}, rows,
             block.rows, d, block.width, {head.part(out, d, block.begin), head.heads * d});
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
    multiply({pairs + head.row_of_scores(block.begin), head.keys, Order::column_major}, rows,
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
    if (shared_.is_first_of_group(head)) std::fill_n(sums, size, 0.0f);
    return sums;
  }
  // Writes them, scaled, after the last head.
  void finish(const StepHead& head, float scale) const {
    if (!shared_.is_last_of_group(head)) return;
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
    if (shared.is_first_of_group(head))
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
    if (shared.is_first_of_group(head))
      keys = pack_plain(rows_of(shared, head), head.keys, d, Scratch::key_rows);
    sums_over_keys(head, dscores.data<float>(), keys, d, scale, gradient.dquery.data<float>());
    add_sums_over_queries(head, dscores.data<float>(), operands.query.data<float>(), d,
                          dkey.sums(head));
    dkey.finish(head, scale);
  });
}

void weighted_sum(const Tensor& weights, const Tensor& value, const AttentionLayout& layout,
                  int64_t heads, Tensor& out) {
  const int64_t d = out.columns() / heads;
  const GroupedHeads shared(value, d, heads);
  Panels values{};
  each_head(layout, heads, [&](const StepHead& head) {
    if (shared.is_first_of_group(head))
      values = pack_plain(rows_of(shared, head), head.keys, d, Scratch::values);
    sums_over_keys(head, weights.data<float>(), values, d, 1, out.data<float>());
  });
}

void weighted_sum_gradient(const Tensor& dout, const Tensor& weights, const Tensor& value,
                           const AttentionLayout& layout, int64_t heads,
                           const WeightedSumGradient& gradient) {
  const int64_t d = dout.columns() / heads;
  const GroupedHeads shared(value, d, heads);
  const SharedGradient dvalue(shared, gradient.dvalue);
  Panels values{};
  each_head(layout, heads, [&](const StepHead& head) {
    if (shared.is_first_of_group(head))
      values = pack_transposed(rows_of(shared, head), head.keys, d, Scratch::values);
    products_of_pairs(head, dout.data<float>(), values, d, 1, gradient.dweights.data<float>());
    add_sums_over_queries(head, weights.data<float>(), dout.data<float>(), d, dvalue.sums(head));
    dvalue.finish(head, 1);
  });
}

// The scores of one query and the keys of one panel, d rows of kPanel; `count` are wanted.
void score_panel(const float* query, const float* keys, const float* v, int64_t d, int64_t count,
                 float* scores) {
  Vector sum[kPanelVectors];
  for (Vector& accumulator : sum) accumulator = zero();
  for (int64_t c = 0; c < d; ++c, keys += kPanel) {
    HWY_UNROLL(2)
    for (int64_t s = 0; s < kPanelVectors; ++s) {
      const Vector key = hn::LoadU(kFloats, keys + s * kLanes);
      sum[s] = hn::MulAdd(set(v[c]), tanh(hn::Add(set(query[c]), key)), sum[s]);
    }
  }
  for (int64_t s = 0; s < kPanelVectors && s * kLanes < count; ++s)
    store(sum[s], scores + s * kLanes, count - s * kLanes);
}

void score_head(const StepHead& head, const float* query, const Panels& keys, const float* v,
                int64_t d, float* scores) {
  for (int64_t begin = 0; begin < head.keys; begin += kPanel) {
    const float* panel = keys.data + begin / kPanel * keys.stride;
    for (int64_t i = 0; i < head.queries; ++i) {
      const int64_t count = std::min(head.seen(i) - begin, kPanel);
      if (count > 0)
        score_panel(head.part(query, d, i), panel, v, d, count,
                    scores + head.row_of_scores(i) + begin);
    }
  }
  for (int64_t i = 0; i < head.queries; ++i) {
    float* row = scores + head.row_of_scores(i);
    std::fill(row + head.seen(i), row + head.keys, 0.0f);
  }
}

void additive_scores(const ScoreOperands& operands, const Tensor& v, const AttentionLayout& layout,
                     int64_t heads, Tensor& scores) {
  const int64_t d = operands.query.columns() / heads;
  const GroupedHeads shared(operands.key, d, heads);
  Panels keys{};
  each_head(layout, heads, [&](const StepHead& head) {
    if (shared.is_first_of_group(head))
      keys = pack_transposed(rows_of(shared, head), head.keys, d, Scratch::keys);
    score_head(head, operands.query.data<float>(), keys, v.data<float>() + head.index * d, d,
               scores.data<float>());
  });
}

// The gradient over one panel of columns: keys [keys, kPanel], whose gradients are added to.
struct ColumnPanel {
  const float* keys;
  float* dkeys;
  int64_t column, count;  // the first column, and how many there are
};

struct AdditiveTensors {
  const float *dscores, *query, *v;
  float *dquery, *dv;
};

// The columns of a row of the query tensor that a panel has.
struct ColumnVectors {
  Vector at[kPanelVectors];

  HWY_INLINE ColumnVectors(const float* row, int64_t count) {
    for (int64_t s = 0; s < kPanelVectors; ++s)
      at[s] = load(row + s * kLanes, std::max<int64_t>(count - s * kLanes, 0));
  }
  HWY_INLINE void store_to(float* row, int64_t count) const {
    for (int64_t s = 0; s < kPanelVectors && s * kLanes < count; ++s)
      store(at[s], row + s * kLanes, count - s * kLanes);
  }
};

void panel_gradient(const StepHead& head, const ColumnPanel& panel, int64_t d,
                    const AdditiveTensors& tensors) {
  const int64_t first = head.index * d + panel.column;
  const ColumnVectors v(tensors.v + first, panel.count);
  ColumnVectors dv(tensors.dv + first, panel.count);
  for (int64_t i = 0; i < head.queries; ++i) {
    const ColumnVectors query(head.part(tensors.query, d, i) + panel.column, panel.count);
    const float* dscores = tensors.dscores + head.row_of_scores(i);
    ColumnVectors dquery = v;  // there is no default constructor
    for (Vector& sum : dquery.at) sum = zero();
    const int64_t seen = head.seen(i);
    for (int64_t j = 0; j < seen; ++j) {
      const Vector dscore = set(dscores[j]);
      HWY_UNROLL(2)
      for (int64_t s = 0; s < kPanelVectors; ++s) {
        const int64_t at = j * kPanel + s * kLanes;
        const Vector t = tanh(hn::Add(query.at[s], hn::LoadU(kFloats, panel.keys + at)));
        // dscore tanh'; the gradients of query and key are this times v.
        const Vector slope = hn::Mul(dscore, hn::NegMulAdd(t, t, set(1.0f)));
        dquery.at[s] = hn::Add(dquery.at[s], slope);
        const Vector dkey = hn::LoadU(kFloats, panel.dkeys + at);
        hn::StoreU(hn::MulAdd(slope, v.at[s], dkey), kFloats, panel.dkeys + at);
        dv.at[s] = hn::MulAdd(dscore, t, dv.at[s]);
      }
    }
    for (int64_t s = 0; s < kPanelVectors; ++s) dquery.at[s] = hn::Mul(dquery.at[s], v.at[s]);
    dquery.store_to(head.part(tensors.dquery, d, i) + panel.column, panel.count);
  }
  dv.store_to(tensors.dv + first, panel.count);
}

void additive_scores_gradient(const Tensor& dscores, const ScoreOperands& operands, const Tensor& v,
                              const AttentionLayout& layout, int64_t heads,
                              const ScoreGradient& gradient, Tensor& dv) {
  const int64_t d = operands.query.columns() / heads;
  const AdditiveTensors tensors{dscores.data<float>(), operands.query.data<float>(),
                                v.data<float>(), gradient.dquery.data<float>(), dv.data<float>()};
  const GroupedHeads shared(operands.key, d, heads);
  Panels keys{};
  each_head(layout, heads, [&](const StepHead& head) {
    const int64_t stride = head.keys * kPanel, size = divide_up(d, kPanel) * stride;
    float* dkeys = scratch(Scratch::dkeys, size);
    if (shared.is_first_of_group(head)) {
      keys = pack_plain(rows_of(shared, head), head.keys, d, Scratch::key_rows);
      std::fill_n(dkeys, size, 0.0f);
    }
    const auto panel_at = [&](int64_t column) {
      const int64_t at = column / kPanel * stride;
      return ColumnPanel{keys.data + at, dkeys + at, column, std::min(kPanel, d - column)};
    };
    for (int64_t column = 0; column < d; column += kPanel)
      panel_gradient(head, panel_at(column), d, tensors);
    if (!shared.is_last_of_group(head)) return;
    const Rows places = rows_of(shared, head);
    for (int64_t column = 0; column < d; column += kPanel) {
      const ColumnPanel panel = panel_at(column);
      for (int64_t j = 0; j < head.keys; ++j)
        std::copy_n(
            panel.dkeys + j * kPanel, panel.count,
            gradient.dkey.data<float>() + (places.at(j) - operands.key.data<float>()) + column);
    }
  });
}

}  // namespace

void fill_attention_scores_kernels(CpuKernels& kernels) {
  kernels.scaled_scores = scaled_scores;
  kernels.scaled_scores_gradient = scaled_scores_gradient;
  kernels.weighted_sum = weighted_sum;
  kernels.weighted_sum_gradient = weighted_sum_gradient;
  kernels.additive_scores = additive_scores;
  kernels.additive_scores_gradient = additive_scores_gradient;
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {

HWY_EXPORT(fill_attention_scores_kernels);
void fill_attention_scores(int64_t target, CpuKernels& kernels) {
  HWY_DISPATCH_TABLE(fill_attention_scores_kernels)[dispatch_index(target)](kernels);
}

}  // namespace heed::cpu
#endif
