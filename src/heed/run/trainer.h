// Training a model on parallel text (section 5): train(), or step by step with a Trainer.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "heed/run/prepared_run.h"
#include "heed/run/run_logs.h"
#include "heed/run/run_reports.h"
#include "heed/run/run_validator.h"
#include "heed/run/run_warnings.h"
#include "heed/tasks/translation_measures.h"

namespace heed {

// One run, for callers with a training loop of their own:
//
//   Trainer trainer(options, open_training_text(options), backend, observer);
//   while (!trainer.done()) trainer.step();
//   trainer.finish();
//
// The caller decides when to call validate() and save(). The model equals that of train(), unless
// it depends on validations (--patience, --average).
//
// If step() throws during its update, or another function throws while the EMA or an average is in
// place of the weights, the weights cannot be trusted: from then on step(), validate(), save() and
// finish() throw an Error, so that such weights are neither used nor saved. Files saved before are
// intact: a new Trainer with options.resume continues from them. After finish(), too, these four
// throw.
class Trainer {
 public:
  // Locks the directory of the model, learns or loads the vocabulary, encodes the text and, with
  // options.resume, reads the training state. Throws Error or UsageError for what the user can fix.
  // The backend and the observer must outlive it. Of the measures, scores are necessary if
  // --validation-metric is bleu or chrf; else they are those of --scored-lines, and taken, as the
  // samples for the run's report, at validations unless that would take too much of the time;
  // alignment heads and the search are chosen at the end, on as much text as takes at most about 1
  // and 2 % of the run's time, and examples are stored then.
  Trainer(const TrainOptions& options, const TrainingText& text, Backend& backend,
          TrainObserver& observer, TranslationMeasures measures = {});
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  // Whether a limit is reached: --epochs, --steps, --minutes or --patience.
  bool done() const { return progress_.done; }
  // Updates the weights once, by the gradient of --accumulate batches, and calls the observer;
  // each --report-every steps it also writes to metrics.jsonl, --tensorboard and the run's page.
  // Error if done(), or if the loss is not finite.
  void step();

  // Whether the options ask for a validation after the last step: every --validate-every steps, or
  // at the end of an epoch.
  bool validation_due() const;
  // Computes the loss of the validation text, if there is one, and the scores of its translation if
  // --validation-metric is bleu or chrf, reports them, and writes a checkpoint if
  // --keep-checkpoints or --average need it.
  ValidationReport validate();

  // Whether the options ask to save now: after a validation, and every --save-minutes.
  bool save_due() const;
  // Saves the training state and the model. May be called again if it throws.
  void save();

  // Ends the run: validates and saves unless that was done after the last step, and writes the
  // model, with --average the average of checkpoints. A run that is not done() can be resumed.
  void finish();

  // The options with defaults, as the training state records them.
  const TrainOptions& options() const { return run_.settings.options; }
  const Progress& progress() const { return progress_; }
  // The weights of the last step, not their moving average (--ema).
  ModelParts parts() const { return {{task_->model(), backend_}, run_.tokenizers}; }

 private:
  enum class Condition { ready, failed, ended };

  void expect_ready() const;
  RunIdentity identity() const;
  void resume();
  void report_start();
  void open_epoch();
  // Begins the next stage if the one before has ended, which is then not the last one.
  void begin_stage();
  void set_stages();
  // Sets the end of a schedule that ends with --minutes, once its steps have been timed.
  void estimate_decay_steps();
  // Counts the examples of the next step by corpus.
  void count_drawn();
  double rate_of(int64_t step) const;
  AdamStep next_adam_step() const;
  [[noreturn]] void fail_not_finite(const StepResult& result) const;
  void pack();
  int64_t epoch_steps() const;
  TrainReport current_report() const;
  void report();
  ValidationReport validation_report() const;
  // Whether the options ask for a validation at this step.
  bool at_validation() const;
  double score(ValidationReport& r);
  // Counts a validation for --patience-on, and keeps its weights where they are the best.
  void follow_scores(const ValidationReport& r);
  void add_samples();
  void keep_checkpoint(std::optional<double> score);
  void with_output_weights(const std::function<void()>& use);
  void save_output_model();
  void choose_defaults();
  void save_average(const std::vector<Checkpoint>& chosen);

  // Describes the weights of the last step, or those that a failure left.
  struct Weights {
    Condition condition = Condition::ready;
    bool validated = false;
    bool saved = false;                   // after they were validated, if they were
    std::optional<int64_t> resumed_step;  // at which a training state was resumed
  };

  RunClock clock_;
  Backend& backend_;
  TrainObserver& observer_;
  const TranslationMeasures measures_;
  PreparedRun run_;
  RunValidator validator_;
  const std::unique_ptr<ModelTask> task_;
  Progress progress_;
  TrainingLoop loop_;
  std::optional<RunLogs> logs_;  // always set once the run is prepared
  RunWarnings warnings_;
  Weights weights_;
  ReportWindow window_;
};

enum class TrainEnd { limit_reached, out_of_patience, stopped };

struct TrainResult {
  TrainEnd end = TrainEnd::limit_reached;
  Progress progress;
};

// Trains and writes a model directory. Throws Error or UsageError for what the user can fix. Next
// to the model, the directory has metrics.jsonl and training/ (training state, checkpoints, encoded
// text, report.html), which may be deleted after the run.
TrainResult train(const TrainOptions& options, Backend& backend, TrainObserver& observer,
                  const TranslationMeasures& measures = {});
// The same with the text of the options, already open.
TrainResult train(const TrainOptions& options, const TrainingText& text, Backend& backend,
                  TrainObserver& observer, const TranslationMeasures& measures = {});

}  // namespace heed
