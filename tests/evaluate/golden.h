// Golden files of the metrics: corpora of odd text and what sacreBLEU says about them.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heed/evaluate/metric.h"

namespace heed {

// The signature without its last field: the version is each program's own.
inline std::string without_version(const std::string& signature) {
  return signature.substr(0, signature.rfind("|version:"));
}

// Holds score(hypotheses, references, option), option being one of the file's, against the printed
// line, the signature and the value of every corpus; tools/metric_goldens.py says what the file
// looks like. Ends the test at the first that differs.
template <class Score>
void expect_goldens(const std::string& file, int at_least, Score&& score) {
  std::ifstream stream(std::string(HEED_TESTS "/evaluate/data/") + file);
  const nlohmann::json goldens = nlohmann::json::parse(stream);
  int scores = 0;
  for (const nlohmann::json& corpus : goldens["corpora"]) {
    const auto hypotheses = corpus["hypotheses"].get<Lines>();
    const auto references = corpus["references"].get<std::vector<Lines>>();
    for (size_t i = 0; i < goldens["options"].size(); ++i) {
      const nlohmann::json& option = goldens["options"][i];
      const nlohmann::json& golden = corpus["scores"][i];
      SCOPED_TRACE(corpus["hypotheses"].dump() + corpus["references"].dump() + option.dump());
      const bool sentence = option.value("sentence", false);
      std::vector<Lines> right = references;
      if (sentence) {
        for (Lines& lines : right) lines.resize(1);
      }
      const auto got = score(sentence ? Lines{hypotheses[0]} : hypotheses, right, option);
      const auto exact = golden[0].template get<double>();
      ASSERT_EQ(got.line(), golden[1].template get<std::string>());
      ASSERT_NEAR(got.score, exact, 1e-9 * exact);
      ASSERT_EQ(
          without_version(got.signature),
          without_version(
              option["signatures"][std::to_string(references.size())].template get<std::string>()));
      ++scores;
    }
  }
  EXPECT_GE(scores, at_least);
}

}  // namespace heed
