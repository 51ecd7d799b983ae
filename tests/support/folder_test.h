// A folder of its own for each test, and errors as text.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string_view>

#include "heed/core/error.h"
#include "support/temporary_folder.h"

namespace heed {

// A fixture with a folder that goes when the test ends.
class FolderTest : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, std::string_view bytes) const {
    return temporary_.write(name, std::string(bytes));
  }
  static std::string read(const std::filesystem::path& path) {
    std::stringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    return bytes.str();
  }

  testing::TemporaryFolder temporary_;
  const std::filesystem::path folder_ = temporary_.path();
};

// What `action` throws as Error; empty if nothing.
template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace heed
