#include "console/train_display.h"

#include "heed/core/counted.h"
#include "heed/run/resolved_options.h"

namespace heed {

TrainDisplay::TrainDisplay(const TrainOptions& options, const Console& console,
                           std::string after_stop)
    : options_(options),
      console_(console),
      after_stop_(std::move(after_stop)),
      progress_(ProgressDisplay::style(console.quiet())) {}

void TrainDisplay::message(const std::string& text) {
  progress_.message(text);
  preparing();
}

void TrainDisplay::preparing() {
  if (begun_ || !stop_requested()) return;
  progress_.clear();
  throw StoppedBySignal(signals_.received(),
                        fmt::format("stopped while the training was prepared: {} is as it was",
                                    options_.model));  // the run undoes what it changed
}

void TrainDisplay::warning(const std::string& text) {
  progress_.clear();
  console_.warn(text);
}

void TrainDisplay::report(const TrainReport& report) {
  begun_ = true;
  last_report_ = report;
  // That an epoch ended, validated() says a moment later.
  const bool epoch_is_told = options_.validate_every == 0;
  if (epoch_is_told && report.step % options_.report_every != 0)
    progress_.redraw(report);
  else
    progress_.report(report);
}

void TrainDisplay::progress(const TrainReport& report) {
  begun_ = true;
  progress_.progress(report);
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
  progress_.message(fmt::format("step {}, epoch {:.2f}: {}{}", report.step, report.epoch, text,
                                report.best ? " (best so far)" : ""));
}

bool TrainDisplay::stop_requested() {
  return signals_.received() != 0;
}

int TrainDisplay::close(const TrainResult& result) {
  progress_.clear();
  if (result.end == TrainEnd::out_of_patience) {
    message(fmt::format("stopped after step {}: no better validation for {} in a row",
                        result.progress.step, options_.patience));
  }
  if (result.end != TrainEnd::stopped) {
    message(summary_of(result));
    return 0;
  }
  message(fmt::format("stopped after step {} and saved; {}", result.progress.step, after_stop_));
  return 128 + signals_.received();
}

// The validation of what the run left; beside it the best one, where that was another.
std::string TrainDisplay::summary_of(const TrainResult& result) const {
  if (!last_) {
    const std::string loss =
        last_report_ ? fmt::format(", training loss {:.4f}", last_report_->loss) : "";
    return fmt::format(
        "{}: {}{}{}", options_.model, detail::counted(result.progress.step, "step"), loss,
        validates(options_) ? "" : "; not validated: --hold-out N would draw pairs for that");
  }
  std::string text = fmt::format("{}: {}", options_.model, validation_text(*last_));
  if (best_ && !last_->best)
    text += fmt::format(
        "; the best validation was at step {}: {}{}", best_->step, validation_text(*best_),
        last_->averaged_checkpoints ? "" : "; a run with --average best:1 leaves that model");
  return text;
}

std::string validation_text(const ValidationReport& report) {
  std::string text;
  const auto add = [&](const std::string& fact) { text += (text.empty() ? "" : ", ") + fact; };
  if (report.loss) add(fmt::format("validation loss {:.4f}", *report.loss));
  if (report.perplexity) add(fmt::format("perplexity {:.2f}", *report.perplexity));
  for (const Score& score : report.scores)
    add(fmt::format("{} {:.2f}{}", score.title, score.value,
                    score.tokenize.empty() ? "" : " (" + score.tokenize + ")"));
  return text;
}

}  // namespace heed
