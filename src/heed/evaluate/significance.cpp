#include "heed/evaluate/significance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "heed/core/error.h"
#include "heed/evaluate/numpy_random.h"

namespace heed {
namespace {

void expect_systems(std::span<const Lines> systems) {
  if (systems.empty()) fail("nothing to evaluate: expected at least one system, got none");
}

void expect_countable(size_t rows) {
  if (rows <= std::numeric_limits<uint32_t>::max()) return;
  fail("{} sentences are too many to evaluate together: expected fewer than 2^32", rows);
}

// Statistics by the functions of one metric.
template <class Statistics, class Score, class Options>
std::unique_ptr<SystemStatistics> measure(
    std::span<const Lines> systems, std::span<const Lines> references, const Options& options,
    std::vector<Statistics> (*statistics_of)(const Lines&, std::span<const Lines>, const Options&),
    Score (*score_of)(const Statistics&, size_t, const Options&)) {
  expect_systems(systems);
  std::vector<Statistics> rows;
  for (const Lines& system : systems) {
    const std::vector<Statistics> more = statistics_of(system, references, options);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  expect_countable(rows.size());
  const size_t sentences = rows.size() / systems.size();
  return std::make_unique<SystemStatistics>(
      systems.size(), sentences,
      [rows = std::move(rows), options, score_of,
       count = references.size()](std::span<const uint32_t> chosen) {
        Statistics sum;
        for (const uint32_t row : chosen) sum += rows[row];
        return score_of(sum, count, options).metric();
      });
}

// Statistics by classes.
template <class Score>
std::unique_ptr<SystemStatistics> measure_classes(ClassStatistics statistics, size_t systems,
                                                  F1Formula formula, Score score) {
  expect_countable(statistics.sentences());
  const size_t sentences = statistics.sentences() / systems;
  return std::make_unique<SystemStatistics>(
      systems, sentences,
      [statistics = std::move(statistics), formula, score](std::span<const uint32_t> chosen) {
        return score(statistics.report(chosen, formula));
      });
}

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

// The share of differences made by chance that are greater than the one seen. The one seen counts
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

MetricScore SystemStatistics::corpus(size_t system) const {
  std::vector<uint32_t> rows;
  for (size_t i = 0; i < sentences_; ++i) rows.push_back(row(system, i));
  return score(rows);
}

MetricScore SystemStatistics::sentence(size_t system, size_t i) const {
  const uint32_t only = row(system, i);
  return score({&only, 1});
}

std::unique_ptr<SystemStatistics> bleu_system_statistics(std::span<const Lines> systems,
                                                         std::span<const Lines> references,
                                                         const BleuOptions& options) {
  return measure(systems, references, options, &bleu_statistics, &bleu_score);
}

std::unique_ptr<SystemStatistics> chrf_system_statistics(std::span<const Lines> systems,
                                                         std::span<const Lines> references,
                                                         const ChrfOptions& options) {
  return measure(systems, references, options, &chrf_statistics, &chrf_score);
}

std::unique_ptr<SystemStatistics> ter_system_statistics(std::span<const Lines> systems,
                                                        std::span<const Lines> references,
                                                        const TerOptions& options) {
  return measure(systems, references, options, &ter_statistics, &ter_score);
}

std::unique_ptr<SystemStatistics> bracket_system_statistics(std::span<const Lines> systems,
                                                            std::span<const Lines> references,
                                                            const BracketOptions& options) {
  return measure(systems, references, options, &bracket_statistics, &bracket_score);
}

std::unique_ptr<SystemStatistics> alignment_system_statistics(
    std::span<const Lines> systems, std::span<const Lines> references,
    const AlignmentErrorOptions& options) {
  return measure(systems, references, options, &alignment_statistics, &alignment_score);
}

std::unique_ptr<SystemStatistics> label_system_statistics(std::span<const Lines> systems,
                                                          std::span<const Lines> references,
                                                          LabelMetric metric) {
  expect_systems(systems);
  return measure_classes(label_statistics(systems, references), systems.size(), F1Formula::counts,
                         metric == LabelMetric::accuracy ? &accuracy_metric : &label_f1_metric);
}

std::unique_ptr<SystemStatistics> span_system_statistics(std::span<const Lines> systems,
                                                         std::span<const Lines> references,
                                                         const SpanOptions& options) {
  expect_systems(systems);
  return measure_classes(
      span_statistics(systems, references, options), systems.size(), F1Formula::harmonic_mean,
      [options](const ClassReport& report) { return span_metric(report, options); });
}

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

std::vector<Interval> bootstrap_intervals(const SystemStatistics& systems,
                                          const PairedTestOptions& options) {
  if (options.trials < 1)
    fail_usage("an interval needs trials: expected at least 1, got {}", options.trials);
  std::vector<Interval> intervals;
  for (const std::vector<double>& scores : bootstrap_scores(systems, options))
    intervals.push_back(interval_of(scores));
  return intervals;
}

std::string paired_signature(const std::string& signature, const PairedTestOptions& options) {
  const size_t behind_references = signature.find('|');
  return fmt::format("{}|{}:{}|seed:{}{}", signature.substr(0, behind_references),
                     options.test == PairedTest::bootstrap ? "bs" : "ar", options.trials,
                     options.seed, signature.substr(behind_references));
}

MetricReport metric_report(const SystemStatistics& systems,
                           const std::optional<PairedTestOptions>& test) {
  MetricReport report;
  for (size_t system = 0; system < systems.systems(); ++system) {
    MetricScore& score = report.scores.emplace_back(systems.corpus(system));
    if (test) score.signature = paired_signature(score.signature, *test);
  }
  if (test) report.tests = paired_test(systems, *test);
  return report;
}

}  // namespace heed
