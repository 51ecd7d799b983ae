#include "heed/evaluate/bleu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>

#include "heed/core/dense_ids.h"
#include "heed/core/error.h"
#include "heed/core/options.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/evaluate/ngrams.h"

namespace heed {
namespace {

// Counts one sentence after the other, keeping its memory between them.
class BleuCounter {
 public:
  explicit BleuCounter(const BleuOptions& options) : options_(options) {}

  BleuStatistics count(const Lines& hypotheses, std::span<const Lines> references, size_t i) {
    ngrams_.clear();
    words_.clear();
    lengths_.clear();
    lines_.resize(references.size());
    for (size_t r = 0; r < references.size(); ++r) {
      const std::vector<uint32_t>& tokens = read(references[r][i], lines_[r]);
      lengths_.push_back(int64_t(tokens.size()));
      ngrams_.add_reference(tokens);
    }
    const std::vector<uint32_t>& tokens = read(hypotheses[i], hypothesis_);
    BleuStatistics statistics;
    statistics.hypothesis_length = int64_t(tokens.size());
    statistics.reference_length = closest_length(statistics.hypothesis_length);
    for (int n = 0; n < kBleuOrder; ++n) {
      statistics.totals[n] = std::max<int64_t>(statistics.hypothesis_length - n, 0);
    }
    ngrams_.take_matches(tokens, statistics.matches);
    return statistics;
  }

 private:
  // The tokens of a line as numbers. `storage` must stay as it is until the sentence is finished,
  // for the table of words points into it.
  const std::vector<uint32_t>& read(const std::string& line, std::string& storage) {
    storage = find_invalid_utf8(line) ? replace_invalid_utf8(line) : line;
    if (options_.lowercase) storage = lowercase(storage);
    tokenize(options_.tokenizer, storage, tokens_);
    words_.ids_of(tokens_, numbers_);
    return numbers_;
  }

  // The length of the closest reference; of two as close, the shorter.
  int64_t closest_length(int64_t length) const {
    return *std::min_element(lengths_.begin(), lengths_.end(), [&](int64_t a, int64_t b) {
      const int64_t distance_a = std::abs(a - length), distance_b = std::abs(b - length);
      return distance_a != distance_b ? distance_a < distance_b : a < b;
    });
  }

  BleuOptions options_;
  detail::NgramMatcher ngrams_{kBleuOrder};
  detail::DenseIds<std::string_view, std::hash<std::string_view>> words_;
  std::vector<std::string> lines_;  // references of this sentence
  std::vector<int64_t> lengths_;
  std::string hypothesis_;
  std::vector<std::string_view> tokens_;
  std::vector<uint32_t> numbers_;
};

double brevity_penalty(int64_t hypothesis_length, int64_t reference_length) {
  if (hypothesis_length >= reference_length) return 1;
  if (hypothesis_length == 0) return 0;
  return std::exp(1 - double(reference_length) / double(hypothesis_length));
}

// The value that floor and add-k work with.
double smoothing_value(const BleuOptions& options) {
  const double value =
      options.smoothing_value.value_or(options.smoothing == BleuSmoothing::floor ? 0.1 : 1.0);
  if (value >= 0 && value <= std::numeric_limits<double>::max()) return value;
  fail_usage("BLEU's smoothing value is {}: expected a number of at least 0", value);
}

bool has_value(BleuSmoothing smoothing) {
  return smoothing == BleuSmoothing::floor || smoothing == BleuSmoothing::add_k;
}

// Precisions in per cent. `orders` becomes the highest order of which the hypothesis has n-grams.
std::array<double, kBleuOrder> smoothed_precisions(const BleuStatistics& corpus,
                                                   const BleuOptions& options, int& orders) {
  std::array<double, kBleuOrder> precisions = {};
  const double value = smoothing_value(options);
  double divisor = 1;
  for (orders = 0; orders < kBleuOrder; ++orders) {
    const int n = orders;
    const double added = options.smoothing == BleuSmoothing::add_k && n > 0 ? value : 0;
    const double matches = double(corpus.matches[n]) + added;
    const double total = double(corpus.totals[n]) + added;
    if (total == 0) break;
    if (matches > 0) {
      precisions[n] = 100.0 * matches / total;
    } else if (options.smoothing == BleuSmoothing::exponential) {
      divisor *= 2;
      precisions[n] = 100.0 / (divisor * total);
    } else if (options.smoothing == BleuSmoothing::floor) {
      precisions[n] = 100.0 * value / total;
    }
  }
  return precisions;
}

double geometric_mean(std::span<const double> precisions) {
  double sum = 0;
  for (const double precision : precisions) {
    if (precision == 0) return 0;
    sum += std::log(precision);
  }
  return std::exp(sum / double(precisions.size()));
}

std::string signature(size_t reference_count, const BleuOptions& options) {
  std::string smoothing = to_text(options.smoothing);
  if (has_value(options.smoothing)) smoothing += fmt::format("[{:.2f}]", smoothing_value(options));
  return fmt::format("nrefs:{}|case:{}|eff:{}|tok:{}|smooth:{}|{}", reference_count,
                     options.lowercase ? "lc" : "mixed", options.effective_order ? "yes" : "no",
                     to_text(options.tokenizer), smoothing, detail::version_field());
}

}  // namespace

BleuStatistics& BleuStatistics::operator+=(const BleuStatistics& other) {
  hypothesis_length += other.hypothesis_length;
  reference_length += other.reference_length;
  for (int n = 0; n < kBleuOrder; ++n) {
    matches[n] += other.matches[n];
    totals[n] += other.totals[n];
  }
  return *this;
}

std::string BleuScore::line() const {
  return fmt::format(
      "BLEU = {:.2f} {:.1f}/{:.1f}/{:.1f}/{:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len "
      "= "
      "{})",
      score, precisions[0], precisions[1], precisions[2], precisions[3], brevity_penalty, ratio,
      statistics.hypothesis_length, statistics.reference_length);
}

std::vector<BleuStatistics> bleu_statistics(const Lines& hypotheses,
                                            std::span<const Lines> references,
                                            const BleuOptions& options) {
  return detail::statistics_of_sentences(hypotheses, references, BleuCounter(options));
}

BleuScore bleu_score(const BleuStatistics& corpus, size_t reference_count,
                     const BleuOptions& options) {
  if (options.smoothing_value && !has_value(options.smoothing)) {
    fail_usage("BLEU's smoothing {} takes no value, got {}: only floor and add-k do",
               to_text(options.smoothing), *options.smoothing_value);
  }
  BleuScore result;
  result.statistics = corpus;
  result.signature = signature(reference_count, options);
  result.brevity_penalty = brevity_penalty(corpus.hypothesis_length, corpus.reference_length);
  if (corpus.reference_length > 0) {
    result.ratio = double(corpus.hypothesis_length) / double(corpus.reference_length);
  }
  // Without any match there is nothing to smooth.
  const bool any = std::any_of(corpus.matches.begin(), corpus.matches.end(),
                               [](int64_t matches) { return matches > 0; });
  if (!any) return result;
  int orders = 0;
  result.precisions = smoothed_precisions(corpus, options, orders);
  const size_t used = options.effective_order ? size_t(orders) : kBleuOrder;
  result.score = result.brevity_penalty * geometric_mean(std::span(result.precisions).first(used));
  return result;
}

BleuScore bleu(const Lines& hypotheses, std::span<const Lines> references,
               const BleuOptions& options) {
  return bleu_score(detail::sum_of_sentences(bleu_statistics(hypotheses, references, options)),
                    references.size(), options);
}

}  // namespace heed
