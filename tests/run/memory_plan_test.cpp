#include "heed/run/memory_plan.h"

#include <gmock/gmock.h>

#include <limits>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/backend/meta_backend.h"
#include "heed/core/rng.h"
#include "heed/model/sequence_model.h"
#include "heed/run/run_settings.h"
#include "heed/tasks/translation_task.h"
#include "heed/text/tokenizer_training.h"
#include "heed/train/gradients.h"
#include "support/folder_test.h"

namespace heed {
namespace {

TEST(GradientBuffers, AreThoseOfWorkersInStep) {
  EXPECT_EQ(GradientTree::buffers(1, 1), 1);
  EXPECT_EQ(GradientTree::buffers(2, 1), 2);
  EXPECT_EQ(GradientTree::buffers(4, 1), 3);  // the sum of two, one that waits, one at work
  EXPECT_EQ(GradientTree::buffers(4, 2), 3);
  EXPECT_EQ(GradientTree::buffers(4, 4), 4);
  EXPECT_EQ(GradientTree::buffers(4, 16), 4);
  EXPECT_EQ(GradientTree::buffers(32, 2), 6);
}

class MemoryPlanTest : public FolderTest {
 protected:
  // A corpus of odd lengths under a vocabulary of its words.
  MemoryPlanTest() {
    std::string text;
    Random random(1);
    for (int i = 0; i < 400; ++i) {
      for (uint64_t n = 1 + random.below(30); n > 0; --n)
        text += std::string(1, char('a' + random.below(20))) + " ";
      text += "\n";
    }
    const std::vector<std::filesystem::path> paths{write("text", text)};
    TokenizerOptions learn;
    learn.kind = TokenizerKind::word;
    learn.vocabulary_size = 32;
    const auto tokenizers = TokenizerPair::joint(train_tokenizer(learn, paths));
    Workers workers(1);
    const TextFiles files(paths.begin(), paths.end());
    corpus_ = Corpus::open(ParallelText(files, files), tokenizers, {}, folder_ / "c", workers);
    TrainOptions tiny;
    tiny.preset = Preset::tiny;
    tiny.attention_dropout = tiny.activation_dropout = 0.1;
    config_ = model_config(tiny, tokenizers.size(), tokenizers.output_vocabulary_size());
    options_.batches.batch_tokens = 600;
  }

  LoopOptions with(const BatchOptions& batches) const {
    LoopOptions sized = options_;
    sized.batches = batches;
    return sized;
  }

  bool defers(const BatchOptions& batches) const {
    auto shapes = shapes_of(config_);
    return defers_gradients(Tuning(), with(batches), linear_layers(shapes), *corpus_);
  }

  MemoryPlan plan(const BatchOptions& batches, Backend& backend) {
    return plan_memory(with(batches), threads_, config_, backend, *corpus_);
  }

  std::optional<Corpus> corpus_;
  LoopOptions options_;
  int threads_ = 1;
  ModelConfig config_;
};

// Passes on shapes and passes on values take the same blocks: to the byte.
TEST_F(MemoryPlanTest, SlowDryRunsTakeWhatRealOnesTake) {
  const auto shapes = make_meta_backend(), cpu = make_cpu_backend();
  Workers one(1);
  for (const FeedForwardKind activation : {FeedForwardKind::relu, FeedForwardKind::gelu}) {
    config_.activation = activation;
    TranslationTask counted(shapes_of(config_), 0), real(random_model(config_, 1), 0);
    GradientTree counted_tree(counted.parameters(), counted.linear_layers(), *shapes, one);
    GradientTree real_tree(real.parameters(), real.linear_layers(), *cpu, one);
    const auto request_for = [&](const Task& task) {
      GradientTree::Request request;
      request.shards = 8;
      request.loss = [&](ForwardPass& pass, int64_t, int64_t shard) {
        std::vector<uint32_t> pairs;
        for (uint32_t j = 0; j < 5 + 3 * shard; ++j) pairs.push_back(uint32_t(40 * shard) + j);
        return task.loss(pass, corpus_->examples(0, pairs), 0.01);
      };
      return request;
    };
    GradientTree::Request of_shapes = request_for(counted), of_values = request_for(real);
    counted_tree.compute(of_shapes);
    const Loss loss = real_tree.compute(of_values);
    EXPECT_GT(loss.smoothed, 0);
    EXPECT_GT(counted_tree.pool_bytes(), 1 << 20);
    EXPECT_EQ(counted_tree.pool_bytes(), real_tree.pool_bytes());
    const int64_t of_one_shard = counted_tree.pool_bytes();
    of_shapes.consume = of_values.consume = [](size_t, int64_t, const Tensor&) {};
    counted_tree.compute(of_shapes);
    real_tree.compute(of_values);
    EXPECT_GT(counted_tree.pool_bytes(), 2 * of_one_shard);
    EXPECT_EQ(counted_tree.pool_bytes(), real_tree.pool_bytes());
    EXPECT_FALSE(counted_tree.gradient().has_values());
    real_tree.release();
    EXPECT_EQ(real_tree.pool_bytes(), 0);
  }
}

TEST_F(MemoryPlanTest, WeightsAndTheirFormsAreCounted) {
  const auto fp32 = make_cpu_backend(), bf16 = make_cpu_backend("", DType::bf16);
  SequenceModel model(config_);
  const int64_t weights = 4 * parameter_count(model);
  const MemoryPlan plain = plan(options_.batches, *fp32);
  EXPECT_EQ(plain.weights, weights + 4 * config_.max_positions * config_.d_model);
  EXPECT_EQ(plain.moments, 2 * weights);
  EXPECT_EQ(plain.ema, 0);
  EXPECT_GE(plain.gradients, 3 * weights);
  EXPECT_LT(plain.gradients, 3 * weights + (weights / 5));
  EXPECT_GT(plain.resident, 0);
  EXPECT_GT(plain.packed_weights, 2 * weights * 9 / 10);
  // Packed weights are bf16 only if the CPU multiplies bf16.
  const double share = is_faster_than_fp32(DType::bf16) ? 0.5 : 1;
  EXPECT_NEAR(double(plan(options_.batches, *bf16).packed_weights),
              share * double(plain.packed_weights), 0.1 * double(plain.packed_weights));
  options_.ema = Ema::on;
  threads_ = 3;
  MemoryPlan more = plan(options_.batches, *fp32);
  EXPECT_EQ(more.ema, weights);
  EXPECT_EQ(more.activations, 3 * plain.activations);
  EXPECT_NE(to_string(more).find("moving average"), std::string::npos);
  more.peak_so_far = more.total();
  EXPECT_EQ(to_string(more).find("before"), std::string::npos);
  more.peak_so_far = more.total() + (int64_t{3} << 20);
  EXPECT_THAT(to_string(more),
              ::testing::EndsWith("before the first step " + memory_text(more.peak_so_far)));
}

// Small steps keep the operands of linear layers' gradients, and none of these gradients.
TEST_F(MemoryPlanTest, DeferredGradientsAreCounted) {
  const auto fp32 = make_cpu_backend();
  BatchOptions small = options_.batches;
  small.batch_tokens = 2 * config_.d_model;
  EXPECT_TRUE(defers(small));
  const MemoryPlan parts = plan(small, *fp32);
  EXPECT_LT(parts.gradients, parts.weights / 2);
  ++*small.batch_tokens;
  EXPECT_FALSE(defers(small));
  const MemoryPlan whole = plan(small, *fp32);
  EXPECT_GT(whole.gradients, 2 * whole.weights);
  EXPECT_GT(parts.activations, 3 * whole.activations / 2);
  threads_ = 2;
  EXPECT_EQ(plan(small, *fp32).activations, 2 * whole.activations);
  --*small.batch_tokens;  // what waits for a step's end is there once, whoever computes it
  EXPECT_LT(plan(small, *fp32).activations, 3 * parts.activations / 2);
  EXPECT_GT(plan(small, *fp32).activations, parts.activations);

  BatchOptions pairs;
  pairs.batch_sentences = 2;
  EXPECT_TRUE(defers(pairs));
  pairs.batch_sentences = std::numeric_limits<int64_t>::max();
  EXPECT_FALSE(defers(pairs));
  pairs.batch_sentences = 2;
  options_.accumulate = config_.d_model;
  EXPECT_FALSE(defers(pairs));
  options_.accumulate = 1;
  options_.clip_norm = 1;
  EXPECT_FALSE(defers(pairs));
}

TEST_F(MemoryPlanTest, WhatCannotFitIsRefusedWithABatchThatCan) {
  const auto backend = make_cpu_backend();
  const auto plan_for = [&](const BatchOptions& batches) { return plan(batches, *backend); };
  const MemoryPlan whole = plan_for(options_.batches);
  const auto refusal = [&](int64_t room, const BatchOptions& batches) {
    return error_of([&] {
      require_fit(plan_for(batches), {room, "the machine"}, batches, *corpus_, plan_for);
    });
  };
  EXPECT_EQ(refusal(whole.to_allocate(), options_.batches), "");
  const int64_t room = whole.to_allocate() - whole.activations / 2;
  const std::string text = refusal(room, options_.batches);
  EXPECT_NE(text.find("the machine has"), std::string::npos) << text;
  const size_t at = text.find("--batch-tokens ");
  ASSERT_NE(at, std::string::npos) << text;
  BatchOptions smaller = options_.batches;
  smaller.batch_tokens = std::stoll(text.substr(at + 15));
  EXPECT_LT(smaller.batch_tokens, 600);
  EXPECT_GT(smaller.batch_tokens, 150);
  EXPECT_LE(plan_for(smaller).to_allocate(), room);
  EXPECT_NE(refusal(1000, options_.batches).find("no --batch-tokens would fit"), std::string::npos);
  BatchOptions pairs;
  pairs.batch_sentences = 64;
  EXPECT_NE(refusal(plan_for(pairs).to_allocate() - (1 << 20), pairs).find("--batch-sentences"),
            std::string::npos);
}

}  // namespace
}  // namespace heed
