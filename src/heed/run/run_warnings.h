// Warnings about a run that is likely to fail to learn.
#pragma once

#include <optional>
#include <string>

#include "heed/data/corpus.h"
#include "heed/run/observer.h"
#include "heed/run/run_settings.h"

namespace heed {

// The progress and speed of a run.
struct RunPace {
  int64_t step = 0;                         // steps done
  double seconds = 0;                       // of the run so far, its preparation included
  int64_t epoch_steps = 0;                  // number of steps of an epoch
  std::optional<double> step_seconds = {};  // mean time of a step, once enough were timed
};

// A warning if the run, by what is known of its length, ends within its warm-up; it suggests
// --warmup-steps.
std::optional<std::string> warmup_warning(const RunLimits& limits, const RateSchedule& schedule,
                                          const RunPace& pace);

// A model of more parameters than this for each target token of its text (</s> included) overfits:
// docs/training.md has the figures that the limit rests on.
inline constexpr int64_t kMaxParametersPerToken = 50;

// A warning if the model is too large for its text; it names the largest preset that is not.
// Nothing with --finetune-from, whose model has learned from other text.
std::optional<std::string> size_warning(const TrainOptions& options, const ModelConfig& config,
                                        int64_t target_tokens);

// A warning if preparing the run (learning a vocabulary, encoding the text) took half of --minutes
// or more.
std::optional<std::string> preparation_warning(const RunLimits& limits, double seconds);

// Cross entropy per token, </s> included, of the targets of `measured` under the token frequencies
// in the targets of `counted`: the loss of a unigram model, which ignores source and context.
double unigram_loss(const Corpus& counted, int64_t vocabulary, const Corpus& measured);

enum class RunState { running, ended };

// The loss of a run beside that of a unigram model.
struct LearningState {
  int64_t step = 0;         // steps done
  double loss = 0;          // cross entropy without smoothing, per target token
  double unigram_loss = 0;  // unigram_loss() of the same text
  RunState state = RunState::running;
};

struct NothingLearned {
  bool collapsed = false;  // false: the run may just have been too short
  std::string text;        // the warning
};

// A warning if the model is no better than the unigram model, with what to try. Until both
// kStepsToLearn steps and twice the warm-up are done, it may be too early: the warning is then
// given only when the run has ended.
std::optional<NothingLearned> nothing_learned(const RateSchedule& schedule,
                                              const LearningState& learning);
inline constexpr int64_t kStepsToLearn = 500;

struct PreparedRun;

// Passes the warnings above to the observer of a run, each at its time. The warning of a warm-up
// that is too long is given once, as is that of a collapse while the run continues.
class RunWarnings {
 public:
  // Both must outlive it.
  RunWarnings(const PreparedRun& run, TrainObserver& observer) : run_(run), observer_(observer) {}

  void warn_of_size();
  void warn_of_preparation(double seconds);
  // At the start of an epoch, by --steps and --epochs.
  void warn_of_warmup(const Progress& progress, int64_t epoch_steps);
  // After each step of this process. The time of the first ones gives the number of steps that
  // --minutes allows.
  void add_step(const Progress& progress, int64_t epoch_steps, double seconds);
  // The last NLL, of the validation text, or of the training text without validation.
  void set_loss(double nll) { nll_ = nll; }
  // Compares it with that of the unigram model.
  void warn_of_learning_nothing(int64_t step, RunState state);

 private:
  void warn_of_warmup(const RunPace& pace);

  const PreparedRun& run_;
  TrainObserver& observer_;
  int64_t timed_steps_ = 0;
  double timed_seconds_ = 0;
  bool timed_ = false, warned_of_warmup_ = false, warned_of_collapse_ = false;
  std::optional<double> nll_, unigram_loss_;
};

}  // namespace heed
