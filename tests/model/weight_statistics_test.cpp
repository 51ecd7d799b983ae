#include "heed/model/weight_statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "heed/model/sequence_model.h"
#include "support/variant_models.h"

namespace heed {
namespace {

int64_t in_histogram(const WeightStatistics& statistics) {
  return std::accumulate(statistics.histogram.begin(), statistics.histogram.end(), int64_t{0});
}

TEST(WeightStatisticsTest, HasMeanDeviationEndsAndZeros) {
  const std::vector<float> values = {1, -3, 0, 2, -0.0f, 6};
  const WeightStatistics statistics = weight_statistics(values);
  EXPECT_EQ(statistics.count, 6);
  EXPECT_EQ(statistics.zeros, 2);
  EXPECT_EQ(statistics.mean, 1);
  EXPECT_DOUBLE_EQ(statistics.deviation, std::sqrt((0 + 16 + 1 + 1 + 1 + 25) / 6.0));
  EXPECT_EQ(statistics.least, -3);
  EXPECT_EQ(statistics.most, 6);
  EXPECT_EQ(in_histogram(statistics), 6);
}

TEST(WeightStatisticsTest, KeepsTheDeviationOfValuesFarFromZero) {
  const std::vector<float> values = {16777214, 16777216};
  EXPECT_EQ(weight_statistics(values).deviation, 1);
}

TEST(WeightStatisticsTest, PutsValuesIntoBinsOfEqualWidth) {
  // Mean 0, deviation 1: a bin is 0.2 wide.
  const std::vector<float> values = {-1, 1};
  const WeightStatistics statistics = weight_statistics(values);
  EXPECT_EQ(statistics.histogram[15], 1);
  EXPECT_EQ(statistics.histogram[25], 1);
  EXPECT_EQ(in_histogram(statistics), 2);
}

TEST(WeightStatisticsTest, CountsOutliersApart) {
  std::vector<float> values(1000, 0.0f);
  values[3] = 1;
  values[4] = -1;
  values[5] = 2;
  const WeightStatistics statistics = weight_statistics(values);
  EXPECT_EQ(statistics.below, 1);
  EXPECT_EQ(statistics.above, 2);
  EXPECT_EQ(in_histogram(statistics), 997);
}

TEST(WeightStatisticsTest, EqualValuesAreInTheMiddle) {
  const std::vector<float> values(7, 0.1f);
  const WeightStatistics statistics = weight_statistics(values);
  EXPECT_EQ(statistics.deviation, 0);
  EXPECT_EQ(statistics.least, statistics.most);
  EXPECT_EQ(statistics.histogram[20], 7);
}

TEST(WeightStatisticsTest, LeavesOutWhatIsNotFinite) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> values = {infinity, 1, std::numeric_limits<float>::quiet_NaN(), 3};
  const WeightStatistics statistics = weight_statistics(values);
  EXPECT_EQ(statistics.count, 4);
  EXPECT_EQ(statistics.not_finite, 2);
  EXPECT_EQ(statistics.mean, 2);
  EXPECT_EQ(statistics.most, 3);
  const std::vector<float> none = {infinity};
  EXPECT_EQ(weight_statistics(none).mean, 0);
  EXPECT_EQ(in_histogram(weight_statistics(none)), 0);
  EXPECT_EQ(weight_statistics(std::span<const float>{}).count, 0);
}

TEST(WeightStatisticsTest, DescribesEveryParameterOfEveryVariant) {
  for (const testing::VariantModel& variant : testing::each_variant()) {
    SequenceModel model(variant.config);
    model.initialize(3);
    const std::vector<ParameterStatistics> all = weight_statistics(parameters(model));
    int64_t count = 0;
    for (const ParameterStatistics& parameter : all) {
      EXPECT_EQ(parameter.values.count, element_count(parameter.shape)) << parameter.name;
      count += parameter.values.count;
      if (parameter.name == "encoder.0.self_norm.gain") {
        EXPECT_EQ(parameter.values.mean, 1);
      } else if (parameter.name == "encoder.0.self.value.bias") {
        EXPECT_EQ(parameter.values.zeros, parameter.values.count);
      } else if (parameter.name == "encoder.0.self.value.weight") {
        EXPECT_GT(parameter.values.deviation, 0);
      }
    }
    EXPECT_EQ(count, parameter_count(model)) << variant.name;
  }
}

}  // namespace
}  // namespace heed
