#include "heed/evaluate/reliability.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/core/error.h"

namespace heed {
namespace {

ReliabilityBin bin_of(std::span<const Prediction> sorted) {
  ReliabilityBin bin{sorted.front().confidence, sorted.back().confidence, 0, 0, sorted.size()};
  for (const Prediction& one : sorted) {
    bin.confidence += one.confidence / double(sorted.size());
    bin.good += one.good ? 1 / double(sorted.size()) : 0;
  }
  return bin;
}

// Counts pairs of a good and another one, in runs of equal confidence.
std::optional<double> area_under_curve(std::span<const Prediction> sorted) {
  double right = 0, good = 0, others = 0;
  for (size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    double good_here = 0;
    while (end < sorted.size() && sorted[end].confidence == sorted[begin].confidence)
      good_here += sorted[end++].good ? 1 : 0;
    const double others_here = double(end - begin) - good_here;
    right += good_here * (others + others_here / 2);
    good += good_here;
    others += others_here;
  }
  if (good == 0 || others == 0) return {};
  return right / (good * others);
}

}  // namespace

Reliability reliability(std::span<const Prediction> predictions, size_t bins) {
  check(!predictions.empty() && bins > 0, "the reliability of no predictions");
  std::vector<Prediction> sorted(predictions.begin(), predictions.end());
  std::ranges::stable_sort(sorted, {}, &Prediction::confidence);
  bins = std::min(bins, sorted.size());
  Reliability found;
  found.auc = area_under_curve(sorted);
  for (size_t i = 0; i < bins; ++i) {
    const size_t begin = i * sorted.size() / bins, end = (i + 1) * sorted.size() / bins;
    const ReliabilityBin bin = bin_of(std::span(sorted).subspan(begin, end - begin));
    found.error += std::abs(bin.confidence - bin.good) * double(bin.count) / double(sorted.size());
    found.bins.push_back(bin);
  }
  return found;
}

std::string auc_text(const Reliability& found) {
  if (found.auc) return fmt::format("AUC {:.3f}", *found.auc);
  return found.bins.front().good > 0 ? "no AUC, since all are good" : "no AUC, since none is good";
}

}  // namespace heed
