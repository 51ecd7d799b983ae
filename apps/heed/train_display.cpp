#include "train_display.h"

namespace heed {

TrainDisplay::TrainDisplay(const TrainOptions& options, const Console& console)
    : options_(options), progress_(ProgressDisplay::style(console.quiet())) {}

void TrainDisplay::message(const std::string& text) {
  progress_.message(text);
}

void TrainDisplay::report(const TrainReport& report) {
  listen();
  progress_.report(report);
}

void TrainDisplay::validated(const ValidationReport& report) {
  const std::string text = validation_text(report);
  if (text.empty()) return;
  progress_.message(fmt::format("step {}, epoch {:.2f}: {}", report.step, report.epoch, text));
}

bool TrainDisplay::stop_requested() {
  listen();
  return signals_->received() != 0;
}

void TrainDisplay::listen() {
  if (!signals_) signals_.emplace();
}

int TrainDisplay::close(const TrainResult& result) {
  progress_.clear();
  if (result.end == TrainEnd::out_of_patience) {
    message(fmt::format("stopped after step {}: no better validation for {} in a row",
                        result.progress.step, options_.patience));
  }
  if (result.end != TrainEnd::stopped) return 0;
  message(fmt::format("stopped after step {} and saved; the same command with --resume goes on",
                      result.progress.step));
  return 128 + signals_->received();
}

std::string validation_text(const ValidationReport& report) {
  std::string text;
  const auto add = [&](const std::string& fact) { text += (text.empty() ? "" : ", ") + fact; };
  if (report.train_loss) add(fmt::format("training loss of the epoch {:.4f}", *report.train_loss));
  if (report.loss) add(fmt::format("validation loss {:.4f}", *report.loss));
  if (report.perplexity) add(fmt::format("perplexity {:.2f}", *report.perplexity));
  if (report.bleu) add(fmt::format("BLEU {:.2f}", *report.bleu));
  if (report.best) text += " (best so far)";
  return text;
}

}  // namespace heed
