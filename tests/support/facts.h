// What a message must say, in whatever words it says it.
#pragma once

#include <gmock/gmock.h>

#include <cctype>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "heed/core/error.h"

namespace heed {

// Whether the text has the fact, and as a word of its own where it is a word or a number.
inline bool has_fact(std::string_view text, std::string_view fact) {
  const auto inside_word = [](char a, char b) {
    return std::isalnum(uint8_t(a)) != 0 && std::isalnum(uint8_t(b)) != 0;
  };
  for (size_t at = text.find(fact); at != text.npos; at = text.find(fact, at + 1)) {
    const size_t end = at + fact.size();
    const bool begins = at == 0 || !inside_word(text[at - 1], fact.front());
    const bool ends = end == text.size() || !inside_word(fact.back(), text[end]);
    if (begins && ends) return true;
  }
  return false;
}

// Matches a message that holds each of these facts, separated by spaces: files, lines, numbers,
// options, names. The words between them may change.
MATCHER_P(HasFacts, facts, std::string(negation ? "lacks one of " : "holds all of ") + facts) {
  std::istringstream words(facts);
  for (std::string fact; words >> fact;) {
    if (has_fact(arg, fact)) continue;
    *result_listener << "without " << fact;
    return false;
  }
  return true;
}

// That the call throws a UsageError with these facts.
template <class Call>
void expect_usage(const Call& call, const std::string& facts) {
  try {
    call();
    ADD_FAILURE() << "accepted: " << facts;
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasFacts(facts));
  }
}

}  // namespace heed
