// What the CPU's tests of the loss and the top k do not come to: rows of several pieces, rows that
// cannot be read four columns at a time, and classes in the worst of orders.
#include "backend/compare.h"

namespace heed::testing {
namespace {

class CudaLoss : public ::testing::Test {
 protected:
  // Compares ids and, roughly, log-probabilities.
  void expect_top(const Tensor& logits, int64_t k, const std::string& what) {
    const TopK got = backend->top_k(logits, k), expected = reference->top_k(logits, k);
    ASSERT_EQ(got.ids, expected.ids) << what << ", k " << k;
    const auto size = int64_t(got.ids.size());
    expect_close(tensor_of<float>({size}, got.log_probabilities),
                 tensor_of<float>({size}, expected.log_probabilities), 1e-6, what);
  }

  std::unique_ptr<Backend> backend = make_target({"cuda"});
  std::unique_ptr<Backend> reference = make_reference_backend();
};

Tensor row_of(int64_t classes, const std::function<double(int64_t)>& logit) {
  Tensor row({1, classes});
  for (int64_t c = 0; c < classes; ++c) row.data<float>()[c] = float(logit(c));
  return row;
}

TEST_F(CudaLoss, BestInTheWorstOfOrders) {
  for (int64_t classes : {129, 2048, 2049, 10007}) {
    const Tensor rows[] = {
        row_of(classes, [&](int64_t c) { return -0.001 * double(c); }),
        row_of(classes, [&](int64_t c) { return 0.001 * double(c); }),
        row_of(classes, [&](int64_t) { return 2; }),
        // All in one thread.
        row_of(classes, [&](int64_t c) { return double(c % 2048 < 4) + 1e-5 * double(c); }),
        // All in the last columns, which are read apart.
        row_of(classes, [&](int64_t c) { return c > classes - 4 ? 3 : c % 5 * 0.1; }),
        row_of(classes, [&](int64_t c) { return c % 1000 == 99 ? c * 1e-4 : -INFINITY; }),
        row_of(classes, [&](int64_t c) { return c == 128 ? -3.4028234e38 : -INFINITY; }),
    };
    for (const Tensor& row : rows)
      for (int64_t k : {1, 8, 63, 64, 65})
        expect_top(row, k, fmt::format("{} classes, order {}", classes, &row - rows));
  }
}

TEST_F(CudaLoss, BestOfSeveralPieces) {
  for (int64_t classes : {40960, 40961, 90001}) {
    Tensor logits = random_tensor({2, classes}, 4, 3);
    // Ties in every piece.
    for (int64_t c = 0; c < classes; c += 1001) logits.data<float>()[c] = 20;
    for (int64_t k : {1, 64}) expect_top(logits, k, fmt::format("{} classes", classes));
    if (classes == 40961) expect_top(logits, 70, "all sorted");
  }
}

TEST_F(CudaLoss, LogProbabilitiesDependOnTheRowAlone) {
  for (int64_t classes : {301, 5003, 41001}) {
    const Tensor logits = random_tensor({3, classes}, 5, 3);
    const TopK all = backend->top_k(logits, 3), more = backend->top_k(logits, 66);
    for (int64_t r = 0; r < 3; ++r) {
      const TopK own = backend->top_k(copy_of(logits.slice(r, r + 1)), 3);
      for (size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(all.log_probabilities[size_t(r) * 3 + i], own.log_probabilities[i]);
        EXPECT_EQ(more.log_probabilities[size_t(r) * 66 + i], own.log_probabilities[i]);
      }
    }
  }
}

TEST_F(CudaLoss, CrossEntropyDependsOnTheRowAlone) {
  for (int64_t classes : {301, 5003}) {
    Tensor logits = random_tensor({5, classes}, 6, 3), losses({5, 2});
    const Tensor before = copy_of(logits);
    backend->cross_entropy(logits, Indices{9, 1, 2, 3, 4, 300}, 1, {0.1, 0.5}, losses);
    const Indices labels = {1, 2, 3, 4, 300};
    for (int64_t r = 0; r < 5; ++r) {
      Tensor own = copy_of(before.slice(r, r + 1)), own_losses({1, 2});
      backend->cross_entropy(own, labels, r, {0.1, 0.5}, own_losses);
      expect_same_bits(copy_of(logits.slice(r, r + 1)), own, "gradient");
      expect_same_bits(copy_of(losses.slice(r, r + 1)), own_losses, "losses");
    }
  }
}

TEST_F(CudaLoss, CrossEntropyOfForbiddenClasses) {
  for (int64_t classes : {301, 5003}) {
    Tensor logits = row_of(classes, [](int64_t c) { return c < 200 ? -INFINITY : 1.0; });
    Tensor losses({1, 2});
    backend->cross_entropy(logits, Indices{250}, 0, {0, 1}, losses);
    EXPECT_NEAR(losses.data<float>()[0], std::log(double(classes - 200)), 1e-5);
    EXPECT_EQ(logits.data<float>()[0], 0.0f);
    EXPECT_NEAR(logits.data<float>()[250], 1.0 / double(classes - 200) - 1, 1e-6);
    EXPECT_NEAR(logits.data<float>()[300], 1.0 / double(classes - 200), 1e-6);
  }
}

TEST_F(CudaLoss, OfNoRows) {
  Tensor logits({0, 7}), losses({0, 2});
  backend->cross_entropy(logits, Indices{}, 0, {0.1, 1}, losses);
  EXPECT_TRUE(backend->top_k(logits, 3).ids.empty());
  EXPECT_TRUE(backend->top_k(Tensor({0, 70}), 66).ids.empty());
}

}  // namespace
}  // namespace heed::testing
