// A page that compares systems: their scores, and their translations sentence by sentence.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/evaluate/significance.h"

namespace heed {

struct NamedText {
  std::string name;
  Lines lines;
};

struct EvaluatedTexts {
  std::vector<NamedText> systems;     // the first is the baseline
  std::vector<NamedText> references;  // of as many lines
  std::optional<NamedText> source = {};
};

struct EvaluatedMetric {
  MetricReport report;               // as `heed evaluate` prints it
  const SystemStatistics* corpus;    // for the scores of buckets of sentences
  const SystemStatistics* sentence;  // for those of single sentences: BLEU with effective order
};

// One HTML file. `test` is what the reports' tests are results of.
std::string evaluation_page(const EvaluatedTexts& texts,
                            const std::vector<EvaluatedMetric>& metrics,
                            const std::optional<PairedTestOptions>& test);

}  // namespace heed
