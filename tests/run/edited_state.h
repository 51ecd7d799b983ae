// Training states with other values in their header.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <regex>
#include <string>

namespace heed {

// The same file with what matches in its header replaced. The header is JSON inside JSON: `"` in
// the arguments stands for `\"`.
inline std::string with_header(const std::string& state, std::string pattern,
                               std::string replacement) {
  for (std::string* text : {&pattern, &replacement})
    for (size_t at = 0; (at = text->find('"', at)) != text->npos; at += 3)
      text->replace(at, 1, text == &pattern ? R"(\\")" : R"(\")");
  uint64_t length = 0;
  memcpy(&length, state.data(), sizeof length);
  const std::string before = state.substr(8, length);
  const std::string header = std::regex_replace(before, std::regex(pattern), replacement);
  EXPECT_NE(header, before) << pattern;
  const uint64_t size = header.size();
  return std::string(reinterpret_cast<const char*>(&size), 8) + header + state.substr(8 + length);
}

}  // namespace heed
