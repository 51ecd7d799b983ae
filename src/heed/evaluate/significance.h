// Significance of the difference between two systems: sacreBLEU's two paired tests. The p-value is
// the probability of a difference at least as large as the observed one if the systems were equal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heed/evaluate/system_statistics.h"

namespace heed {

enum class PairedTest {
  bootstrap,      // sentences are resampled with replacement (Koehn, 2004)
  randomization,  // outputs are swapped with probability 1/2 (Riezler and Maxwell, 2005)
};

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

// The signature of a score with the test's fields: "nrefs:1|bs:1000|seed:12345|case:mixed|...".
std::string paired_signature(const std::string& signature, const PairedTestOptions& options);

}  // namespace heed
