// Statistics per sentence of several systems' translations of the same text by one metric, from
// which any subset or resample of the sentences can be scored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "heed/evaluate/bleu.h"
#include "heed/evaluate/chrf.h"
#include "heed/evaluate/metric.h"
#include "heed/evaluate/ter.h"

namespace heed {

class SystemStatistics {
 public:
  // The score of any rows.
  using ScoreOfRows = std::function<MetricScore(std::span<const uint32_t> rows)>;

  SystemStatistics(size_t systems, size_t sentences, ScoreOfRows score)
      : systems_(systems), sentences_(sentences), score_(std::move(score)) {}

  size_t systems() const { return systems_; }
  size_t sentences() const { return sentences_; }
  // The row index of sentence i of a system.
  uint32_t row(size_t system, size_t i) const { return uint32_t(system * sentences_ + i); }

  // The score of any rows, of one system or several; rows may repeat.
  MetricScore score(std::span<const uint32_t> rows) const { return score_(rows); }
  // The score of the whole text of a system.
  MetricScore corpus(size_t system) const;
  // The score of one sentence.
  MetricScore sentence(size_t system, size_t i) const;

 private:
  size_t systems_, sentences_;
  ScoreOfRows score_;
};

// Errors are those of the metric's own statistics; also an Error if all systems together have 2^32
// sentences or more.
std::unique_ptr<SystemStatistics> bleu_system_statistics(std::span<const Lines> systems,
                                                         std::span<const Lines> references,
                                                         const BleuOptions& options = {});
std::unique_ptr<SystemStatistics> chrf_system_statistics(std::span<const Lines> systems,
                                                         std::span<const Lines> references,
                                                         const ChrfOptions& options = {});
std::unique_ptr<SystemStatistics> ter_system_statistics(std::span<const Lines> systems,
                                                        std::span<const Lines> references,
                                                        const TerOptions& options = {});

}  // namespace heed
