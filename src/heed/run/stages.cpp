#include "heed/run/stages.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "heed/core/ascii.h"
#include "heed/core/error.h"
#include "heed/run/named_texts.h"
#include "heed/run/run_settings.h"
#include "heed/text/user_symbols.h"

namespace heed {
namespace {

std::vector<std::string> names_of(const TrainOptions& o) {
  std::vector<std::string> names;
  for (const CorpusOptions& corpus : o.corpora) names.push_back(corpus.name);
  return names;
}

void check_corpora(const TrainOptions& o) {
  if (!o.translates()) fail_usage("[[corpus]] is not for --task {}", to_text(o.task));
  for (const auto& [given, flag] :
       {std::pair(!o.source.empty(), "--source"), std::pair(!o.target.empty(), "--target"),
        std::pair(!o.tabular.tsv.empty(), "--tsv")})
    if (given) fail_usage("[[corpus]] names the training text: it contradicts {}", flag);
  std::vector<std::string> names;
  for (const CorpusOptions& corpus : o.corpora) {
    check_text_name("corpus", corpus.name, names);
    names.push_back(corpus.name);
    const std::string text = fmt::format("corpus '{}'", corpus.name), where = text + ": ";
    check_text_files(text, corpus.source, corpus.target, corpus.tabular);
    if (!corpus.tag.empty()) check_user_symbol(corpus.tag, where + "tag");
    const bool learns = o.tokenizer_model.empty() && o.finetune_from.empty();
    if (!corpus.tag.empty() && learns && o.tokenizer.kind == TokenizerKind::word)
      fail_usage("{}a tag is no word of --tokenizer word: expected another tokenizer", where);
    if (corpus.max_sentence_tokens.value_or(0) > o.filters.max_sentence_tokens)
      fail_usage("{}max_sentence_tokens is {}, more than --max-sentence-tokens ({}): raise that",
                 where, *corpus.max_sentence_tokens, o.filters.max_sentence_tokens);
    if (corpus.max_ratio && *corpus.max_ratio > 0 && *corpus.max_ratio < 1)
      fail_usage("{}max_ratio is {}, expected at least 1, or 0 to keep all", where,
                 *corpus.max_ratio);
  }
}

// Sets the weights of the corpora in `shares`, of which either all or none have one.
void set_weights(const std::vector<std::pair<size_t, std::optional<double>>>& shares,
                 const std::string& where, StagePlan& stage) {
  const auto weighted =
      std::ranges::count_if(shares, [](const auto& s) { return s.second.has_value(); });
  stage.by_size = weighted == 0;
  if (weighted != 0 && weighted != std::ptrdiff_t(shares.size()))
    fail_usage("{}: give a weight to each corpus, or to none (by the number of pairs)", where);
  for (const auto& [corpus, weight] : shares) stage.mix.weights[corpus] = weight.value_or(1);
}

StagePlan one_stage(const TrainOptions& o) {
  StagePlan stage;
  stage.mix.weights.resize(o.corpora.size());
  std::vector<std::pair<size_t, std::optional<double>>> shares;
  for (size_t i = 0; i < o.corpora.size(); ++i) shares.emplace_back(i, o.corpora[i].weight);
  set_weights(shares, "[[corpus]]", stage);
  return stage;
}

StagePlan plan(const TrainOptions& o, const StageOptions& given, const std::string& where) {
  const std::vector<std::string> names = names_of(o);
  const auto index_of = [&](const std::string& name) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end())
      fail_usage("{}: no corpus '{}'{}", where, excerpt(name), suggestion(name, names));
    return size_t(found - names.begin());
  };
  StagePlan stage;
  stage.limit = parse_until(given.until);
  stage.mix.weights.resize(names.size());
  if (given.mix.empty()) fail_usage("{}: mix is missing: names of corpora", where);
  std::vector<std::pair<size_t, std::optional<double>>> shares;
  for (const std::string& text : given.mix) {
    const size_t equals = text.find('=');
    const size_t corpus = index_of(text.substr(0, equals));
    std::optional<double> weight = o.corpora[corpus].weight;
    if (equals != text.npos) {
      double number = 0;
      if (!from_text(text.substr(equals + 1), {.maximum = 1e6, .above = 0}, number))
        fail_usage("{}: mix is '{}', expected a weight above 0 after '='", where, excerpt(text));
      weight = number;
    }
    if (std::ranges::any_of(shares, [&](const auto& s) { return s.first == corpus; }))
      fail_usage("{}: mix has '{}' twice", where, names[corpus]);
    shares.emplace_back(corpus, weight);
  }
  set_weights(shares, where + ": mix", stage);
  stage.mix.leading = shares.front().first;
  if (stage.limit.corpus.empty()) return stage;
  stage.mix.leading = index_of(stage.limit.corpus);
  if (stage.mix.weights[stage.mix.leading] == 0)
    fail_usage("{}: until counts epochs of '{}', which its mix does not have", where,
               stage.limit.corpus);
  return stage;
}

void check_stages(const TrainOptions& o, const std::vector<StagePlan>& stages) {
  for (size_t s = 0; s + 1 < stages.size(); ++s)
    if (stages[s].limit.end == StageEnd::with_run)
      fail_usage("stage {}: until is missing: only the last stage may end with the run", s + 1);
  for (size_t s = 0; s < stages.size(); ++s)
    if (stages[s].limit.end == StageEnd::patience && !validates(o))
      fail_usage(
          "stage {}: until is '{}', and the run has no validation text: give --hold-out or "
          "--valid-source and --valid-target",
          s + 1, stages[s].limit.text);
  for (size_t c = 0; c < o.corpora.size(); ++c)
    if (std::ranges::none_of(stages, [&](const auto& s) { return s.mix.weights[c] > 0; }))
      fail_usage("corpus '{}' is in no [[stage]]", o.corpora[c].name);
}

}  // namespace

StageLimit parse_until(const std::string& text) {
  if (text.empty()) return {};
  std::istringstream words(text);
  std::string number, unit, rest, word;
  words >> number >> unit;
  while (words >> word) rest += (rest.empty() ? "" : " ") + word;
  const auto count = whole_number<int64_t>(number, 1, int64_t(kMaxSteps));
  StageLimit limit;
  limit.count = count.value_or(0);
  limit.text = text;
  if (unit == "epochs" || unit == "epoch") {
    limit.end = StageEnd::epochs;
    if (rest.starts_with("of ")) limit.corpus = std::exchange(rest, "").substr(3);
  } else if (unit == "steps" || unit == "step") {
    limit.end = StageEnd::steps;
  } else if ((unit == "validations" || unit == "validation") && rest == "without improvement") {
    limit.end = StageEnd::patience;
    rest.clear();
  }
  if (!count || !rest.empty() || limit.end == StageEnd::with_run)
    fail_usage(
        "until is '{}', expected \"2 epochs of CORPUS\", \"5000 steps\" or \"5 validations without "
        "improvement\"",
        excerpt(text));
  return limit;
}

MixtureStage StagePlan::mix_of(const std::vector<MixturePart>& parts) const {
  MixtureStage stage = mix;
  for (size_t i = 0; by_size && i < parts.size(); ++i) stage.weights[i] *= double(parts[i].size());
  return stage;
}

std::vector<StagePlan> stages_of(const TrainOptions& o) {
  if (o.corpora.empty()) {
    if (!o.stages.empty()) fail_usage("[[stage]] mixes corpora: name them, each by [[corpus]]");
    return {};
  }
  check_corpora(o);
  if (o.stages.empty()) return {one_stage(o)};
  std::vector<StagePlan> stages;
  stages.reserve(o.stages.size());
  for (size_t s = 0; s < o.stages.size(); ++s)
    stages.push_back(plan(o, o.stages[s], fmt::format("stage {}", s + 1)));
  check_stages(o, stages);
  return stages;
}

std::string to_string(const StagePlan& stage, const TrainOptions& o) {
  double sum = 0;
  for (const double weight : stage.mix.weights) sum += weight;
  std::vector<std::string> names;
  for (size_t i = 0; i < o.corpora.size(); ++i) {
    const double weight = stage.mix.weights[i];
    if (weight == 0) continue;
    const bool alone = weight == sum;
    names.push_back(alone || stage.by_size
                        ? o.corpora[i].name
                        : fmt::format("{:.3g} {}", weight / sum, o.corpora[i].name));
  }
  std::string text = fmt::format("{}", fmt::join(names, " + "));
  if (!stage.limit.text.empty()) text += ", until " + stage.limit.text;
  return text;
}

}  // namespace heed
