#include "heed/run/run_warnings.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/core/counted.h"
#include "heed/model/sequence_model.h"
#include "heed/run/prepared_run.h"

namespace heed {
namespace {

// The step at which the run ends, by the first of its known limits; infinity if there is none.
double last_step(const RunLimits& limits, const RunPace& pace) {
  double last = std::numeric_limits<double>::infinity();
  if (limits.steps) last = double(*limits.steps);
  if (limits.epochs) last = std::min(last, double(*limits.epochs) * double(pace.epoch_steps));
  if (limits.minutes && pace.step_seconds) {
    const double left = std::max(0.0, *limits.minutes * 60 - pace.seconds);
    last = std::min(last, double(pace.step) + std::ceil(left / *pace.step_seconds));
  }
  return last;
}

// A third of the run, as in `heed demo`, rounded to two digits.
int64_t suitable_warmup(double steps) {
  const auto third = std::max<int64_t>(1, int64_t(steps / 3));
  int64_t unit = 1;
  while (third / unit >= 100) unit *= 10;
  return third / unit * unit;
}

// Options for a run of this number of steps. With the noam schedule a shorter warm-up has a higher
// peak, and a model that starts at several times the usual rate learns nothing, so a factor bounds
// it.
std::string warmup_advice(const RateSchedule& schedule, double steps) {
  constexpr double kMaxPeakRatio = 2;
  const int64_t warmup = suitable_warmup(steps);
  std::string advice = fmt::format("--warmup-steps {}", warmup);
  const double peak =
      std::sqrt(double(schedule.warmup_steps) / double(warmup));  // of the usual one
  if (schedule.schedule == Schedule::noam && peak > kMaxPeakRatio)
    advice += fmt::format(" --learning-rate {:.2g}", schedule.rate * kMaxPeakRatio / peak);
  return advice;
}

int64_t parameters_of(const ModelConfig& config) {
  return parameter_count(shapes_of(config));
}

// The parameters of the same model at another size; nothing if the options contradict that size.
std::optional<int64_t> parameters_of(const TrainOptions& options, Preset preset,
                                     const ModelConfig& config) {
  TrainOptions other = options;
  other.preset = preset;
  other.d_model.reset(), other.d_ff.reset(), other.heads.reset();
  other.encoder_layers.reset(), other.decoder_layers.reset();
  try {
    return parameters_of(
        model_config(other, config.vocabulary_size, config.output_vocabulary_size));
  } catch (const UsageError&) {  // such as a number of key-value heads that does not divide heads
    return {};
  }
}

}  // namespace

std::optional<std::string> warmup_warning(const RunLimits& limits, const RateSchedule& schedule,
                                          const RunPace& pace) {
  const double last = last_step(limits, pace);
  if (last >= double(schedule.warmup_steps)) return {};
  // In fewer steps a model learns nothing, whatever the learning rate.
  constexpr double kFewSteps = 100;
  return fmt::format(
      "the run ends after {}{:.0f} steps, within its warm-up of {}: the learning rate will not "
      "reach its peak; give {}{}a longer run",
      pace.step_seconds ? "about " : "", last, schedule.warmup_steps,
      last < kFewSteps ? "" : warmup_advice(schedule, last) + (limits.steps ? " or " : ", "),
      limits.steps ? "" : "a smaller --batch-tokens (more steps) or ");
}

std::optional<std::string> preparation_warning(const RunLimits& limits, double seconds) {
  if (!limits.minutes || seconds < 30 * *limits.minutes) return {};
  return fmt::format(
      "preparing the run took {:.3g} s of the {:.3g} s of --minutes {}: give more minutes, or "
      "--tokenizer-model with a vocabulary that was learned before",
      seconds, 60 * *limits.minutes, *limits.minutes);
}

double unigram_loss(const Corpus& counted, int64_t vocabulary, const Corpus& measured) {
  const auto end = TokenId(vocabulary);  // </s>, which a corpus does not store
  const auto for_each_token = [end](const Corpus& corpus, const auto& use) {
    for (int64_t pair = 0; pair < corpus.size(); ++pair) {
      const Example example = corpus.example(pair);
      for (const TokenId id : example.target) use(id);
      use(end);
    }
  };
  std::vector<double> counts(size_t(vocabulary) + 1,
                             1);  // add-one smoothing
  double all = double(counts.size()), sum = 0, tokens = 0;
  for_each_token(counted, [&](TokenId id) { ++counts[size_t(id)], ++all; });
  for_each_token(measured,
                 [&](TokenId id) { sum -= std::log(counts[size_t(id)] / all), ++tokens; });
  return sum / tokens;
}

std::optional<NothingLearned> nothing_learned(const RateSchedule& schedule,
                                              const LearningState& learning) {
  // A collapsed model predicts token frequencies: its loss is within 1 % of the unigram loss.
  constexpr double kNear = 0.98;
  if (learning.loss < kNear * learning.unigram_loss) return {};
  const int64_t enough = std::max(kStepsToLearn, 2 * schedule.warmup_steps);
  const bool early = learning.step < enough;
  if (early && learning.state == RunState::running) return {};
  const std::string finding =
      fmt::format("perplexity {:.1f} after {} is no better than that of token frequencies ({:.1f})",
                  std::exp(learning.loss), detail::counted(learning.step, "step"),
                  std::exp(learning.unigram_loss));
  if (early)
    return NothingLearned{false, finding + ": the model is of no use yet, train it longer"};
  const std::string advice = fmt::format(
      "{}: training has probably collapsed; give a lower --learning-rate (now {}), a longer "
      "--warmup-steps (now {}) or --clip-norm 1",
      finding, schedule.rate, schedule.warmup_steps);
  return NothingLearned{true, advice};
}

std::optional<std::string> size_warning(const TrainOptions& options, const ModelConfig& config,
                                        int64_t target_tokens) {
  if (!options.finetune_from.empty()) return {};
  const int64_t most = kMaxParametersPerToken * target_tokens;
  const int64_t count = parameters_of(config);
  if (count <= most) return {};
  std::string advice = "a smaller --vocabulary-size or more text would help";
  for (const Preset preset : {Preset::base, Preset::small, Preset::tiny}) {
    const int64_t smaller = parameters_of(options, preset, config).value_or(count);
    const bool fits = smaller <= most;
    if (smaller >= count || (!fits && preset != Preset::tiny)) continue;
    advice = fmt::format("--preset {} has {}{}", to_text(preset), smaller,
                         fits ? "" : ", which a smaller --vocabulary-size reduces further");
    break;
  }
  return fmt::format(
      "the model has {} parameters for {} target tokens of training text, expected at most {} a "
      "token: it is likely to overfit; {}",
      count, target_tokens, kMaxParametersPerToken, advice);
}

void RunWarnings::warn_of_size() {
  const Corpus& corpus = *run_.corpus;
  const auto text =
      size_warning(run_.settings.options, run_.config, corpus.target_tokens() + corpus.size());
  if (text) observer_.warning(*text);
}

void RunWarnings::warn_of_preparation(double seconds) {
  const auto text = preparation_warning(run_.settings.limits, seconds);
  if (text) observer_.warning(*text);
}

void RunWarnings::warn_of_warmup(const Progress& progress, int64_t epoch_steps) {
  warn_of_warmup({progress.step, progress.seconds, epoch_steps, {}});
}

void RunWarnings::warn_of_warmup(const RunPace& pace) {
  if (warned_of_warmup_) return;
  const auto text = warmup_warning(run_.settings.limits, run_.settings.schedule, pace);
  if (text) observer_.warning(*text);
  warned_of_warmup_ = text.has_value();
}

void RunWarnings::add_step(const Progress& progress, int64_t epoch_steps, double seconds) {
  if (timed_) return;
  ++timed_steps_;
  timed_seconds_ += seconds;
  timed_ = timed_steps_ >= 20 || (timed_steps_ >= 3 && timed_seconds_ >= 5);
  if (timed_)
    warn_of_warmup(
        {progress.step, progress.seconds, epoch_steps, timed_seconds_ / double(timed_steps_)});
}

void RunWarnings::warn_of_learning_nothing(int64_t step, RunState state) {
  if (!nll_ || (state == RunState::running && warned_of_collapse_)) return;
  if (!unigram_loss_)
    unigram_loss_ = unigram_loss(*run_.corpus, run_.config.vocabulary_size,
                                 run_.validation ? *run_.validation : *run_.corpus);
  const auto finding =
      nothing_learned(run_.settings.schedule, {step, *nll_, *unigram_loss_, state});
  if (!finding) return;
  observer_.warning(finding->text);
  warned_of_collapse_ = finding->collapsed;
}

}  // namespace heed
