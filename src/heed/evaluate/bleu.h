// Corpus BLEU (Papineni et al., 2002), equal to sacreBLEU 2.6 to every digit that it prints.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/evaluate/bleu_tokenizer.h"
#include "heed/evaluate/metric.h"

namespace heed {

// N-grams of 1 to 4 tokens.
inline constexpr int kBleuOrder = 4;

struct BleuOptions {
  BleuTokenizer tokenizer = BleuTokenizer::mteval_13a;
  bool lowercase = false;
};

// All that BLEU needs to know of a sentence. The sum over sentences gives the score of a corpus, so
// any choice of sentences can be scored again without reading them.
struct BleuStatistics {
  int64_t hypothesis_length = 0;                 // tokens
  int64_t reference_length = 0;                  // of the reference closest in length
  std::array<int64_t, kBleuOrder> matches = {};  // n-grams shared with the references
  std::array<int64_t, kBleuOrder> totals = {};   // n-grams of the hypothesis

  BleuStatistics& operator+=(const BleuStatistics& other);
};

struct BleuScore {
  double score = 0;                                // 0 to 100
  std::array<double, kBleuOrder> precisions = {};  // per cent, smoothed
  double brevity_penalty = 1;
  double ratio = 0;           // of the lengths, hypothesis to reference
  BleuStatistics statistics;  // of the corpus
  std::string signature;      // "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:heed-0.1.0"

  // "BLEU = 38.30 69.1/45.0/31.2/21.9 (BP = 0.990 ratio = 0.990 hyp_len = 99 ref_len = 100)"
  std::string line() const;
  MetricScore metric() const { return {"BLEU", score, signature}; }
};

// The statistics of every sentence. references[r][i] is the r-th reference of hypotheses[i]. Fails
// where the counts of lines differ or are 0.
std::vector<BleuStatistics> bleu_statistics(const Lines& hypotheses,
                                            std::span<const Lines> references,
                                            const BleuOptions& options = {});

// The score of a sum of statistics. Where an order has no match, its precision is that of half a
// match, of a quarter for the next such order, and so on (sacreBLEU's smoothing "exp").
BleuScore bleu_score(const BleuStatistics& corpus, size_t reference_count,
                     const BleuOptions& options = {});

// Both together.
BleuScore bleu(const Lines& hypotheses, std::span<const Lines> references,
               const BleuOptions& options = {});

}  // namespace heed
