// Trains a model that is no Transformer: a table of how likely each token is after each other one.
#include "heed/train/training_loop.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/backend/cpu/cpu_backend.h"
#include "support/bigram.h"

namespace heed {
namespace {

struct Trained {
  std::vector<float> table;
  LoopPosition position;
};

class TrainingLoopTest : public ::testing::Test {
 protected:
  static AdamStep settings(const LoopPosition& position) {
    AdamStep adam;
    adam.learning_rate = 0.05;
    adam.step = position.step + 1;
    return adam;
  }

  // The table after a number of steps, made by one loop, or by a new one from step `restart` on.
  Trained run(int64_t steps, int threads, int64_t restart = -1) {
    Workers workers(threads);
    testing::BigramTask task;
    LoopPosition position;
    auto loop =
        std::make_unique<TrainingLoop>(task, walks_, options_, position, *backend_, workers);
    for (int64_t i = 0; i < steps; ++i) {
      if (i == restart) {
        const auto moments = copies(loop->adam());
        loop = std::make_unique<TrainingLoop>(task, walks_, options_, position, *backend_, workers);
        copy(moments.first, loop->adam().first_moment(0));
        copy(moments.second, loop->adam().second_moment(0));
      }
      EXPECT_TRUE(loop->step(settings(position)).is_finite());
    }
    return {task.values(), position};
  }
  static std::pair<Tensor, Tensor> copies(const Adam& adam) {
    std::pair<Tensor, Tensor> moments{Tensor({testing::kBigramClasses, testing::kBigramClasses}),
                                      Tensor({testing::kBigramClasses, testing::kBigramClasses})};
    copy(adam.first_moment(0), moments.first);
    copy(adam.second_moment(0), moments.second);
    return moments;
  }

  testing::Walks walks_;
  LoopOptions options_{.batches = {.batch_tokens = 200}, .accumulate = 2};
  std::unique_ptr<Backend> backend_ = make_cpu_backend("", DType::fp32);
};

TEST_F(TrainingLoopTest, LearnsWhatFollowsWhat) {
  Workers workers(2);
  testing::BigramTask task;
  LoopPosition position;
  TrainingLoop loop(task, walks_, options_, position, *backend_, workers);
  const Loss before = validate(task, walks_, {.batch_tokens = 64}, *backend_, workers).loss;
  EXPECT_NEAR(before.nll / double(before.tokens), std::log(double(testing::kBigramClasses)), 1e-5);
  while (position.epoch < 20) loop.step(settings(position));
  EXPECT_EQ(loop.epoch_batches(), 25) << "of 20 examples";
  EXPECT_EQ(position.step, 20 * 13);
  const Loss after = validate(task, walks_, {.batch_tokens = 64}, *backend_, workers).loss;
  EXPECT_LT(after.nll, 0.7 * before.nll);
  EXPECT_GT(task.probability(0, 1), 0.95) << "a walk begins with 1";
  EXPECT_NEAR(task.probability(2, 3) / task.probability(2, 1), 2, 0.3);
  EXPECT_LT(task.probability(2, 4), 0.02);
}

TEST_F(TrainingLoopTest, ThreadsAndNewLoopsChangeNoByte) {
  const Trained one = run(40, 1);
  EXPECT_EQ(one.position.epoch, 3);
  for (const Trained& other : {run(40, 2), run(40, 3, 17), run(40, 1, 26)}) {
    EXPECT_EQ(other.table, one.table);
    EXPECT_EQ(other.position.batch, one.position.batch);
    EXPECT_EQ(other.position.tokens, one.position.tokens);
    EXPECT_EQ(other.position.epoch_loss.nll, one.position.epoch_loss.nll);
  }
  EXPECT_NE(run(39, 1).table, one.table);
}

}  // namespace
}  // namespace heed
