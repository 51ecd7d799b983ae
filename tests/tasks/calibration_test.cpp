#include "heed/tasks/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heed/core/rng.h"
#include "support/facts.h"
#include "support/folder_test.h"

namespace heed {
namespace {

// Translations of which the chrF grows with one signal and falls with another, with noise.
std::vector<JudgedTranslation> translations(size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<JudgedTranslation> all(count);
  for (JudgedTranslation& one : all) {
    for (double& signal : one.signals) signal = random.uniform();
    one.signals[size_t(ConfidenceSignal::unknown_characters)] = 7;  // the same everywhere
    one.chrf = 50 + 40 * one.signals[0] - 20 * one.signals[5] + 20 * random.uniform();
  }
  return all;
}

TEST(Calibration, FitsTheShareOfGoodTranslations) {
  const std::vector<JudgedTranslation> known = translations(2000, 1);
  const Calibration found = calibrate(known);
  EXPECT_EQ(found.confidence.lines, 2000);
  EXPECT_GT(found.confidence.terms[0].weight, 1);
  EXPECT_LT(found.confidence.terms[5].weight, -0.5);
  EXPECT_NEAR(found.confidence.terms[size_t(ConfidenceSignal::unknown_characters)].weight, 0,
              1e-12);
  // At the maximum of the likelihood the mean confidence is the share of good ones.
  double mean = 0, good = 0;
  for (const JudgedTranslation& one : known) {
    mean += found.confidence.probability(one.signals) / 2000;
    good += one.chrf >= found.confidence.good_chrf ? 1.0 / 2000 : 0;
  }
  EXPECT_NEAR(mean, good, 1e-6);
  EXPECT_NEAR(good, 0.5, 1e-3) << "the limit is the median";
  EXPECT_GT(found.held_out.auc.value(), 0.9);
  EXPECT_LT(found.held_out.error, 0.04);
}

TEST(Calibration, UnknownCharactersNeverRaiseIt) {
  constexpr auto kUnknown = size_t(ConfidenceSignal::unknown_characters);
  std::vector<JudgedTranslation> known = translations(500, 5);
  for (size_t i = 0; i < known.size(); ++i) known[i].signals[kUnknown] = known[i].chrf > 75 ? 1 : 0;
  EXPECT_EQ(calibrate(known).confidence.terms[kUnknown].weight, 0);
  for (size_t i = 0; i < known.size(); ++i) {
    known[i].signals[kUnknown] = i % 3 == 0 ? 1 : 0;
    known[i].chrf -= i % 3 == 0 ? 30 : 0;
  }
  EXPECT_LT(calibrate(known).confidence.terms[kUnknown].weight, -0.01);
}

TEST(Calibration, HoldsForOtherText) {
  const Confidence confidence = calibrate(translations(1000, 1)).confidence;
  std::vector<Prediction> predictions;
  for (const JudgedTranslation& one : translations(3000, 2))
    predictions.push_back({confidence.probability(one.signals), one.chrf >= confidence.good_chrf});
  const Reliability found = reliability(predictions);
  EXPECT_LT(found.error, 0.04);
  EXPECT_GT(found.auc.value(), 0.9);
}

TEST(Calibration, HeldOutConfidencesAreOfOtherLines) {
  // Nothing tells good from bad: weights fitted to the lines themselves would seem to.
  std::vector<JudgedTranslation> noise = translations(120, 3);
  Random random(4);
  for (JudgedTranslation& one : noise) one.chrf = random.uniform();
  const Calibration found = calibrate(noise);
  std::vector<Prediction> fitted;
  for (const JudgedTranslation& one : noise)
    fitted.push_back(
        {found.confidence.probability(one.signals), one.chrf >= found.confidence.good_chrf});
  EXPECT_GT(reliability(fitted).auc.value(), found.held_out.auc.value() + 0.05);
}

TEST(Calibration, TooLittleIsAnError) {
  EXPECT_THAT(error_of([] { calibrate(translations(99, 1)); }), HasFacts("99 lines 100"));
  std::vector<JudgedTranslation> same = translations(200, 1);
  for (JudgedTranslation& one : same) one.chrf = 100;
  same[7].chrf = 3;
  EXPECT_THAT(error_of([&] { calibrate(same); }), HasFacts("199 of 200 chrF 100.0"));
}

}  // namespace
}  // namespace heed
