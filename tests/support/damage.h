// Files that were damaged on purpose.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "heed/core/error.h"
#include "heed/core/rng.h"

namespace heed::testing {

// The text of the Error (and nothing else) that `action` throws.
inline std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos) << "one line: " << e.what();
    return e.what();
  }
  ADD_FAILURE() << "expected an Error";
  return "";
}

// Calls visit(copy) with copies of `bytes`: cut short, and with one to four bytes changed. Damage
// stays within the first `reach` bytes.
inline void for_each_damaged(const std::string& bytes, size_t reach, int copies,
                             const std::function<void(const std::string&)>& visit) {
  Random random(11);
  for (int i = 0; i < copies; ++i) {
    std::string copy = bytes;
    if (i % 4 == 0) {
      copy.resize(random.below(bytes.size()));
    } else {
      for (uint64_t n = 1 + random.below(4); n > 0; --n)
        copy[random.below(std::min(reach, copy.size()))] = char(random());
    }
    visit(copy);
  }
}

}  // namespace heed::testing
