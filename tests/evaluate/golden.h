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

// Holds score(hypotheses, references, golden), golden being one score of the file, against its
// printed line, signature and exact value. Ends the test at the first that differs.
template <class Score>
void expect_goldens(const std::string& file, int at_least, Score&& score) {
  std::ifstream stream(std::string(HEED_TEST_DATA) + "/" + file);
  int scores = 0;
  for (const nlohmann::json& corpus : nlohmann::json::parse(stream)) {
    const auto hypotheses = corpus["hypotheses"].get<Lines>();
    const auto references = corpus["references"].get<std::vector<Lines>>();
    for (const nlohmann::json& golden : corpus["scores"]) {
      SCOPED_TRACE(corpus["hypotheses"].dump() + corpus["references"].dump() + golden.dump());
      const auto got = score(hypotheses, references, golden);
      const auto exact = golden["score"].template get<double>();
      ASSERT_EQ(got.line(), golden["line"].template get<std::string>());
      ASSERT_NEAR(got.score, exact, 1e-9 * exact);
      ASSERT_EQ(without_version(got.signature),
                without_version(golden["signature"].template get<std::string>()));
      ++scores;
    }
  }
  EXPECT_GE(scores, at_least);
}

}  // namespace heed
