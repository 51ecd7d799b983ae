#include "heed/evaluate/significance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/core/error.h"
#include "heed/evaluate/numpy_random.h"

namespace heed {
namespace {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}

// 95% lie between the values a fortieth from either end.
Interval interval_of(std::vector<double> scores) {
  const double centre = mean(scores);
  std::sort(scores.begin(), scores.end());
  const size_t lower = scores.size() / 40;
  return {centre, (scores[scores.size() - lower - 1] - scores[lower]) / 2};
}

// Of differences that chance made, the share that is greater than the one seen. The one seen counts
// among them, so that no p-value is 0.
double p_value(const std::vector<double>& differences, double seen) {
  const auto greater = std::count_if(differences.begin(), differences.end(),
                                     [&](double difference) { return difference > seen; });
  return double(greater + 1) / double(differences.size() + 1);
}

// scores[system][trial] of corpora of as many sentences as there are, drawn from them: the same
// sentences for every system.
std::vector<std::vector<double>> bootstrap_scores(const SystemStatistics& systems,
                                                  const PairedTestOptions& options) {
  detail::NumpyRandom random(options.seed);
  const size_t sentences = systems.sentences();
  std::vector<uint32_t> drawn(sentences), rows(sentences);
  std::vector<std::vector<double>> scores(systems.systems());
  for (int64_t trial = 0; trial < options.trials; ++trial) {
    for (uint32_t& i : drawn) i = random.below(uint32_t(sentences));
    for (size_t system = 0; system < scores.size(); ++system) {
      std::transform(drawn.begin(), drawn.end(), rows.begin(),
                     [&](uint32_t i) { return systems.row(system, i); });
      scores[system].push_back(systems.score(rows).score);
    }
  }
  return scores;
}

void test_by_bootstrap(const SystemStatistics& systems, const PairedTestOptions& options,
                       std::vector<PairedResult>& results) {
  const std::vector<std::vector<double>> scores = bootstrap_scores(systems, options);
  for (size_t system = 0; system < results.size(); ++system) {
    results[system].interval = interval_of(scores[system]);
    if (system == 0) continue;
    std::vector<double> differences;
    for (size_t trial = 0; trial < scores[system].size(); ++trial) {
      differences.push_back(std::abs(scores[system][trial] - scores[0][trial]));
    }
    // Drawn corpora differ by as much as the systems do, in the mean: chance is the rest.
    const double centre = mean(differences);
    for (double& difference : differences) difference -= centre;
    results[system].p_value =
        p_value(differences, std::abs(results[0].score - results[system].score));
  }
}

void test_by_randomization(const SystemStatistics& systems, const PairedTestOptions& options,
                           std::vector<PairedResult>& results) {
  detail::NumpyRandom random(options.seed);
  const size_t sentences = systems.sentences();
  std::vector<uint32_t> one(sentences), other(sentences);
  std::vector<bool> stays(sentences);
  std::vector<std::vector<double>> differences(systems.systems());
  for (int64_t trial = 0; trial < options.trials; ++trial) {
    for (size_t i = 0; i < sentences; ++i) stays[i] = random.flip();
    for (size_t system = 1; system < systems.systems(); ++system) {
      for (size_t i = 0; i < sentences; ++i) {
        one[i] = systems.row(stays[i] ? 0 : system, i);
        other[i] = systems.row(stays[i] ? system : 0, i);
      }
      differences[system].push_back(
          std::abs(systems.score(one).score - systems.score(other).score));
    }
  }
  for (size_t system = 1; system < results.size(); ++system) {
    results[system].p_value =
        p_value(differences[system], std::abs(results[0].score - results[system].score));
  }
}

}  // namespace

std::vector<PairedResult> paired_test(const SystemStatistics& systems,
                                      const PairedTestOptions& options) {
  if (systems.systems() < 2) {
    fail_usage("a paired test compares systems: expected at least 2, got {}", systems.systems());
  }
  if (options.trials < 1) {
    fail_usage("a paired test needs trials: expected at least 1, got {}", options.trials);
  }
  std::vector<PairedResult> results(systems.systems());
  for (size_t system = 0; system < results.size(); ++system) {
    results[system].score = systems.corpus(system).score;
  }
  if (options.test == PairedTest::bootstrap) {
    test_by_bootstrap(systems, options, results);
  } else {
    test_by_randomization(systems, options, results);
  }
  return results;
}

std::string paired_signature(const std::string& signature, const PairedTestOptions& options) {
  const size_t behind_references = signature.find('|');
  return fmt::format("{}|{}:{}|seed:{}{}", signature.substr(0, behind_references),
                     options.test == PairedTest::bootstrap ? "bs" : "ar", options.trials,
                     options.seed, signature.substr(behind_references));
}

}  // namespace heed
