// Systems measured by one metric, and the significance of the difference between two of them:
// sacreBLEU's two paired tests. The p-value is the probability of a difference at least as large as
// the observed one if the systems were equal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/evaluate/alignment_error.h"
#include "heed/evaluate/bleu.h"
#include "heed/evaluate/brackets.h"
#include "heed/evaluate/chrf.h"
#include "heed/evaluate/labels.h"
#include "heed/evaluate/metric.h"
#include "heed/evaluate/spans.h"
#include "heed/evaluate/ter.h"

namespace heed {

// Statistics per sentence of several systems' translations of the same text by one metric, from
// which any subset or resample of the sentences can be scored.
class SystemStatistics {
 public:
  // The score of any rows.
  using ScoreOfRows = std::function<MetricScore(std::span<const uint32_t> rows)>;

  SystemStatistics(size_t systems, size_t sentences, ScoreOfRows score)
      : systems_(systems), sentences_(sentences), score_(std::move(score)) {}

  size_t systems() const { return systems_; }
  size_t sentences() const { return sentences_; }
  // The row index of sentence i of a system.
  uint32_t row(size_t system, size_t i) const { return uint32_t(system * sentences_ + i); }

  // The score of any rows, of one system or several; rows may repeat.
  MetricScore score(std::span<const uint32_t> rows) const { return score_(rows); }
  // The score of the whole text of a system.
  MetricScore corpus(size_t system) const;
  // The score of one sentence.
  MetricScore sentence(size_t system, size_t i) const;

 private:
  size_t systems_, sentences_;
  ScoreOfRows score_;
};

// Errors are those of the metric's own statistics; also an Error if all systems together have 2^32
// sentences or more.
std::unique_ptr<SystemStatistics> bleu_system_statistics(std::span<const Lines> systems,
                                                         std::span<const Lines> references,
                                                         const BleuOptions& options = {});
std::unique_ptr<SystemStatistics> chrf_system_statistics(std::span<const Lines> systems,
                                                         std::span<const Lines> references,
                                                         const ChrfOptions& options = {});
std::unique_ptr<SystemStatistics> ter_system_statistics(std::span<const Lines> systems,
                                                        std::span<const Lines> references,
                                                        const TerOptions& options = {});
std::unique_ptr<SystemStatistics> bracket_system_statistics(std::span<const Lines> systems,
                                                            std::span<const Lines> references,
                                                            const BracketOptions& options = {});
std::unique_ptr<SystemStatistics> alignment_system_statistics(
    std::span<const Lines> systems, std::span<const Lines> references,
    const AlignmentErrorOptions& options = {});
enum class LabelMetric { accuracy, f1 };
std::unique_ptr<SystemStatistics> label_system_statistics(std::span<const Lines> systems,
                                                          std::span<const Lines> references,
                                                          LabelMetric metric);
std::unique_ptr<SystemStatistics> span_system_statistics(std::span<const Lines> systems,
                                                         std::span<const Lines> references,
                                                         const SpanOptions& options = {});

enum class PairedTest {
  bootstrap,      // sentences are resampled with replacement (Koehn, 2004)
  randomization,  // outputs are swapped with probability 1/2 (Riezler and Maxwell, 2005)
};
constexpr std::array<std::pair<std::string_view, PairedTest>, 2> enum_names(PairedTest) {
  return {{{"bootstrap", PairedTest::bootstrap}, {"randomization", PairedTest::randomization}}};
}

struct PairedTestOptions {
  PairedTest test = PairedTest::bootstrap;
  int64_t trials = 1000;  // sacreBLEU: 1000 bootstrap samples, or 10000 random assignments
  uint64_t seed = 12345;  // of NumPy's generator: the samples are sacreBLEU's with the same seed
};

// The mean score of a system over the bootstrap samples, and half the width of the interval that
// contains 95% of them.
struct Interval {
  double mean = 0, half_width = 0;
};

struct PairedResult {
  double score = 0;
  std::optional<double> p_value;     // not of the first system, which is the baseline
  std::optional<Interval> interval;  // of bootstrap
};

// One metric's scores, by system.
struct MetricReport {
  std::vector<MetricScore> scores;
  std::vector<PairedResult> tests;  // by system; empty without a test
};

// Compares each system with the first: one result per system. UsageError for fewer than two systems
// or no trials.
std::vector<PairedResult> paired_test(const SystemStatistics& systems,
                                      const PairedTestOptions& options = {});

// The interval of each system by bootstrap, as paired_test() finds it. UsageError for no trials.
std::vector<Interval> bootstrap_intervals(const SystemStatistics& systems,
                                          const PairedTestOptions& options = {});

// The signature of a score with the test's fields: "nrefs:1|bs:1000|seed:12345|case:mixed|...".
std::string paired_signature(const std::string& signature, const PairedTestOptions& options);

// The scores of all systems; with a test, also its results, and its fields in their signatures.
MetricReport metric_report(const SystemStatistics& systems,
                           const std::optional<PairedTestOptions>& test);

}  // namespace heed
