// Additive attention (Bahdanau et al. 2015): v . tanh(query + key), and its gradient, whose time is
// that of the tanh.
//
// A score is one accumulator over d_key, so a query's bits are the same alone and within its
// prefix.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/additive_scores.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include "heed/backend/cpu/attention_steps-inl.h"
#include "heed/backend/cpu/dispatch.h"
#include "heed/backend/cpu/head_panels-inl.h"
#include "heed/backend/cpu/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

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
    if (shared.begin_with(head))
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
    ColumnVectors dquery = v;
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
    if (shared.begin_with(head)) {
      keys = pack_plain(rows_of(shared, head), head.keys, d, Scratch::key_rows);
      std::fill_n(dkeys, size, 0.0f);
    }
    const auto panel_at = [&](int64_t column) {
      const int64_t at = column / kPanel * stride;
      return ColumnPanel{keys.data + at, dkeys + at, column, std::min(kPanel, d - column)};
    };
    for (int64_t column = 0; column < d; column += kPanel)
      panel_gradient(head, panel_at(column), d, tensors);
    if (!shared.end_with(head)) return;
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

void fill_additive_score_kernels(CpuKernels& kernels) {
  kernels.additive_scores = additive_scores;
  kernels.additive_scores_gradient = additive_scores_gradient;
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {

HWY_EXPORT(fill_additive_score_kernels);
void fill_additive_scores(int64_t target, CpuKernels& kernels) {
  HWY_DISPATCH_TABLE(fill_additive_score_kernels)[dispatch_index(target)](kernels);
}

}  // namespace heed::cpu
#endif
