#include "heed/core/strict_json.h"

#include <gtest/gtest.h>

#include <ctime>

#include "heed/core/error.h"
#include "support/facts.h"

namespace heed {
namespace {

std::string json_error(const std::string& text) {
  try {
    detail::parse_json(text, "x.json");
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(StrictJson, WhatIsWrongIsNamed) {
  EXPECT_EQ(detail::parse_json(R"({"a": [1, {"b": 2.5}], "c": null})", "x.json")["a"][1]["b"], 2.5);
  EXPECT_THAT(json_error(R"({"a": 1, "b": {"a": 1}, "a": 2})"), HasFacts("x.json \"a\""));
  EXPECT_EQ(json_error(R"({"a": 1, "b": {"a": 1}, "c": [{"a": 1}, {"a": 2}]})"), "");
  EXPECT_THAT(json_error("{\"a\""), HasFacts("x.json 5"));
  using std::string_literals::operator""s;
  EXPECT_THAT(json_error("[1]\0[2]"s), HasFacts("x.json 4"));
  EXPECT_THAT(json_error("[1]\0"s), HasFacts("x.json 4"));
  EXPECT_THAT(json_error("[1e999]"), HasFacts("x.json range"));
  EXPECT_THAT(json_error(std::string(40, '[') + std::string(40, ']')), HasFacts("x.json 32"));
}

// A header of hostile weights may have as many tensors as fit into it.
TEST(StrictJson, TheCostOfManyObjectsIsLinear) {
  std::string text = "{";
  for (int i = 0; i < 100'000; ++i)
    text += fmt::format("{}\"x{}\":{{\"shape\":[0],\"data_offsets\":[0,0]}}", i ? "," : "", i);
  text += "}";
  const std::clock_t begin = std::clock();
  EXPECT_EQ(detail::parse_json(text, "x.json").size(), 100'000u);
  EXPECT_LT(double(std::clock() - begin) / CLOCKS_PER_SEC, 10);
}

}  // namespace
}  // namespace heed
