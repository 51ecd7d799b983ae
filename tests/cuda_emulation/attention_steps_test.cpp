// What the tests that all backends share do not try of attention in steps.
#include "heed/backend/attention_steps.h"

#include "backend/compare.h"
#include "emulation.h"

namespace heed::testing {
namespace {

// Keys in their own order, grouped heads, more columns than one tile has, and a sequence with more
// queries than keys, so that its first queries see nothing.
struct Batch {
  static constexpr int64_t kHeads = 4, kKeyValueHeads = 2, kColumns = 35;

  Batch() {
    for (const auto& [query_count, key_count] : {std::pair{37, 70}, {0, 5}, {9, 4}, {33, 33}}) {
      queries.add(query_count);
      keys.lengths.add(key_count);
    }
    query = random_tensor({queries.rows(), kHeads * kColumns}, 1);
    key = random_tensor({keys.lengths.rows(), kKeyValueHeads * kColumns}, 2);
    v = random_tensor({kHeads * kColumns}, 3);
    weights = Tensor({attention_weight_count(layout(), kHeads)});
    reference->attention_softmax(random_tensor(weights.shape(), 4), layout(), {kHeads}, {},
                                 {weights});
  }
  AttentionLayout layout() const { return {queries, keys, Mask::causal}; }

  Ragged queries;
  KeyRows keys;
  Tensor query, key, v, weights;
  std::unique_ptr<Backend> reference = make_reference_backend();
};

// The results of all kernels that sum over more than one row.
std::vector<Tensor> all_sums(Backend& backend, const Batch& batch) {
  const AttentionLayout layout = batch.layout();
  const int64_t heads = Batch::kHeads;
  std::vector<Tensor> results;
  const auto add = [&](const Shape& shape) -> Tensor& {
    return results.emplace_back(random_tensor(shape, 7));  // some kernels add to what there was
  };
  results.reserve(16);
  backend.scaled_scores({batch.query, batch.key}, layout, {heads, 0.2}, add(batch.weights.shape()));
  backend.additive_scores({batch.query, batch.key}, batch.v, layout, heads,
                          add(batch.weights.shape()));
  Tensor &dquery = add(batch.query.shape()), &dkey = add(batch.key.shape());
  backend.scaled_scores_gradient(batch.weights, {batch.query, batch.key}, layout, {heads, 0.2},
                                 {dquery, dkey});
  Tensor &more_dquery = add(batch.query.shape()), &more_dkey = add(batch.key.shape());
  backend.additive_scores_gradient(batch.weights, {batch.query, batch.key}, batch.v, layout, heads,
                                   {more_dquery, more_dkey}, add(batch.v.shape()));
  backend.weighted_sum(batch.weights, batch.key, layout, heads, add(batch.query.shape()));
  for (const int64_t rows : {int64_t{1}, batch.queries.rows()})
    for (const PositionBuckets& buckets : {PositionBuckets{PositionBuckets::Kind::clipped, 81},
                                           PositionBuckets{PositionBuckets::Kind::absolute, 50},
                                           PositionBuckets{PositionBuckets::Kind::t5, 64}})
      backend.sum_weights_by_position(batch.weights, layout, {buckets, heads, 0.3},
                                      add({rows, heads * buckets.count}));
  return results;
}

TEST(CudaAttentionSteps, SumsOfManyTilesAreThoseOfTheReference) {
  const Batch batch;
  const auto backend = make_target({"cuda", DType::fp32});
  const std::vector<Tensor> got = all_sums(*backend, batch);
  const std::vector<Tensor> expected = all_sums(*batch.reference, batch);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    expect_close(got[i], expected[i], 2e-5, fmt::format("result {}", i));
}

TEST(CudaAttentionSteps, BitsDoNotDependOnTheOrderOfThreads) {
  const Batch batch;
  const auto backend = make_target({"cuda", DType::fp32});
  const std::vector<Tensor> once = all_sums(*backend, batch);
  cuda::set_emulation_seed(4711);
  const std::vector<Tensor> again = all_sums(*backend, batch);
  for (size_t i = 0; i < once.size(); ++i)
    expect_same_bits(again[i], once[i], fmt::format("result {}", i));
}

// A query depends on the keys that it sees only: not on a later one that is NaN.
TEST(CudaAttentionSteps, UnseenKeysAreNotRead) {
  const Batch batch;
  Batch spoilt;
  const int64_t columns = spoilt.key.columns(), last = spoilt.keys.lengths.rows() - 1;
  for (int64_t c = 0; c < columns; ++c) spoilt.key.data<float>()[last * columns + c] = NAN;
  const auto backend = make_target({"cuda", DType::fp32});
  const auto outputs = [&](const Batch& from) {
    Tensor out(from.query.shape()), dquery(from.query.shape()), dkey(from.key.shape());
    Tensor dv(from.v.shape());
    backend->weighted_sum(from.weights, from.key, from.layout(), Batch::kHeads, out);
    backend->additive_scores_gradient(from.weights, {from.query, from.key}, from.v, from.layout(),
                                      Batch::kHeads, {dquery, dkey}, dv);
    return std::pair{out, dquery};
  };
  const auto [out, dquery] = outputs(batch);
  const auto [spoilt_out, spoilt_dquery] = outputs(spoilt);
  const int64_t others = batch.queries.rows() - 1;
  expect_same_bits(copy_of(spoilt_out.slice(0, others)), copy_of(out.slice(0, others)), "sum");
  expect_same_bits(copy_of(spoilt_dquery.slice(0, others)), copy_of(dquery.slice(0, others)),
                   "dquery");
}

}  // namespace
}  // namespace heed::testing
