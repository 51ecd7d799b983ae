#include "heed/model/weight_statistics.h"

#include <algorithm>
#include <cmath>

#include "heed/model/sequence_model.h"

namespace heed {
namespace {

// The mean comes first: sums of squares of values far from 0 would lose the deviation.
void add_moments(std::span<const float> values, WeightStatistics& statistics) {
  int64_t finite = 0;
  double sum = 0;
  for (const float value : values) {
    if (!std::isfinite(value)) {
      ++statistics.not_finite;
      continue;
    }
    const double x = value;
    statistics.least = finite == 0 ? x : std::min(statistics.least, x);
    statistics.most = finite == 0 ? x : std::max(statistics.most, x);
    statistics.zeros += x == 0 ? 1 : 0;
    sum += x;
    ++finite;
  }
  if (finite == 0) return;
  statistics.mean = sum / double(finite);
  double squares = 0;
  for (const float value : values)
    if (std::isfinite(value)) squares += (value - statistics.mean) * (value - statistics.mean);
  // Equal values may differ from their rounded mean.
  if (statistics.least < statistics.most)
    statistics.deviation = std::sqrt(squares / double(finite));
}

void add_histogram(std::span<const float> values, WeightStatistics& statistics) {
  constexpr int64_t kBins = WeightStatistics::kBins;
  const double reach = WeightStatistics::kHistogramDeviations * statistics.deviation;
  const double low = statistics.mean - reach;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    const double share = reach > 0 ? (value - low) / (2 * reach) : 0.5;
    if (share < 0)
      ++statistics.below;
    else if (share > 1)
      ++statistics.above;
    else
      ++statistics.histogram[size_t(std::min(kBins - 1, int64_t(share * double(kBins))))];
  }
}

}  // namespace

WeightStatistics weight_statistics(std::span<const float> values) {
  WeightStatistics statistics;
  statistics.count = int64_t(values.size());
  add_moments(values, statistics);
  add_histogram(values, statistics);
  return statistics;
}

std::vector<ParameterStatistics> weight_statistics(const std::vector<Parameter>& parameters) {
  std::vector<ParameterStatistics> all;
  for (const Parameter& parameter : parameters) {
    const Tensor& values = parameter.tensor;
    all.push_back(
        {parameter.name, parameter.role, values.shape(), weight_statistics(values.span<float>())});
  }
  return all;
}

}  // namespace heed
