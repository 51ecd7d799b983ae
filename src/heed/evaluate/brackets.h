// Labelled bracketing: the constituents of parse trees against those of a reference, equal to the
// program EVALB (Sekine and Collins, 1997) with its parameters COLLINS.prm to every digit that it
// prints. Punctuation and traces are deleted, and so is the label TOP; labels count up to the first
// - or =, and ADVP and PRT as equal.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/evaluate/metric.h"

namespace heed {

struct BracketOptions {
  // Sentences whose reference has more words, punctuation included, do not count; EVALB's second
  // summary has 40. Not set: no limit.
  std::optional<int64_t> max_words = {};
};

// Sufficient statistics of a sentence. The sum over sentences gives the corpus. A sentence that
// is an error or skipped adds nothing else.
struct BracketStatistics {
  int64_t sentences = 0;
  int64_t errors = 0;   // an unreadable tree, or other words than in the reference
  int64_t skipped = 0;  // no words in the hypothesis
  // Constituents of the hypothesis, of the reference, in both, and those of the hypothesis that
  // overlap with one of the reference without containing it or being contained.
  int64_t hypothesis = 0, reference = 0, matched = 0, crossing = 0;
  // Sentences whose constituents all match, and those in which none, or at most two, cross.
  int64_t complete = 0, without_crossing = 0, up_to_two_crossing = 0;
  int64_t words = 0, correct_tags = 0;

  int64_t valid() const { return sentences - errors - skipped; }
  BracketStatistics& operator+=(const BracketStatistics& other);
};

// In per cent, but average_crossing, which is a number of constituents. Without constituents, words
// or valid sentences a score is 0.
struct BracketScore {
  double recall = 0, precision = 0, f1 = 0;
  double complete_match = 0, average_crossing = 0, no_crossing = 0, two_or_less_crossing = 0;
  double tagging_accuracy = 0;
  BracketStatistics statistics;
  std::string signature;  // "nrefs:1|case:mixed|prm:collins|len:all|version:heed-0.1.0"

  // "bracket F1 = 88.65 (recall = 87.23 precision = 90.11 ... errors = 6 skipped = 2)"
  std::string line() const;
  MetricScore metric() const;
};

// One sentence.
struct BracketComparison {
  BracketStatistics statistics;
  std::string problem;  // the reason of an error or a skipped sentence: "3 words, expected 4 ..."
};
BracketComparison compare_trees(const std::string& hypothesis, const std::string& reference,
                                const BracketOptions& options = {});

// The statistics of every sentence, one tree a line. Error if the counts of lines differ or are 0;
// UsageError unless there is one reference.
std::vector<BracketStatistics> bracket_statistics(const Lines& hypotheses,
                                                  std::span<const Lines> references,
                                                  const BracketOptions& options = {});

// The score of a sum of statistics.
BracketScore bracket_score(const BracketStatistics& corpus, size_t reference_count = 1,
                           const BracketOptions& options = {});

// bracket_score() of the sum of bracket_statistics().
BracketScore brackets(const Lines& hypotheses, std::span<const Lines> references,
                      const BracketOptions& options = {});

}  // namespace heed
