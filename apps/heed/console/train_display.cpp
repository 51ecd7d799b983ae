#include "console/train_display.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "heed/core/counted.h"
#include "heed/pages/terminal_text.h"
#include "heed/run/run_settings.h"

namespace heed {
namespace {

constexpr const char* clear_line = "\r\x1b[K";

std::string times(const TrainReport& report) {
  const std::string elapsed = clock_text(report.seconds);
  return report.fraction_done > 0
             ? fmt::format("{}, {} left", elapsed, clock_text(report.seconds_left))
             : elapsed;
}

std::string short_count(double count) {
  if (count >= 1e6) return fmt::format("{:.1f}M", count / 1e6);
  return count >= 1e4 ? fmt::format("{:.1f}k", count / 1e3) : fmt::format("{:.0f}", count);
}

// "validation loss 2.1034, perplexity 8.19, BLEU 31.20 (13a), chrF 55.10 of 300 lines", of the
// report of a validation or of one of its texts.
std::string validation_text(const auto& report) {
  std::string text;
  const auto add = [&](const std::string& fact) { text += (text.empty() ? "" : ", ") + fact; };
  if (report.loss) add(fmt::format("validation loss {:.4f}", *report.loss));
  if (report.perplexity) add(fmt::format("perplexity {:.2f}", *report.perplexity));
  for (const Score& score : report.scores)
    add(fmt::format("{} {:.2f}{}", score.title, score.value,
                    score.tokenize.empty() ? "" : " (" + score.tokenize + ")"));
  if (report.scored_lines) text += fmt::format(" of {} lines", *report.scored_lines);
  return text;
}

}  // namespace

std::string progress_bar(const TrainReport& report, size_t columns) {
  const std::string facts =
      fmt::format(" {:3.0f}%  step {}  loss {:.3f}  {} tokens/s  rate {:.1e}  {}",
                  std::floor(100 * report.fraction_done), report.step, report.loss,
                  short_count(report.tokens_per_second), report.learning_rate, times(report));
  if (facts.size() + 8 > columns) return facts.substr(0, columns);
  const size_t width = std::min<size_t>(columns - facts.size() - 2, 40);
  const size_t full = std::min(width, size_t(report.fraction_done * double(width)));
  return fmt::format("[{:-<{}}]{}", std::string(full, '#'), width, facts);
}

std::string progress_text(const TrainReport& report) {
  return fmt::format(
      "step {}, epoch {:.2f}: loss {:.4f}, {:.0f} tokens/s, learning rate {:.3e}, {}", report.step,
      report.epoch, report.loss, report.tokens_per_second, report.learning_rate, times(report));
}

TrainDisplay::TrainDisplay(const TrainOptions& options, const Console& console,
                           std::string after_stop)
    : options_(options),
      console_(console),
      after_stop_(std::move(after_stop)),
      has_bar_(!console.quiet() && isatty(2)) {}

void TrainDisplay::show(const TrainReport& report) {
  next_ = report.seconds + (has_bar_ ? 0.2 : 20);
  if (!has_bar_) return say(progress_text(report));
  bar_ = progress_bar(report, size_t(terminal_columns(STDERR_FILENO)) - 1);
  std::fprintf(stderr, "%s%s", clear_line, bar_.c_str());
}

void TrainDisplay::say(const std::string& text) {
  if (console_.quiet()) return;
  const char* clear = bar_.empty() ? "" : clear_line;
  std::fprintf(stderr, "%s%s\n%s", clear, one_line(text).c_str(), bar_.c_str());
}

void TrainDisplay::clear() {
  if (!bar_.empty()) std::fputs(clear_line, stderr);
  bar_.clear();
}

void TrainDisplay::message(const std::string& text) {
  say(text);
  preparing();
}

void TrainDisplay::preparing() {
  if (begun_ || !stop_requested()) return;
  clear();
  throw StoppedBySignal(signals_.received(),
                        fmt::format("stopped while the training was prepared: {} is as it was",
                                    options_.model));  // the run undoes what it changed
}

void TrainDisplay::warning(const std::string& text) {
  clear();
  console_.warn(text);
}

void TrainDisplay::report(const TrainReport& report) {
  begun_ = true;
  last_report_ = report;
  // That an epoch ended, validated() says a moment later.
  const bool epoch_is_told = options_.validate_every == 0;
  if (!epoch_is_told || report.step % options_.report_every == 0)
    show(report);
  else if (has_bar_)
    progress(report);
}

void TrainDisplay::progress(const TrainReport& report) {
  begun_ = true;
  if (report.seconds >= next_) show(report);
}

void TrainDisplay::validated(const ValidationReport& report) {
  if (report.loss) last_ = report;
  if (report.averaged_checkpoints) return;  // close() reports it
  if (report.best) best_ = report;
  std::string text = validation_text(report);
  if (report.train_loss) {
    const std::string train_loss =
        fmt::format("training loss of the epoch {:.4f}", *report.train_loss);
    text = text.empty() ? train_loss : train_loss + ", " + text;
  }
  if (text.empty()) return;
  say(fmt::format("step {}, epoch {:.2f}: {}{}", report.step, report.epoch, text,
                  report.best ? " (best so far)" : ""));
  for (const TextValidation& further : report.texts)
    say(fmt::format("step {}, {}: {}", report.step, further.name, validation_text(further)));
  if (last_scored_ && report.scores.empty() && !lack_of_scores_is_told_) {
    lack_of_scores_is_told_ = true;
    say(fmt::format("without {}: it is left out where it would take more than 1% of the time",
                    last_scored_->scores.front().title));
  }
  if (!report.scores.empty()) last_scored_ = report;
}

bool TrainDisplay::stop_requested() {
  return signals_.received() != 0;
}

int TrainDisplay::close(const TrainResult& result) {
  clear();
  if (result.end == TrainEnd::out_of_patience) {
    const char* waited = options_.patience_on == PatienceOn::any
                             ? "one of the numbers was not better in {} validations in a row"
                         : options_.patience_on == PatienceOn::all
                             ? "no number was better in {} validations in a row"
                             : "no better validation for {} in a row";
    message(fmt::format("stopped after step {}: {}", result.progress.step,
                        fmt::format(fmt::runtime(waited), options_.patience)));
  }
  if (result.end != TrainEnd::stopped) {
    message(summary_of(result));
    if (options_.keep_best) tell_best(result.progress.followed);
    return 0;
  }
  message(fmt::format("stopped after step {} and saved; {}", result.progress.step, after_stop_));
  return 128 + signals_.received();
}

void TrainDisplay::tell_best(const std::vector<FollowedScore>& followed) {
  const RunFiles files{options_.model};
  for (const FollowedScore& number : followed)
    message(fmt::format("best {}: {:.4g} at step {}, {}", number.name, number.best, number.step,
                        files.best_weights(number.name).string()));
}

// The validation of what the run left; beside it the best one, where that was another.
std::string TrainDisplay::summary_of(const TrainResult& result) const {
  if (!last_) {
    const std::string loss =
        last_report_ ? fmt::format(", training loss {:.4f}", last_report_->loss) : "";
    return fmt::format(
        "{}: {}{}{}", options_.model, detail::counted(result.progress.step, "step"), loss,
        validates(options_) ? "" : "; not validated: --hold-out N would draw text for that");
  }
  std::string text = fmt::format("{}: {}", options_.model, validation_text(*last_));
  if (best_ && !last_->best)
    text += fmt::format(
        "; the best validation by {} was at step {}: {}{}", to_text(options_.validation_metric),
        best_->step, validation_text(*best_),
        last_->averaged_checkpoints ? "" : "; a run with --average best:1 leaves that model");
  return text;
}

}  // namespace heed
