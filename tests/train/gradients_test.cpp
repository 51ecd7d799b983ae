#include "heed/train/gradients.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/backend/reference/reference_backend.h"
#include "heed/train/adam.h"
#include "support/failing_new.h"
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

// Whether a gradient stands whole in the end, or is handed over by parts.
enum class Taken { whole, by_parts };

// Parameter by parameter.
struct Outcome {
  std::vector<std::vector<float>> gradient;
  double loss = 0, norm = 0;
};

class GradientTreeTest : public ::testing::Test {
 protected:
  GradientTreeTest() : model_(config_with_dropout()), parameters_(parameters(model_)) {
    model_.initialize(2);
  }

  // Shards of 3 pairs each.
  GradientTree::Request request(int64_t shards) {
    GradientTree::Request request;
    request.shards = shards;
    request.target_tokens = 100;
    request.label_smoothing = 0.1;
    request.seed = 9;
    request.examples = [&](int64_t shard) {
      return some_examples(model_.config(), 3, uint64_t(shard));
    };
    return request;
  }

  Outcome gradient(Backend& backend, int threads, Taken taken, GradientTree::Request request) {
    Workers workers(threads);
    GradientTree tree(model_, backend, workers);
    Outcome outcome;
    for (const Parameter& p : parameters_)
      outcome.gradient.emplace_back(size_t(p.tensor.size()), std::nanf(""));
    if (taken == Taken::by_parts)
      request.take = [&](size_t i, int64_t begin, const Tensor& part) {
        std::copy_n(part.data<float>(), part.size(), outcome.gradient[i].begin() + begin);
      };
    tree.compute(request);  // buffers are used again: what stood in them must not matter
    outcome.loss = tree.compute(request).smoothed;
    outcome.norm = tree.norm();
    for (size_t i = 0; i < parameters_.size(); ++i) {
      const int64_t offset = tree.offsets()[i], size = parameters_[i].tensor.size();
      if (offset < tree.gradient().size())
        std::copy_n(tree.gradient().data<float>() + offset, size, outcome.gradient[i].begin());
    }
    return outcome;
  }

  static void expect_near(const Outcome& got, const Outcome& expected, double tolerance) {
    for (size_t i = 0; i < got.gradient.size(); ++i)
      for (size_t j = 0; j < got.gradient[i].size(); ++j)
        ASSERT_NEAR(got.gradient[i][j], expected.gradient[i][j], tolerance) << i << " " << j;
    EXPECT_NEAR(got.norm, expected.norm, 1e-4 * expected.norm);
    EXPECT_NEAR(got.loss, expected.loss, 1e-4);
  }

  Transformer model_;
  std::vector<Parameter> parameters_;
};

TEST_F(GradientTreeTest, ThreadsChangeNoByte) {
  for (const ComputeType compute : {ComputeType::fp32, ComputeType::bf16}) {
    const auto backend = make_cpu_backend("", compute);
    for (const int64_t shards : {1, 2, 3, 8}) {
      for (const Taken taken : {Taken::whole, Taken::by_parts}) {
        const Outcome one = gradient(*backend, 1, taken, request(shards));
        for (int repeat = 0; repeat < 5; ++repeat) {
          const Outcome three = gradient(*backend, 3, taken, request(shards));
          EXPECT_EQ(one.gradient, three.gradient) << shards;
          EXPECT_EQ(one.loss, three.loss);
          EXPECT_EQ(one.norm, three.norm);
        }
      }
    }
  }
}

TEST_F(GradientTreeTest, IsTheSumOfItsShards) {
  const auto backend = make_reference_backend();
  for (const Taken taken : {Taken::whole, Taken::by_parts}) {
    Outcome sum;
    double squares = 0;
    for (int64_t shard = 0; shard < 3; ++shard) {
      // One leaf with the dropout seed that the shard has in the tree.
      GradientTree::Request one = request(3);
      one.examples = [&](int64_t s) {
        return some_examples(model_.config(), s == shard ? 3 : 0, uint64_t(s));
      };
      const Outcome part = gradient(*backend, 1, taken, one);
      sum.loss += part.loss;
      if (sum.gradient.empty()) {
        sum.gradient = part.gradient;
        continue;
      }
      for (size_t i = 0; i < sum.gradient.size(); ++i)
        for (size_t j = 0; j < sum.gradient[i].size(); ++j)
          sum.gradient[i][j] += part.gradient[i][j];
    }
    for (const auto& parameter : sum.gradient)
      for (const float g : parameter) squares += double(g) * double(g);
    sum.norm = std::sqrt(squares);
    expect_near(gradient(*backend, 2, taken, request(3)), sum, 1e-6);
  }
}

// One shard leaves one order to add in; several differ by rounding alone.
TEST_F(GradientTreeTest, PartsAreThoseOfTheWhole) {
  for (const ComputeType compute : {ComputeType::fp32, ComputeType::bf16}) {
    const auto backend = make_cpu_backend("", compute);
    EXPECT_EQ(gradient(*backend, 2, Taken::by_parts, request(1)).gradient,
              gradient(*backend, 2, Taken::whole, request(1)).gradient);
    expect_near(gradient(*backend, 2, Taken::by_parts, request(5)),
                gradient(*backend, 2, Taken::whole, request(5)), 1e-6);
  }
}

// Layers of more than one part, in either direction.
TEST_F(GradientTreeTest, PartsOfWideLayers) {
  ModelConfig config = config_with_dropout();
  config.d_model = 128;
  config.d_ff = 4200;
  config.encoder_layers = config.decoder_layers = 1;
  model_ = Transformer(config);
  model_.initialize(3);
  parameters_ = parameters(model_);
  const auto backend = make_cpu_backend();
  const Outcome whole = gradient(*backend, 1, Taken::whole, request(1));
  EXPECT_EQ(gradient(*backend, 1, Taken::by_parts, request(1)).gradient, whole.gradient);
  EXPECT_EQ(gradient(*backend, 3, Taken::by_parts, request(1)).gradient, whole.gradient);
}

TEST_F(GradientTreeTest, EmptyShardsCountForNothing) {
  const auto backend = make_cpu_backend();
  GradientTree::Request gap = request(2);
  gap.examples = [&](int64_t shard) { return some_examples(model_.config(), 3 - 3 * shard, 0); };
  for (const Taken taken : {Taken::whole, Taken::by_parts})
    EXPECT_EQ(gradient(*backend, 1, taken, gap).gradient,
              gradient(*backend, 1, taken, request(1)).gradient);
}

// A loss that is not finite must not reach the parameters.
TEST_F(GradientTreeTest, NothingIsHandedOverOfALossThatIsNotFinite) {
  const auto backend = make_cpu_backend();
  Workers workers(2);
  GradientTree tree(model_, *backend, workers);
  parameters_[0].tensor.data<float>()[3] = std::nanf("");
  GradientTree::Request one = request(4);
  bool taken = false;
  one.take = [&](size_t, int64_t, const Tensor&) { taken = true; };
  EXPECT_FALSE(std::isfinite(tree.compute(one).smoothed));
  EXPECT_FALSE(taken);
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
  for (const Parameter& p : parameters_) p.tensor.storage()->prepared.reset();
  EXPECT_EQ(tree.compute(request).smoothed, prepared);
}

// A worker that gets no buffer does not count as one that others may wait for.
TEST_F(GradientTreeTest, ComputesAgainAfterMemoryRanOut) {
  const auto backend = make_cpu_backend();
  for (int64_t working = 0; working < 40; ++working) {
    Workers workers(1);
    GradientTree tree(model_, *backend, workers);
    const GradientTree::Request one = request(1);
    {
      const testing::FailingNew memory(working);
      EXPECT_THROW(tree.compute(one), std::bad_alloc) << working;
    }
    EXPECT_GT(tree.compute(one).smoothed, 0) << working;
  }
}

}  // namespace
}  // namespace heed
