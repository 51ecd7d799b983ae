// heed bench --part layers: the layers of Table 1 against plain loops and central differences, and
// the table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/core/files.h"
#include "layers/table1.h"
#include "reference/reference_backend.h"
#include "run_heed.h"
#include "support/facts.h"
#include "support/gradients.h"
#include "support/page_data.h"
#include "support/temporary_folder.h"

namespace heed::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Row-major access to a tensor of doubles.
struct Matrix {
  const Tensor& tensor;
  double operator()(int64_t i, int64_t j) const {
    return tensor.data<double>()[i * tensor.columns() + j];
  }
};

void expect_equal(const Tensor& got, const std::vector<double>& expected) {
  ASSERT_EQ(size_t(got.size()), expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(got.data<double>()[i], expected[i], 1e-12) << i;
}

double bias_of(const LayerWeight& weight, int64_t i) {
  return weight.bias.data<double>()[i];
}

TEST(BenchLayersTest, LstmIsItsEquations) {
  constexpr int64_t n = 6, d = 5;
  const auto backend = make_reference_backend();
  Lstm layer(*backend, {n, d, DType::fp64});
  const Tensor x = random_tensor({n, d}, 1);
  const LayerWeight &input = *layer.weights()[0], &recurrent = *layer.weights()[1];
  std::vector<double> h(d), c(d), expected;
  for (int64_t t = 0; t < n; ++t) {
    std::vector<double> z(4 * d);
    for (int64_t j = 0; j < 4 * d; ++j) {
      z[size_t(j)] = bias_of(input, j) + bias_of(recurrent, j);
      for (int64_t m = 0; m < d; ++m)
        z[size_t(j)] += Matrix{input.weight}(j, m) * Matrix{x}(t, m) +
                        Matrix{recurrent.weight}(j, m) * h[size_t(m)];
    }
    const auto gate = [&](int64_t block, int64_t j) {
      return 1 / (1 + std::exp(-z[size_t(block * d + j)]));
    };
    for (int64_t j = 0; j < d; ++j) {
      c[size_t(j)] = gate(1, j) * c[size_t(j)] + gate(0, j) * std::tanh(z[size_t(2 * d + j)]);
      h[size_t(j)] = gate(3, j) * std::tanh(c[size_t(j)]);
    }
    expected.insert(expected.end(), h.begin(), h.end());
  }
  expect_equal(layer.forward(x), expected);
  expect_equal(layer.forward(x), expected);  // nothing remains of the first
}

TEST(BenchLayersTest, ConvolutionSumsOverItsWindow) {
  constexpr int64_t d = 3;
  const auto backend = make_reference_backend();
  for (const int64_t n : {1, 2, 7}) {
    for (const int64_t k : {2, 3, 4, 9}) {
      Convolution layer(*backend, {n, d, DType::fp64}, k);
      const Tensor x = random_tensor({n, d}, 1);
      const LayerWeight& kernel = *layer.weights()[0];
      std::vector<double> expected;
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t out = 0; out < d; ++out) {
          double sum = bias_of(kernel, out);
          for (int64_t tap = 0; tap < k; ++tap) {
            const int64_t row = i + tap - (k - 1) / 2;
            for (int64_t m = 0; row >= 0 && row < n && m < d; ++m)
              sum += Matrix{kernel.weight}(out, tap * d + m) * Matrix{x}(row, m);
          }
          expected.push_back(sum);
        }
      }
      expect_equal(layer.forward(x), expected);
    }
  }
}

// softmax(x x^T / sqrt(d_head)) x over the positions at most `window` away.
std::vector<double> attention_by_loops(const Tensor& x, int64_t heads, int64_t window) {
  const int64_t n = x.rows(), d = x.columns(), width = d / heads;
  std::vector<double> out(size_t(n * d), 0.0);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t head = 0; head < heads; ++head) {
      double total = 0;
      std::vector<double> sums(size_t(width), 0.0);
      for (int64_t j = std::max<int64_t>(0, i - window); j <= std::min(n - 1, i + window); ++j) {
        double score = 0;
        for (int64_t m = head * width; m < (head + 1) * width; ++m)
          score += Matrix{x}(i, m) * Matrix{x}(j, m);
        const double weight = std::exp(score / std::sqrt(double(width)));
        total += weight;
        for (int64_t m = 0; m < width; ++m)
          sums[size_t(m)] += weight * Matrix{x}(j, head * width + m);
      }
      for (int64_t m = 0; m < width; ++m)
        out[size_t(i * d + head * width + m)] = sums[size_t(m)] / total;
    }
  }
  return out;
}

TEST(BenchLayersTest, AttentionSeesAllPositionsOrItsNeighborhood) {
  constexpr int64_t n = 9, d = 6, heads = 2;
  const auto backend = make_reference_backend();
  const Tensor x = random_tensor({n, d}, 1);
  const SequenceShape shape{n, d, DType::fp64};
  expect_equal(SelfAttention(*backend, shape, heads).forward(x), attention_by_loops(x, heads, n));
  for (const int64_t window : {0, 2, 30})
    expect_equal(SelfAttention(*backend, shape, heads, window).forward(x),
                 attention_by_loops(x, heads, window));
}

constexpr LayerSizes kSmallSizes{.d_model = 6, .heads = 2, .window = 2, .kernel_width = 3};

TEST(BenchLayersTest, GradientsAreThoseOfCentralDifferences) {
  constexpr int64_t n = 7;
  const auto backend = make_reference_backend();
  for (const LayerKind kind : kLayerKinds) {
    const std::string name = complexity(kind).name;
    const auto layer =
        make_layer(kind, *backend, kSmallSizes, {n, kSmallSizes.d_model, DType::fp64});
    const Tensor x = random_tensor({n, kSmallSizes.d_model}, 1),
                 dy = random_tensor({n, kSmallSizes.d_model}, 2);
    const auto loss = [&] {
      const Tensor& y = layer->forward(x);
      double sum = 0;
      for (int64_t i = 0; i < y.size(); ++i) sum += y.data<double>()[i] * dy.data<double>()[i];
      return sum;
    };
    for (int repeat = 0; repeat < 2; ++repeat) {  // gradients are overwritten, not added to
      loss();
      expect_gradient(name, x, layer->backward(dy), loss);
    }
    for (LayerWeight* weight : layer->weights()) {
      expect_gradient(name + ", weight", weight->weight, weight->dweight, loss);
      expect_gradient(name + ", bias", weight->bias, weight->dbias, loss);
    }
  }
}

void expect_near(const Tensor& got, const Tensor& expected, const std::string& name) {
  ASSERT_EQ(got.size(), expected.size());
  for (int64_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got.data<float>()[i], expected.data<float>()[i], 2e-4) << name << ' ' << i;
}

TEST(BenchLayersTest, TheCpuComputesWhatTheReferenceDoes) {
  constexpr int64_t n = 37;
  const LayerSizes sizes{.d_model = 24, .heads = 3, .window = 5, .kernel_width = 4};
  const auto reference = make_reference_backend(), cpu = make_cpu_backend();
  const Tensor x = random_values({n, 24}, 1), dy = random_values({n, 24}, 2);
  for (const LayerKind kind : kLayerKinds) {
    const std::string name = complexity(kind).name;
    const auto expected = make_layer(kind, *reference, sizes, {n, 24}),
               layer = make_layer(kind, *cpu, sizes, {n, 24});
    expect_near(layer->forward(x), expected->forward(x), name);
    expect_near(layer->backward(dy), expected->backward(dy), name + ", dx");
    for (size_t i = 0; i < layer->weights().size(); ++i) {
      expect_near(layer->weights()[i]->dweight, expected->weights()[i]->dweight, name + ", dW");
      expect_near(layer->weights()[i]->dbias, expected->weights()[i]->dbias, name + ", db");
    }
  }
}

TEST(BenchLayersTest, CountsAreTheFormulasOfTable1) {
  const LayerSizes sizes{.d_model = 8, .heads = 2, .window = 1, .kernel_width = 3};
  const auto work = [&](LayerKind kind, int64_t n) { return multiply_adds(kind, sizes, n); };
  EXPECT_EQ(work(LayerKind::self_attention, 10), 2 * 10 * 10 * 8);
  EXPECT_EQ(work(LayerKind::recurrent, 10), 8 * 10 * 8 * 8);
  EXPECT_EQ(work(LayerKind::convolutional, 10), 3 * 10 * 8 * 8);
  EXPECT_EQ(work(LayerKind::restricted_self_attention, 10), 2 * (3 * 10 - 2) * 8);
  EXPECT_EQ(work(LayerKind::projected_self_attention, 10), 2 * 10 * 10 * 8 + 4 * 10 * 8 * 8);
  EXPECT_EQ(work(LayerKind::projected_restricted_self_attention, 10),
            2 * (3 * 10 - 2) * 8 + 4 * 10 * 8 * 8);
  EXPECT_EQ(work(LayerKind::restricted_self_attention, 2), work(LayerKind::self_attention, 2));
  EXPECT_EQ(sequential_operations(LayerKind::recurrent, 10), 10);
  EXPECT_EQ(sequential_operations(LayerKind::convolutional, 10), 1);
  const auto path = [&](LayerKind kind, int64_t n) { return maximum_path_length(kind, sizes, n); };
  EXPECT_EQ(path(LayerKind::self_attention, 10), 1);
  EXPECT_EQ(path(LayerKind::recurrent, 10), 10);
  EXPECT_EQ(path(LayerKind::convolutional, 9), 2);
  EXPECT_EQ(path(LayerKind::convolutional, 10), 3);
  EXPECT_EQ(path(LayerKind::restricted_self_attention, 9), 3);
  EXPECT_EQ(path(LayerKind::restricted_self_attention, 10), 4);
}

const std::vector<std::string> kLayersCommand = {"bench", "--part",       "layers", "--preset",
                                                 "tiny",  "--max-length", "40",     "--seconds",
                                                 "0.001", "--compute",    "fp32"};

TEST(BenchLayersTest, TextHasTheTableAndAPage) {
  const TemporaryFolder folder;
  auto command = kLayersCommand;
  command.insert(command.end(), {"--html", "page.html", "--window", "2"});
  const RunResult result = run_heed(command, folder.path());
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasFacts("O(n^2 O(n O(k O(r O(log_k(n)) O(n/r)"));
  EXPECT_THAT(result.out, HasSubstr("d = 128 (tiny, 4 heads), r = 5, k = 3"));
  EXPECT_THAT(result.out, HasSubstr("n = 32 "));
  EXPECT_THAT(result.out, Not(HasSubstr("n = 64 ")));
  // 8 n d^2, n sequential operations and a path of n.
  EXPECT_THAT(result.out, HasFacts("4,194,304 32"));
  EXPECT_THAT(result.err, HasFacts("page.html"));
  for (const std::string& line : lines_of(result.out)) EXPECT_LE(line.size(), 90u) << line;
  const auto page = data_of(read_file(folder / "page.html"));
  EXPECT_EQ(page["measurements"].size(), 2 * kLayerKinds.size());
  EXPECT_EQ(page["neighborhood"], 5);
  const auto& convolution = page["measurements"][kLayerKinds.size() + 2];
  EXPECT_EQ(convolution["complexity"], "O(k n d^2)");
  EXPECT_EQ(convolution["n"], 32);
  EXPECT_EQ(convolution["multiply_adds"], 1'572'864);
}

TEST(BenchLayersTest, JsonHasEachLayerAtEachLength) {
  auto command = kLayersCommand;
  command.emplace_back("--json");
  const RunResult result = run_heed(command);
  ASSERT_EQ(result.status, 0) << result.err;
  const auto report = nlohmann::json::parse(result.out)["layers"];
  EXPECT_EQ(report["d_model"], 128);
  const auto& rows = report["measurements"];
  ASSERT_EQ(rows.size(), 2 * kLayerKinds.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i]["n"], i < kLayerKinds.size() ? 16 : 32);
    EXPECT_EQ(rows[i]["layer"], complexity(kLayerKinds[i % kLayerKinds.size()]).name);
    EXPECT_GT(rows[i]["forward_seconds"], 0);
    EXPECT_GT(rows[i]["forward_backward_seconds"], 0);
  }
  EXPECT_EQ(rows[1]["multiply_adds"], 8 * 16 * 128 * 128);
  EXPECT_EQ(rows[1]["sequential_operations"], 16);
  EXPECT_EQ(rows[2]["maximum_path_length"], 3);
}

TEST(BenchLayersTest, APageNeedsAFileAndTheLayers) {
  const RunResult dash = run_heed({"bench", "--html", "-"});
  EXPECT_EQ(dash.status, 2);
  EXPECT_THAT(dash.err, HasFacts("--html"));
  const RunResult int8 = run_heed({"bench", "--part", "layers", "--compute", "int8"});
  EXPECT_EQ(int8.status, 2);
  EXPECT_THAT(int8.err, HasFacts("int8"));
  const RunResult variant = run_heed({"bench", "--part", "layers", "--norm", "pre"});
  EXPECT_EQ(variant.status, 2);
  EXPECT_THAT(variant.err, HasFacts("--part layers training decoding norm pre"));
  const RunResult kernels = run_heed({"bench", "--part", "kernels", "--html", "page.html"});
  EXPECT_EQ(kernels.status, 2);
  EXPECT_THAT(kernels.err, HasFacts("--html page.html --part layers kernels"));
}

}  // namespace
}  // namespace heed::testing
