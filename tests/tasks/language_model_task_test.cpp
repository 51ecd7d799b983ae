// Trains a decoder alone: its loss becomes that of the best model of its text.
#include <gtest/gtest.h>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/model/sequence_model.h"
#include "heed/tasks/translation_task.h"
#include "heed/train/training_loop.h"
#include "support/bigram.h"
#include "support/small_model.h"

namespace heed {
namespace {

double validated(const Task& task, const Dataset& data, Backend& backend, Workers& workers) {
  const Loss loss = validate(task, data, {.batch_tokens = 256}, backend, workers).loss;
  return loss.nll / double(loss.tokens);
}

TEST(LanguageModelTaskTest, LearnsAsMuchOfATextAsThereIs) {
  const auto backend = make_cpu_backend("", DType::fp32);
  Workers workers(2);
  const testing::Walks walks;
  ModelConfig config = testing::small_config(testing::kBigramClasses + 1);
  config.encoder_layers = 0;
  TranslationTask task(random_model(config, 1), 0);
  LoopPosition position;
  TrainingLoop loop(task, walks, {.batches = {.batch_tokens = 200}}, position, *backend, workers);
  loop.pack();
  EXPECT_GT(validated(task, walks, *backend, workers), 1.5);
  while (position.epoch < 15) loop.step({.learning_rate = 0.01, .step = position.step + 1});
  loop.pack();

  // A walk follows from its last token alone, so the bigrams are its best model.
  testing::BigramTask bigrams;
  LoopPosition other;
  TrainingLoop best(bigrams, walks, {.batches = {.batch_tokens = 200}}, other, *backend, workers);
  while (other.epoch < 15) best.step({.learning_rate = 0.05, .step = other.step + 1});
  EXPECT_NEAR(validated(task, walks, *backend, workers),
              validated(bigrams, walks, *backend, workers), 0.03);
}

}  // namespace
}  // namespace heed
