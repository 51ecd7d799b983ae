#include "heed/backend/attention_steps.h"

#include <numeric>

#include "backend/compare.h"

namespace heed::testing {
namespace {

struct StepCase {
  std::string name;
  std::vector<std::pair<int64_t, int64_t>> lengths;  // queries and keys of each sequence
  int64_t heads, key_value_heads, d_key, d_value;
  Mask mask = Mask::none;
  float dropout = 0;
};

const std::vector<StepCase> kStepCases = {
    {"one", {{1, 1}}, 1, 1, 1, 1},
    {"no sequence", {}, 2, 2, 8, 8},
    {"empty sequences", {{0, 3}, {2, 0}, {0, 0}, {3, 2}}, 2, 1, 8, 4},
    {"odd", {{3, 7}, {17, 2}, {1, 33}, {7, 65}}, 3, 3, 7, 5},
    {"typical", {{20, 20}, {12, 12}, {31, 31}}, 4, 4, 32, 32, Mask::causal},
    {"grouped and dropped", {{20, 13}, {33, 100}}, 4, 2, 33, 9, Mask::none, 0.3f},
    {"multi-query", {{17, 17}, {65, 65}}, 3, 1, 17, 40, Mask::causal, 0.1f},
    {"behind a prefix", {{3, 10}, {1, 64}, {40, 100}}, 2, 2, 16, 16, Mask::causal},
    {"blind queries", {{5, 3}, {40, 2}}, 2, 1, 8, 8, Mask::causal, 0.2f},
};

constexpr PositionBuckets kStepBuckets[] = {{PositionBuckets::Kind::absolute, 20},
                                            {PositionBuckets::Kind::clipped, 17},
                                            {PositionBuckets::Kind::t5, 32},
                                            {PositionBuckets::Kind::t5_causal, 32}};

// Operands of a case. The keys lie in a shuffled order of rows.
struct StepOperands {
  explicit StepOperands(const StepCase& c, bool placed = false) : mask(c.mask) {
    std::vector<int32_t> places;
    for (auto [query_count, key_count] : c.lengths) {
      queries.add(query_count);
      keys.lengths.add(key_count);
      for (int64_t i = 0; placed && i < query_count; ++i)
        places.push_back(int32_t((i * 7) % (query_count + 3)));
    }
    positions = places;
    std::vector<int32_t> rows(size_t(keys.lengths.rows()));
    std::iota(rows.begin(), rows.end(), 0);
    Random(11).shuffle(rows);
    keys.rows = rows;
    query = random_tensor({queries.rows(), c.heads * c.d_key}, 1);
    key = random_tensor({keys.lengths.rows(), c.key_value_heads * c.d_key}, 2);
    value = random_tensor({keys.lengths.rows(), c.key_value_heads * c.d_value}, 3);
    v = random_tensor({c.heads * c.d_key}, 4, 0.3);
    center = random_tensor({queries.rows(), c.heads}, 5, 5);
    pairs = {attention_weight_count(layout(), c.heads)};
    scores = random_tensor(pairs, 6);
    // Weights that no key has which is not seen.
    reference = make_reference_backend();
    weights = Tensor(pairs);
    reference->attention_softmax(scores, layout(), {c.heads}, {}, {weights});
    for (float& weight : weights.span<float>()) weight = weight > 0 ? weight - 0.1f : 0.0f;
  }
  AttentionLayout layout() const {
    return {queries, keys, mask, positions.empty() ? nullptr : &positions};
  }

  Ragged queries;
  KeyRows keys;
  Mask mask;
  Indices positions;
  Tensor query, key, value, v, center, scores, weights;
  Shape pairs;
  std::unique_ptr<Backend> reference;
};

class AttentionSteps : public TargetTest {
 protected:
  // Runs f(backend, output) on both backends, and compares what they write.
  template <class F>
  void compare(const Tensor& like, const std::string& what, const F& f, double tolerance = 2e-5) {
    Tensor expected = copy_of(like), got = copy_of(like);
    f(*reference, expected);
    f(*backend, got);
    expect_close(got, expected, tolerance, what);
  }
};
INSTANTIATE_TEST_SUITE_P(Targets, AttentionSteps, ::testing::ValuesIn(targets()), target_name);

TEST_P(AttentionSteps, Scores) {
  for (const StepCase& c : kStepCases) {
    const StepOperands o(c);
    const ScoreOperands operands{o.query, o.key};
    const AttentionLayout layout = o.layout();
    const ScaledScores options{c.heads, 0.3};
    compare(o.scores, c.name + " scaled", [&](Backend& backend, Tensor& scores) {
      backend.scaled_scores(operands, layout, options, scores);
    });
    compare(o.scores, c.name + " additive", [&](Backend& backend, Tensor& scores) {
      backend.additive_scores(operands, o.v, layout, c.heads, scores);
    });
    const auto gradients = [&](const std::string& what, const auto& f) {
      compare(o.query, c.name + what + " dquery", [&](Backend& backend, Tensor& dquery) {
        Tensor dkey = random_tensor(o.key.shape(), 7), dv(o.v.shape());
        f(backend, ScoreGradient{dquery, dkey}, dv);
      });
      compare(o.key, c.name + what + " dkey", [&](Backend& backend, Tensor& dkey) {
        Tensor dquery = random_tensor(o.query.shape(), 7), dv(o.v.shape());
        f(backend, ScoreGradient{dquery, dkey}, dv);
      });
      compare(o.v, c.name + what + " dv", [&](Backend& backend, Tensor& dv) {
        Tensor dquery(o.query.shape()), dkey(o.key.shape());
        f(backend, ScoreGradient{dquery, dkey}, dv);
      });
    };
    gradients(" scaled", [&](Backend& backend, const ScoreGradient& gradient, Tensor&) {
      backend.scaled_scores_gradient(o.weights, operands, layout, options, gradient);
    });
    gradients(" additive", [&](Backend& backend, const ScoreGradient& gradient, Tensor& dv) {
      backend.additive_scores_gradient(o.weights, operands, o.v, layout, c.heads, gradient, dv);
    });
  }
}

TEST_P(AttentionSteps, PositionalScores) {
  for (const StepCase& c : kStepCases) {
    for (const bool placed : {false, true}) {
      const StepOperands o(c, placed && c.mask == Mask::none);
      for (const PositionBuckets& buckets : kStepBuckets) {
        const PositionalScores options{buckets, c.heads, 0.7};
        for (const int64_t rows : {o.queries.rows(), int64_t{1}}) {
          const Tensor table = random_tensor({rows, c.heads * buckets.count}, 8);
          const std::string what = fmt::format("{}, buckets {}", c.name, int(buckets.kind));
          compare(o.scores, what + " scores", [&](Backend& backend, Tensor& scores) {
            backend.add_positional_scores(table, o.layout(), options, scores);
          });
          compare(table, what + " sums", [&](Backend& backend, Tensor& sums) {
            backend.sum_weights_by_position(o.weights, o.layout(), options, sums);
          });
        }
      }
    }
  }
}

TEST_P(AttentionSteps, Softmax) {
  for (const StepCase& c : kStepCases) {
    const StepOperands o(c, c.mask == Mask::none);
    const AttentionLayout layout = o.layout();
    const Dropout dropout{c.dropout, 77};
    for (AttentionSoftmax options :
         {AttentionSoftmax{c.heads}, AttentionSoftmax{c.heads, 3}, AttentionSoftmax{c.heads, {}, 5},
          AttentionSoftmax{c.heads, 20, 30}, AttentionSoftmax{c.heads, 5, {}, &o.center}}) {
      for (const auto choice : {AttentionSoftmax::Choice::soft, AttentionSoftmax::Choice::hard}) {
        options.choice = choice;
        const std::string what = fmt::format("{}, window {}", c.name, options.window.value_or(-1));
        compare(o.scores, what, [&](Backend& backend, Tensor& softmax) {
          backend.attention_softmax(softmax, layout, options, dropout, {softmax});
        });
        compare(o.weights, what + " weights", [&](Backend& backend, Tensor& weights) {
          Tensor softmax(o.pairs);
          backend.attention_softmax(o.scores, layout, options, dropout, {softmax, &weights});
        });
      }
    }
    Tensor equal = copy_of(o.scores);  // several best keys: the first is chosen
    for (float& score : equal.span<float>()) score = std::round(score);
    compare(o.weights, c.name + " of equal scores", [&](Backend& backend, Tensor& weights) {
      Tensor softmax(o.pairs);
      backend.attention_softmax(equal, layout,
                                {c.heads, 9, {}, nullptr, AttentionSoftmax::Choice::hard}, dropout,
                                {softmax, &weights});
    });
    Tensor softmax(o.pairs);
    reference->attention_softmax(o.scores, layout, {c.heads, 9}, {}, {softmax});
    compare(o.scores, c.name + " dscores", [&](Backend& backend, Tensor& dscores) {
      backend.attention_softmax_gradient(o.weights, softmax, layout, c.heads, dropout, dscores);
    });
    compare(o.weights, c.name + " dscores in place", [&](Backend& backend, Tensor& dscores) {
      backend.attention_softmax_gradient(dscores, softmax, layout, c.heads, dropout, dscores);
    });
  }
}

TEST_P(AttentionSteps, GaussianWeights) {
  for (const StepCase& c : kStepCases) {
    const StepOperands o(c);
    const AttentionLayout layout = o.layout();
    const GaussianWeights options{c.heads, 2.5};
    compare(o.weights, c.name + " in place", [&](Backend& backend, Tensor& out) {
      backend.gaussian_weights(out, o.center, layout, options, out);
    });
    compare(o.scores, c.name + " dweights", [&](Backend& backend, Tensor& dweights) {
      Tensor dcenter(o.center.shape());
      backend.gaussian_weights_gradient(o.scores, o.weights, o.center, layout, options,
                                        {dweights, dcenter});
    });
    compare(o.center, c.name + " dcenter", [&](Backend& backend, Tensor& dcenter) {
      Tensor dweights(o.pairs);
      backend.gaussian_weights_gradient(o.scores, o.weights, o.center, layout, options,
                                        {dweights, dcenter});
    });
  }
}

TEST_P(AttentionSteps, Mix) {
  for (const StepCase& c : kStepCases) {
    const StepOperands o(c);
    const AttentionLayout layout = o.layout();
    const Tensor out = random_tensor({o.queries.rows(), c.heads * c.d_value}, 9);
    compare(out, c.name, [&](Backend& backend, Tensor& mixed) {
      backend.weighted_sum(o.weights, o.value, layout, c.heads, mixed);
    });
    compare(o.scores, c.name + " dweights", [&](Backend& backend, Tensor& dweights) {
      Tensor dvalue(o.value.shape());
      backend.weighted_sum_gradient(out, o.weights, o.value, layout, c.heads, {dweights, dvalue});
    });
    compare(o.value, c.name + " dvalue", [&](Backend& backend, Tensor& dvalue) {
      Tensor dweights(o.pairs);
      backend.weighted_sum_gradient(out, o.weights, o.value, layout, c.heads, {dweights, dvalue});
    });
  }
}

// An attention of all steps: [queries, columns of the weighted_sum and of the sums by position].
Tensor attend_in_steps(Backend& backend, const StepCase& c, const StepOperands& o,
                       const AttentionInput& input, const AttentionLayout& layout,
                       const Tensor& center, const PositionBuckets& buckets) {
  const int64_t rows = layout.queries.rows();
  Tensor scores({attention_weight_count(layout, c.heads)}), more(scores.shape());
  backend.scaled_scores({input.query, input.key}, layout, {c.heads, 0.3}, scores);
  backend.additive_scores({input.query, input.key}, o.v, layout, c.heads, more);
  backend.add(more, scores);
  // Tables from what there is: one with a row for each query, and one for all.
  Tensor table({rows, c.heads * buckets.count});
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t i = 0; i < table.columns(); ++i)
      table.data<float>()[r * table.columns() + i] =
          input.query.data<float>()[r * input.query.columns() + i % input.query.columns()];
  backend.add_positional_scores(table, layout, {buckets, c.heads, 0.5}, scores);
  const Tensor all = o.center.reshape({o.center.size()});
  backend.add_positional_scores(all.slice(0, table.columns()).reshape({1, table.columns()}), layout,
                                {buckets, c.heads, 0.1}, scores);
  backend.attention_softmax(scores, layout, {c.heads, 37}, {}, {scores});
  backend.gaussian_weights(scores, center, layout, {c.heads, 40}, scores);
  Tensor out({rows, c.heads * c.d_value}), sums({rows, c.heads * buckets.count});
  backend.weighted_sum(scores, input.value, layout, c.heads, out);
  fill_zeros(sums);
  backend.sum_weights_by_position(scores, layout, {buckets, c.heads}, sums);
  Tensor both({rows, out.columns() + sums.columns()});
  for (int64_t r = 0; r < rows; ++r) {
    float* to = both.data<float>() + r * both.columns();
    std::copy_n(out.data<float>() + r * out.columns(), out.columns(), to);
    std::copy_n(sums.data<float>() + r * sums.columns(), sums.columns(), to + out.columns());
  }
  return both;
}

// Decoding one token at a time gives the bits of the whole prefix.
void expect_the_bits_of_a_query_alone(Backend& backend, DType cache_type) {
  for (const PositionBuckets& buckets : kStepBuckets) {
    for (const int64_t length : {1, 2, 17, 64, 100}) {
      const StepCase c{"prefix", {{length, length}}, 4, 2, 24, 9, Mask::causal};
      StepOperands o(c);
      o.center = random_tensor({128, c.heads}, 5, 5);
      const auto cached = [&](const Tensor& x) {
        Tensor cache(x.shape(), cache_type);
        std::vector<int32_t> rows(size_t(x.rows()));
        std::iota(rows.begin(), rows.end(), 0);
        backend.write_cache(x, rows, cache);
        return cache;
      };
      const Tensor key = cached(o.key), value = cached(o.value);
      const Tensor whole = attend_in_steps(backend, c, o, {o.query, key, value}, o.layout(),
                                           o.center.slice(0, length), buckets);
      for (int64_t i = 0; i < length; i += 1 + length / 20) {
        Ragged one;
        one.add(1);
        KeyRows seen;
        seen.lengths.add(i + 1);
        seen.rows = std::vector(o.keys.rows.begin(), o.keys.rows.begin() + i + 1);
        const Tensor alone =
            attend_in_steps(backend, c, o, {o.query.slice(i, i + 1), key, value},
                            {one, seen, Mask::causal}, o.center.slice(i, i + 1), buckets);
        expect_same_bits(alone, copy_of(whole.slice(i, i + 1)),
                         fmt::format("{} of {}, buckets {}", i, length, int(buckets.kind)));
      }
    }
  }
}

TEST_P(AttentionSteps, AQueryAloneHasTheBitsOfItsPrefix) {
  expect_the_bits_of_a_query_alone(*backend, DType::fp32);
}
TEST_P(AttentionSteps, AQueryAloneHasTheBitsOfItsPrefixInACache) {
  expect_the_bits_of_a_query_alone(*make_target({GetParam(), DType::bf16}), DType::bf16);
}

// Cached keys and values are those that they were rounded to.
TEST_P(AttentionSteps, Caches) {
  const auto rounding = make_target({GetParam(), DType::bf16});
  for (const StepCase& c : kStepCases) {
    const StepOperands o(c);
    const AttentionLayout layout = o.layout();
    const auto in_cache = [&](const Tensor& x, DType type) {
      Tensor cache(x.shape(), type);
      std::vector<int32_t> rows(size_t(x.rows()));
      std::iota(rows.begin(), rows.end(), 0);
      rounding->write_cache(x, rows, cache);
      return cache;
    };
    const auto widened = [](const Tensor& x) {
      Tensor wide(x.shape());
      for (int64_t i = 0; i < x.size(); ++i) wide.data<float>()[i] = float(x.data<Bf16>()[i]);
      return wide;
    };
    const Tensor key = in_cache(o.key, DType::bf16), value = in_cache(o.value, DType::bf16);
    const auto compare_bits = [&](const Shape& shape, const auto& f) {
      Tensor from_cache(shape), from_floats(shape), expected(shape);
      f(*rounding, key, value, from_cache);
      f(*rounding, widened(key), widened(value), from_floats);
      f(*reference, key, value, expected);
      expect_same_bits(from_cache, from_floats, c.name);
      expect_close(from_cache, expected, 2e-5, c.name);
    };
    using Operand = const Tensor&;
    compare_bits(o.pairs, [&](Backend& backend, Operand keys, Operand, Tensor& scores) {
      backend.scaled_scores({o.query, keys}, layout, {c.heads, 0.3}, scores);
    });
    compare_bits(o.pairs, [&](Backend& backend, Operand keys, Operand, Tensor& scores) {
      backend.additive_scores({o.query, keys}, o.v, layout, c.heads, scores);
    });
    compare_bits({o.queries.rows(), c.heads * c.d_value},
                 [&](Backend& backend, Operand, Operand values, Tensor& out) {
                   backend.weighted_sum(o.weights, values, layout, c.heads, out);
                 });
  }
}

// tanh, through the scores of one column whose key is 0.
TEST_P(AttentionSteps, Tanh) {
  std::vector<float> values{0,  -0.0f,  1e-30f, -1e-8f,   20,       -30,
                            88, -1e30f, 9.01f,  INFINITY, -INFINITY};
  Random random(3);
  for (int i = 0; i < 3000; ++i) values.push_back(float(3 * random.normal()));
  for (int i = 0; i < 300; ++i) values.push_back(float(std::exp(-20 * random.uniform())));
  const auto rows = int64_t(values.size());
  Ragged queries;
  queries.add(rows);
  KeyRows keys;
  keys.lengths.add(1);
  Tensor out({rows}), one({1});
  one.data<float>()[0] = 1;
  const Tensor query = tensor_of<float>({rows, 1}, values), key({1, 1});
  backend->additive_scores({query, key}, one, {queries, keys}, 1, out);
  for (int64_t i = 0; i < rows; ++i) {
    const double expected = std::tanh(double(values[size_t(i)]));
    EXPECT_NEAR(out.data<float>()[i], expected, 2.5e-7 * std::abs(expected)) << values[size_t(i)];
  }
  Tensor nan = query.slice(0, 1);
  nan.data<float>()[0] = NAN;
  backend->additive_scores({query, key}, one, {queries, keys}, 1, out);
  EXPECT_TRUE(std::isnan(out.data<float>()[0]));
}

}  // namespace
}  // namespace heed::testing
