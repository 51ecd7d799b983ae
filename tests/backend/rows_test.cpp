// Embedding, normalisation, loss and the top k: kernels that go row by row.
#include "backend/compare.h"

namespace heed::testing {
namespace {

const int64_t kWidths[] = {1, 2, 3, 7, 17, 33, 64, 65, 100, 257};
const Dropout kDropouts[] = {{}, {0.1f, 5}, {0.9f, 6}};

using Rows = TargetTest;
INSTANTIATE_TEST_SUITE_P(Targets, Rows, ::testing::ValuesIn(targets()), target_name);

TEST_P(Rows, Embedding) {
  Tokens tokens;
  for (const std::vector<TokenId>& ids :
       {std::vector<TokenId>{3, 0, 3, 7}, {}, {9}, {1, 2, 3, 4, 5, 6}})
    tokens.add(ids);
  const int64_t rows = tokens.layout.rows();
  for (bool started : {false, true}) {
    if (started) tokens.start = {4, 0, 13, 1};
    for (int64_t d : kWidths) {
      for (const Dropout& dropout : kDropouts) {
        const Tensor table = random_tensor({10, d}, 1), positions = random_tensor({16, d}, 2);
        Tensor expected({rows, d}), got({rows, d});
        reference->embed(tokens, table, positions, 4.5, dropout, expected);
        backend->embed(tokens, table, positions, 4.5, dropout, got);
        expect_close(got, expected, 1e-6, fmt::format("width {}", d));
        Tensor gradient = random_tensor({10, d}, 3), got_gradient = copy_of(gradient);
        reference->embed_gradient(tokens, expected, 4.5, dropout, 3, gradient);
        backend->embed_gradient(tokens, expected, 4.5, dropout, 3, got_gradient);
        expect_close(got_gradient, gradient, 1e-5, fmt::format("gradient, width {}", d));
      }
    }
  }
}

// Outputs of add_norm and of its gradient.
struct Norm {
  Tensor sum, statistics, y, dx, dsublayer, dgain, dbias;
};

Norm run_norm(Backend& backend, const Tensor& x, const Tensor& sublayer, const NormOptions& options,
              WriteMode mode) {
  const int64_t rows = x.rows(), d = x.columns();
  const Tensor gain = random_tensor({d}, 3), bias = random_tensor({d}, 4);
  const Tensor dy = random_tensor({rows, d}, 5);
  Norm norm{Tensor({rows, d}),           Tensor({rows, 2}), Tensor({rows, d}),
            random_tensor({rows, d}, 6), Tensor({rows, d}), random_tensor({d}, 7),
            random_tensor({d}, 8)};
  backend.add_norm(x, sublayer, gain, bias, options, norm.sum, norm.statistics, norm.y);
  backend.add_norm_gradient(dy, norm.sum, norm.statistics, gain, options,
                            {norm.dx, mode, norm.dsublayer, norm.dgain, norm.dbias});
  return norm;
}

TEST_P(Rows, AddNorm) {
  for (int64_t d : kWidths) {
    if (d == 1) continue;  // variance 0: only epsilon is left
    for (int64_t rows : {0, 1, 9}) {
      for (const Dropout& dropout : kDropouts) {
        for (WriteMode mode : {WriteMode::overwrite, WriteMode::accumulate}) {
          const Tensor x = random_tensor({rows, d}, 1), sublayer = random_tensor({rows, d}, 2);
          const NormOptions options{1e-5, dropout};
          const Norm expected = run_norm(*reference, x, sublayer, options, mode);
          const Norm got = run_norm(*backend, x, sublayer, options, mode);
          const std::string what = fmt::format("rows {}, width {}", rows, d);
          // Narrow rows may have tiny variances, which magnify.
          const double tolerance = d < 4 ? 2e-2 : 3e-5;
          expect_close(got.sum, expected.sum, 1e-6, what);
          expect_close(got.y, expected.y, tolerance, what);
          expect_close(got.statistics, expected.statistics, tolerance, what);
          expect_close(got.dx, expected.dx, tolerance, what);
          expect_close(got.dsublayer, expected.dsublayer, tolerance, what);
          expect_close(got.dgain, expected.dgain, tolerance, what);
          expect_close(got.dbias, expected.dbias, 1e-5, what);
        }
      }
    }
  }
}

TEST_P(Rows, AddNormInPlace) {
  const Tensor x = random_tensor({5, 33}, 1);
  Tensor sublayer = random_tensor({5, 33}, 2);
  const Tensor gain = random_tensor({33}, 3), bias = random_tensor({33}, 4);
  Tensor sum({5, 33}), statistics({5, 2}), y({5, 33}), again({5, 33});
  backend->add_norm(x, sublayer, gain, bias, {1e-5, {0.2f, 1}}, sum, statistics, y);
  backend->add_norm(x, sublayer, gain, bias, {1e-5, {0.2f, 1}}, sublayer, statistics, again);
  expect_same_bits(again, y, "sum in place of the sublayer");
  expect_same_bits(sublayer, sum, "sum in place of the sublayer");
}

TEST_P(Rows, CrossEntropy) {
  for (int64_t classes : {1, 2, 3, 7, 17, 33, 64, 65, 100, 257, 1000, 5003}) {
    for (double smoothing : {0.0, 0.1}) {
      for (double gradient_scale : {0.0, 0.25}) {
        const int64_t rows = 4;
        Tensor expected = random_tensor({rows, classes}, 1, 5), got = copy_of(expected);
        Indices labels;
        for (int64_t r = 0; r + 1 < rows; ++r) labels.push_back(TokenId((r * 7919) % classes));
        labels.push_back(TokenId(classes - 1));
        Tensor expected_losses({rows, 2}), losses({rows, 2});
        const CrossEntropyOptions options{smoothing, gradient_scale};
        reference->cross_entropy(expected, labels, 0, options, expected_losses);
        backend->cross_entropy(got, labels, 0, options, losses);
        const std::string what = fmt::format("{} classes", classes);
        expect_close(losses, expected_losses, 1e-6, what);
        expect_close(got, expected, 1e-7, what);
      }
    }
  }
}

TEST_P(Rows, CrossEntropyOfExtremeLogits) {
  Tensor logits({2, 40}), losses({2, 2});
  logits.data<float>()[3] = 3e4f;
  logits.data<float>()[40 + 39] = -3e4f;
  backend->cross_entropy(logits, Indices{3, 39}, 0, {0, 1}, losses);
  EXPECT_EQ(losses.data<float>()[1], 0.0f);
  EXPECT_NEAR(losses.data<float>()[3], 3e4 + std::log(39.0), 0.01);
  EXPECT_EQ(logits.data<float>()[4], 0.0f);
}

TEST_P(Rows, CrossEntropyLetsNanThrough) {
  Tensor logits({1, 40}), losses({1, 2});
  logits.data<float>()[17] = NAN;
  backend->cross_entropy(logits, Indices{3}, 0, {0.1, 1}, losses);
  EXPECT_TRUE(std::isnan(losses.data<float>()[0]));
}

TEST_P(Rows, TopK) {
  for (int64_t classes : {1, 2, 3, 7, 17, 33, 64, 65, 100, 257, 5003}) {
    Tensor logits = random_tensor({5, classes}, 1, 3);
    // Ties, in the last row everywhere.
    for (int64_t c = 0; c < classes; ++c) {
      float& value = logits.data<float>()[3 * classes + c];
      value = std::round(value);
      logits.data<float>()[4 * classes + c] = -2;
    }
    for (int64_t k : {1, 2, 4, 9, 24, 25, 100, 2000}) {
      if (k > classes) break;
      const TopK expected = reference->top_k(logits, k);
      const TopK got = backend->top_k(logits, k);
      EXPECT_EQ(got.ids, expected.ids) << classes << " classes, k " << k;
      ASSERT_EQ(got.log_probabilities.size(), expected.log_probabilities.size());
      for (size_t i = 0; i < got.ids.size(); ++i)
        EXPECT_NEAR(got.log_probabilities[i], expected.log_probabilities[i], 3e-6);
    }
  }
}

TEST_P(Rows, ManyBestOfOddRows) {
  // Forbidden ones, zeros of both signs, and one that is not a number.
  Tensor logits({3, 500});
  for (int64_t i = 0; i < 500; ++i) {
    logits.data<float>()[i] = i % 3 == 0 ? -INFINITY : float(i % 7) - 3;
    logits.data<float>()[500 + i] = i % 2 == 0 ? 0.0f : -0.0f;
    logits.data<float>()[1000 + i] = float(i);
  }
  logits.data<float>()[1000 + 250] = NAN;
  const TopK expected = reference->top_k(logits.slice(0, 2), 400);
  const TopK got = backend->top_k(logits.slice(0, 2), 400);
  EXPECT_EQ(got.ids, expected.ids);
  const TopK rest = backend->top_k(logits.slice(2, 3), 100);
  for (int64_t i = 0; i < 100; ++i) EXPECT_EQ(rest.ids[size_t(i)], 499 - i);
}

TEST_P(Rows, TopKWithForbiddenOnes) {
  Tensor logits({1, 50});
  for (float& value : logits.span<float>()) value = -INFINITY;
  logits.data<float>()[20] = 1;
  logits.data<float>()[10] = 1;
  const TopK got = backend->top_k(logits, 3);
  EXPECT_EQ(got.ids, (std::vector<TokenId>{10, 20, 0}));
  EXPECT_NEAR(got.log_probabilities[1], std::log(0.5), 1e-6);
  EXPECT_EQ(got.log_probabilities[2], -INFINITY);
}

TEST_P(Rows, CachesRowsAsTheyAreInFp32) {
  const Tensor x = random_tensor({3, 14}, 1);
  const std::vector<int32_t> rows = {4, 0, 2};
  ASSERT_EQ(backend->cache_type(DType::fp32), DType::fp32);
  Tensor wide({5, 14}), expected({5, 14});
  reference->write_cache(x, rows, expected);
  backend->write_cache(x, rows, wide);
  expect_same_bits(wide, expected, "cached");
  expect_same_bits(copy_of(wide.slice(4, 5)), copy_of(x.slice(0, 1)), "the first row");
}

}  // namespace
}  // namespace heed::testing
