// Whether two systems differ by more than chance: sacreBLEU's two paired tests. Both ask how often
// a difference as great as the one seen would come about if the systems were the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heed/evaluate/measured_systems.h"

namespace heed {

enum class PairedTest {
  bootstrap,      // scores of corpora drawn with replacement (Koehn, 2004)
  randomization,  // outputs are swapped with probability 1/2 (Riezler and Maxwell, 2005)
};

struct PairedTestOptions {
  PairedTest test = PairedTest::bootstrap;
  int64_t trials = 1000;  // sacreBLEU: 1000 corpora, or 10000 random assignments
  uint64_t seed = 12345;  // draws are NumPy's, so sacreBLEU with the same seed draws the same
};

// A system's mean score over the drawn corpora, and half the width of the interval that holds 95%
// of them.
struct Interval {
  double mean = 0, half_width = 0;
};

struct PairedResult {
  double score = 0;
  std::optional<double> p_value;     // none for the first system, which is the baseline
  std::optional<Interval> interval;  // of bootstrap
};

// The first system against each of the others, as one result a system. Fails with a UsageError on
// fewer than two systems or no trials.
std::vector<PairedResult> paired_test(const MeasuredSystems& systems,
                                      const PairedTestOptions& options = {});

// The signature of a score with the test's fields: "nrefs:1|bs:1000|seed:12345|case:mixed|...".
std::string paired_signature(const std::string& signature, const PairedTestOptions& options);

}  // namespace heed
