#include "heed/train/gradients.h"

#include <gtest/gtest.h>

#include <cstring>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/backend/reference/reference_backend.h"
#include "heed/train/adam.h"
#include "support/small_model.h"

namespace heed {
namespace {

ModelConfig config_with_dropout() {
  ModelConfig config = testing::small_config(23);
  config.dropout = 0.2;
  return config;
}

Examples some_examples(const ModelConfig& config, int64_t pairs, uint64_t seed) {
  Random random(seed);
  Examples all;
  for (int64_t i = 0; i < pairs; ++i) {
    std::vector<TokenId> source, target;
    for (uint64_t n = random.below(7) + 1; n > 0; --n)
      source.push_back(TokenId(2 + random.below(20)));
    for (uint64_t n = random.below(7) + 1; n > 0; --n)
      target.push_back(TokenId(2 + random.below(20)));
    all.add(source, target, config);
  }
  return all;
}

class GradientTreeTest : public ::testing::Test {
 protected:
  // The gradient of `shards` shards of 3 pairs each, as bytes, and the loss.
  std::pair<std::string, Loss> gradient(Backend& backend, int threads, int64_t shards,
                                        bool gap = false) {
    Workers workers(threads);
    GradientTree tree(model_, backend, workers);
    GradientTree::Request request;
    request.shards = shards;
    request.target_tokens = 100;
    request.label_smoothing = 0.1;
    request.seed = 9;
    request.examples = [&](int64_t shard) {
      return some_examples(model_.config(), gap && shard == 1 ? 0 : 3, uint64_t(shard));
    };
    tree.compute(request);  // buffers are used again: what stood in them must not matter
    const Loss loss = tree.compute(request);
    return {std::string(reinterpret_cast<const char*>(tree.gradient().bytes()),
                        size_t(tree.gradient().byte_count())),
            loss};
  }

  GradientTreeTest() : model_(config_with_dropout()) { model_.initialize(2); }
  Transformer model_;
};

TEST_F(GradientTreeTest, ThreadsChangeNoByte) {
  for (const ComputeType compute : {ComputeType::fp32, ComputeType::bf16}) {
    const auto backend = make_cpu_backend("", compute);
    for (const int64_t shards : {1, 2, 3, 8}) {
      const auto one = gradient(*backend, 1, shards);
      for (int repeat = 0; repeat < 5; ++repeat) {
        const auto three = gradient(*backend, 3, shards);
        EXPECT_EQ(one.first, three.first) << shards;
        EXPECT_EQ(one.second.smoothed, three.second.smoothed);
      }
    }
  }
}

TEST_F(GradientTreeTest, IsTheSumOfItsShards) {
  const auto backend = make_reference_backend();
  const auto whole = gradient(*backend, 2, 3);
  Workers workers(1);
  std::vector<double> sum(whole.first.size() / sizeof(float), 0);
  double loss = 0;
  for (int64_t shard = 0; shard < 3; ++shard) {
    GradientTree tree(model_, *backend, workers);
    Pool pool;
    // One leaf with the dropout seed that the shard has in the tree.
    GradientTree::Request request;
    request.target_tokens = 100;
    request.label_smoothing = 0.1;
    request.seed = 9;
    request.shards = 3;
    request.examples = [&](int64_t s) {
      return some_examples(model_.config(), s == shard ? 3 : 0, uint64_t(s));
    };
    loss += tree.compute(request).smoothed;
    const auto part = tree.gradient().span<float>();
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += double(part[i]);
  }
  EXPECT_NEAR(loss, whole.second.smoothed, 1e-4);
  const float* got = reinterpret_cast<const float*>(whole.first.data());
  for (size_t i = 0; i < sum.size(); ++i) EXPECT_NEAR(got[i], sum[i], 1e-6);
}

TEST_F(GradientTreeTest, EmptyShardsCountForNothing) {
  const auto backend = make_cpu_backend();
  EXPECT_EQ(gradient(*backend, 1, 2, true).first, gradient(*backend, 1, 1).first);
}

class AdamTest : public GradientTreeTest, public ::testing::WithParamInterface<ComputeType> {};
INSTANTIATE_TEST_SUITE_P(ComputeTypes, AdamTest,
                         ::testing::Values(ComputeType::fp32, ComputeType::bf16),
                         [](const auto& info) { return name(info.param); });

TEST_P(AdamTest, UpdatesWhatItPrepared) {
  // After an update the packed weights must be the new ones: the loss of prepared and unprepared
  // weights is the same.
  const auto backend = make_cpu_backend("", GetParam());
  Workers workers(2);
  GradientTree tree(model_, *backend, workers);
  Adam adam(model_, *backend, workers);
  GradientTree::Request request;
  request.target_tokens = 20;
  request.examples = [&](int64_t) { return some_examples(model_.config(), 4, 1); };
  AdamStep step;
  step.learning_rate = 0.01;
  prepare(model_, *backend, Passes::both);
  double first = 0, last = 0;
  for (step.step = 1; step.step <= 30; ++step.step) {
    last = tree.compute(request).smoothed;
    if (step.step == 1) first = last;
    adam.update(step, tree.gradient(), tree.offsets());
  }
  EXPECT_LT(last, 0.6 * first);
  const double prepared = tree.compute(request).smoothed;
  for (const Parameter& p : parameters(model_)) p.tensor.storage()->prepared.reset();
  EXPECT_EQ(tree.compute(request).smoothed, prepared);
}

}  // namespace
}  // namespace heed
