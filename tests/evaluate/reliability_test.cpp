#include "heed/evaluate/reliability.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(Reliability, BinsOfEqualCountsAreCompared) {
  const std::vector<Prediction> predictions = {
      {0.9, true}, {0.1, false}, {0.3, true}, {0.7, true}, {0.8, false}};
  const Reliability found = reliability(predictions, 2);
  ASSERT_EQ(found.bins.size(), 2u);
  EXPECT_EQ(found.bins[0].count, 2u);
  EXPECT_DOUBLE_EQ(found.bins[0].first, 0.1);
  EXPECT_DOUBLE_EQ(found.bins[0].last, 0.3);
  EXPECT_DOUBLE_EQ(found.bins[0].confidence, 0.2);
  EXPECT_DOUBLE_EQ(found.bins[0].good, 0.5);
  EXPECT_DOUBLE_EQ(found.bins[1].confidence, 0.8);
  EXPECT_DOUBLE_EQ(found.bins[1].good, 2.0 / 3);
  EXPECT_DOUBLE_EQ(found.error, (2 * 0.3 + 3 * (0.8 - 2.0 / 3)) / 5);
  // Of the pairs of a good and another one: (0.9: 0.1, 0.8), (0.3: 0.1), (0.7: 0.1) are in order.
  EXPECT_DOUBLE_EQ(found.auc.value(), 4.0 / 6);
  EXPECT_EQ(auc_text(found), "AUC 0.667");
}

TEST(Reliability, EqualConfidencesCountHalf) {
  const std::vector<Prediction> same = {{0.5, true}, {0.5, false}, {0.5, false}};
  EXPECT_DOUBLE_EQ(reliability(same).auc.value(), 0.5);
  EXPECT_EQ(reliability(same).bins.size(), 3u) << "no more bins than predictions";
}

TEST(Reliability, WithoutBothKindsThereIsNoAuc) {
  const std::vector<Prediction> good = {{0.5, true}, {0.6, true}};
  const std::vector<Prediction> bad = {{0.5, false}};
  EXPECT_FALSE(reliability(good).auc);
  EXPECT_EQ(auc_text(reliability(good)), "no AUC, since all are good");
  EXPECT_EQ(auc_text(reliability(bad)), "no AUC, since none is good");
  EXPECT_DOUBLE_EQ(reliability(bad).error, 0.5);
}

}  // namespace
}  // namespace heed
