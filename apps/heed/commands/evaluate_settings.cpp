#include "commands/evaluate_settings.h"

#include <algorithm>

namespace heed {
namespace {

void check_text(const EvaluateSettings& settings) {
  const bool both = !settings.model.empty() && !settings.source.empty();
  if (settings.hypothesis.empty() ? !both : !settings.model.empty()) {
    fail_usage("give either --hypothesis, or --model and --source to translate first");
  }
  if (settings.model.empty() && !settings.source.empty() && settings.html.empty()) {
    fail_usage("--source changes nothing: give --model to translate it, or --html to show it");
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
  if (settings.metrics.sentence && systems > 1) {
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

void check_settings(const EvaluateSettings& settings) {
  check_options(settings.metrics);
  check_text(settings);
  check_search(settings);
  check_systems(settings);
}

}  // namespace heed
