// Checks of HTML pages.
#pragma once

#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

namespace heed::testing {

// The tags of a page, each closed in order; what they say is checked by others.
inline void expect_well_formed(const std::string& html) {
  ASSERT_EQ(html.rfind("<!DOCTYPE html>", 0), 0u);
  std::vector<std::string> open;
  const std::regex tag("<(/?)([a-zA-Z][a-z0-9]*)((?: [a-zA-Z0-9-]+=\"[^\"<>]*\")*)(/?)>");
  std::string text = html.substr(15);
  const auto begin = std::sregex_iterator(text.begin(), text.end(), tag);
  std::string between;
  size_t at = 0;
  for (auto it = begin; it != std::sregex_iterator(); ++it) {
    between += text.substr(at, size_t(it->position()) - at);
    at = size_t(it->position() + it->length());
    const std::string name = (*it)[2];
    if ((*it)[4] == "/") continue;
    if ((*it)[1] != "/") {
      open.push_back(name);
      continue;
    }
    ASSERT_FALSE(open.empty()) << name;
    EXPECT_EQ(open.back(), name);
    open.pop_back();
  }
  EXPECT_TRUE(open.empty()) << open.back();
  EXPECT_EQ(between.find('<'), std::string::npos) << between.substr(between.find('<'), 80);
  EXPECT_FALSE(std::regex_search(between, std::regex("&(?!amp;|lt;|gt;|quot;)")));
}

}  // namespace heed::testing
