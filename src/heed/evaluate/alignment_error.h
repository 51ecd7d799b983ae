// The alignment error rate of word alignments against those of people (Och and Ney, 2003).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/evaluate/metric.h"

namespace heed {

// Sufficient statistics of a sentence. The sum over sentences gives the corpus.
struct AlignmentStatistics {
  int64_t links = 0;                               // of the hypothesis
  int64_t sure = 0;                                // of the reference
  int64_t matched_sure = 0, matched_possible = 0;  // of the hypothesis; sure ones are possible too

  AlignmentStatistics& operator+=(const AlignmentStatistics& other);
};

struct AlignmentErrorOptions {};

// In per cent. Without any link of a kind a score is 0, and so is the error if there is none.
struct AlignmentErrorScore {
  double error = 0, precision = 0, recall = 0;
  AlignmentStatistics statistics;
  std::string signature;  // "nrefs:1|version:heed-0.1.0"

  // "AER = 34.57 (precision = 85.84 recall = 52.86 links = 9321)"
  std::string line() const;
  MetricScore metric() const;
};

// The statistics of every sentence, one line of links each: "0-0 2-1", and in the reference "3p4"
// or "3?4" for a link that is possible but not sure. Error: another text, with its line; or the
// counts of lines differ or are 0. UsageError unless there is one reference.
std::vector<AlignmentStatistics> alignment_statistics(const Lines& hypotheses,
                                                      std::span<const Lines> references,
                                                      const AlignmentErrorOptions& options = {});

// The score of a sum of statistics.
AlignmentErrorScore alignment_score(const AlignmentStatistics& corpus, size_t reference_count = 1,
                                    const AlignmentErrorOptions& options = {});

}  // namespace heed
