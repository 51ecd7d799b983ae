// Training a Transformer on parallel text (section 5): step by step, or all of it by train().
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "heed/model/transformer.h"
#include "heed/text/batches.h"
#include "heed/train/adam.h"
#include "heed/train/gradients.h"
#include "heed/train/metrics.h"
#include "heed/train/observer.h"
#include "heed/train/prepared_run.h"
#include "heed/train/run_reports.h"
#include "heed/train/run_warnings.h"
#include "heed/train/training_state.h"
#include "heed/train/training_text.h"

namespace heed {

// One run, for callers that have a loop of their own:
//
//   Trainer trainer(options, open_training_text(options), backend, observer);
//   while (!trainer.done()) trainer.step();
//   trainer.finish();
//
// Where and when validate() and save() are called is up to the caller. The model is the one that
// train() leaves as long as validations do not decide about it (--patience, --average).
//
// Where step() throws, or another function while it exchanges or replaces the weights, these may be
// half updated: every call but the readers below then throws an Error, so that they are neither
// used nor saved. What was saved before is intact: a new Trainer with options.resume continues from
// it. The same holds after finish().
class Trainer {
 public:
  // Locks the folder of the model, learns or loads the vocabulary, encodes the text and, with
  // options.resume, reads the training state. Throws Error or UsageError for what the user can fix.
  // The backend and the observer must outlive it.
  Trainer(const TrainOptions& options, const TrainingText& text, Backend& backend,
          TrainObserver& observer);
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  // Whether a limit is reached: --epochs, --steps, --minutes or --patience.
  bool done() const { return progress_.finished; }
  // Updates the weights once, from the gradient of --accumulate batches, and reports it to the
  // observer; each --report-every steps to metrics.jsonl too. Error where done(), or where the loss
  // is not finite.
  void step();

  // Whether the options ask for a validation after the last step: each --validate-every steps, or
  // where an epoch ends.
  bool validation_due() const;
  // Computes the loss of the validation text, if there is one, and its translations' scores with
  // --validation-metric, reports them, and keeps the weights as a checkpoint if --keep-checkpoints
  // or --average ask for it.
  ValidationReport validate();

  // Whether the options ask to save now: after a validation, and each --save-minutes.
  bool save_due() const;
  // Saves the training state and the model. May be called again where it failed.
  void save();

  // Ends the run: validates and saves if the last step is not, and leaves the model, which is the
  // mean of checkpoints with --average. A run that is not done() can be resumed.
  void finish();

  const TrainOptions& options() const { return options_; }  // with what the text decided
  const Progress& progress() const { return progress_; }
  // The weights of the last step, not their moving average (--ema).
  const Transformer& model() const { return model_; }
  const TokenizerPair& tokenizers() const { return run_.tokenizers; }

 private:
  enum class Condition { ready, failed, finished };

  void expect_ready() const;
  TrainingStateKey key() const;
  void resume();
  void announce();
  // The batches of the current epoch.
  void open_epoch();
  StepResult update();
  GradientTree::Request gradient_request(int64_t batches) const;
  AdamStep next_adam_step() const;
  [[noreturn]] void refuse(int64_t batches, const Loss& loss, double norm) const;
  void pack();
  // Epochs done, with the fraction of the current one.
  double epoch_position() const;
  int64_t epoch_steps() const;
  TrainReport current_report() const;
  void report();
  ValidationReport validation_report() const;
  // Whether the options ask for a validation at this step.
  bool at_validation() const;
  Loss validation_loss();
  double score(ValidationReport& r);
  void tell(const ValidationReport& r);
  void keep_checkpoint(std::optional<double> score);
  void with_result(const std::function<void()>& use);
  void save_result();
  void leave_average(const std::vector<Checkpoint>& chosen);

  RunClock clock_;
  Backend& backend_;
  TrainObserver& observer_;
  Workers workers_;
  PreparedRun run_;
  const TrainOptions& options_;  // run_.options
  Transformer model_;
  GradientTree gradients_;
  Adam adam_;
  const bool defers_gradients_;
  const LengthOf length_;
  const Metrics metrics_;
  RunWarnings warnings_;
  Condition condition_ = Condition::ready;
  Progress progress_;
  std::optional<BatchPlan> epoch_;       // none between two epochs
  bool stepped_ = false;                 // by this process
  std::optional<int64_t> resumed_step_;  // at which a training state was resumed
  // Whether the weights of the last step were validated, and saved with the outcome.
  bool validated_ = false, saved_ = false;
  ReportWindow window_;
  std::optional<double> nll_;  // of the last validation or report
  Stopwatch since_save_;
};

enum class TrainEnd { finished, out_of_patience, stopped };

struct TrainResult {
  TrainEnd end = TrainEnd::finished;
  Progress progress;
};

// Trains as the options say and leaves a model directory. Throws Error or UsageError for what the
// user can fix. Beside the model the directory has metrics.jsonl and training/ (the training state,
// checkpoints, encoded text), which may be deleted once the model is done.
TrainResult train(const TrainOptions& options, Backend& backend, TrainObserver& observer);
// The same on the text of the options that is open already.
TrainResult train(const TrainOptions& options, const TrainingText& text, Backend& backend,
                  TrainObserver& observer);

}  // namespace heed
