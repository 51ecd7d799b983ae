// The result of a run of the program.
#include "run_heed.h"

#include <gmock/gmock.h>

#include "support/sanitized.h"

namespace heed::testing {
namespace {

TEST(RunHeedTest, TheMemoryOfTheTestDoesNotCount) {
  if (is_sanitized()) GTEST_SKIP() << "sanitizers take memory of their own";
  const int64_t alone = run_heed({"--version"}).peak_memory;
  EXPECT_GT(alone, int64_t{1} << 20);
  const std::string held(size_t{256} << 20, '.');
  EXPECT_LT(run_heed({"--version"}).peak_memory, alone + (int64_t{16} << 20)) << held.size();
}

}  // namespace
}  // namespace heed::testing
