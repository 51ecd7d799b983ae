// What a run is warned of before hours are spent on it.
#pragma once

#include <optional>
#include <string>

#include "heed/text/corpus.h"
#include "heed/train/observer.h"
#include "heed/train/train_options.h"
#include "heed/train/training_state.h"

namespace heed {

// What is known of a run's length.
struct RunPace {
  int64_t step = 0;                         // steps done
  double seconds = 0;                       // of the run so far, its preparation included
  int64_t epoch_steps = 0;                  // steps of an epoch
  std::optional<double> step_seconds = {};  // mean time of a step, once some were timed
};

// A warning if the run, by what is known of its length, ends within its warm-up; it suggests
// --warmup-steps. `options` are with_data_defaults().
std::optional<std::string> warmup_warning(const TrainOptions& options, const RunPace& pace);

// A model of more parameters than this for each target token of its text (</s> included) overfits:
// docs/training.md has the figures that the limit rests on.
inline constexpr int64_t kMostParametersPerToken = 50;

// That the model is too large for its text, with the largest preset that is not. Nothing for the
// model of --finetune-from, which has learnt from other text.
std::optional<std::string> size_warning(const TrainOptions& options, const ModelConfig& config,
                                        int64_t target_tokens);

// That preparing the run (learning a vocabulary, encoding the text) took half of --minutes or more.
std::optional<std::string> preparation_warning(const TrainOptions& options, double seconds);

// Cross entropy per token, </s> included, of the targets of `measured` under the frequencies of
// tokens in the targets of `counted`: what a model reaches that has learned nothing else.
double unigram_loss(const Corpus& counted, int64_t vocabulary, const Corpus& measured);

enum class RunState { going_on, ended };

// What a run has learned.
struct LearningState {
  int64_t step = 0;         // steps done
  double loss = 0;          // cross entropy without smoothing, per target token
  double unigram_loss = 0;  // unigram_loss() of the same text
  RunState state = RunState::going_on;
};

struct NothingLearned {
  bool collapsed = false;  // else the run may have been too short
  std::string text;
};

// That the model is no better than token frequencies, with what to try. Before kStepsToLearn steps
// and twice the warm-up a model may not have learned yet: that is said only where the run has
// ended. `options` are resolved.
std::optional<NothingLearned> nothing_learned(const TrainOptions& options,
                                              const LearningState& learning);
inline constexpr int64_t kStepsToLearn = 500;

struct PreparedRun;

// Tells the observer of a run what it is warned of, and when: of a warm-up that is too long once,
// of a collapse while the run goes on once.
class RunWarnings {
 public:
  // Both must outlive it.
  RunWarnings(const PreparedRun& run, TrainObserver& observer) : run_(run), observer_(observer) {}

  void warn_of_size();
  void warn_of_preparation(double seconds);
  // At the start of an epoch, by what the options say of the run's length.
  void warn_of_warmup(const Progress& progress, int64_t epoch_steps);
  // After each step of this process: the time of the first ones tells how many steps --minutes are.
  void add_step(const Progress& progress, int64_t epoch_steps, double seconds);
  // Compares the last loss without smoothing (of the validation text, or of the training text where
  // nothing is validated) with that of a model of token frequencies.
  void warn_of_learning_nothing(int64_t step, std::optional<double> nll, RunState state);

 private:
  void warn_of_warmup(const RunPace& pace);

  const PreparedRun& run_;
  TrainObserver& observer_;
  int64_t timed_steps_ = 0;
  double timed_seconds_ = 0;
  bool timed_ = false, warned_of_warmup_ = false, warned_of_collapse_ = false;
  std::optional<double> frequency_loss_;
};

}  // namespace heed
