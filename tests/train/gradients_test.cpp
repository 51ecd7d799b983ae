#include "heed/train/gradients.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/model/pair_batch.h"
#include "heed/model/sequence_model.h"
#include "heed/train/adam.h"
#include "reference/reference_backend.h"
#include "support/failing_new.h"
#include "support/isolated_backend.h"
#include "support/small_model.h"

namespace heed {
namespace {

ModelConfig config_with_dropout() {
  ModelConfig config = testing::small_config(23);
  config.dropout = 0.2;
  return config;
}

PairBatch some_pairs(const ModelConfig& config, int64_t pairs, uint64_t seed) {
  Random random(seed);
  PairBatch all;
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

// Whether the gradients of linear layers exist as a whole, or are deferred.
enum class Layers { whole, deferred };

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

  // Isolated where the tests run so; the model moves to its memory.
  std::unique_ptr<Backend> backend_for(std::unique_ptr<Backend> backend) {
    std::unique_ptr<Backend> result = testing::isolated_if_asked(std::move(backend));
    model_.move_to(result->memory());
    return result;
  }

  // Of `pairs(batch, shard)` pairs.
  GradientTree::Request request_of(
      int64_t shards, const std::function<int64_t(int64_t batch, int64_t shard)>& pairs) {
    GradientTree::Request request;
    request.shards = shards;
    request.seed = 9;
    request.loss = [this, pairs](ForwardPass& pass, int64_t batch, int64_t shard) {
      const auto seed = uint64_t(100 * batch + shard);
      return loss_of(model_, pass, some_pairs(model_.config(), pairs(batch, shard), seed),
                     {0.1, 0.01});
    };
    return request;
  }
  // Shards of 3 pairs each.
  GradientTree::Request request(int64_t shards) {
    return request_of(shards, [](int64_t, int64_t) { return 3; });
  }

  Outcome gradient(Backend& backend, int threads, Layers layers, GradientTree::Request request) {
    Workers workers(threads);
    GradientTree tree(parameters_, linear_layers(model_), backend, workers);
    Outcome outcome;
    for (const Parameter& p : parameters_)
      outcome.gradient.emplace_back(size_t(p.tensor.size()), std::nanf(""));
    if (layers == Layers::deferred)
      request.consume = [&](size_t i, int64_t begin, const Tensor& part) {
        std::ranges::copy(to_host(part).span<float>(), outcome.gradient[i].begin() + begin);
      };
    tree.compute(request);  // buffers are used again: their former values must not matter
    outcome.loss = tree.compute(request).smoothed;
    outcome.norm = tree.norm();
    for (size_t i = 0; i < parameters_.size(); ++i) {
      const int64_t offset = tree.offsets()[i], size = parameters_[i].tensor.size();
      if (offset < tree.gradient().size())
        std::ranges::copy(to_host(tree.gradient().slice(offset, offset + size)).span<float>(),
                          outcome.gradient[i].begin());
    }
    return outcome;
  }

  // Both ways give the same bytes, whatever the number of threads.
  void expect_same_bytes(Backend& backend, const GradientTree::Request& request) {
    const Outcome whole = gradient(backend, 1, Layers::whole, request);
    for (const int threads : {1, 3}) {
      const Outcome deferred = gradient(backend, threads, Layers::deferred, request);
      for (size_t i = 0; i < whole.gradient.size(); ++i)
        ASSERT_EQ(std::memcmp(deferred.gradient[i].data(), whole.gradient[i].data(),
                              4 * whole.gradient[i].size()),
                  0)
            << parameters_[i].name;
      EXPECT_EQ(deferred.norm, whole.norm);
      EXPECT_EQ(deferred.loss, whole.loss);
    }
  }

  static void expect_near(const Outcome& got, const Outcome& expected, double tolerance) {
    for (size_t i = 0; i < got.gradient.size(); ++i)
      for (size_t j = 0; j < got.gradient[i].size(); ++j)
        ASSERT_NEAR(got.gradient[i][j], expected.gradient[i][j], tolerance) << i << " " << j;
    EXPECT_NEAR(got.norm, expected.norm, 1e-4 * expected.norm);
    EXPECT_NEAR(got.loss, expected.loss, 1e-4);
  }

  SequenceModel model_;
  std::vector<Parameter> parameters_;
};

TEST_F(GradientTreeTest, ThreadsChangeNoByte) {
  for (const DType compute : {DType::fp32, DType::bf16}) {
    const auto backend = backend_for(make_cpu_backend("", compute));
    for (const int64_t shards : {1, 2, 3, 8}) {
      for (const Layers layers : {Layers::whole, Layers::deferred}) {
        const Outcome one = gradient(*backend, 1, layers, request(shards));
        for (int repeat = 0; repeat < 5; ++repeat) {
          const Outcome three = gradient(*backend, 3, layers, request(shards));
          EXPECT_EQ(one.gradient, three.gradient) << shards;
          EXPECT_EQ(one.loss, three.loss);
          EXPECT_EQ(one.norm, three.norm);
        }
      }
    }
  }
}

TEST_F(GradientTreeTest, IsTheSumOfItsShards) {
  const auto backend = backend_for(make_reference_backend());
  for (const Layers layers : {Layers::whole, Layers::deferred}) {
    Outcome sum;
    double squares = 0;
    for (int64_t shard = 0; shard < 3; ++shard) {
      // The gradient of one shard, with its dropout seed.
      const GradientTree::Request one =
          request_of(3, [shard](int64_t, int64_t s) { return s == shard ? 3 : 0; });
      const Outcome part = gradient(*backend, 1, layers, one);
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
    expect_near(gradient(*backend, 2, layers, request(3)), sum, 1e-6);
  }
}

TEST_F(GradientTreeTest, DeferringChangesNoByte) {
  for (const DType compute : {DType::fp32, DType::bf16}) {
    const auto backend = backend_for(make_cpu_backend("", compute));
    for (const int64_t shards : {1, 2, 3, 5, 8}) {
      for (const int64_t batches : {1, 3}) {
        GradientTree::Request one = request(shards);
        one.batches = batches;
        expect_same_bytes(*backend, one);
      }
    }
  }
}

// Among them the last, the first, all of a batch, and a shard in every batch.
TEST_F(GradientTreeTest, DeferringEmptyShardsChangesNoByte) {
  const auto backend = backend_for(make_cpu_backend());
  for (const int64_t gap : {1, 3, 5, 7, 15}) {
    GradientTree::Request one = request_of(4, [gap](int64_t batch, int64_t shard) {
      return (gap >> shard & 1) != 0 && (shard != 1 || batch != 1) ? 0 : 2;
    });
    one.batches = gap == 15 ? 2 : 3;
    expect_same_bytes(*backend, one);
  }
}

// Layers of more than one part.
TEST_F(GradientTreeTest, DeferringWideLayersChangesNoByte) {
  ModelConfig config = config_with_dropout();
  config.d_model = 128;
  config.d_ff = 4200;
  config.encoder_layers = config.decoder_layers = 1;
  model_ = SequenceModel(config);
  model_.initialize(3);
  parameters_ = parameters(model_);
  expect_same_bytes(*backend_for(make_cpu_backend()), request(2));
}

// A shard gradient is the sum over the batches of a step.
TEST_F(GradientTreeTest, BatchesAreAddedUp) {
  const auto backend = backend_for(make_reference_backend());
  GradientTree::Request three = request(2);
  three.batches = 3;
  Outcome sum;
  for (int64_t batch = 0; batch < 3; ++batch) {
    GradientTree::Request one = three;
    one.loss = [&](ForwardPass& pass, int64_t b, int64_t shard) {
      return b == batch ? three.loss(pass, b, shard) : Loss();
    };
    const Outcome part = gradient(*backend, 1, Layers::whole, one);
    sum.loss += part.loss;
    if (batch == 0) sum.gradient = part.gradient;
    for (size_t i = 0; batch > 0 && i < sum.gradient.size(); ++i)
      for (size_t j = 0; j < sum.gradient[i].size(); ++j) sum.gradient[i][j] += part.gradient[i][j];
  }
  double squares = 0;
  for (const auto& parameter : sum.gradient)
    for (const float g : parameter) squares += double(g) * double(g);
  sum.norm = std::sqrt(squares);
  for (const Layers layers : {Layers::whole, Layers::deferred})
    expect_near(gradient(*backend, 2, layers, three), sum, 1e-6);
}

TEST_F(GradientTreeTest, EmptyShardsCountForNothing) {
  const auto backend = backend_for(make_cpu_backend());
  const GradientTree::Request gap =
      request_of(2, [](int64_t, int64_t shard) { return 3 - 3 * shard; });
  for (const Layers layers : {Layers::whole, Layers::deferred})
    EXPECT_EQ(gradient(*backend, 1, layers, gap).gradient,
              gradient(*backend, 1, layers, request(1)).gradient);
}

// A loss that is not finite must not reach the parameters.
TEST_F(GradientTreeTest, NothingIsHandedOverOfALossThatIsNotFinite) {
  const auto backend = backend_for(make_cpu_backend());
  Workers workers(2);
  GradientTree tree(parameters_, linear_layers(model_), *backend, workers);
  Tensor element = parameters_[0].tensor.reshape({parameters_[0].tensor.size()}).slice(3, 4);
  copy(tensor_of<float>({1}, std::vector{std::nanf("")}), element);
  GradientTree::Request one = request(4);
  bool taken = false;
  one.consume = [&](size_t, int64_t, const Tensor&) { taken = true; };
  EXPECT_FALSE(std::isfinite(tree.compute(one).smoothed));
  EXPECT_FALSE(taken);
}

class AdamTest : public GradientTreeTest, public ::testing::WithParamInterface<DType> {};
INSTANTIATE_TEST_SUITE_P(ComputeTypes, AdamTest, ::testing::Values(DType::fp32, DType::bf16),
                         [](const auto& info) { return name(info.param); });

// Packed anew after each update, the weights give the same loss as unpacked ones.
TEST_P(AdamTest, LearnsOnPackedWeights) {
  const auto backend = backend_for(make_cpu_backend("", GetParam()));
  Workers workers(2);
  GradientTree tree(parameters_, linear_layers(model_), *backend, workers);
  Adam adam(parameters_, *backend, workers);
  GradientTree::Request request;
  request.loss = [&](ForwardPass& pass, int64_t, int64_t) {
    return loss_of(model_, pass, some_pairs(model_.config(), 4, 1), {0, 0.05});
  };
  AdamStep step;
  step.learning_rate = 0.01;
  pack(model_, *backend, Purpose::training);
  double first = 0, last = 0;
  for (step.step = 1; step.step <= 30; ++step.step) {
    last = tree.compute(request).smoothed;
    if (step.step == 1) first = last;
    adam.update(step, tree.gradient(), tree.offsets());
    pack(adam.parameters(), *backend, Purpose::training, &workers);
  }
  EXPECT_LT(last, 0.6 * first);
  const double packed = tree.compute(request).smoothed;
  for (const Parameter& p : parameters_) p.tensor.storage()->packed.reset();
  EXPECT_EQ(tree.compute(request).smoothed, packed);
}

// A worker that gets no buffer does not count as one that others may wait for.
TEST_F(GradientTreeTest, ComputesAgainAfterMemoryRanOut) {
  const auto backend = backend_for(make_cpu_backend());
  for (int64_t working = 0; working < 40; ++working) {
    Workers workers(1);
    GradientTree tree(parameters_, linear_layers(model_), *backend, workers);
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
