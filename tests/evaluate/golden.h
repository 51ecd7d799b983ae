// Golden files of the metrics: corpora of odd text and what sacreBLEU says about them.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "heed/evaluate/metric.h"

namespace heed {

inline nlohmann::json read_golden(const std::string& file) {
  std::ifstream stream(std::string(HEED_TEST_DATA) + "/" + file);
  return nlohmann::json::parse(stream);
}

// The signature without its last field: the version is each program's own.
inline std::string_view without_version(std::string_view signature) {
  return signature.substr(0, signature.rfind("|version:"));
}

}  // namespace heed
