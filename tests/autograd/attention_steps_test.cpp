#include "heed/autograd/attention_steps.h"

#include "autograd/op_test.h"
#include "heed/backend/cpu/cpu_backend.h"
#include "support/isolated_backend.h"

namespace heed {
namespace {

using testing::ragged;
using testing::random_tensor;

// The shapes of a test's sequences.
struct Sequences {
  std::string name;
  std::vector<int64_t> query_lengths, key_lengths;
  Mask mask = Mask::none;
  std::vector<int32_t> own_positions = {};

  Ragged queries = ragged(query_lengths);
  KeyRows keys = {ragged(key_lengths), {}};
  Indices positions = own_positions;

  AttentionLayout layout() const {
    return {queries, keys, mask, positions.empty() ? nullptr : &positions};
  }
  int64_t rows() const { return queries.rows(); }
  int64_t key_rows() const { return keys.lengths.rows(); }
  int64_t pairs(int64_t heads) const { return attention_weight_count(layout(), heads); }
};

const Sequences kSelf{"itself", {3, 0, 1, 5}, {3, 0, 1, 5}, Mask::causal};
const Sequences kMemory{"memory", {2, 4, 0, 1, 2}, {5, 1, 3, 3, 0}};
const Sequences kBlind{"blind queries", {4, 1}, {2, 3}, Mask::causal};
const Sequences kPlaced{"given positions", {3, 2}, {4, 5}, Mask::none, {2, 0, 9, 3, 1}};
const Sequences* const kSequences[] = {&kSelf, &kMemory, &kBlind, &kPlaced};

constexpr PositionBuckets kBuckets[] = {{PositionBuckets::Kind::absolute, 3},
                                        {PositionBuckets::Kind::clipped, 5},
                                        {PositionBuckets::Kind::t5, 8},
                                        {PositionBuckets::Kind::t5_causal, 4}};

class AttentionStepsTest : public testing::OpTest {
 protected:
  // 4 heads of queries and 2 of keys, 3 columns each.
  static Tensor query_of(const Sequences& s) { return random_tensor({s.rows(), 12}, 1); }
  static Tensor key_of(const Sequences& s) { return random_tensor({s.key_rows(), 6}, 2); }
  static std::vector<double> values_of(const Tensor& x) {
    return {x.span<double>().begin(), x.span<double>().end()};
  }
};

TEST_F(AttentionStepsTest, Scores) {
  for (const Sequences* s : kSequences) {
    SCOPED_TRACE(s->name);
    const Tensor query = query_of(*s), key = key_of(*s), v = random_tensor({12}, 3);
    check_op(
        [&](ForwardPass& p) {
          return scaled_scores(p, {query, key}, s->layout(), {4, 0.7});
        },
        {{"query", query}, {"key", key}});
    check_op(
        [&](ForwardPass& p) {
          return additive_scores(p, {query, key}, v, s->layout(), 4);
        },
        {{"query", query}, {"key", key}, {"v", v}});
  }
}

TEST_F(AttentionStepsTest, PositionalScores) {
  for (const Sequences* s : kSequences) {
    for (const PositionBuckets& buckets : kBuckets) {
      SCOPED_TRACE(fmt::format("{}, buckets {}", s->name, int(buckets.kind)));
      const PositionalScores options{buckets, 2, 1.5};
      const Tensor scores = random_tensor({s->pairs(2)}, 1),
                   own = random_tensor({s->rows(), 2 * buckets.count}, 2),
                   shared = random_tensor({1, 2 * buckets.count}, 3);
      for (const Tensor& table : {own, shared}) {
        check_op(
            [&](ForwardPass& p) {
              return add_positional_scores(p, scores, table, s->layout(), options);
            },
            {{"scores", scores}, {"table", table}});
        check_op(
            [&](ForwardPass& p) {
              return add_positional_scores(p, {}, table, s->layout(), options);
            },
            {{"table", table}});
      }
      check_op(
          [&](ForwardPass& p) { return sum_weights_by_position(p, scores, s->layout(), options); },
          {{"weights", scores}});
    }
  }
}

TEST_F(AttentionStepsTest, Softmax) {
  for (const Sequences* s : kSequences) {
    SCOPED_TRACE(s->name);
    const Tensor scores = random_tensor({s->pairs(2)}, 1);
    const Tensor center = random_tensor({s->rows(), 2}, 2);
    for (const AttentionSoftmax& options :
         {AttentionSoftmax{2}, AttentionSoftmax{2, 1}, AttentionSoftmax{2, {}, 3},
          AttentionSoftmax{2, 2, 4}, AttentionSoftmax{2, 1, {}, &center}}) {
      for (const double dropout : {0.0, 0.3})
        check_op(
            [&](ForwardPass& p) {
              return attention_softmax(p, scores, s->layout(), options, dropout);
            },
            {{"scores", scores}});
    }
  }
}

TEST_F(AttentionStepsTest, LossOfWeights) {
  const Sequences* const s = &kMemory;
  const Tensor scores = random_tensor({s->pairs(1)}, 1);
  const std::vector<WeightTarget> targets = {{0, 1}, {7, 0.25}, {7, 0.5}, {9, 0.75}};
  const auto loss = [&](ForwardPass& p) {
    const Tensor weights = attention_softmax(p, scores, s->layout(), {1});
    return attention_loss(p, weights, targets, 0.3);
  };
  Tape tape(pool_);
  Tensor gradient = random_tensor(scores.shape(), 99);
  tape.watch(scores, gradient);
  ForwardPass recorded = pass();
  recorded.tape = &tape;
  loss(recorded);
  tape.backward();
  testing::expect_gradient("scores", scores, gradient, [&] {
    ForwardPass plain = pass();
    return 0.3 * loss(plain);
  });
}

TEST_F(AttentionStepsTest, AWeightThatUnderflowedHasAFiniteLoss) {
  const Tensor weights = tensor_of<double>({2}, std::vector<double>{0, 1});
  Tape tape(pool_);
  ForwardPass recorded = pass();
  recorded.tape = &tape;
  EXPECT_NEAR(attention_loss(recorded, weights, {{0, 1}}, 1), 69.08, 0.01);
  EXPECT_THROW(attention_loss(recorded, weights, {{2, 1}}, 1), Bug);
}

TEST_F(AttentionStepsTest, GaussianWeightsAndMix) {
  for (const Sequences* s : kSequences) {
    SCOPED_TRACE(s->name);
    const Tensor weights = random_tensor({s->pairs(4)}, 1);
    const Tensor center = random_tensor({s->rows(), 4}, 2);
    const Tensor value = random_tensor({s->key_rows(), 10}, 3);
    check_op(
        [&](ForwardPass& p) {
          return gaussian_weights(p, weights, center, s->layout(), {4, 1.5});
        },
        {{"weights", weights}, {"center", center}});
    for (const int64_t kv : {1, 2})
      check_op(
          [&](ForwardPass& p) {
            return weighted_sum(p, weights, value, s->layout(), {4, kv});
          },
          {{"weights", weights}, {"value", value}});
  }
}

TEST_F(AttentionStepsTest, PredictedCenters) {
  const Tensor share = random_tensor({kMemory.rows(), 2}, 1);
  check_op([&](ForwardPass& p) { return predicted_centers(p, share, kMemory.layout()); },
           {{"share", share}});
  ForwardPass p = pass();
  const Tensor centers = predicted_centers(p, share, kMemory.layout());
  for (int64_t i = 0; i < centers.size(); ++i)  // queries of sequences with 5, 1, 3 and 0 keys
    EXPECT_EQ(centers.data<double>()[i], share.data<double>()[i] * (i < 4    ? 5
                                                                    : i < 12 ? 1
                                                                    : i < 14 ? 3
                                                                             : 0));
}

// The fused op computes the same, with the same dropout, and has the same gradients.
TEST_F(AttentionStepsTest, AreTheFusedAttention) {
  for (const Sequences* s : {&kSelf, &kMemory, &kBlind}) {
    for (const double dropout : {0.0, 0.3}) {
      SCOPED_TRACE(s->name);
      const Tensor query = random_tensor({s->rows(), 6}, 1),
                   key = random_tensor({s->key_rows(), 6}, 2),
                   value = random_tensor({s->key_rows(), 6}, 3);
      const Op fused = [&](ForwardPass& p) {
        return attention(p, {query, key, value}, s->layout(), {2, 1 / std::sqrt(3.0)}, dropout);
      };
      const Op steps = [&](ForwardPass& p) {
        Tensor scores = scaled_scores(p, {query, key}, s->layout(), {2, 1 / std::sqrt(3.0)});
        const Tensor weights = attention_softmax(p, std::move(scores), s->layout(), {2}, dropout);
        return weighted_sum(p, weights, value, s->layout(), {2, 2});
      };
      ForwardPass one = pass(), other = pass();
      const std::vector<double> expected = values_of(fused(one)), got = values_of(steps(other));
      for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-12);
      const Inputs inputs{{"query", query}, {"key", key}, {"value", value}};
      const std::vector<Tensor> a = gradients_of(fused, inputs), b = gradients_of(steps, inputs);
      for (size_t n = 0; n < a.size(); ++n)
        for (int64_t i = 0; i < a[n].size(); ++i)
          EXPECT_NEAR(a[n].data<double>()[i], b[n].data<double>()[i], 1e-12) << inputs[n].first;
    }
  }
}

// Every step in the memory of the former one, and operands that are used again.
TEST_F(AttentionStepsTest, AWholeAttentionInPlaceOrNot) {
  for (const Sequences* s : kSequences) {
    SCOPED_TRACE(s->name);
    const Tensor query = query_of(*s), key = key_of(*s), v = random_tensor({12}, 3),
                 value = random_tensor({s->key_rows(), 4}, 4),
                 center = random_tensor({s->rows(), 4}, 5),
                 table = random_tensor({s->rows(), 20}, 6);
    const PositionalScores positions{{PositionBuckets::Kind::clipped, 5}, 4, 0.5};
    const AttentionLayout layout = s->layout();
    const Inputs inputs{{"query", query}, {"key", key},       {"v", v},
                        {"value", value}, {"center", center}, {"table", table}};
    const Op in_place = [&](ForwardPass& p) {
      Tensor scores = additive_scores(p, {query, key}, v, layout, 4);
      scores = add_positional_scores(p, std::move(scores), table, layout, positions);
      Tensor weights = attention_softmax(p, std::move(scores), layout, {4, 2}, 0.2);
      weights = gaussian_weights(p, std::move(weights), center, layout, {4, 2});
      return weighted_sum(p, weights, value, layout, {4, 2});
    };
    const Op kept = [&](ForwardPass& p) {
      const Tensor scores = additive_scores(p, {query, key}, v, layout, 4);
      const Tensor sum = add_positional_scores(p, scores, table, layout, positions);
      const Tensor weights = attention_softmax(p, sum, layout, {4, 2}, 0.2);
      const Tensor gaussian = gaussian_weights(p, weights, center, layout, {4, 2});
      return weighted_sum(p, gaussian, value, layout, {4, 2});
    };
    for (const Op& op : {in_place, kept}) {
      check_op(op, inputs);
      ForwardPass one = pass(), other = pass();
      EXPECT_EQ(values_of(op(one)), values_of(in_place(other)));
    }
    check_op(
        [&](ForwardPass& p) {  // scores and weights are read twice
          const Tensor scores = scaled_scores(p, {query, key}, layout, {4, 0.5});
          const Tensor sum = add_positional_scores(p, scores, table, layout, positions);
          const Tensor weights = attention_softmax(p, scores, layout, {4}, 0.2);
          const Tensor more = attention_softmax(p, sum, layout, {4});
          const Tensor once = weighted_sum(p, weights, value, layout, {4, 2});
          const Tensor again = weighted_sum(p, more, value, layout, {4, 2});
          return weighted_sum(p, gaussian_weights(p, more, center, layout, {4, 1}), value, layout,
                              {4, 2});
        },
        {{"query", query}, {"key", key}, {"value", value}, {"center", center}});
  }
}

// Ops read and write tensors by kernels, copy() and fill_zeros() only.
TEST_F(AttentionStepsTest, WorkInTheMemoryOfADevice) {
  const auto run = [](Backend& backend) {
    TensorPool pool(backend.memory());
    const auto operand = [&](const Shape& shape, uint64_t seed) {
      Tensor x = pool.tensor(shape, DType::fp32);
      copy(random_tensor(shape, seed, DType::fp32), x);
      return x;
    };
    const Sequences& s = kMemory;
    const Tensor query = operand({s.rows(), 12}, 1), key = operand({s.key_rows(), 6}, 2),
                 v = operand({12}, 3), share = operand({s.rows(), 4}, 4),
                 table = operand({1, 20}, 5), dout = operand({s.rows(), 20}, 6);
    const Tensor dquery = operand(query.shape(), 7), dkey = operand(key.shape(), 7),
                 dtable = operand(table.shape(), 7);
    const PositionalScores positions{{PositionBuckets::Kind::clipped, 5}, 4, 0.5};
    Tape tape(pool);
    tape.watch(query, dquery);
    tape.watch(key, dkey);
    tape.watch(table, dtable);
    ForwardPass p(backend, pool);
    p.tape = &tape;
    p.dropout_seed = 3;
    const AttentionLayout layout = s.layout();
    const Indices places(std::vector<int32_t>(size_t(s.rows()), 2));
    const Tensor rotated = rotate(p, normalize_heads(p, query, {}, {4}), places, 2);
    const Tensor scores = scaled_scores(p, {rotated, key}, layout, {4, 0.5});
    Tensor sum = add_positional_scores(p, scores, table, layout, positions);
    sum = add(p, sum, additive_scores(p, {query, key}, v, layout, 4));
    sum = add(p, sum, add_positional_scores(p, {}, table, layout, positions));
    const Tensor centers = predicted_centers(p, share, layout);
    Tensor weights = attention_softmax(p, sum, layout, {4, 3, {}, &centers}, 0.2);
    weights = gaussian_weights(p, weights, centers, layout, {4, 2});
    const Tensor sums = sum_weights_by_position(p, weights, layout, positions);
    const Tensor out = multiply(p, weighted_sum(p, weights, key, layout, {4, 2}), query);
    const Tensor all = linear(p, out, operand({20, 12}, 8), {});
    tape.set_gradient(add(p, all, sums), dout);
    tape.backward();
    std::vector<float> results;
    for (const Tensor& x : {dquery, dkey, dtable}) {
      const Tensor host = to_host(x);
      results.insert(results.end(), host.span<float>().begin(), host.span<float>().end());
    }
    return results;
  };
  testing::IsolatedBackend isolated(make_cpu_backend());
  EXPECT_EQ(run(isolated), run(*make_cpu_backend()));
}

// The steps of an attention without dropout need one tensor of scores or weights.
TEST_F(AttentionStepsTest, StepsShareMemory) {
  const Sequences s{"long", {40}, {50}};
  const Tensor query = random_tensor({40, 2}, 1), key = random_tensor({50, 2}, 2);
  const Tensor table = random_tensor({1, 5}, 3);
  for (const bool recorded : {false, true}) {
    TensorPool pool;
    Tape tape(pool);
    ForwardPass p(*backend_, pool);
    if (recorded) p.tape = &tape;
    Tensor scores = scaled_scores(p, {query, key}, s.layout(), {1, 1});
    const int64_t held = pool.bytes_held();
    scores = add_positional_scores(p, std::move(scores), table, s.layout(),
                                   {{PositionBuckets::Kind::clipped, 5}});
    const Tensor weights = attention_softmax(p, std::move(scores), s.layout(), {1});
    EXPECT_EQ(pool.bytes_held(), held) << recorded;
  }
}

TEST_F(AttentionStepsTest, HardAttentionHasTheGradientOfTheSoftOne) {
  for (const Sequences* s : kSequences) {
    for (const double dropout : {0.0, 0.3}) {
      SCOPED_TRACE(s->name);
      const Tensor scores = random_tensor({s->pairs(2)}, 1);
      const auto softmax = [&](AttentionSoftmax::Choice choice) -> Op {
        return [&, choice](ForwardPass& p) {
          return attention_softmax(p, scores, s->layout(), {2, {}, {}, nullptr, choice}, dropout);
        };
      };
      const Op hard = softmax(AttentionSoftmax::Choice::hard);
      const Op soft = softmax(AttentionSoftmax::Choice::soft);
      EXPECT_EQ(values_of(gradients_of(hard, {{"scores", scores}})[0]),
                values_of(gradients_of(soft, {{"scores", scores}})[0]));
    }
  }
}

TEST_F(AttentionStepsTest, HardAttentionTakesTheFirstOfTheBestKeys) {
  const Sequences s{"one", {2}, {5}};
  const Tensor scores = tensor_of<double>({10}, std::vector<double>{1, 7, 3, 7, 9,  //
                                                                    -2, -3, -2, -5, -1});
  ForwardPass p = pass();
  const AttentionSoftmax options{1, {}, 4, nullptr, AttentionSoftmax::Choice::hard};
  EXPECT_EQ(values_of(attention_softmax(p, scores, s.layout(), options)),
            (std::vector<double>{0, 1, 0, 0, 0, 1, 0, 0, 0, 0}));
}

TEST_F(AttentionStepsTest, SoftmaxLeavesTheKeysOfTheWindow) {
  const Sequences s{"one", {3}, {6}};
  const Tensor scores({18}, DType::fp64);
  const Tensor center = tensor_of<double>({3, 1}, std::vector<double>{0.4, 2.5, 8.5});
  const auto weights = [&](const AttentionSoftmax& options, const AttentionLayout& layout) {
    ForwardPass p = pass();
    return values_of(attention_softmax(p, scores, layout, options));
  };
  EXPECT_EQ(weights({1, 1}, s.layout()),
            (std::vector<double>{0.5, 0.5, 0, 0, 0, 0, 1. / 3, 1. / 3, 1. / 3, 0, 0, 0,  //
                                 0, 1. / 3, 1. / 3, 1. / 3, 0, 0}));
  EXPECT_EQ(weights({1, 1, {}, &center}, s.layout()),
            (std::vector<double>{0.5, 0.5, 0, 0, 0, 0, 0, 0, 0.5, 0.5, 0, 0, 0, 0, 0, 0, 0, 0}));
  const Indices positions{5, 5, 70};
  EXPECT_EQ(weights({1, 0}, {s.queries, s.keys, Mask::none, &positions}),
            (std::vector<double>{0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1}));
}

TEST(PositionBucketsTest, Kinds) {
  const PositionBuckets absolute{PositionBuckets::Kind::absolute, 4},
      clipped{PositionBuckets::Kind::clipped, 5};
  EXPECT_EQ(absolute.of(9, 3), 3);
  EXPECT_EQ(absolute.of(0, 4), -1);
  EXPECT_EQ(clipped.of(3, 3), 2);
  EXPECT_EQ(clipped.of(3, 2), 1);
  EXPECT_EQ(clipped.of(9, 2), 0);
  EXPECT_EQ(clipped.of(2, 90), 4);
}

// The distances at which the buckets of T5Attention._relative_position_bucket in transformers begin
// (32 buckets, maximum distance 128).
TEST(PositionBucketsTest, T5) {
  const PositionBuckets both{PositionBuckets::Kind::t5, 32},
      causal{PositionBuckets::Kind::t5_causal, 32};
  const std::vector<int64_t> both_begin{0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91},
      causal_begin{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                   16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113};
  const auto bucket = [](const std::vector<int64_t>& begin, int64_t distance) {
    return std::upper_bound(begin.begin(), begin.end(), distance) - begin.begin() - 1;
  };
  for (int64_t distance = 0; distance < 300; ++distance) {
    EXPECT_EQ(both.of(300, 300 - distance), bucket(both_begin, distance)) << distance;
    EXPECT_EQ(causal.of(300, 300 - distance), bucket(causal_begin, distance)) << distance;
    EXPECT_EQ(causal.of(0, distance), 0) << distance;
    if (distance == 0) continue;
    EXPECT_EQ(both.of(0, distance), 16 + bucket(both_begin, distance)) << distance;
  }
}

TEST_F(AttentionStepsTest, RefuseOperandsThatDoNotFit) {
  const Tensor query = query_of(kSelf), key = key_of(kSelf);
  const Tensor scores = random_tensor({kSelf.pairs(4)}, 1), table = random_tensor({2, 20}, 2);
  const AttentionLayout layout = kSelf.layout();
  ForwardPass p = pass();
  EXPECT_THROW(scaled_scores(p, {query, key}, layout, {5}), Bug);
  EXPECT_THROW(scaled_scores(p, {query, key}, layout, {3}), Bug);  // 4 columns do not divide 6
  EXPECT_THROW(scaled_scores(p, {query, key}, kMemory.layout(), {4}), Bug);
  EXPECT_THROW(additive_scores(p, {query, key}, table, layout, 4), Bug);
  EXPECT_THROW(
      add_positional_scores(p, scores, table, layout, {{PositionBuckets::Kind::clipped, 5}, 4}),
      Bug);
  EXPECT_THROW(attention_softmax(p, scores, layout, {2}), Bug);
  EXPECT_THROW(attention_softmax(p, scores, layout, {4, 1, {}, &table}), Bug);
  EXPECT_THROW(gaussian_weights(p, scores, table, layout, {4}), Bug);
  EXPECT_THROW(predicted_centers(p, table, layout), Bug);
  EXPECT_THROW(weighted_sum(p, scores, key, layout, {4, 3}), Bug);
  EXPECT_THROW(weighted_sum(p, scores, key, layout, {2, 2}), Bug);
}

}  // namespace
}  // namespace heed
