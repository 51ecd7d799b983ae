#include "heed/run/run_validator.h"

#include <algorithm>
#include <cmath>

#include "heed/core/files.h"
#include "heed/run/checkpoints.h"
#include "heed/run/run_reports.h"
#include "heed/tasks/search_choice.h"

namespace heed {
namespace {

// A validation text may have lines that are longer than those of a batch in training.
BatchOptions batches_for(const Corpus& text, const ValidationSettings& settings) {
  int64_t tokens = settings.batch_tokens;
  for (int64_t i = 0; i < text.size(); ++i) {
    const ExampleSize size = text.bound(i);
    tokens = std::max({tokens, size.source, size.target});
  }
  return {tokens, 0};
}

}  // namespace

std::string RunValidator::name_of(size_t text) const {
  return text == 0 ? "" : run_.settings.options.validation_texts[text - 1].name;
}

Loss RunValidator::loss_of_text(const ModelTask& task, const Corpus& text) const {
  return loss_of(task, text, batches_for(text, run_.settings.validation), backend_, *run_.workers);
}

std::vector<Score> RunValidator::scores_of_all_lines(const ModelParts& parts, size_t text) {
  ScoredTranslations found = measures_.scores(parts, {.text = text});
  std::string& lines = translations_[name_of(text)];
  lines.clear();
  for (const std::string& line : found.translations) lines += line + "\n";
  if (!lines.empty()) write_file_atomically(run_.files.translations(name_of(text)), lines);
  return std::move(found.scores);
}

TaskScores RunValidator::task_scores() {
  if (!run_.settings.validation.translates()) return {};
  return [this](const ModelOnBackend& on) { return scores_of_all_lines({on, run_.tokenizers}, 0); };
}

RunValidator::Found RunValidator::validate(const ModelTask& task, const Moment& moment,
                                           ValidationReport& r) {
  const ValidationSettings& settings = run_.settings.validation;
  auto [loss, scores] = heed::validate(
      task, *run_.validation, batches_for(*run_.validation, settings), backend_, *run_.workers);
  Found found;
  r.loss = loss.smoothed / double(loss.tokens);
  found.nll = loss.nll / double(loss.tokens);
  found.score = -*r.loss;
  r.perplexity = std::exp(found.nll);
  r.scores = std::move(scores);
  if (settings.translates()) {
    const std::string metric = to_text(settings.metric);
    const auto chosen = r.score(metric);
    if (!chosen) fail_usage("--validation-metric: this program does not measure {}", metric);
    found.score = *chosen;
  }
  for (size_t i = 0; i < run_.further_validation.size(); ++i) {
    const Loss further = loss_of_text(task, run_.further_validation[i]);
    TextValidation& text = r.texts.emplace_back(TextValidation{.name = name_of(i + 1)});
    text.loss = further.smoothed / double(further.tokens);
    text.perplexity = std::exp(further.nll / double(further.tokens));
    if (settings.translates())
      text.scores = scores_of_all_lines({{task.model(), backend_}, run_.tokenizers}, i + 1);
  }
  add_scores(task, moment, r);
  return found;
}

void RunValidator::add_scores(const ModelTask& task, const Moment& moment, ValidationReport& r) {
  const int64_t most = run_.settings.options.scored_lines;
  if (!measures_.scores || !r.scores.empty() || most == 0 || scoring_failed_) return;
  if (!moment.is_last && !scoring_.allows_one(moment.process_seconds)) return;
  const double tokens = moment.trained_tokens / double(1 + r.texts.size());  // they share the time
  const Stopwatch time;
  const auto score = [&](size_t number, const Corpus& text, auto& report) {
    const auto lines = lines_to_score(text, tokens, most);
    if (!lines) return;
    report.scores =
        measures_.scores({{task.model(), backend_}, run_.tokenizers}, {number, lines}).scores;
    if (*lines < text.size()) report.scored_lines = lines;
  };
  try {
    score(0, *run_.validation, r);
    for (size_t i = 0; i < r.texts.size(); ++i)
      score(i + 1, run_.further_validation[i], r.texts[i]);
  } catch (const Error& error) {
    scoring_failed_ = true;
    observer_.warning(
        fmt::format("validations have no scores of translations any more: {}", error.what()));
  }
  scoring_.spend(time.seconds());
}

void RunValidator::keep_best(const std::vector<std::string>& numbers,
                             const std::vector<Parameter>& weights) const {
  for (const std::string& number : numbers) {
    save_checkpoint(run_.files.best_weights(number), weights);
    const size_t dot = number.rfind('.');
    const auto lines = translations_.find(dot == number.npos ? "" : number.substr(0, dot));
    if (lines != translations_.end() && !lines->second.empty())
      write_file_atomically(run_.files.best_translations(number), lines->second);
  }
}

}  // namespace heed
