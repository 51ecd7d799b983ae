// Results of PyTorch (tools/make_paper_goldens.py, tools/make_attention_goldens.py).
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heed/core/tensor.h"

namespace heed::testing {

using Json = nlohmann::json;

// One group of a file below tests/.
inline Json goldens(const std::string& file, const std::string& group) {
  std::ifstream in(HEED_TESTS + file);
  return Json::parse(in)[group];
}

// Null values are -infinity.
inline Tensor matrix(const Json& json) {
  std::vector<float> values;
  for (const Json& value : json["values"])
    values.push_back(value.is_null() ? -std::numeric_limits<float>::infinity()
                                     : value.get<float>());
  return tensor_of<float>(json["shape"].get<Shape>(), values);
}

inline void expect_near(const Tensor& got, const Tensor& expected, double tolerance = 1e-5) {
  ASSERT_EQ(got.shape(), expected.shape());
  for (int64_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(got.data<float>()[i], expected.data<float>()[i], tolerance) << "element " << i;
}

}  // namespace heed::testing
