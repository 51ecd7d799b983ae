// Goldens of labels and spans: reports of scikit-learn and seqeval about random labels;
// tools/make_label_goldens.py says what the file looks like.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "heed/evaluate/labels.h"

namespace heed {

inline nlohmann::json label_goldens(const std::string& part) {
  std::ifstream stream(HEED_TESTS "/evaluate/data/labels.json");
  return nlohmann::json::parse(stream)[part];
}

// Both as numbers and as they are printed.
inline void expect_value(double got, double golden) {
  ASSERT_NEAR(got, golden, 1e-11 * golden);
  ASSERT_EQ(fmt::format("{:.2f}", got), fmt::format("{:.2f}", golden));
}

// The last four elements of a row are precision, recall, F1 and support.
inline void expect_class(const ClassScore& got, const nlohmann::json& row) {
  const size_t first = row.size() - 4;
  expect_value(got.precision, row[first].get<double>());
  expect_value(got.recall, row[first + 1].get<double>());
  expect_value(got.f1, row[first + 2].get<double>());
  ASSERT_EQ(got.support, row[first + 3].get<int64_t>());
}

inline void expect_report(const ClassReport& got, const nlohmann::json& golden) {
  ASSERT_EQ(got.classes.size(), golden["classes"].size());
  for (size_t i = 0; i < got.classes.size(); ++i) {
    ASSERT_EQ(got.classes[i].name, golden["classes"][i][0].get<std::string>());
    expect_class(got.classes[i], golden["classes"][i]);
  }
  expect_class(got.macro, golden["macro"]);
  expect_class(got.weighted, golden["weighted"]);
}

}  // namespace heed
