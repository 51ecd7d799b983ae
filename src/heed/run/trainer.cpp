#include "heed/run/trainer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/core/counted.h"
#include "heed/core/memory.h"
#include "heed/model/directory.h"
#include "heed/model/sequence_model.h"
#include "heed/run/alignments.h"
#include "heed/run/averaging.h"
#include "heed/run/memory_plan.h"
#include "heed/run/run_limits.h"
#include "heed/tasks/alignment_text.h"
#include "heed/tasks/search_choice.h"

namespace heed {
namespace {

RunSettings checked(const TrainOptions& options, const TranslationMeasures& measures) {
  validate(options);
  RunSettings settings = resolve(options);
  if (settings.validation.translates() && !measures.scores)
    fail_usage("--validation-metric: this program does not translate to validate, expected loss");
  return settings;
}

// Those of the task: the words of a tree or of labels belong to no others, and of those that do not
// translate only parsers have scores.
TranslationMeasures measures_for(const TrainOptions& options, TranslationMeasures measures) {
  if (!options.translates()) measures.alignment_heads = {};
  if (!options.translates() && !options.parses()) measures.scores = {}, measures.search = {};
  return measures;
}

// The options with which a run goes on after the end of its schedule.
std::string continuation(const RateSchedule& schedule) {
  return fmt::format("--decay-steps {} and a larger --steps instead of --minutes",
                     *schedule.decay_steps);
}

}  // namespace

Trainer::Trainer(const TrainOptions& options, const TrainingText& text, Backend& backend,
                 TrainObserver& observer, TranslationMeasures measures)
    : backend_(backend),
      observer_(observer),
      measures_(measures_for(options, std::move(measures))),
      run_(prepare_run(checked(options, measures_), text, backend, observer)),
      validator_(run_, measures_, backend, observer),
      task_(initial_task(run_, backend.memory(), validator_.task_scores())),
      loop_(*task_, run_.data(), run_.settings.loop, progress_, backend, *run_.workers),
      warnings_(run_, observer) {
  if (run_.mixture) {
    progress_.stages = {StageBegin()};
    progress_.drawn.resize(run_.settings.options.corpora.size());
  }
  if (run_.settings.options.resume && run_.files.has_training_state()) resume();
  pack();
  // Resuming can no longer be refused. A new run discards the backup when it first saves.
  if (progress_.step > 0) run_.backup->discard();
  logs_.emplace(run_, observer_, parameter_count(task_->model()), progress_.step);
  report_start();
  if (progress_.batch > 0) open_epoch();
}

RunIdentity Trainer::identity() const {
  return {run_.settings.options, backend_.name(), run_.fingerprint, run_.validation_fingerprint,
          backend_.compute_type()};
}

void Trainer::resume() {
  const std::filesystem::path state = run_.files.training_state();
  progress_ = load_training_state(state, identity(), loop_.adam());
  weights_.resumed_step = progress_.step;
  clock_.resume(progress_.seconds);
  if (run_.mixture) set_stages();
  if (progress_.decay_steps) run_.settings.set_decay_steps(*progress_.decay_steps);
  if (!can_average(run_.settings.checkpoints, progress_.checkpoints))
    fail("{}: the progress it records has checkpoints without a score: start over with --overwrite",
         state.string());
  weights_.validated = progress_.done || at_validation();
  weights_.saved = true;
  const RunMetrics log = MetricsLog(run_.files.metrics()).read();
  if (log.damaged > 0) observer_.warning(damage_text(log, run_.files.metrics()));
  const std::string limit = reached_limit(run_.settings.limits, progress_);
  progress_.done = !limit.empty();
  const bool has_end = ends_at_estimate(run_.settings.limits, progress_);
  const std::string end =
      has_end ? fmt::format("; it ends at step {}, as estimated before", *progress_.decay_steps)
              : "";
  const bool at_end = has_end && progress_.step >= *progress_.decay_steps;
  observer_.message(
      progress_.done ? fmt::format("this run is complete: {} was reached after step {}; to "
                                   "train further, give {}",
                                   limit, progress_.step,
                                   at_end ? continuation(run_.settings.schedule) : "a larger value")
                     : fmt::format("resuming after step {} of epoch {}{}", progress_.step,
                                   progress_.epoch + 1, end));
}

void Trainer::report_start() {
  observer_.message(fmt::format("{} parameters, {} on {}, {} a batch",
                                parameter_count(task_->model()), backend_.name(),
                                detail::counted(run_.workers->count(), "thread"),
                                detail::counted(run_.settings.loop.shards, "shard")));
  warnings_.warn_of_size();
  const double smoothing = *run_.settings.options.label_smoothing;
  if (smoothing > 0)
    observer_.message(
        fmt::format("loss: cross entropy with label smoothing {}, nats a token; perplexity is "
                    "exp of the cross entropy without smoothing, so not exp(loss)",
                    smoothing));
  if (logs_->page())
    observer_.message(fmt::format("{}: {}", measures_.samples ? "curves and samples" : "curves",
                                  run_.files.report().string()));
  if (progress_.step == 0) warnings_.warn_of_preparation(clock_.process_seconds());
}

void Trainer::expect_ready() const {
  if (weights_.condition == Condition::ready) return;
  const std::string next = run_.files.has_training_state()
                               ? fmt::format("continue from {} with a new Trainer and --resume",
                                             run_.files.training_state().string())
                               : "start over with a new Trainer, nothing was saved yet";
  if (weights_.condition == Condition::failed)
    fail(
        "{}: this run cannot continue: an earlier call failed, which may have left the weights "
        "half updated; {}",
        run_.settings.options.model, next);
  fail("{}: this run is finished; {}", run_.settings.options.model, next);
}

void Trainer::open_epoch() {
  loop_.open_epoch();
  if (progress_.batch >= loop_.epoch_batches())
    fail("{}: the progress it records is at batch {} of {}: start over with --overwrite",
         run_.files.training_state().string(), progress_.batch + 1, loop_.epoch_batches());
  if (!done()) warnings_.warn_of_warmup(progress_, epoch_steps());
}

void Trainer::set_stages() {
  const size_t stages = run_.settings.stages.size(), corpora = run_.settings.options.corpora.size();
  if (progress_.stages.empty() || progress_.stages.size() > stages ||
      progress_.drawn.size() != corpora)
    fail("{}: the progress it records is of other stages: start over with --overwrite",
         run_.files.training_state().string());
  std::vector<int64_t> begins;
  for (const StageBegin& begin : progress_.stages) begins.push_back(begin.epoch);
  run_.mixture->set_begins(std::move(begins));
}

void Trainer::begin_stage() {
  if (!stage_ended(run_.settings.limits, progress_)) return;
  loop_.end_epoch();
  progress_.stages.push_back({progress_.step, progress_.epoch});
  progress_.since_best = 0;
  for (FollowedScore& followed : progress_.followed) followed.since_best = 0;
  set_stages();
  const size_t stage = progress_.stages.size();
  observer_.message(fmt::format("stage {} of {} begins after step {}: {}", stage,
                                run_.settings.stages.size(), progress_.step,
                                to_string(run_.settings.stages[stage - 1], run_.settings.options)));
}

void Trainer::count_drawn() {
  if (!run_.mixture) return;
  for (int64_t i = 0; i < loop_.step_batches(); ++i)
    for (const uint32_t example : loop_.next_batch(i))
      ++progress_.drawn[run_.mixture->part_of(example)];
}

void Trainer::step() {
  expect_ready();
  if (done())
    fail_usage("{}: this run is done: {} was reached after step {}", run_.settings.options.model,
               reached_limit(run_.settings.limits, progress_), progress_.step);
  weights_.condition = Condition::failed;  // unless all of this succeeds
  begin_stage();
  if (progress_.batch == 0) open_epoch();
  count_drawn();
  clock_.start_step(fraction_of_steps(run_.settings.limits, progress_, loop_.epochs()));
  const Stopwatch time;
  const StepResult result = loop_.step(next_adam_step());
  if (!result.is_finite()) fail_not_finite(result);
  const double seconds = time.seconds();
  weights_.validated = weights_.saved = false;
  progress_.seconds = clock_.seconds();
  window_.add(result, seconds);
  warnings_.add_step(progress_, epoch_steps(), seconds);
  const bool epoch_ended = progress_.batch == 0;
  progress_.done = !reached_limit(run_.settings.limits, progress_).empty();
  if (progress_.step % run_.settings.options.report_every == 0 || epoch_ended || progress_.done)
    report();
  else
    observer_.progress(current_report());
  estimate_decay_steps();
  weights_.condition = Condition::ready;
}

void Trainer::estimate_decay_steps() {
  const int64_t timed = progress_.step - weights_.resumed_step.value_or(0);
  if (done() || !run_.settings.awaits_decay_steps() || timed < kStepsToEstimate) return;
  const double minutes = *run_.settings.limits.minutes;
  const int64_t steps = steps_within(minutes, progress_, timed, clock_.step_seconds());
  progress_.decay_steps = steps;
  run_.settings.set_decay_steps(steps);
  progress_.done = !reached_limit(run_.settings.limits, progress_).empty();
  clock_.set_fraction_before(double(weights_.resumed_step.value_or(0)) / double(steps));
  observer_.message(fmt::format(
      "--minutes {} allows {} steps, estimated after step {}: the run and its {} schedule end at "
      "step {}, also when it is resumed",
      minutes, steps, progress_.step, to_text(run_.settings.schedule.schedule), steps));
}

double Trainer::rate_of(int64_t step) const {
  return learning_rate(run_.settings.schedule, step);
}

AdamStep Trainer::next_adam_step() const {
  AdamStep adam = run_.settings.adam;
  adam.step = progress_.step + 1;
  adam.learning_rate = rate_of(adam.step);
  if (const auto limit = run_.settings.options.ema) adam.ema_decay = ema_decay(*limit, adam.step);
  return adam;
}

// Throws for a loss that is not finite, so that the last training state is not overwritten.
void Trainer::fail_not_finite(const StepResult& result) const {
  std::string lines;
  const std::span<const uint32_t> batch = loop_.next_batch();
  for (size_t i = 0; i < std::min<size_t>(batch.size(), 3); ++i)
    lines += fmt::format("{}{}", i ? ", " : "", run_.corpus->line(batch[i]) + 1);
  const std::string state = run_.files.training_state().string();
  std::string saved = "nothing was saved yet:";
  if (weights_.resumed_step == progress_.step)
    saved = fmt::format(
        "this is the first step after resuming: {} may be damaged, then start over with "
        "--overwrite; else",
        state);
  else if (run_.files.has_training_state())
    saved = state + " has the last saved step:";
  fail(
      "the loss is not finite at step {} (loss {}, gradient norm {}): batch {} of epoch {}, {} "
      "examples, the first from lines {}; {} try a lower --learning-rate, a longer --warmup-steps "
      "or "
      "--clip-norm 1",
      progress_.step + 1, result.loss.smoothed, result.gradient_norm,
      progress_.batch + result.batches, progress_.epoch + 1, batch.size(), lines, saved);
}

// Packs the parameters for the backend's matrix products.
void Trainer::pack() {
  const Condition before = std::exchange(weights_.condition, Condition::failed);
  loop_.pack();
  weights_.condition = before;
}

int64_t Trainer::epoch_steps() const {
  return (loop_.epoch_batches() + run_.settings.loop.accumulate - 1) /
         run_.settings.loop.accumulate;
}

// The report of the steps since the last one.
TrainReport Trainer::current_report() const {
  TrainReport r = window_.means();
  r.step = progress_.step;
  r.epoch = loop_.epochs();
  r.learning_rate = rate_of(progress_.step);
  r.seconds = progress_.seconds;
  if (run_.mixture) r.stage = int64_t(progress_.stages.size());
  for (size_t i = 0; i < progress_.drawn.size(); ++i)
    r.corpora.push_back({run_.settings.options.corpora[i].name, progress_.drawn[i]});
  r.fraction_done = fraction_done(run_.settings.limits, progress_, r.epoch);
  const auto left =
      clock_.seconds_left(fraction_of_steps(run_.settings.limits, progress_, r.epoch));
  r.seconds_left = left.value_or(0);
  if (run_.settings.limits.minutes && !ends_at_estimate(run_.settings.limits, progress_)) {
    const double budget = std::max(0.0, *run_.settings.limits.minutes * 60 - progress_.seconds);
    r.seconds_left = std::min(left.value_or(budget), budget);
  }
  return r;
}

void Trainer::report() {
  if (window_.empty()) return;
  TrainReport r = current_report();
  r.memory = resident_bytes();
  warnings_.set_loss(r.nll);
  window_ = {};
  run_.lock.expect_in_place();
  logs_->add(r);
}

bool Trainer::at_validation() const {
  if (progress_.step == 0) return false;
  const int64_t every = run_.settings.validation.every;
  return every > 0 ? progress_.step % every == 0 : progress_.batch == 0;
}

bool Trainer::validation_due() const {
  return !weights_.validated && at_validation();
}

// Calls `use` while the parameters hold the weights that the run writes: the EMA, if there is one.
void Trainer::with_output_weights(const std::function<void()>& use) {
  if (!loop_.adam().has_ema()) return use();
  weights_.condition = Condition::failed;  // unless the weights of the last step are exchanged back
  loop_.adam().swap_ema();
  use();
  loop_.adam().swap_ema();
  weights_.condition = Condition::ready;
}

ValidationReport Trainer::validation_report() const {
  ValidationReport r;
  r.step = progress_.step;
  r.epoch = loop_.epochs();
  r.seconds = progress_.seconds;
  return r;
}

// Validates the packed weights: fills `r` and returns the score, greater is better.
double Trainer::score(ValidationReport& r) {
  const auto found =
      validator_.validate(*task_, {progress_.tokens, clock_.process_seconds(), done()}, r);
  warnings_.set_loss(found.nll);
  r.best = !progress_.best || found.score > *progress_.best;
  return found.score;
}

void Trainer::follow_scores(const ValidationReport& r) {
  const TrainOptions& options = run_.settings.options;
  if (!options.follows_scores()) return;
  const RankedBy ranked_by =
      run_.settings.validation.translates() ? RankedBy::losses_and_scores : RankedBy::losses;
  const std::vector<std::string> better = follow(r, ranked_by, progress_.followed);
  if (!options.keep_best || better.empty()) return;
  with_output_weights([&] { validator_.keep_best(better, loop_.adam().parameters()); });
}

ValidationReport Trainer::validate() {
  expect_ready();
  run_.lock.expect_in_place();
  ValidationReport r = validation_report();
  const Loss& epoch = progress_.epoch_loss;
  if (progress_.batch == 0 && epoch.tokens > 0)
    r.train_loss = epoch.smoothed / double(epoch.tokens);
  std::optional<double> found;
  if (run_.validation) {
    loop_.release();  // more memory than validating needs
    with_output_weights([&] {
      if (loop_.adam().has_ema()) pack();
      found = score(r);
      add_samples();
    });
    if (loop_.adam().has_ema()) pack();
    if (r.best) progress_.best = found;
    progress_.since_best = r.best ? 0 : progress_.since_best + 1;
    follow_scores(r);
  }
  progress_.seconds = clock_.seconds();
  r.seconds = progress_.seconds;
  logs_->add(r);
  if (run_.validation && !done())
    warnings_.warn_of_learning_nothing(progress_.step, RunState::running);
  keep_checkpoint(found);
  const RunLimits& limits = run_.settings.limits;
  if (out_of_patience(limits, progress_) || stages_ended(limits, progress_)) progress_.done = true;
  weights_.validated = true;
  weights_.saved = false;
  return r;
}

void Trainer::add_samples() {
  RunReport* page = logs_->page();
  if (page == nullptr || !measures_.samples) return;
  page->add_samples(progress_.step,
                    done() ? RunReport::SamplesOf::last_step : RunReport::SamplesOf::some_step,
                    [&] { return measures_.samples(parts()); });
}

void Trainer::keep_checkpoint(std::optional<double> score) {
  std::vector<Checkpoint>& kept = progress_.checkpoints;
  if (run_.settings.checkpoints.kept == 0 || (!kept.empty() && kept.back().step == progress_.step))
    return;
  with_output_weights(
      [&] { save_checkpoint(run_.files.checkpoint(progress_.step), loop_.adam().parameters()); });
  add_checkpoint(run_.settings.checkpoints, {progress_.step, score}, kept);
}

bool Trainer::save_due() const {
  return (weights_.validated && !weights_.saved) ||
         clock_.unsaved_seconds() >= run_.settings.options.save_minutes * 60;
}

void Trainer::save() {
  expect_ready();
  run_.lock.expect_in_place();
  progress_.seconds = clock_.seconds();
  save_training_state(run_.files.training_state(), identity(), progress_, loop_.adam());
  save_output_model();
  run_.backup->discard();
  if (run_.settings.checkpoints.kept > 0)
    run_.files.remove_checkpoints_except(progress_.checkpoints);
  weights_.saved = true;
  clock_.save();
}

void Trainer::save_output_model() {
  with_output_weights([&] { save_model(run_.files.directory, task_->model()); });
}

// Chooses the attention that aligns words, and the search, by the packed weights.
void Trainer::choose_defaults() {
  GenerationDefaults defaults = task_->model().generation_defaults();
  defaults.confidence = {};  // of the model that training began with
  const Corpus* validation = run_.validation ? &*run_.validation : nullptr;
  if (const auto guided = guided_alignment(run_.settings.options, run_.config)) {
    defaults.alignment = guided->heads();
  } else if (measures_.alignment_heads) {
    const auto found = measures_.alignment_heads(
        parts(), alignment_text(*run_.corpus, validation, progress_.tokens));
    if (found) defaults.alignment = found;
  }
  if (measures_.search && validation) {
    const auto lines = lines_to_choose_search(*validation, progress_.tokens);
    try {
      if (lines) defaults.search = measures_.search(parts(), *lines);
    } catch (const Error& error) {
      observer_.warning(fmt::format("no search was chosen for the model: {}", error.what()));
    }
  }
  if (measures_.examples) {
    defaults.examples.clear();
    try {
      if (run_.settings.options.examples) defaults.examples = measures_.examples(parts());
    } catch (const Error& error) {
      observer_.warning(fmt::format("no examples are stored with the model: {}", error.what()));
    }
  }
  task_->model().set_generation_defaults(std::move(defaults));
}

void Trainer::finish() {
  expect_ready();
  report();
  if (!weights_.validated) validate();
  if (!weights_.saved) save();
  loop_.release();
  run_.lock.expect_in_place();
  const std::vector<Checkpoint> chosen =
      checkpoints_to_average(run_.settings.checkpoints, progress_.checkpoints);
  if (chosen.empty())
    with_output_weights([&] {
      if (loop_.adam().has_ema()) pack();
      choose_defaults();
      save_model(run_.files.directory, task_->model());
    });
  else
    save_average(chosen);
  if (chosen.empty() && loop_.adam().has_ema()) pack();
  weights_.condition = Condition::ended;
  if (logs_->page()) logs_->page()->finish();
  warnings_.warn_of_learning_nothing(progress_.step, RunState::ended);
}

void Trainer::save_average(const std::vector<Checkpoint>& chosen) {
  weights_.condition = Condition::failed;  // training must not continue from the average
  std::vector<std::filesystem::path> paths;
  paths.reserve(chosen.size());
  for (const Checkpoint& c : chosen) paths.push_back(run_.files.checkpoint(c.step));
  load_average(paths, run_.config, loop_.adam().parameters());
  pack();
  choose_defaults();
  save_model(run_.files.directory, task_->model());
  observer_.message(fmt::format("the model is the average of {}",
                                detail::counted(int64_t(paths.size()), "checkpoint")));
  if (!run_.validation) return;
  ValidationReport r = validation_report();
  r.averaged_checkpoints = int64_t(paths.size());
  score(r);
  logs_->add(r);
}

TrainResult train(const TrainOptions& options, Backend& backend, TrainObserver& observer,
                  const TranslationMeasures& measures) {
  return train(options, open_training_text(options, observer), backend, observer, measures);
}

TrainResult train(const TrainOptions& options, const TrainingText& text, Backend& backend,
                  TrainObserver& observer, const TranslationMeasures& measures) {
  Trainer trainer(options, text, backend, observer, measures);
  const bool was_complete = trainer.done();
  while (!trainer.done()) {
    trainer.step();
    if (trainer.validation_due()) trainer.validate();
    if (trainer.done()) break;
    const bool stop = observer.stop_requested();
    if (stop || trainer.save_due()) trainer.save();
    if (stop) return {TrainEnd::stopped, trainer.progress()};
  }
  trainer.finish();
  const RunLimits limits{.patience = options.patience, .patience_on = options.patience_on};
  const bool gave_up = !was_complete && out_of_patience(limits, trainer.progress());
  return {gave_up ? TrainEnd::out_of_patience : TrainEnd::limit_reached, trainer.progress()};
}

}  // namespace heed
