#include "heed/evaluate/system_statistics.h"

#include <limits>

#include "heed/core/error.h"

namespace heed {
namespace {

// ScoreOf is called as score_of(sum of statistics) and gives the metric's own score.
template <class Statistics, class ScoreOf>
class Measured final : public SystemStatistics {
 public:
  Measured(size_t systems, std::vector<Statistics> rows, ScoreOf score_of)
      : SystemStatistics(systems, rows.size() / systems),
        rows_(std::move(rows)),
        score_of_(std::move(score_of)) {}

  MetricScore score(std::span<const uint32_t> rows) const override {
    Statistics sum;
    for (const uint32_t row : rows) sum += rows_[row];
    return score_of_(sum).metric();
  }

 private:
  std::vector<Statistics> rows_;
  ScoreOf score_of_;
};

template <class StatisticsOf, class ScoreOf>
std::unique_ptr<SystemStatistics> measure(std::span<const Lines> systems,
                                          StatisticsOf&& statistics_of, ScoreOf score_of) {
  if (systems.empty()) fail("nothing to evaluate: expected at least one system, got none");
  auto rows = statistics_of(systems[0]);
  for (const Lines& system : systems.subspan(1)) {
    const auto more = statistics_of(system);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  if (rows.size() > std::numeric_limits<uint32_t>::max()) {
    fail("{} sentences are too many to evaluate together: expected fewer than 2^32", rows.size());
  }
  using Statistics = typename decltype(rows)::value_type;
  return std::make_unique<Measured<Statistics, ScoreOf>>(systems.size(), std::move(rows),
                                                         std::move(score_of));
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
  return measure(
      systems, [&](const Lines& lines) { return bleu_statistics(lines, references, options); },
      [options, count = references.size()](const BleuStatistics& sum) {
        return bleu_score(sum, count, options);
      });
}

std::unique_ptr<SystemStatistics> chrf_system_statistics(std::span<const Lines> systems,
                                                         std::span<const Lines> references,
                                                         const ChrfOptions& options) {
  return measure(
      systems, [&](const Lines& lines) { return chrf_statistics(lines, references, options); },
      [options, count = references.size()](const ChrfStatistics& sum) {
        return chrf_score(sum, count, options);
      });
}

std::unique_ptr<SystemStatistics> ter_system_statistics(std::span<const Lines> systems,
                                                        std::span<const Lines> references,
                                                        const TerOptions& options) {
  return measure(
      systems, [&](const Lines& lines) { return ter_statistics(lines, references, options); },
      [options, count = references.size()](const TerStatistics& sum) {
        return ter_score(sum, count, options);
      });
}

}  // namespace heed
