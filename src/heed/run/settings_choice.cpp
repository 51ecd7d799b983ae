#include "heed/run/settings_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "heed/backend/compute.h"
#include "heed/core/counted.h"
#include "heed/model/sequence_model.h"
#include "heed/run/run_files.h"
#include "heed/run/run_settings.h"
#include "heed/run/run_warnings.h"
#include "heed/run/step_time.h"
#include "heed/run/training_state.h"

namespace heed {
namespace {

// A size of the model, with the batches and the peak of the learning rate that suit it.
struct Size {
  int64_t layers, d_model, heads, d_ff;
  int64_t least_steps;  // with fewer, the size before it learns more in the same time
  int64_t batch_tokens;
  double rate;
};

// From the smallest on.
constexpr std::array<Size, 5> kSizes = {{{2, 128, 4, 512, 0, 1024, 2e-3},
                                         {3, 192, 6, 768, 5000, 1024, 1.5e-3},
                                         {3, 256, 4, 1024, 8000, 1024, 1e-3},
                                         {4, 384, 6, 1536, 15'000, 2048, 8e-4},
                                         {6, 512, 8, 2048, 40'000, 4096, 6e-4}}};
// On a GPU, whose steps of few tokens take as long as those of many.
constexpr int64_t kDeviceBatchTokens = 4096;

// The time of a run that no step has: learning the vocabulary, encoding the text; and the share of
// the rest that steps have: validating, saving, and choosing a search take some.
constexpr double kPreparationSeconds = 10, kMaxPreparationShare = 0.2, kStepsShare = 0.95;
constexpr double kWarmupShare = 0.1;

// Whether the sizes of the model are given, all or some.
bool gives_sizes(const TrainOptions& o) {
  return o.preset || o.d_model || o.d_ff || o.heads || o.encoder_layers || o.decoder_layers;
}

bool learns_pieces(const TrainOptions& o) {
  const bool has_pieces =
      o.tokenizer.kind == TokenizerKind::bpe || o.tokenizer.kind == TokenizerKind::unigram;
  return has_pieces && o.tokenizer_model.empty();
}

bool leaves_vocabulary_open(const TrainOptions& o) {
  return learns_pieces(o) && !o.tokenizer.vocabulary_size;
}

bool leaves_batches_open(const TrainOptions& o) {
  return !o.batches.batch_tokens && o.batches.batch_sentences == 0;
}

// A rate that is given without a schedule is meant for the default one, of whose formula it is a
// factor: as the peak of another it could be a thousand times too high.
bool leaves_schedule_open(const TrainOptions& o) {
  return !o.schedule && !o.learning_rate;
}

Schedule schedule_of(const TrainOptions& o) {
  return o.schedule.value_or(TrainOptions::kDefaultSchedule);
}

bool leaves_rate_open(const TrainOptions& o) {
  return !o.learning_rate && o.schedule != Schedule::noam;
}

bool leaves_warmup_open(const TrainOptions& o) {
  return !o.warmup_steps && o.schedule != Schedule::constant;
}

bool leaves_validation_open(const TrainOptions& o) {
  return !o.hold_out && !validates(o);
}

double seconds_of_steps(double minutes) {
  const double seconds = 60 * minutes;
  return kStepsShare * (seconds - std::min(kPreparationSeconds, kMaxPreparationShare * seconds));
}

// More pieces for more text; and one for each character of writing without spaces, of which a text
// has thousands. A small text has fewer pieces that occur several times.
int64_t vocabulary_for(const TextSize& text) {
  constexpr int64_t kFew = 4000, kRound = 100;
  // The tokens of the target, by a vocabulary of kFew ids, from which on the next size is better.
  constexpr std::array<double, 3> kTokens = {3e6, 12e6, 50e6};
  const double tokens = mean_tokens(text, kFew).target * double(text.pairs);
  int64_t ids = kFew;
  for (const double from : kTokens)
    if (tokens >= from) ids *= 2;
  constexpr int64_t kAlphabet = 500;  // characters that kFew has room for
  if (text.distinct_unspaced > kAlphabet) ids += text.distinct_unspaced;
  constexpr double kCharactersForPiece = 50;
  const auto possible = int64_t(expected_characters(text) / kCharactersForPiece);
  ids = std::min(ids, std::max(text.distinct + kRound, possible));
  return (ids + kRound - 1) / kRound * kRound;
}

// The lines that a vocabulary is learned from: a sample as large as takes some hundredth of the
// time. Its pieces are then as good as those of all lines.
int64_t vocabulary_lines_for(double minutes) {
  constexpr double kLinesPerMinute = 3000, kFewest = 20'000;
  const double lines = std::max(kFewest, kLinesPerMinute * minutes);
  return int64_t(std::min(lines, double(TokenizerOptions::kDefaultLines)));
}

// With more passes over the text it is learned by heart.
double dropout_for(double epochs) {
  if (epochs < 3) return 0;
  if (epochs < 25) return 0.1;
  return epochs < 60 ? 0.2 : 0.3;
}

// A share of the text, in bounds: enough to compare validations, too little to be missed.
int64_t pairs_to_hold_out(int64_t pairs) {
  constexpr int64_t kShare = 50, kMost = 1000, kFewest = 20;
  const int64_t count = std::min(pairs / kShare, kMost);
  return count < kFewest ? 0 : count;
}

TrainOptions with_size(TrainOptions o, const Size& size) {
  o.d_model = size.d_model;
  o.heads = size.heads;
  o.d_ff = size.d_ff;
  o.encoder_layers = o.decoder_layers = size.layers;
  return o;
}

// The batches and the rate of this size, where they are open.
TrainOptions with_size_settings(TrainOptions o, const Size& size) {
  if (leaves_batches_open(o))
    o.batches.batch_tokens = o.device == Device::cpu ? size.batch_tokens : kDeviceBatchTokens;
  if (leaves_rate_open(o)) o.learning_rate = size.rate;
  return o;
}

int64_t parameters_of(const TrainOptions& o) {
  const int64_t ids = o.tokenizer.size();
  return parameter_count(shapes_of(model_config(o, ids, ids - 1)));
}

std::string size_text(const ModelConfig& config) {
  return fmt::format("{}+{} layers, d_model {}", config.encoder_layers, config.decoder_layers,
                     config.d_model);
}

std::string size_text(const TrainOptions& o) {
  const int64_t ids = o.tokenizer.size();
  return size_text(model_config(o, ids, ids - 1));
}

std::string batch_text(const TrainOptions& o) {
  if (o.batches.batch_sentences > 0) return detail::counted(o.batches.batch_sentences, "pair");
  return detail::counted(o.batches.tokens(), "token");
}

std::string rate_text(const TrainOptions& o) {
  if (schedule_of(o) == Schedule::noam)
    return fmt::format("noam, warm-up {} steps", *o.warmup_steps);
  const std::string peak =
      o.warmup_steps ? fmt::format("up to {} in {} steps", *o.learning_rate, *o.warmup_steps)
                     : to_text(*o.learning_rate);
  return fmt::format("{}, then {}", peak, to_text(*o.schedule));
}

// A run of one of the sizes.
struct Candidate {
  TrainOptions options;
  double seconds = 0;  // of a step
  double steps = 0;    // in the time of the run
};

class Choice {
 public:
  Choice(const TrainOptions& given, const TextSize& text, const StepTimer& seconds)
      : given_(given), text_(text), seconds_(seconds), base_(given) {
    if (leaves_vocabulary_open(base_)) base_.tokenizer.vocabulary_size = vocabulary_for(text);
    if (learns_pieces(base_) && !base_.tokenizer.vocabulary_lines)
      base_.tokenizer.vocabulary_lines = vocabulary_lines_for(*given.minutes);
    if (leaves_schedule_open(base_)) base_.schedule = Schedule::linear;
    if (leaves_validation_open(base_)) base_.hold_out = pairs_to_hold_out(text.pairs);
    mean_ = mean_tokens(text, base_.tokenizer.size());
  }

  ChosenSettings choose() {
    Candidate chosen = gives_sizes(given_) ? of_given_size() : of_best_size();
    TrainOptions& o = chosen.options;
    const double text_tokens = std::max(mean_.source, mean_.target) * double(text_.pairs);
    const double epochs = chosen.steps * std::min(1.0, double(o.batches.tokens()) / text_tokens);
    if (leaves_warmup_open(given_))
      o.warmup_steps = std::max<int64_t>(1, std::llround(kWarmupShare * chosen.steps));
    if (!given_.dropout) o.dropout = dropout_for(epochs);
    std::vector<std::string> lines = reasons(chosen, epochs);
    return {std::move(o), std::move(lines)};
  }

 private:
  Candidate timed(TrainOptions o) const {
    Candidate candidate{std::move(o)};
    candidate.seconds = seconds_(candidate.options);
    candidate.steps = seconds_of_steps(*given_.minutes) / candidate.seconds;
    return candidate;
  }

  // The size whose batches and rate suit a model: the smallest one that is as wide.
  static const Size& nearest_size(int64_t d_model) {
    const auto larger =
        std::ranges::find_if(kSizes, [&](const Size& size) { return size.d_model >= d_model; });
    return larger == kSizes.end() ? kSizes.back() : *larger;
  }

  Candidate of_given_size() {
    const int64_t ids = base_.tokenizer.size();
    const int64_t d_model = model_config(base_, ids, ids - 1).d_model;
    return timed(with_size_settings(base_, nearest_size(d_model)));
  }

  Candidate of_best_size() {
    std::optional<Candidate> chosen;
    for (const Size& size : kSizes) {
      const TrainOptions next = with_size_settings(with_size(base_, size), size);
      if (!agrees(next)) continue;
      if (chosen && parameters_per_token(next) > double(kMaxParametersPerToken)) {
        why_size_ = fmt::format("the text is too small for {}", size_text(next));
        return *chosen;
      }
      const Candidate candidate = timed(next);
      if (chosen && std::isinf(candidate.seconds)) {
        why_size_ = fmt::format("a step of {} does not fit into memory", size_text(next));
        return *chosen;
      }
      if (chosen && candidate.steps < double(size.least_steps)) {
        why_size_ = fmt::format("{} would make {:.0f} steps, and needs {}", size_text(next),
                                candidate.steps, size.least_steps);
        more_time_ = advice_on_time(size, candidate);
        return *chosen;
      }
      chosen = candidate;
    }
    if (!chosen) return of_given_size();  // whose defaults say what contradicts what
    why_size_ = "the largest that is tried";
    return *chosen;
  }

  // Whether other options allow this size: a number of key-value heads must divide that of heads.
  static bool agrees(const TrainOptions& o) {
    try {
      parameters_of(o);
      return true;
    } catch (const UsageError&) {
      return false;
    }
  }

  double parameters_per_token(const TrainOptions& o) const {
    return double(parameters_of(o)) / (mean_.target * double(text_.pairs));
  }

  // The time from which on this size is chosen.
  static std::string advice_on_time(const Size& size, const Candidate& candidate) {
    const double seconds =
        double(size.least_steps) * candidate.seconds / kStepsShare + kPreparationSeconds;
    return fmt::format("from {:.0f} minutes on, {} would be chosen", std::ceil(seconds / 60),
                       size_text(candidate.options));
  }

  std::vector<std::string> reasons(const Candidate& chosen, double epochs) const {
    const TrainOptions& o = chosen.options;
    std::vector<std::string> lines{
        fmt::format(
            "settings for {} minutes and {} of about {:.0f} and {:.0f} tokens; what is given "
            "stays as it is",
            *given_.minutes, detail::counted(text_.pairs, "pair"), mean_.source, mean_.target),
        fmt::format("model: {}{}", size_text(o), why_size_.empty() ? "" : " (" + why_size_ + ")"),
        fmt::format(
            "vocabulary: {} ids; batches of {}: a step takes {:.2g} s, so about {:.0f} steps, "
            "{:.1f} passes over the text",
            o.tokenizer.size(), batch_text(o), chosen.seconds, chosen.steps, epochs),
        fmt::format("learning rate: {}; dropout {}, as for {:.1f} passes", rate_text(o), *o.dropout,
                    epochs)};
    if (given_.hold_out != o.hold_out && *o.hold_out > 0)
      lines.push_back(
          fmt::format("validation: {} drawn from the text", detail::counted(*o.hold_out, "pair")));
    if (!more_time_.empty())
      lines.push_back((epochs < 1 ? "in this time not all of the text is read; " : "") +
                      more_time_);
    return lines;
  }

  const TrainOptions& given_;
  const TextSize& text_;
  const StepTimer& seconds_;
  TrainOptions base_;  // with what does not depend on the size
  MeanTokens mean_;
  std::string why_size_, more_time_;
};

// The settings of a run to resume, where they are not given.
TrainOptions with_stored_settings(TrainOptions o, const TrainOptions& stored) {
  if (!o.finetune_from.empty()) return o;
  const auto fill = [](auto& option, const auto& value) {
    if (!option) option = value;
  };
  if (!gives_sizes(o)) {
    o.preset = stored.preset;
    o.d_model = stored.d_model;
    o.d_ff = stored.d_ff;
    o.heads = stored.heads;
    o.encoder_layers = stored.encoder_layers;
    o.decoder_layers = stored.decoder_layers;
  }
  if (o.tokenizer_model.empty()) {
    fill(o.tokenizer.vocabulary_size, stored.tokenizer.vocabulary_size);
    fill(o.tokenizer.vocabulary_lines, stored.tokenizer.vocabulary_lines);
  }
  if (leaves_batches_open(o)) o.batches.batch_tokens = stored.batches.batch_tokens;
  fill(o.schedule, stored.schedule);
  fill(o.warmup_steps, stored.warmup_steps);
  fill(o.learning_rate, stored.learning_rate);
  fill(o.dropout, stored.dropout);
  if (leaves_validation_open(o)) o.hold_out = stored.hold_out;
  return o;
}

}  // namespace

bool leaves_settings_open(const TrainOptions& o) {
  if (!o.minutes || o.steps || o.epochs || !o.translates() || o.is_recurrent() ||
      !o.finetune_from.empty())
    return false;
  return !gives_sizes(o) || leaves_vocabulary_open(o) || leaves_batches_open(o) ||
         leaves_schedule_open(o) || leaves_warmup_open(o) || leaves_rate_open(o) || !o.dropout ||
         leaves_validation_open(o);
}

ChosenSettings choose_settings(const TrainOptions& given, const TextSize& text,
                               const StepTimer& seconds) {
  return Choice(given, text, seconds).choose();
}

TrainOptions with_chosen_settings(const TrainOptions& given, const TrainingText& text,
                                  TrainObserver& observer) {
  validate(given);
  const RunFiles files{given.model};
  if (given.resume && files.has_training_state())
    return with_stored_settings(given, stored_options(files.training_state()));
  if (!leaves_settings_open(given)) return given;
  resolve(given);  // may throw
  // The time for measuring each size that is tried: a share of the run, or a few steps.
  constexpr double kTimingShare = 0.004, kMinTimingSeconds = 0.2;
  const double most_seconds = std::max(kMinTimingSeconds, kTimingShare * 60 * *given.minutes);
  const TextSize size = size_of(text.text);
  const auto backend = make_backend({given.compute, given.device}, Purpose::training);
  ChosenSettings chosen = choose_settings(given, size, [&](const TrainOptions& options) {
    observer.preparing();
    return step_seconds(options, size, most_seconds, *backend);
  });
  for (const std::string& line : chosen.reasons) observer.message(line);
  return std::move(chosen.options);
}

}  // namespace heed
