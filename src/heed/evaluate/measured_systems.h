// Several systems' translations of the same sentences, read once by one metric: any choice of
// sentences is then scored from the statistics alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "heed/evaluate/bleu.h"
#include "heed/evaluate/chrf.h"
#include "heed/evaluate/metric.h"
#include "heed/evaluate/ter.h"

namespace heed {

class MeasuredSystems {
 public:
  MeasuredSystems(size_t systems, size_t sentences) : systems_(systems), sentences_(sentences) {}
  virtual ~MeasuredSystems() = default;

  size_t systems() const { return systems_; }
  size_t sentences() const { return sentences_; }
  // The number of sentence i of a system.
  uint32_t row(size_t system, size_t i) const {
    return static_cast<uint32_t>(system * sentences_ + i);
  }

  // The score of any rows, of one system or of several, each as often as it is named.
  virtual MetricScore score(std::span<const uint32_t> rows) const = 0;
  // That of a system's whole text.
  MetricScore corpus(size_t system) const;
  // That of one sentence.
  MetricScore sentence(size_t system, size_t i) const;

 private:
  size_t systems_, sentences_;
};

// Each fails as the metric's own statistics do, and where all systems together have 2^32 sentences
// or more.
std::unique_ptr<MeasuredSystems> measure_bleu(std::span<const Lines> systems,
                                              std::span<const Lines> references,
                                              const BleuOptions& options = {});
std::unique_ptr<MeasuredSystems> measure_chrf(std::span<const Lines> systems,
                                              std::span<const Lines> references,
                                              const ChrfOptions& options = {});
std::unique_ptr<MeasuredSystems> measure_ter(std::span<const Lines> systems,
                                             std::span<const Lines> references,
                                             const TerOptions& options = {});

}  // namespace heed
