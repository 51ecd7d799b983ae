// heed score: log-probabilities of given translations.
#include "commands/score.h"

#include <chrono>
#include <cmath>
#include <optional>

#include "files/outputs.h"
#include "files/text_files.h"
#include "heed/core/counted.h"
#include "heed/core/json_text.h"
#include "heed/decode/language_model.h"
#include "heed/decode/model.h"
#include "heed/pages/translation_json.h"
#include "heed/text/text_file.h"

namespace heed {
namespace {

std::string line_of(const PairScore& pair, ScoreFormat format) {
  if (format == ScoreFormat::jsonl) return json_text(score_json(pair));
  std::string line = fmt::format("{:.6f}", pair.log_probability);
  for (size_t i = 0; format == ScoreFormat::tokens && i < pair.pieces.size(); ++i)
    line +=
        fmt::format("{}{} {:.6f}", i == 0 ? '\t' : ' ', pair.pieces[i], pair.log_probabilities[i]);
  return line;
}

// The pairs of --source and --target, or the lines of --text as targets.
class PairsToScore {
 public:
  explicit PairsToScore(const ScoreSettings& settings)
      : settings_(settings),
        targets_(open_lines(settings.text.empty() ? settings.target : settings.text)) {
    if (settings.text.empty()) sources_.emplace(open_lines(settings.source));
  }

  // An Error at the end of the shorter text if they differ in length: the other may be endless.
  std::optional<TextPair> next() {
    TextPair pair;
    const bool has_target = targets_.next(pair.target);
    const bool has_source = sources_ ? sources_->next(pair.source) : has_target;
    if (has_source && !has_target) fail_unequal_lines(settings_.target, count_, settings_.source);
    if (has_target && !has_source) fail_unequal_lines(settings_.source, count_, settings_.target);
    if (!has_target) return {};
    ++count_;
    return pair;
  }
  const char* unit() const { return sources_ ? "pair" : "line"; }
  std::string counted() const { return detail::counted(int64_t(count_), unit()); }  // "3 pairs"

 private:
  const ScoreSettings& settings_;
  LineReader targets_;
  std::optional<LineReader> sources_;  // none for a language model
  size_t count_ = 0;
};

// Scores with an opened model.
int score_with(const ScoreSettings& settings, const Scorer& scorer, const std::string& backend,
               Console& console) {
  PairsToScore pairs(settings);
  TextOutput output(settings.output, console);
  CorpusScore corpus;
  LineWarnings warnings;
  const auto start = std::chrono::steady_clock::now();
  scorer.score(
      [&] { return pairs.next(); },
      [&](const PairScore& pair) {
        corpus += pair;
        warnings.add({{"invalid UTF-8, replaced by U+FFFD (--strict makes it an error)",
                       pair.status.invalid_utf8},
                      {settings.text.empty() ? "an empty side, excluded from the corpus score"
                                             : "empty, excluded from the corpus score",
                       pair.status.empty},
                      {"too long for the model, truncated and excluded from the corpus score",
                       pair.status.truncated}});
        if (settings.format != ScoreFormat::corpus)
          output.write(line_of(pair, settings.format) + "\n");
      });
  if (settings.format == ScoreFormat::corpus) output.write(json_text(score_json(corpus)) + "\n");
  output.commit();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  warnings.print(console, pairs.counted());
  if (corpus.tokens > 0)
    console.note(fmt::format("loss {:.4f}, perplexity {:.4f} of {} in {}", corpus.loss(),
                             corpus.perplexity(), detail::counted(corpus.tokens, "token"),
                             detail::counted(corpus.pairs, pairs.unit())));
  console.note(fmt::format("{} in {:.2f} s: {:.0f} target tokens/s on {}", pairs.counted(),
                           seconds.count(), double(corpus.tokens) / seconds.count(), backend));
  return 0;
}

// UsageError for options that have no effect without --rerank.
void expect_no_reranking(const ScoreSettings& settings) {
  for (const auto& [flag, value] : {std::pair("--reverse-model", settings.reverse_model),
                                    {"--language-model", settings.language_model},
                                    {"--reference", settings.reference}})
    if (!value.empty()) fail_usage("{} needs --rerank", flag);
  if (!settings.weights.empty()) fail_usage("--weights needs --rerank");
}

int run_score(const ScoreSettings& settings, const Words&, Console& console) {
  if (!settings.rerank.empty()) return run_rerank(settings, console);
  expect_no_reranking(settings);
  const bool pairs = !settings.source.empty() || !settings.target.empty();
  if (pairs && !settings.text.empty())
    fail_usage("--text is for a language model: it contradicts --source and --target");
  if (settings.source.empty() != settings.target.empty())
    fail_usage("--source and --target go together, got only one");
  expect_another_file("--output", settings.output,
                      files_read(settings.model, {{"--source", settings.source},
                                                  {"--target", settings.target},
                                                  {"--text", settings.text}}));
  const Computation computation(settings.score.compute, settings.score.device);
  if (!settings.text.empty()) {
    const LanguageModel model(settings.model, computation);
    return score_with(settings, model.scorer(settings.score), model.backend().name(), console);
  }
  const Model model(settings.model, computation);
  return score_with(settings, model.scorer(settings.score), model.backend().name(), console);
}

}  // namespace

Command make_score_command() {
  return with_settings(
      run_score,
      {.name = "score",
       .summary = "Prints log-probabilities of given translations or texts; reorders n-best lists",
       .description =
           "Prints one line for each pair of lines, in order: the natural logarithm of the "
           "probability of the target and </s>, given the source; with --text, by a language "
           "model, that of each line and </s>. Ends with the cross entropy "
           "per token (without label smoothing) and the perplexity of the corpus; the perplexity "
           "is the one that heed train reports for validation. A pair's score depends on the pair "
           "and the model alone. A pair with an empty side, or "
           "with more tokens than the model has positions for, gets a line too (--format jsonl "
           "has its status), but is excluded from the corpus score. With --rerank it prints "
           "instead "
           "the best translation of each n-best list by the weighted log-probabilities of the "
           "model, of a model that translates back and of a language model (a noisy channel), "
           "and by length.",
       .inputs = {{"source", "target"}, {"text"}, {"source", "rerank"}},
       .memory_advice = "a smaller --batch-tokens or fewer --threads take less"});
}

}  // namespace heed
