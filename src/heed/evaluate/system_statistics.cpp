#include "heed/evaluate/system_statistics.h"

#include <limits>

#include "heed/core/error.h"

namespace heed {
namespace {

// Statistics by the functions of one metric.
template <class Statistics, class Score, class Options>
std::unique_ptr<SystemStatistics> measure(
    std::span<const Lines> systems, std::span<const Lines> references, const Options& options,
    std::vector<Statistics> (*statistics_of)(const Lines&, std::span<const Lines>, const Options&),
    Score (*score_of)(const Statistics&, size_t, const Options&)) {
  if (systems.empty()) fail("nothing to evaluate: expected at least one system, got none");
  std::vector<Statistics> rows;
  for (const Lines& system : systems) {
    const std::vector<Statistics> more = statistics_of(system, references, options);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  if (rows.size() > std::numeric_limits<uint32_t>::max()) {
    fail("{} sentences are too many to evaluate together: expected fewer than 2^32", rows.size());
  }
  const size_t sentences = rows.size() / systems.size();
  return std::make_unique<SystemStatistics>(
      systems.size(), sentences,
      [rows = std::move(rows), options, score_of,
       count = references.size()](std::span<const uint32_t> chosen) {
        Statistics sum;
        for (const uint32_t row : chosen) sum += rows[row];
        return score_of(sum, count, options).metric();
      });
}

}  // namespace

MetricScore SystemStatistics::corpus(size_t system) const {
  std::vector<uint32_t> rows;
  for (size_t i = 0; i < sentences_; ++i) rows.push_back(row(system, i));
  return score(rows);
}

MetricScore SystemStatistics::sentence(size_t system, size_t i) const {
  const uint32_t only = row(system, i);
  return score({&only, 1});
}

std::unique_ptr<SystemStatistics> bleu_system_statistics(std::span<const Lines> systems,
                                                         std::span<const Lines> references,
                                                         const BleuOptions& options) {
  return measure(systems, references, options, &bleu_statistics, &bleu_score);
}

std::unique_ptr<SystemStatistics> chrf_system_statistics(std::span<const Lines> systems,
                                                         std::span<const Lines> references,
                                                         const ChrfOptions& options) {
  return measure(systems, references, options, &chrf_statistics, &chrf_score);
}

std::unique_ptr<SystemStatistics> ter_system_statistics(std::span<const Lines> systems,
                                                        std::span<const Lines> references,
                                                        const TerOptions& options) {
  return measure(systems, references, options, &ter_statistics, &ter_score);
}

}  // namespace heed
