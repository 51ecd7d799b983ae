// chrF2 and chrF2++ (Popović, 2015 and 2017), equal to sacreBLEU 2.6 to every digit that it prints.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/evaluate/metric.h"

namespace heed {

// N-grams of 1 to 6 characters, without whitespace.
inline constexpr int kChrfCharacterOrder = 6;
// N-grams of 1 to 2 words (chrF++).
inline constexpr int kChrfWordOrder = 2;
// The weight of recall relative to precision.
inline constexpr int kChrfBeta = 2;

struct ChrfOptions {
  int word_order = 0;  // 0 is chrF2, 1 chrF2+, 2 chrF2++
  bool lowercase = false;
};

// The n-grams of one order.
struct ChrfCounts {
  int64_t hypothesis = 0;  // 0 if the reference is too short to have any
  int64_t reference = 0;
  int64_t matches = 0;
};

// Sufficient statistics of a sentence: counts for the reference that gives the best score,
// character orders first, then word orders. The sum over sentences gives the corpus.
struct ChrfStatistics {
  std::array<ChrfCounts, kChrfCharacterOrder + kChrfWordOrder> orders = {};

  ChrfStatistics& operator+=(const ChrfStatistics& other);
};

struct ChrfScore {
  std::string name;  // "chrF2", "chrF2+" or "chrF2++"
  double score = 0;  // 0 to 100
  ChrfStatistics statistics;
  std::string signature;  // "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:heed-0.1.0"

  // "chrF2 = 61.90"
  std::string line() const;
  MetricScore metric() const { return {name, score, signature, line()}; }
};

// The statistics of every sentence. references[r][i] is the r-th reference of hypotheses[i]. Error
// if the counts of lines differ or are 0, UsageError for another word order.
std::vector<ChrfStatistics> chrf_statistics(const Lines& hypotheses,
                                            std::span<const Lines> references,
                                            const ChrfOptions& options = {});

// The score of a sum of statistics.
ChrfScore chrf_score(const ChrfStatistics& corpus, size_t reference_count,
                     const ChrfOptions& options = {});

// chrf_score() of the sum of chrf_statistics().
ChrfScore chrf(const Lines& hypotheses, std::span<const Lines> references,
               const ChrfOptions& options = {});

}  // namespace heed
