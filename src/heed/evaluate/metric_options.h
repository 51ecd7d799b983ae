// The metrics to compute and their settings: the options of `heed evaluate`.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/core/options.h"
#include "heed/evaluate/bleu.h"
#include "heed/evaluate/brackets.h"
#include "heed/evaluate/significance.h"
#include "heed/evaluate/spans.h"
#include "heed/evaluate/ter.h"

namespace heed {

struct MetricOptions {
  std::vector<std::string> metrics{"bleu"};
  bool lowercase = false;
  bool sentence = false;
  std::optional<BleuTokenizer> bleu_tokenize;  // 13a if not set
  BleuSmoothing smooth_method = BleuSmoothing::exponential;
  std::optional<double> smooth_value;
  TerOptions ter;
  BracketOptions brackets;
  SpanOptions spans;

  static void visit(MetricOptions& self, OptionCollector& v);
};

// The names of --metrics. UsageError where one is unknown or given twice.
std::vector<std::string> metric_names(const MetricOptions& options);

// UsageError where options contradict each other or would change nothing.
void check_options(const MetricOptions& options);

// The statistics of each metric: translations of one or several systems, and one or several
// references. Error if the counts of lines differ or are 0.
std::vector<std::unique_ptr<SystemStatistics>> measure(std::span<const Lines> systems,
                                                       std::span<const Lines> references,
                                                       const MetricOptions& options);

}  // namespace heed
