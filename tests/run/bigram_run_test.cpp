// A run of a model that is no Transformer: killed at any moment and resumed from its training
// state, it ends with the same bytes.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/run/training_state.h"
#include "support/bigram.h"
#include "support/temporary_folder.h"

namespace heed {
namespace {

constexpr int64_t kSteps = 60;

// Trains to the end, from the state in the file if there is one, and saves after each step.
std::vector<float> train_to_the_end(const std::filesystem::path& state) {
  const auto backend = make_cpu_backend("", DType::fp32);
  Workers workers(2);
  testing::BigramTask task;
  const testing::Walks walks;
  Progress progress;
  TrainingLoop loop(task, walks, {.batches = {.batch_tokens = 200}}, progress, *backend, workers);
  const RunIdentity identity{TrainOptions(), backend->name(), 1};
  if (std::filesystem::exists(state)) progress = load_training_state(state, identity, loop.adam());
  while (progress.step < kSteps) {
    loop.step({.learning_rate = 0.05, .step = progress.step + 1});
    save_training_state(state, identity, progress, loop.adam());
  }
  return task.values();
}

TEST(BigramRunTest, KilledAnywhereAndResumedItEndsWithTheSameBytes) {
  const testing::TemporaryFolder folder;
  const std::vector<float> expected = train_to_the_end(folder / "whole");
  const std::filesystem::path state = folder / "killed";
  for (const useconds_t wait : {3000, 9000, 1000, 17000, 6000}) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      train_to_the_end(state);
      _exit(0);
    }
    usleep(wait);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  EXPECT_EQ(train_to_the_end(state), expected);
  std::filesystem::remove(state);
  EXPECT_EQ(train_to_the_end(state), expected);
}

}  // namespace
}  // namespace heed
