// Trains an encoder alone: classes of words that depend on the sentence, and classes of texts.
#include "heed/tasks/classes_task.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/core/rng.h"
#include "heed/train/training_loop.h"
#include "support/small_model.h"

namespace heed {
namespace {

constexpr TokenId kMark = 5;

// Of words: every token but those of multiples of three begins a word, whose label says whether it
// is even, or, in a sentence with the mark, odd. Of texts: whether the sentence has the mark.
class MarkedSentences : public Dataset {
 public:
  explicit MarkedSentences(ClassesOf of) : of_(of) {}
  int64_t size() const override { return 1000; }
  ExampleSize bound(int64_t) const override { return {9, 9}; }
  std::vector<Example> examples(int64_t, std::span<const uint32_t> indices) const override {
    std::vector<Example> all;
    for (const uint32_t index : indices) {
      Random random(index);
      auto& [source, target, links] = all.emplace_back();
      for (uint64_t n = 3 + random.below(6); n > 0; --n)
        source.push_back(TokenId(2 + random.below(9)));
      const bool marked = std::ranges::find(source, kMark) != source.end();
      if (of_ == ClassesOf::texts) {
        target = {marked ? 2 : 3};
        continue;
      }
      for (const TokenId id : source)
        target.push_back(id % 3 == 0 ? 0 : TokenId(2 + (id + (marked ? 1 : 0)) % 2));
    }
    return all;
  }

 private:
  const ClassesOf of_;
};

class ClassesTaskTest : public ::testing::TestWithParam<ClassesOf> {};
INSTANTIATE_TEST_SUITE_P(Of, ClassesTaskTest, ::testing::Values(ClassesOf::words, ClassesOf::texts),
                         [](const auto& info) { return to_text(info.param); });

TEST_P(ClassesTaskTest, LearnsClassesThatDependOnTheSentence) {
  const auto backend = make_cpu_backend("", DType::fp32);
  Workers workers(2);
  ModelConfig config = testing::small_config(12);
  config.encoder_layers = 1;
  config.decoder_layers = 0;
  config.classes = 2;
  config.classes_of = GetParam();
  config.tie_embeddings = TieEmbeddings::none;
  const MarkedSentences sentences(GetParam());
  ClassesTask task(random_model(config, 1), 0, &sentences);
  LoopPosition position;
  TrainingLoop loop(task, sentences, {.batches = {.batch_tokens = 256}}, position, *backend,
                    workers);
  loop.pack();
  const auto accuracy = [&] {
    const Validation all = validate(task, sentences, {.batch_tokens = 256}, *backend, workers);
    return all.scores.at(0).value;
  };
  EXPECT_LT(accuracy(), 70);
  while (position.epoch < 15) loop.step({.learning_rate = 0.01, .step = position.step + 1});
  EXPECT_GT(accuracy(), 95);
}

TEST(ClassesTaskTargets, OnlyLabelsAreClasses) {
  EXPECT_EQ(classes_of_target({0, 1, 2, 5}), (std::vector<int32_t>{kNoClass, kNoClass, 0, 3}));
}

}  // namespace
}  // namespace heed
