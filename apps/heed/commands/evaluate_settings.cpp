#include "commands/evaluate_settings.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

namespace heed {
namespace {

// An option that differs from its default, and the metrics that it is for.
struct MetricOption {
  bool given;
  std::string_view flag;
  std::vector<std::string> metrics;
};

bool any_named(const std::vector<std::string>& named, const std::vector<std::string>& wanted) {
  return std::find_first_of(named.begin(), named.end(), wanted.begin(), wanted.end()) !=
         named.end();
}

// "bleu,chrf", "bleu" "chrf", or "bleu," "chrf", as shells and TOML files give it.
std::vector<std::string> split_at_commas(const std::vector<std::string>& texts) {
  std::vector<std::string> names;
  for (const std::string& text : texts) {
    std::string spaced = text;
    std::ranges::replace(spaced, ',', ' ');
    std::istringstream words(spaced);
    for (std::string name; words >> name;) names.push_back(name);
  }
  return names;
}

void check_metric_options(const EvaluateSettings& settings) {
  const EvaluateSettings usual;
  const MetricOption options[] = {
      {settings.lowercase, "--lowercase", {"bleu", "chrf", "chrf++"}},
      {settings.bleu_tokenize.has_value(), "--bleu-tokenize", {"bleu"}},
      {settings.smooth_method != usual.smooth_method, "--smooth-method", {"bleu"}},
      {settings.smooth_value.has_value(), "--smooth-value", {"bleu"}},
      {settings.ter.normalized, "--ter-normalized", {"ter"}},
      {settings.ter.no_punctuation, "--ter-no-punct", {"ter"}},
      {settings.ter.asian_support, "--ter-asian-support", {"ter"}},
      {settings.ter.case_sensitive, "--ter-case-sensitive", {"ter"}},
  };
  const std::vector<std::string> named = metric_names(settings);
  for (const MetricOption& option : options) {
    if (!option.given || any_named(named, option.metrics)) continue;
    fail_usage("{} changes nothing: --metrics is {}, add {} or leave the option out", option.flag,
               fmt::join(named, ","), option.metrics.front());
  }
  const bool takes_value = settings.smooth_method == BleuSmoothing::floor ||
                           settings.smooth_method == BleuSmoothing::add_k;
  if (settings.smooth_value && !takes_value) {
    fail_usage("--smooth-value goes with --smooth-method floor or add-k, not {}",
               name(settings.smooth_method));
  }
  if (settings.ter.asian_support && !settings.ter.normalized && !settings.ter.no_punctuation) {
    fail_usage("--ter-asian-support needs --ter-normalized or --ter-no-punct to change anything");
  }
}

void check_text(const EvaluateSettings& settings) {
  const bool both = !settings.model.empty() && !settings.source.empty();
  const bool either = !settings.model.empty() || !settings.source.empty();
  if (settings.hypothesis.empty() ? !both : either) {
    fail_usage("give either --hypothesis, or --model and --source to translate first");
  }
  std::vector<std::string> sorted = settings.hypothesis;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) fail_usage("--hypothesis names '{}' twice: name each once", *twice);
}

// These need a model to translate.
void check_search(const EvaluateSettings& settings) {
  if (!settings.model.empty()) return;
  const auto changed = differences(settings.decode, DecodeOptions());
  for (const OptionDifference& difference : changed) {
    std::string flag = "--" + difference.name;
    std::replace(flag.begin(), flag.end(), '_', '-');
    fail_usage("{} changes nothing: there is no --model", flag);
  }
}

void check_systems(const EvaluateSettings& settings) {
  const size_t systems = settings.hypothesis.size();
  if (settings.sentence && systems > 1) {
    fail_usage("--sentence scores one system, got {} with --hypothesis", systems);
  }
  if (settings.paired && systems < 2) {
    fail_usage("--paired compares systems: give two or more with --hypothesis");
  }
  if (!settings.paired && (settings.paired_trials || settings.paired_seed)) {
    fail_usage("--paired-trials and --paired-seed go with --paired bootstrap or randomization");
  }
}

}  // namespace

std::vector<std::string> metric_names(const EvaluateSettings& settings) {
  const std::vector<std::string> known{"bleu", "chrf", "chrf++", "ter"};
  std::vector<std::string> names;
  for (const std::string& name : split_at_commas(settings.metrics)) {
    const auto found = std::find_if(known.begin(), known.end(), [&](const std::string& metric) {
      return names_choice(name, metric);
    });
    if (found == known.end()) {
      fail_usage("--metrics: expected bleu, chrf, chrf++ or ter, got '{}'{}", name,
                 suggestion(name, known));
    }
    if (any_named(names, {*found})) fail_usage("--metrics names {} twice: name each once", *found);
    names.push_back(*found);
  }
  if (names.empty()) fail_usage("--metrics: expected bleu, chrf, chrf++ or ter, got none");
  return names;
}

void check_settings(const EvaluateSettings& settings) {
  check_metric_options(settings);
  check_text(settings);
  check_search(settings);
  check_systems(settings);
}

}  // namespace heed
