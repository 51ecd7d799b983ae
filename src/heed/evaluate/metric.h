// The common parts of all metrics: the result, and the check of the arguments.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace heed {

// One line per sentence, in UTF-8 (invalid UTF-8 is read as U+FFFD).
using Lines = std::vector<std::string>;

// One class of labels, or an average of classes, in per cent.
struct ClassScore {
  std::string name;
  double precision = 0, recall = 0, f1 = 0;
  int64_t support = 0;  // how many the reference has
};

// A result as `heed evaluate` prints it. The signature states how it was computed, in sacreBLEU's
// form.
struct MetricScore {
  std::string name;
  double score;
  std::string signature;
  std::string line;  // for display: "chrF2 = 61.90"
  // Further numbers of a metric by name: "recall", 87.23.
  std::vector<std::pair<std::string, double>> details = {};
  std::vector<ClassScore> classes = {};  // of metrics of labels and spans
};

namespace detail {

// Fails unless there is at least one line and one reference, and each reference has as many lines
// as the hypotheses.
void check_line_counts(const Lines& hypotheses, std::span<const Lines> references);

// The statistics of every sentence i: counter.count(hypotheses, references, i).
template <class Counter>
auto statistics_of_sentences(const Lines& hypotheses, std::span<const Lines> references,
                             Counter counter) {
  check_line_counts(hypotheses, references);
  std::vector<decltype(counter.count(hypotheses, references, 0))> statistics;
  statistics.reserve(hypotheses.size());
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    statistics.push_back(counter.count(hypotheses, references, i));
  }
  return statistics;
}

// The statistics of a corpus, or of any subset of its sentences.
template <class Statistics>
Statistics sum_of_sentences(const std::vector<Statistics>& sentences) {
  Statistics total;
  for (const Statistics& sentence : sentences) total += sentence;
  return total;
}

// "version:heed-0.1.0", the last field of every signature.
std::string version_field();

}  // namespace detail
}  // namespace heed
