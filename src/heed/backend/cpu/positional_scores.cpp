// Scores by the positions of queries and keys, from a table with an entry for each bucket, and
// their transpose, the sums of weights by bucket.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/positional_scores.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include <vector>

#include "heed/backend/cpu/attention_steps-inl.h"
#include "heed/backend/cpu/dispatch.h"
#include "heed/backend/cpu/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

// to += scale * from.
void add_row(const float* from, float scale, int64_t count, float* to) {
  for (int64_t c = 0; c < count; c += kLanes)
    store(hn::MulAdd(load(from + c, count - c), set(scale), load(to + c, count - c)), to + c,
          count - c);
}

// to[j] += scale * row[bucket[j]], rounded as add_row() does: a call with one query may take
// either.
void add_gathered(const float* row, const int32_t* bucket, float scale, int64_t count, float* to) {
  for (int64_t c = 0; c < count; c += kLanes) {
    HWY_ALIGN float lanes[kLanes] = {};
    for (int64_t i = 0; i < std::min(kLanes, count - c); ++i) lanes[i] = row[bucket[c + i]];
    const Vector sum = hn::MulAdd(hn::Load(kFloats, lanes), set(scale), load(to + c, count - c));
    store(sum, to + c, count - c);
  }
}

// The buckets of every distance between two positions of a call's sequences.
class DistanceBuckets {
 public:
  DistanceBuckets(const AttentionLayout& layout, const PositionBuckets& buckets) {
    for (int64_t b = 0; b < layout.keys.lengths.count(); ++b)
      most_ = std::max(most_, layout.keys.lengths.length(b));
    for (int64_t distance = -most_; distance <= most_; ++distance)
      buckets_.push_back(int32_t(buckets.of(0, distance)));
  }

  int64_t size() const { return 2 * most_ + 1; }
  // Where the distance of key 0 from `position` is; those of the next keys follow.
  int64_t begin(int64_t position) const { return most_ - position; }
  const int32_t* data() const { return buckets_.data(); }

 private:
  int64_t most_ = 0;
  std::vector<int32_t> buckets_;
};

// f(head, query, index of its first score, keys that it sees) for each query that sees any.
template <class F>
void each_query(const AttentionLayout& layout, int64_t heads, const F& f) {
  each_head(layout, heads, [&](const StepHead& head) {
    for (int64_t i = 0; i < head.queries; ++i)
      if (const int64_t seen = head.seen(i); seen > 0) f(head, i, head.row_of_scores(i), seen);
  });
}

// Where the row of a table [query rows or 1, heads * count] has the entries of a query's head.
struct TableRows {
  int64_t count;
  bool shared;

  TableRows(const Tensor& table, const PositionalScores& options)
      : count(options.buckets.count), shared(table.rows() == 1) {}
  int64_t at(const StepHead& head, int64_t i) const {
    return ((shared ? 0 : head.query_begin + i) * head.heads + head.index) * count;
  }
};

void add_absolute(const float* table, const TableRows& rows, const AttentionLayout& layout,
                  const PositionalScores& options, float* scores) {
  each_query(layout, options.heads,
             [&](const StepHead& head, int64_t i, int64_t pairs, int64_t seen) {
               add_row(table + rows.at(head, i), float(options.scale), std::min(seen, rows.count),
                       scores + pairs);
             });
}

// One table for all queries: spread over the distances once, it is added in whole vectors.
void add_shared(const float* table, const AttentionLayout& layout, const PositionalScores& options,
                float* scores) {
  const DistanceBuckets distances(layout, options.buckets);
  const int64_t size = distances.size();
  float* spread = scratch(Scratch::position_scores, options.heads * size);
  for (int64_t h = 0; h < options.heads; ++h)
    for (int64_t i = 0; i < size; ++i)
      spread[h * size + i] = table[h * options.buckets.count + distances.data()[i]];
  each_query(
      layout, options.heads, [&](const StepHead& head, int64_t i, int64_t pairs, int64_t seen) {
        const int64_t begin = distances.begin(layout.position(head.sequence, i));
        add_row(spread + head.index * size + begin, float(options.scale), seen, scores + pairs);
      });
}

void add_positional_scores(const Tensor& table, const AttentionLayout& layout,
                           const PositionalScores& options, Tensor& scores) {
  const TableRows rows(table, options);
  const float* from = table.data<float>();
  float* to = scores.data<float>();
  if (options.buckets.kind == PositionBuckets::Kind::absolute)
    return add_absolute(from, rows, layout, options, to);
  if (rows.shared) return add_shared(from, layout, options, to);
  const DistanceBuckets distances(layout, options.buckets);
  each_query(layout, options.heads,
             [&](const StepHead& head, int64_t i, int64_t pairs, int64_t seen) {
               const int64_t begin = distances.begin(layout.position(head.sequence, i));
               add_gathered(from + rows.at(head, i), distances.data() + begin, float(options.scale),
                            seen, to + pairs);
             });
}

void sum_absolute(const float* weights, const TableRows& rows, const AttentionLayout& layout,
                  const PositionalScores& options, float* sums) {
  each_query(layout, options.heads,
             [&](const StepHead& head, int64_t i, int64_t pairs, int64_t seen) {
               add_row(weights + pairs, float(options.scale), std::min(seen, rows.count),
                       sums + rows.at(head, i));
             });
}

void sum_shared(const float* weights, const AttentionLayout& layout,
                const PositionalScores& options, float* sums) {
  const DistanceBuckets distances(layout, options.buckets);
  const int64_t size = distances.size();
  float* spread = scratch(Scratch::position_scores, options.heads * size);
  std::fill_n(spread, options.heads * size, 0.0f);
  each_query(
      layout, options.heads, [&](const StepHead& head, int64_t i, int64_t pairs, int64_t seen) {
        const int64_t begin = distances.begin(layout.position(head.sequence, i));
        add_row(weights + pairs, float(options.scale), seen, spread + head.index * size + begin);
      });
  for (int64_t h = 0; h < options.heads; ++h)
    for (int64_t i = 0; i < size; ++i)
      sums[h * options.buckets.count + distances.data()[i]] += spread[h * size + i];
}

void sum_weights_by_position(const Tensor& weights, const AttentionLayout& layout,
                             const PositionalScores& options, Tensor& sums) {
  const TableRows rows(sums, options);
  const float* from = weights.data<float>();
  float* to = sums.data<float>();
  if (options.buckets.kind == PositionBuckets::Kind::absolute)
    return sum_absolute(from, rows, layout, options, to);
  if (rows.shared) return sum_shared(from, layout, options, to);
  const DistanceBuckets distances(layout, options.buckets);
  const auto scale = float(options.scale);
  each_query(layout, options.heads,
             [&](const StepHead& head, int64_t i, int64_t pairs, int64_t seen) {
               const int32_t* bucket =
                   distances.data() + distances.begin(layout.position(head.sequence, i));
               float* row = to + rows.at(head, i);
               for (int64_t j = 0; j < seen; ++j) row[bucket[j]] += scale * from[pairs + j];
             });
}

}  // namespace

void fill_positional_score_kernels(CpuKernels& kernels) {
  kernels.add_positional_scores = add_positional_scores;
  kernels.sum_weights_by_position = sum_weights_by_position;
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {

HWY_EXPORT(fill_positional_score_kernels);
void fill_positional_scores(int64_t target, CpuKernels& kernels) {
  HWY_DISPATCH_TABLE(fill_positional_score_kernels)[dispatch_index(target)](kernels);
}

}  // namespace heed::cpu
#endif
