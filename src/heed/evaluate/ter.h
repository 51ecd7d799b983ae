// Translation edit rate (Snover et al., 2006), equal to sacreBLEU 2.6 to every digit that it
// prints.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/evaluate/metric.h"
#include "heed/evaluate/tokenizers.h"

namespace heed {

// Sufficient statistics of a sentence. The sum over sentences gives the corpus.
struct TerStatistics {
  int64_t edits = 0;            // to the reference that needs the fewest
  double reference_length = 0;  // words, the mean over the references

  TerStatistics& operator+=(const TerStatistics& other);
};

struct TerScore {
  double score = 0;  // edits per hundred words of the reference: 0 is best, can exceed 100
  TerStatistics statistics;
  std::string signature;  // "nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:..."

  // "TER = 48.15"
  std::string line() const;
  MetricScore metric() const { return {"TER", score, signature, line()}; }
};

// The statistics of every sentence. references[r][i] is the r-th reference of hypotheses[i]. Error
// if the counts of lines differ or are 0.
std::vector<TerStatistics> ter_statistics(const Lines& hypotheses,
                                          std::span<const Lines> references,
                                          const TerOptions& options = {});

// The score of a sum of statistics.
TerScore ter_score(const TerStatistics& corpus, size_t reference_count,
                   const TerOptions& options = {});

// ter_score() of the sum of ter_statistics().
TerScore ter(const Lines& hypotheses, std::span<const Lines> references,
             const TerOptions& options = {});

}  // namespace heed
