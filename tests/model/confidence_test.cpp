#include "heed/model/confidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heed/model/generation_config.h"
#include "support/facts.h"
#include "support/folder_test.h"

namespace heed {
namespace {

Confidence some_confidence() {
  Confidence confidence{.bias = 0.5, .good_chrf = 48.25, .lines = 1062};
  for (size_t i = 0; i < kConfidenceSignals; ++i)
    confidence.terms[i] = {
        .mean = double(i), .deviation = 1 + double(i), .weight = 0.1 * double(i)};
  return confidence;
}

TEST(Confidence, IsALogisticRegression) {
  const Confidence confidence = some_confidence();
  ConfidenceSignals signals;
  double sum = 0.5;
  for (size_t i = 0; i < kConfidenceSignals; ++i) {
    signals[i] = double(i) + 2 * (1 + double(i));  // two deviations above the mean
    sum += 2 * 0.1 * double(i);
  }
  EXPECT_NEAR(confidence.probability(signals), 1 / (1 + std::exp(-sum)), 1e-15);
}

TEST(Confidence, AnOddSignalCountsLikeThreeDeviations) {
  const Confidence confidence = some_confidence();
  ConfidenceSignals three = {}, far = {};
  for (size_t i = 0; i < kConfidenceSignals; ++i) {
    three[i] = double(i) - 3 * (1 + double(i));
    far[i] = -1e9;
  }
  EXPECT_EQ(confidence.probability(far), confidence.probability(three));
}

class StoredConfidenceTest : public FolderTest {
 protected:
  GenerationDefaults stored() const { return read_generation_defaults(folder_, {}); }
};

TEST_F(StoredConfidenceTest, IsReadAsItWasStored) {
  write("generation_config.json", R"({"max_length": 7, "heed": {"examples": ["a"]}})");
  Confidences both{.alone = some_confidence(), .with_reverse = some_confidence()};
  both.with_reverse->bias = 1.0 / 3;
  store_confidence(folder_, both);
  EXPECT_EQ(stored().confidence, both);
  EXPECT_THAT(stored().examples, ::testing::ElementsAre("a"));
  store_confidence(folder_, {.alone = some_confidence()});
  EXPECT_FALSE(stored().confidence.with_reverse) << "it was measured with the other one";
  remove_confidence(folder_);
  EXPECT_TRUE(stored().confidence.empty());
  EXPECT_THAT(stored().examples, ::testing::ElementsAre("a"));
  EXPECT_THAT(read(folder_ / "generation_config.json"), ::testing::HasSubstr("max_length"));
}

TEST_F(StoredConfidenceTest, DamagedEntriesAreErrors) {
  store_confidence(folder_, {.alone = some_confidence()});
  const std::string good = read(folder_ / "generation_config.json");
  const auto error_with = [&](const std::string& text, const std::string& other) {
    std::string damaged = good;
    const size_t at = damaged.find(text);
    EXPECT_NE(at, damaged.npos) << text;
    write("generation_config.json", damaged.replace(at, text.size(), other));
    return error_of([&] { stored(); });
  };
  EXPECT_THAT(error_with("\"lines\": 1062", "\"lines\": -3"), HasFacts("alone.lines"));
  EXPECT_THAT(error_with("\"bias\"", "\"bios\""), HasFacts("number \"bias\""));
  EXPECT_THAT(error_with("\"deviation\": 1.0", "\"deviation\": 0.0"),
              HasFacts("token_probability.deviation: expected a number above 0"));
  EXPECT_THAT(error_with("\"weight\": 0.0", "\"weight\": \"0\""), HasFacts("number \"weight\""));
  EXPECT_EQ(error_with("\"repetition\"", "\"repetitions\""), "");
  EXPECT_TRUE(stored().confidence.empty()) << "of another version, which calibrate replaces";
  EXPECT_THAT(error_with("\"signals\"", "\"signal\""), HasFacts("object signals"));
  write("generation_config.json", R"({"heed": {"confidence": 3}})");
  EXPECT_THAT(error_of([&] { stored(); }), HasFacts("expected an object, got 3"));
}

}  // namespace
}  // namespace heed
