// The attention op: its gradients, and what its options mean, computed here from their definitions.
#include <algorithm>

#include "autograd/op_test.h"

namespace heed {
namespace {

using testing::paper_scores;
using testing::ragged;
using testing::random_tensor;

using AttentionOpTest = testing::OpTest;

TEST_F(AttentionOpTest, AttentionOverItself) {
  const Ragged layout = ragged({3, 0, 1, 5});
  const KeyRows keys{layout, {}};
  const Tensor q = random_tensor({9, 6}, 1), k = random_tensor({9, 6}, 2),
               v = random_tensor({9, 6}, 3);
  for (const Mask mask : {Mask::none, Mask::causal})
    check_op(
        [&](ForwardPass& p) {
          return attention(p, {q, k, v}, {layout, keys, mask}, paper_scores(2, 6), 0.2);
        },
        {{"query", q}, {"key", k}, {"value", v}});
}

TEST_F(AttentionOpTest, AttentionOverMemory) {
  const Ragged queries = ragged({2, 4, 1});
  const KeyRows keys{ragged({5, 1, 3}), {}};
  const Tensor q = random_tensor({7, 8}, 1), k = random_tensor({9, 8}, 2),
               v = random_tensor({9, 8}, 3);
  check_op(
      [&](ForwardPass& p) {
        return attention(p, {q, k, v}, {queries, keys}, paper_scores(4, 8), 0.1);
      },
      {{"query", q}, {"key", k}, {"value", v}});
}

TEST_F(AttentionOpTest, AttentionOperandsMayHaveOtherUses) {
  const Tensor x = random_tensor({4, 6}, 1), w = random_tensor({6, 6}, 2),
               v = random_tensor({6, 6}, 3);
  const Tensor gain = random_tensor({6}, 4), bias = random_tensor({6}, 5);
  const Ragged layout = ragged({3, 1});
  const KeyRows keys{layout, {}};
  check_op(
      [&](ForwardPass& p) {
        const Tensor query = linear(p, x, w, {}), key = linear(p, x, v, {});
        const Tensor once =
            attention(p, {query, key, key}, {layout, keys}, paper_scores(2, 6), 0.1);
        const Tensor again =
            attention(p, {once, key, query}, {layout, keys}, paper_scores(3, 6), 0.1);
        return add_norm(p, query, again, gain, bias, {});
      },
      {{"x", x}, {"w", w}, {"v", v}});
}

TEST_F(AttentionOpTest, AttentionWeightsAreTheSoftmaxOverTheKeysThatAreSeen) {
  // Two heads of two columns: more keys than a head has columns. The second sequence's keys are
  // anywhere, one of them the first sequence's too.
  const Tensor query = random_tensor({5, 4}, 1), key = random_tensor({7, 4}, 2);
  const Ragged queries = ragged({3, 2});
  const KeyRows keys{ragged({5, 2}), {4, 0, 1, 2, 3, 6, 4}};
  for (const Mask mask : {Mask::none, Mask::causal}) {
    ForwardPass p = pass();
    Tensor got;
    attention(p, {query, key, key}, {queries, keys, mask}, paper_scores(2, 4), 0, &got);
    std::vector<double> expected;
    for (int64_t b = 0; b < 2; ++b) {
      const int64_t count = keys.lengths.length(b);
      for (int64_t h = 0; h < 2; ++h) {
        for (int64_t i = 0; i < queries.length(b); ++i) {
          const int64_t seen = mask == Mask::none ? count : count - queries.length(b) + i + 1;
          const double* q = query.data<double>() + (queries.offsets[size_t(b)] + i) * 4 + 2 * h;
          std::vector<double> weights(size_t(count), 0);
          double sum = 0;
          for (int64_t j = 0; j < seen; ++j) {
            const int64_t row = keys.row(keys.lengths.offsets[size_t(b)] + j);
            const double* k = key.data<double>() + row * 4 + 2 * h;
            weights[size_t(j)] = std::exp((q[0] * k[0] + q[1] * k[1]) / std::sqrt(2.0));
            sum += weights[size_t(j)];
          }
          for (const double weight : weights) expected.push_back(weight / sum);
        }
      }
    }
    ASSERT_EQ(got.size(), int64_t(expected.size()));
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(got.data<double>()[i], expected[i], 1e-12) << i;
  }
}

// Scores of queries with `columns` columns and every option.
AttentionScores all_options(int64_t heads, int64_t columns, int64_t window) {
  AttentionScores scores = paper_scores(heads, columns);
  scores.window = window;
  scores.bias = ScoreBias::alibi;
  return scores;
}

TEST_F(AttentionOpTest, GroupedHeadsAndWidthsOfTheirOwn) {
  const Ragged layout = ragged({3, 0, 1, 5});
  const KeyRows keys{layout, {}};
  const Tensor q = random_tensor({9, 12}, 1);
  for (const int64_t shared : {1, 2, 4}) {
    const Tensor k = random_tensor({9, shared * 3}, 2), v = random_tensor({9, shared * 5}, 3);
    for (const Mask mask : {Mask::none, Mask::causal})
      check_op(
          [&](ForwardPass& p) {
            return attention(p, {q, k, v}, {layout, keys, mask}, paper_scores(4, 12), 0.2);
          },
          {{"query", q}, {"key", k}, {"value", v}});
  }
}

TEST_F(AttentionOpTest, WindowsAndLinearBiases) {
  const Ragged queries = ragged({7, 4, 1, 2});
  const KeyRows keys{ragged({7, 9, 3, 0}), {}};
  const Tensor q = random_tensor({14, 8}, 1), k = random_tensor({19, 4}, 2),
               v = random_tensor({19, 6}, 3);
  const Indices positions{0, 1, 2, 3, 9, 5, 6, 8, 0, 3, 8, 7, 0, 1};
  for (const Mask mask : {Mask::none, Mask::causal})
    for (const int64_t window : {0, 1, 3, 40})
      for (const Indices* given : {static_cast<const Indices*>(nullptr), &positions})
        check_op(
            [&](ForwardPass& p) {
              return attention(p, {q, k, v}, {queries, keys, mask, given},
                               all_options(4, 8, window), 0.2);
            },
            {{"query", q}, {"key", k}, {"value", v}});
}

// The positions may be gone, or be others, when gradients are computed.
TEST_F(AttentionOpTest, KeepsThePositionsForItsGradient) {
  const Ragged layout = ragged({4});
  const KeyRows keys{layout, {}};
  const Tensor q = random_tensor({4, 6}, 1), k = random_tensor({4, 6}, 2),
               v = random_tensor({4, 6}, 3);
  check_op(
      [&](ForwardPass& p) {
        Indices positions{3, 0, 2, 1};
        Tensor y = attention(p, {q, k, v}, {layout, keys, Mask::none, &positions},
                             all_options(2, 6, 1), 0.2);
        positions.clear();
        return y;
      },
      {{"query", q}, {"key", k}, {"value", v}});
}

// Weight of key j for query i under head h of one sequence, unnormalized: from the definitions.
double plain_weight(const Tensor& query, const Tensor& key, int64_t i, int64_t h, int64_t j) {
  const int64_t heads = 4, d_key = 2, shared = h / 2;
  const double* q = query.data<double>() + (i * heads + h) * d_key;
  const double* k = key.data<double>() + (j * 2 + shared) * d_key;
  const double slope = std::pow(2.0, -2.0 * double(h + 1));  // of four heads: 2^-2, 2^-4, ...
  return std::exp((q[0] * k[0] + q[1] * k[1]) / std::sqrt(2.0) - slope * std::abs(double(j - i)));
}

TEST_F(AttentionOpTest, WindowsAndLinearBiasesByTheirDefinitions) {
  const int64_t count = 6;
  const Tensor query = random_tensor({count, 8}, 1), key = random_tensor({count, 4}, 2),
               value = random_tensor({count, 6}, 3);
  const Ragged layout = ragged({count});
  const KeyRows keys{layout, {}};
  for (const Mask mask : {Mask::none, Mask::causal}) {
    ForwardPass p = pass();
    Tensor got;
    const Tensor out =
        attention(p, {query, key, value}, {layout, keys, mask}, all_options(4, 8, 2), 0, &got);
    ASSERT_EQ(out.shape(), (Shape{count, 12}));
    for (int64_t h = 0; h < 4; ++h) {
      for (int64_t i = 0; i < count; ++i) {
        std::vector<double> weights(size_t(count), 0);
        double sum = 0, first_column = 0;
        for (int64_t j = 0; j < count; ++j) {
          if (std::abs(j - i) > 2 || (mask == Mask::causal && j > i)) continue;
          sum += weights[size_t(j)] = plain_weight(query, key, i, h, j);
        }
        for (int64_t j = 0; j < count; ++j) {
          const double weight = weights[size_t(j)] / sum;
          EXPECT_NEAR(got.data<double>()[(h * count + i) * count + j], weight, 1e-12);
          first_column += weight * value.data<double>()[(j * 2 + h / 2) * 3];
        }
        EXPECT_NEAR(out.data<double>()[(i * 4 + h) * 3], first_column, 1e-12);
      }
    }
  }
}

TEST_F(AttentionOpTest, AQueryWithoutKeysGivesNothing) {
  const Ragged queries = ragged({3});
  const KeyRows keys{ragged({2}), {}};
  const Tensor q = random_tensor({3, 2}, 1), k = random_tensor({2, 2}, 2);
  const Indices positions{0, 0, 1};
  ForwardPass p = pass();
  // The first one comes before all keys; the second one's only key is out of its window.
  const Tensor out = attention(p, {q, k, k}, {queries, keys, Mask::causal, &positions},
                               {1, 1, 0, ScoreBias::none});
  EXPECT_EQ(out.data<double>()[0], 0);
  EXPECT_EQ(out.data<double>()[2], k.data<double>()[0]);
  EXPECT_EQ(out.data<double>()[4], k.data<double>()[2]);
}

TEST_F(AttentionOpTest, RefusesShapesThatDoNotFit) {
  const Ragged layout = ragged({3});
  const KeyRows keys{layout, {}};
  const Tensor q = random_tensor({3, 12}, 1);
  const Indices two{0, 1};
  const auto attend = [&](const Shape& key, const Shape& value, AttentionScores scores,
                          const Indices* positions = nullptr) {
    ForwardPass p = pass();
    return attention(p, {q, random_tensor(key, 2), random_tensor(value, 3)},
                     {layout, keys, Mask::none, positions}, scores);
  };
  EXPECT_NO_THROW(attend({3, 6}, {3, 2}, {4}));
  EXPECT_THROW(attend({3, 12}, {3, 12}, {5}), Bug);       // heads
  EXPECT_THROW(attend({3, 9}, {3, 9}, {4}), Bug);         // three key-value heads for four
  EXPECT_THROW(attend({3, 7}, {3, 12}, {4}), Bug);        // not whole heads
  EXPECT_THROW(attend({3, 6}, {3, 5}, {4}), Bug);         // values of another number of heads
  EXPECT_THROW(attend({3, 6}, {2, 6}, {4}), Bug);         // rows
  EXPECT_THROW(attend({3, 6}, {3, 6}, {4, 1, -1}), Bug);  // window
  EXPECT_THROW(attend({3, 6}, {3, 6}, {4}, &two), Bug);   // positions
}

TEST(AttentionLayoutTest, TheKeysThatAQuerySees) {
  const Ragged queries = ragged({4, 3});
  const KeyRows keys{ragged({4, 9}), {}};
  const auto seen = [](const AttentionLayout& layout, int64_t b, int64_t i,
                       std::optional<int64_t> window) {
    const KeyRange range = layout.visible(b, i, window);
    return std::pair(range.begin, range.end);
  };
  using Range = std::pair<int64_t, int64_t>;
  const AttentionLayout plain{queries, keys}, causal{queries, keys, Mask::causal};
  EXPECT_EQ(seen(plain, 0, 3, {}), Range(0, 4));
  EXPECT_EQ(seen(plain, 0, 3, 1), Range(2, 4));
  EXPECT_EQ(seen(plain, 1, 2, 3), Range(0, 6));
  EXPECT_EQ(seen(causal, 1, 2, {}), Range(0, 9));
  EXPECT_EQ(seen(causal, 1, 1, 3), Range(4, 8));
  EXPECT_EQ(seen(causal, 1, 1, INT64_MAX), Range(0, 8));
  // A target longer than its source: the last key is the nearest.
  const KeyRows one{ragged({1, 2}), {}};
  EXPECT_EQ(seen({queries, one}, 0, 3, 0), Range(0, 1));
  EXPECT_EQ(seen({queries, one}, 1, 2, 0), Range(1, 2));
  // Causal queries before all keys.
  EXPECT_TRUE(AttentionLayout({queries, one, Mask::causal}).visible(0, 2, 5).empty());
  EXPECT_EQ(seen({queries, one, Mask::causal}, 0, 3, 5), Range(0, 1));
  const Indices positions{9, 0, 0, 0, 8, 0, 2};
  EXPECT_EQ(seen({queries, keys, Mask::none, &positions}, 0, 0, 1), Range(2, 4));
  EXPECT_EQ(seen({queries, keys, Mask::none, &positions}, 1, 0, 1), Range(7, 9));
  EXPECT_EQ(seen({queries, keys, Mask::none, &positions}, 1, 2, 1), Range(1, 4));
}

}  // namespace
}  // namespace heed
