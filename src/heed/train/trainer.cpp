#include "heed/train/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "heed/core/counted.h"
#include "heed/model/directory.h"
#include "heed/train/averaging.h"
#include "heed/train/gradients.h"
#include "heed/train/memory_plan.h"
#include "heed/train/metrics.h"
#include "heed/train/run_warnings.h"
#include "heed/train/schedule.h"
#include "heed/train/workspace.h"

namespace heed {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What was summed since the last report.
struct Window {
  Loss loss;
  double tokens = 0, seconds = 0, norm = 0;
};

// One run: the loop over steps, and what happens between them.
class Run {
 public:
  Run(const TrainOptions& options, const TrainingText& text, Backend& backend,
      TrainObserver& observer)
      : backend_(backend),
        observer_(observer),
        workers_(int(options.threads.value_or(available_threads()))),
        space_(open_workspace(options, text, backend, workers_, observer)),
        options_(space_.options),
        model_(initial_model(options_, space_.config)),
        gradients_(parameters(model_), linear_layers(model_), backend, workers_),
        adam_(parameters(model_), backend, workers_,
              options.ema ? MovingAverage::kept : MovingAverage::none),
        defers_gradients_(defers_gradients(options_, model_.config(), *space_.corpus)),
        length_(lengths_of(*space_.corpus)),
        metrics_(space_.files.metrics()) {}

  TrainResult go() {
    start();
    TrainEnd end = TrainEnd::finished;
    while (!progress_.finished) {
      const auto ended = run_epoch();
      if (!ended) continue;
      end = *ended;
      break;
    }
    if (end != TrainEnd::stopped) {
      finish();
      warn_of_learning_nothing(RunState::ended);
    }
    return {end, progress_};
  }

 private:
  TrainingStateKey key() const {
    return {options_, backend_.name(), space_.fingerprint, space_.validation_fingerprint,
            backend_.compute()};
  }

  void start() {
    if (options_.resume && space_.files.has_training_state()) {
      progress_ = load_training_state(space_.files.training_state(), key(), adam_);
      seconds_before_ = progress_.seconds;
      check_scores(space_.files.training_state());
      const std::string limit = reached_limit();
      progress_.finished = !limit.empty();
      if (progress_.batch > 0)
        epoch_batches_ = batches_of_epoch(options_, *space_.corpus, progress_.epoch).size();
      observer_.message(
          progress_.finished
              ? fmt::format("this run is complete: {} was reached after step {}; to train further, "
                            "give a larger value",
                            limit, progress_.step)
              : fmt::format("resuming after step {} of epoch {}", progress_.step,
                            progress_.epoch + 1));
    } else if (options_.resume) {
      observer_.message("nothing was saved yet: starting from the first step");
    }
    metrics_.keep_up_to(progress_.step);
    pack();
    space_.earlier->forget();  // nothing is left that could refuse the run
    observer_.message(fmt::format("{} parameters, {} on {}, {} a batch", parameter_count(model_),
                                  backend_.name(), counted(workers_.count(), "thread"),
                                  counted(options_.shards, "shard")));
    const Corpus& corpus = *space_.corpus;
    if (const auto text =
            size_warning(options_, model_.config(), corpus.target_tokens() + corpus.size()))
      observer_.warning(*text);
    if (options_.label_smoothing > 0)
      observer_.message(
          fmt::format("loss: cross entropy with label smoothing {}, nats a token; perplexity is "
                      "exp of the cross entropy without smoothing, so not exp(loss)",
                      options_.label_smoothing));
    const auto late = preparation_warning(options_, seconds_since(started_));
    if (late && progress_.step == 0) observer_.warning(*late);
    prepared_ = Clock::now();
    share_before_ = share_done();
  }

  // Measures the run's time up to now, in all of its processes: --minutes counts the preparation,
  // validations and saving too.
  void take_time() { progress_.seconds = seconds_before_ + seconds_since(started_); }

  void check_scores(const std::filesystem::path& state) const {
    if (!can_choose(options_, progress_.checkpoints))
      fail(
          "{}: the progress it records has checkpoints without a score: start over with "
          "--overwrite",
          state.string());
  }

  // The option that says how far the run goes, with its value, where the run is there; else empty.
  std::string reached_limit() const {
    const auto epochs = epoch_limit(options_);
    if (epochs && progress_.epoch >= *epochs) return fmt::format("--epochs {}", *epochs);
    if (options_.steps && progress_.step >= *options_.steps)
      return fmt::format("--steps {}", *options_.steps);
    if (options_.minutes && progress_.seconds >= *options_.minutes * 60)
      return fmt::format("--minutes {}", *options_.minutes);
    if (out_of_patience()) return fmt::format("--patience {}", options_.patience);
    return "";
  }

  bool out_of_patience() const {
    return options_.patience > 0 && progress_.since_best >= options_.patience;
  }

  // From where progress stands to the end of the epoch; what ended the run, if something did.
  std::optional<TrainEnd> run_epoch() {
    const BatchPlan plan = batches_of_epoch(options_, *space_.corpus, progress_.epoch);
    if (progress_.batch >= plan.size())
      fail("{}: the progress it records stands at batch {} of {}: start over with --overwrite",
           space_.files.training_state().string(), progress_.batch + 1, plan.size());
    epoch_batches_ = plan.size();
    warn_of_warmup({});
    while (progress_.batch < plan.size()) {
      step(plan);
      time_steps();
      const bool epoch_done = progress_.batch >= plan.size();
      if (epoch_done) {
        ++progress_.epoch;
        progress_.batch = 0;
      }
      progress_.finished = !reached_limit().empty();
      if (progress_.step % options_.report_every == 0 || epoch_done || progress_.finished)
        report();
      else
        observer_.progress(current_report());
      const bool due =
          options_.validate_every > 0 ? progress_.step % options_.validate_every == 0 : epoch_done;
      if (due || progress_.finished) validate(epoch_done);
      if (epoch_done) progress_.epoch_loss = {};
      if (out_of_patience()) progress_.finished = true;
      const bool stop = observer_.stop_requested() && !progress_.finished;
      if (due || progress_.finished || stop || seconds_since(saved_) >= options_.save_minutes * 60)
        save();
      if (out_of_patience()) return TrainEnd::out_of_patience;
      if (stop) return TrainEnd::stopped;
      if (progress_.finished || epoch_done) break;
    }
    return {};
  }

  void step(const BatchPlan& plan) {
    const auto start = Clock::now();
    const int64_t batches = std::min(options_.accumulate, plan.size() - progress_.batch);
    GradientTree::Request request;
    request.batches = batches;
    request.shards = options_.shards;
    std::vector<std::vector<std::vector<uint32_t>>> pairs;  // [batch][shard]
    int64_t source_tokens = 0, target_tokens = 0;
    for (int64_t i = 0; i < batches; ++i) {
      const std::span<const uint32_t> batch = plan.batch(progress_.batch + i);
      pairs.push_back(shards(batch, length_, int(options_.shards)));
      for (const uint32_t pair : batch) {
        source_tokens += length_(pair).source + 1;
        target_tokens += length_(pair).target + 1;
      }
    }
    request.seed = mix(mix(uint64_t(options_.seed), 0xD0), uint64_t(progress_.step));
    request.loss = [&](Pass& pass, int64_t batch, int64_t shard) {
      const Examples examples =
          examples_of(*space_.corpus, pairs[size_t(batch)][size_t(shard)], model_.config());
      return loss_of(model_, pass, examples,
                     {options_.label_smoothing, 1.0 / double(target_tokens)});
    };
    AdamStep adam = next_adam_step();
    if (defers_gradients_)
      request.consume = [&](size_t parameter, int64_t begin, const Tensor& gradient) {
        adam_.update_part(adam, parameter, begin, gradient);
      };
    const Loss loss = gradients_.compute(request);
    const double norm = gradients_.norm();
    if (!std::isfinite(loss.smoothed) || !std::isfinite(norm)) refuse(plan, batches, loss, norm);
    if (options_.clip_norm > 0 && norm > options_.clip_norm)
      adam.gradient_scale = options_.clip_norm / norm;
    adam_.update(adam, gradients_.gradient(), gradients_.offsets());
    pack();

    ++progress_.step;
    progress_.batch += batches;
    progress_.epoch_loss += loss;
    const double tokens = 0.5 * double(source_tokens + target_tokens);
    const double seconds = seconds_since(start);
    progress_.tokens += tokens;
    take_time();
    ++timed_steps_;
    timed_seconds_ += seconds;
    window_.loss += loss;
    window_.tokens += tokens;
    window_.seconds += seconds;
    window_.norm = norm;
  }

  AdamStep next_adam_step() const {
    AdamStep adam{learning_rate(options_, model_.config().d_model, progress_.step + 1),
                  options_.beta1, options_.beta2, options_.epsilon};
    if (options_.optimizer == Optimizer::adamw) adam.weight_decay = *options_.weight_decay;
    if (options_.ema) adam.average_decay = average_decay(*options_.ema, progress_.step + 1);
    adam.step = progress_.step + 1;
    return adam;
  }

  // A loss that is not finite: nothing is saved over the last good training state.
  [[noreturn]] void refuse(const BatchPlan& plan, int64_t batches, const Loss& loss, double norm) {
    std::string lines;
    const std::span<const uint32_t> batch = plan.batch(progress_.batch);
    for (size_t i = 0; i < std::min<size_t>(batch.size(), 3); ++i)
      lines += fmt::format("{}{}", i ? ", " : "", space_.corpus->line(batch[i]) + 1);
    fail(
        "the loss is not finite at step {} (loss {}, gradient norm {}): batch {} of epoch {}, {} "
        "pairs, the first from lines {}; {}: try a lower --learning-rate, a longer --warmup or "
        "--clip-norm 1",
        progress_.step + 1, loss.smoothed, norm, progress_.batch + batches, progress_.epoch + 1,
        batch.size(), lines,
        space_.files.has_training_state()
            ? space_.files.training_state().string() + " keeps what was saved last"
            : "nothing was saved yet");
  }

  // Warns at most once.
  void warn_of_warmup(std::optional<double> step_seconds) {
    if (warned_of_warmup_) return;
    const int64_t epoch_steps = (epoch_batches_ + options_.accumulate - 1) / options_.accumulate;
    const auto text =
        warmup_warning(options_, {progress_.step, progress_.seconds, epoch_steps, step_seconds});
    if (text) observer_.warning(*text);
    warned_of_warmup_ = text.has_value();
  }

  // Once the first steps are done, what they took tells how many --minutes are.
  void time_steps() {
    if (timed_) return;
    timed_ = timed_steps_ >= 20 || (timed_steps_ >= 3 && timed_seconds_ >= 5);
    if (timed_) warn_of_warmup(timed_seconds_ / double(timed_steps_));
  }

  // Epochs done, with the fraction of the current one.
  double epoch_position() const {
    return double(progress_.epoch) + double(progress_.batch) / double(epoch_batches_);
  }

  double share_done() const {
    double done = 0;
    if (options_.steps) done = std::max(done, double(progress_.step) / double(*options_.steps));
    if (options_.minutes) done = std::max(done, progress_.seconds / (*options_.minutes * 60));
    if (const auto epochs = epoch_limit(options_))
      done = std::max(done, epoch_position() / double(*epochs));
    return std::min(done, 1.0);
  }

  // Estimated from the pace of this process, preparation excluded; --minutes says it exactly.
  double seconds_left() const {
    const double done = share_done(), here = done - share_before_;
    double left = here > 0 ? seconds_since(prepared_) * (1 - done) / here : 0;
    if (options_.minutes)
      left = std::min(left, std::max(0.0, *options_.minutes * 60 - progress_.seconds));
    return left;
  }

  // Of the steps since the last report.
  TrainReport current_report() const {
    TrainReport r;
    r.step = progress_.step;
    r.epoch = epoch_position();
    r.loss = window_.loss.smoothed / double(window_.loss.tokens);
    r.nll = window_.loss.nll / double(window_.loss.tokens);
    r.learning_rate = learning_rate(options_, model_.config().d_model, progress_.step);
    r.gradient_norm = window_.norm;
    r.tokens_per_second = window_.tokens / window_.seconds;
    r.seconds = progress_.seconds;
    r.done = share_done();
    r.seconds_left = seconds_left();
    return r;
  }

  void report() {
    if (window_.loss.tokens == 0) return;
    const TrainReport r = current_report();
    nll_ = r.nll;
    window_ = {};
    space_.claim.expect_in_place();
    metrics_.add(r);
    observer_.report(r);
  }

  // Loss on the validation text, per target token, over all workers; sums in the order of batches.
  Loss validation_loss() {
    const Corpus& corpus = *space_.validation;
    const LengthOf length = lengths_of(corpus);
    const BatchPlan plan =
        BatchPlan::sorted(corpus.size(), length, {tokens_between_steps(options_), 0});
    std::vector<Loss> losses(size_t(plan.size()));
    std::vector<Pool> pools(size_t(workers_.count()));
    workers_.run(plan.size(), [&](int64_t i, int worker) {
      Pass pass(backend_, pools[size_t(worker)]);
      const Examples batch = examples_of(corpus, plan.batch(i), model_.config());
      losses[size_t(i)] = loss_of(model_, pass, batch, {options_.label_smoothing, 0});
    });
    Loss sum;
    for (const Loss& loss : losses) sum += loss;
    return sum;
  }

  // Calls `use` while model_ holds what the run leaves: the moving average, where one is kept.
  void with_result(const std::function<void()>& use) {
    adam_.swap_average();
    use();
    adam_.swap_average();
  }

  void pack() { prepare(adam_.parameters(), backend_, Passes::both, &workers_); }

  // Packs the weights that model_ holds, where these are others than at the last step.
  void prepare_result() {
    if (adam_.has_average()) pack();
  }

  ValidationReport validation_report() const {
    ValidationReport r;
    r.step = progress_.step;
    r.epoch = epoch_position();
    r.seconds = progress_.seconds;
    return r;
  }

  // What the model, its weights packed, is worth on the validation text: greater is better.
  double score(ValidationReport& r) {
    const Loss loss = validation_loss();
    r.loss = loss.smoothed / double(loss.tokens);
    nll_ = loss.nll / double(loss.tokens);
    r.perplexity = std::exp(*nll_);
    if (translates_to_validate(options_))
      r.translations = observer_.translation_scores(model_, space_.tokenizers);
    double found = -*r.loss;
    if (options_.validate_by == ValidationMetric::bleu) found = r.translations->bleu;
    if (options_.validate_by == ValidationMetric::chrf) found = r.translations->chrf;
    r.best = !progress_.best || found > *progress_.best;
    return found;
  }

  // Scores the model where there is something to score it on, and keeps its weights.
  void validate(bool epoch_done) {
    space_.claim.expect_in_place();
    ValidationReport r = validation_report();
    const Loss& epoch = progress_.epoch_loss;
    if (epoch_done && epoch.tokens > 0) r.train_loss = epoch.smoothed / double(epoch.tokens);
    std::optional<double> found;
    if (space_.validation) {
      gradients_.release();  // scoring takes less than this gives
      with_result([&] {
        prepare_result();
        found = score(r);
      });
      prepare_result();
      if (r.best) progress_.best = found;
      progress_.since_best = r.best ? 0 : progress_.since_best + 1;
    }
    take_time();
    r.seconds = progress_.seconds;
    tell(r);
    if (space_.validation && !progress_.finished) warn_of_learning_nothing(RunState::going_on);
    keep_checkpoint(found);
  }

  // Compares the last validation, or the last report where nothing is validated, with what a model
  // of word frequencies reaches. A run that goes on is warned at most once, and only where it is
  // likely to have collapsed.
  void warn_of_learning_nothing(RunState state) {
    if (!nll_ || (state == RunState::going_on && warned_of_collapse_)) return;
    if (!frequency_loss_)
      frequency_loss_ = unigram_loss(*space_.corpus, model_.config().vocabulary,
                                     space_.validation ? *space_.validation : *space_.corpus);
    const LearningState learning{progress_.step, *nll_, *frequency_loss_, state};
    const auto finding = nothing_learned(options_, learning);
    if (!finding) return;
    if (!finding->collapsed) return observer_.message(finding->text);
    observer_.warning(finding->text);
    warned_of_collapse_ = true;
  }

  void tell(const ValidationReport& r) {
    metrics_.add(r);
    observer_.validated(r);
  }

  void keep_checkpoint(std::optional<double> score) {
    std::vector<Checkpoint>& kept = progress_.checkpoints;
    if (!keeps_checkpoints(options_) || (!kept.empty() && kept.back().step == progress_.step))
      return;
    with_result(
        [&] { save_checkpoint(space_.files.checkpoint(progress_.step), adam_.parameters()); });
    keep(options_, {progress_.step, score}, kept);
  }

  void save() {
    space_.claim.expect_in_place();
    take_time();
    save_training_state(space_.files.training_state(), key(), progress_, adam_);
    with_result([&] { save_model(space_.files.directory, model_); });
    if (keeps_checkpoints(options_)) space_.files.remove_checkpoints_except(progress_.checkpoints);
    saved_ = Clock::now();
  }

  // The model that the run leaves: what was saved last, or the mean that was asked for.
  void finish() {
    gradients_.release();
    space_.claim.expect_in_place();
    const std::vector<Checkpoint> chosen = checkpoints_to_average(options_, progress_.checkpoints);
    if (chosen.empty()) {
      with_result([&] { save_model(space_.files.directory, model_); });
      return;
    }
    std::vector<std::filesystem::path> paths;
    paths.reserve(chosen.size());
    for (const Checkpoint& c : chosen) paths.push_back(space_.files.checkpoint(c.step));
    load_average(paths, model_.config(), adam_.parameters());
    save_model(space_.files.directory, model_);
    observer_.message(
        fmt::format("the model is the mean of {}", counted(int64_t(paths.size()), "checkpoint")));
    if (!space_.validation) return;
    ValidationReport r = validation_report();
    r.averaged = int64_t(paths.size());
    pack();
    score(r);
    tell(r);
  }

  const Clock::time_point started_ = Clock::now();  // before the workspace is opened
  Backend& backend_;
  TrainObserver& observer_;
  Workers workers_;
  Workspace space_;
  const TrainOptions& options_;  // the workspace's
  Transformer model_;
  GradientTree gradients_;
  Adam adam_;
  const bool defers_gradients_;
  LengthOf length_;
  Metrics metrics_;
  Progress progress_;
  Window window_;
  double seconds_before_ = 0, share_before_ = 0;  // of the run, in the processes before this one
  Clock::time_point prepared_;                    // when the first step could begin
  int64_t timed_steps_ = 0;                       // of this process, and what they took
  double timed_seconds_ = 0;
  std::optional<double> nll_, frequency_loss_;
  bool timed_ = false, warned_of_warmup_ = false, warned_of_collapse_ = false;
  int64_t epoch_batches_ = 1;  // of the current epoch
  Clock::time_point saved_ = Clock::now();
};

}  // namespace

TranslationScores TrainObserver::translation_scores(const Transformer&, const TokenizerPair&) {
  fail_usage("--validate-by: this program does not translate to validate, expected loss");
}

TrainResult train(const TrainOptions& options, Backend& backend, TrainObserver& observer) {
  return train(options, open_training_text(options), backend, observer);
}

TrainResult train(const TrainOptions& options, const TrainingText& text, Backend& backend,
                  TrainObserver& observer) {
  check_consistent(options);
  return Run(options, text, backend, observer).go();
}

}  // namespace heed
