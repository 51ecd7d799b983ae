// How the weights of a model are distributed: for each parameter its mean, spread and histogram.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/model/parameters.h"

namespace heed {

struct WeightStatistics {
  static constexpr int64_t kBins = 40;
  static constexpr double kHistogramDeviations = 4;

  int64_t count = 0;       // of values, with those that are not finite
  int64_t not_finite = 0;  // left out of everything below
  int64_t zeros = 0;       // values that are exactly 0
  double mean = 0;
  double deviation = 0;  // of the population
  double least = 0, most = 0;
  // Values from mean - 4 deviations to mean + 4 deviations, in bins of equal width; those further
  // away are in `below` and `above`. All are in the middle if the deviation is 0.
  std::array<int64_t, kBins> histogram{};
  int64_t below = 0, above = 0;
};

WeightStatistics weight_statistics(std::span<const float> values);

struct ParameterStatistics {
  std::string name;  // as parameters() calls it: "encoder.0.self.query.weight"
  ParameterRole role = ParameterRole::matrix;
  Shape shape;
  WeightStatistics values;
};

// The statistics of each of these parameters, which are in fp32 in the host's memory.
std::vector<ParameterStatistics> weight_statistics(const std::vector<Parameter>& parameters);

}  // namespace heed
