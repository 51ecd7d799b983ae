// Corpus BLEU (Papineni et al., 2002), equal to sacreBLEU 2.6 to every digit that it prints.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/evaluate/metric.h"
#include "heed/evaluate/tokenizers.h"

namespace heed {

// N-grams of 1 to 4 tokens.
inline constexpr int kBleuOrder = 4;

// Smoothing of n-gram orders without matches (Chen and Cherry, 2014).
enum class BleuSmoothing {
  none,         // "none": their precision is 0, and so is the score
  floor,        // "floor": zero matches count as 0.1 by default
  add_k,        // "add-k": k (1 by default) is added to matches and n-grams of orders 2 to 4
  exponential,  // "exp": as with 1/2 match, 1/4 for the next such order, and so on
};

// The names in options and signatures.
constexpr std::array<std::pair<std::string_view, BleuSmoothing>, 4> enum_names(BleuSmoothing) {
  return {{{"none", BleuSmoothing::none},
           {"floor", BleuSmoothing::floor},
           {"add-k", BleuSmoothing::add_k},
           {"exp", BleuSmoothing::exponential}}};
}

struct BleuOptions {
  BleuTokenizer tokenizer = BleuTokenizer::mteval_13a;
  bool lowercase = false;
  BleuSmoothing smoothing = BleuSmoothing::exponential;
  std::optional<double> smoothing_value = {};  // of floor and add-k, at least 0
  // Ignores orders for which the hypothesis is too short: for single sentences.
  bool effective_order = false;
};

// Sufficient statistics of a sentence. The sum over sentences gives the score of a corpus, so any
// subset can be scored without reading the sentences again.
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
  MetricScore metric() const { return {"BLEU", score, signature, line()}; }
};

// The statistics of every sentence. references[r][i] is the r-th reference of hypotheses[i]. Error
// if the counts of lines differ or are 0.
std::vector<BleuStatistics> bleu_statistics(const Lines& hypotheses,
                                            std::span<const Lines> references,
                                            const BleuOptions& options = {});

// The score of a sum of statistics. UsageError if the smoothing value is negative, or the smoothing
// takes none.
BleuScore bleu_score(const BleuStatistics& corpus, size_t reference_count,
                     const BleuOptions& options = {});

// bleu_score() of the sum of bleu_statistics().
BleuScore bleu(const Lines& hypotheses, std::span<const Lines> references,
               const BleuOptions& options = {});

}  // namespace heed
