// heed score --rerank: n-best lists in a new order.
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "commands/score.h"
#include "files/outputs.h"
#include "files/text_files.h"
#include "heed/core/counted.h"
#include "heed/core/json_text.h"
#include "heed/decode/language_model.h"
#include "heed/decode/model.h"
#include "heed/decode/reranker.h"
#include "heed/pages/translation_json.h"
#include "heed/tasks/rerank_tuning.h"
#include "heed/text/text_file.h"

namespace heed {
namespace {

// Enough for all threads, few enough for memory.
constexpr size_t kHypothesesTogether = 2048;

std::string names_of_weights() {
  std::vector<std::string> names;
  for (const auto& [name, feature] : enum_names(RerankFeature{}))
    names.push_back(fmt::format("{}=X", name));
  return fmt::format("{}", fmt::join(names, ", "));
}

RerankValues read_weights(const std::vector<std::string>& words) {
  RerankValues weights = {};
  std::vector<std::string> given;
  for (const std::string& word : words) {
    const size_t equals = std::min(word.find('='), word.size());
    const std::string name = word.substr(0, equals);
    const std::string number = equals < word.size() ? word.substr(equals + 1) : "";
    double value = 0;
    const char* end = number.data() + number.size();
    const auto [read, error] = std::from_chars(number.data(), end, value);
    const auto names = enum_names(RerankFeature{});
    const auto known = std::ranges::find(names, name, [](const auto& e) { return e.first; });
    if (known == names.end() || error != std::errc() || read != end || !std::isfinite(value))
      fail_usage("--weights {}: expected numbers as {}", word, names_of_weights());
    if (std::ranges::find(given, name) != given.end()) fail_usage("--weights gives {} twice", name);
    given.push_back(name);
    weights[size_t(known->second)] = value;
  }
  return weights;
}

// "model=1 reverse=0.37"
std::string text_of(const RerankValues& weights) {
  std::vector<std::string> words;
  for (const auto& [name, feature] : enum_names(RerankFeature{}))
    if (const double weight = weights[size_t(feature)]; weight != 0)
      words.push_back(fmt::format("{}={}", name, weight));
  return fmt::format("{}", fmt::join(words, " "));
}

// The sources with their n-best lists.
class ListReader {
 public:
  explicit ListReader(const ScoreSettings& settings)
      : settings_(settings),
        sources_(open_lines(settings.source)),
        lists_(open_lines(settings.rerank)) {}

  // The next lists, with about this many hypotheses in all; none at the end.
  std::vector<NbestList> next(size_t hypotheses) {
    std::vector<NbestList> lists;
    for (size_t count = 0; count < hypotheses; count += lists.back().hypotheses.size()) {
      std::string source, list;
      const bool has_source = sources_.next(source), has_list = lists_.next(list);
      if (has_source && !has_list) fail_unequal_lines(settings_.rerank, count_, settings_.source);
      if (has_list && !has_source) fail_unequal_lines(settings_.source, count_, settings_.rerank);
      if (!has_list) break;
      ++count_;
      lists.push_back(
          {source, read_translations(list, fmt::format("{}:{}", settings_.rerank, count_))});
    }
    return lists;
  }
  size_t count() const { return count_; }

 private:
  const ScoreSettings& settings_;
  LineReader sources_, lists_;
  size_t count_ = 0;
};

using Features = std::vector<std::vector<HypothesisFeatures>>;

// Prints the weights for --weights.
RerankValues tuned(const ScoreSettings& settings, const Reranker& reranker,
                   const std::vector<NbestList>& lists, const Features& features,
                   Console& console) {
  const Lines references = EqualTexts(console, settings.score.strict).read(settings.reference);
  if (references.size() < lists.size())
    fail_unequal_lines(settings.reference, references.size(), settings.rerank);
  if (references.size() > lists.size())
    fail_unequal_lines(settings.rerank, lists.size(), settings.reference);
  const BleuOptions options{suitable_bleu_tokenizer({&references, 1})};
  const std::vector<TuningList> tuning = tuning_lists(lists, features, references, options);
  BleuStatistics first;
  for (const TuningList& list : tuning) first += list.statistics.front();
  const TunedWeights best = tune_rerank_weights(tuning, reranker, options);
  console.note(fmt::format("BLEU {:.2f} of the first translations, {:.2f} with --weights {}",
                           bleu_score(first, 1, options).score, best.bleu, text_of(best.weights)));
  return best.weights;
}

void check_settings(const ScoreSettings& settings) {
  if (!settings.target.empty() || !settings.text.empty())
    fail_usage("--rerank reads translations from its lists: it contradicts {}",
               settings.target.empty() ? "--text" : "--target");
  if (settings.source.empty()) fail_usage("--rerank needs --source, the text that was translated");
  if (settings.format == ScoreFormat::tokens || settings.format == ScoreFormat::corpus)
    fail_usage("--format {} is not for --rerank, expected text or jsonl", to_text(settings.format));
  if (settings.weights.empty() == settings.reference.empty())
    fail_usage("--rerank needs either --weights, or --reference to tune them");
  expect_another_file("--output", settings.output,
                      files_read(settings.model, {{"--source", settings.source},
                                                  {"--rerank", settings.rerank},
                                                  {"--reference", settings.reference}}));
}

void rerank_with(const ScoreSettings& settings, const Reranker& reranker, RerankValues weights,
                 Console& console) {
  const bool tunes = !settings.reference.empty();
  ListReader reader(settings);
  TextOutput output(settings.output, console);
  LineWarnings warnings;
  const size_t together = tunes ? std::numeric_limits<size_t>::max() : kHypothesesTogether;
  for (std::vector<NbestList> lists; !(lists = reader.next(together)).empty();) {
    const Features features = reranker.features(lists);
    if (tunes) weights = tuned(settings, reranker, lists, features, console);
    for (size_t i = 0; i < lists.size(); ++i) {
      warnings.add({{"a translation that is empty, or too long for a model, put last",
                     !std::ranges::all_of(features[i], &HypothesisFeatures::is_scored)}});
      const size_t best = reranked(features[i], weights).front();
      output.write((settings.format == ScoreFormat::jsonl
                        ? json_text(reranked_json(lists[i], features[i], weights, reranker))
                        : lists[i].hypotheses[best]) +
                   "\n");
    }
  }
  output.commit();
  warnings.print(console, detail::counted(int64_t(reader.count()), "list"));
}

}  // namespace

int run_rerank(const ScoreSettings& settings, Console& console) {
  check_settings(settings);
  const RerankValues weights = read_weights(settings.weights);
  const Computation computation(settings.score.compute, settings.score.device);
  const Model model(settings.model, computation);
  std::optional<Model> reverse;
  std::optional<LanguageModel> language;
  std::optional<Scorer> reverse_scorer, language_scorer;
  if (!settings.reverse_model.empty())
    reverse_scorer.emplace(
        reverse.emplace(settings.reverse_model, computation).scorer(settings.score));
  if (!settings.language_model.empty())
    language_scorer.emplace(
        language.emplace(settings.language_model, computation).scorer(settings.score));
  const Reranker reranker(model.scorer(settings.score), std::move(reverse_scorer),
                          std::move(language_scorer));
  reranker.expect_models_for(weights);
  rerank_with(settings, reranker, weights, console);
  return 0;
}

}  // namespace heed
