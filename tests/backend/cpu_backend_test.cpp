#include "heed/backend/cpu/cpu_backend.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "backend/compare.h"

namespace heed {
namespace {

using ::testing::HasSubstr;

// Sets HEED_TARGET for a scope.
class TargetVariable {
 public:
  explicit TargetVariable(const std::string& value) { setenv("HEED_TARGET", value.c_str(), 1); }
  ~TargetVariable() { unsetenv("HEED_TARGET"); }
};

TEST(CpuTargets, NamesTheBackend) {
  ASSERT_FALSE(cpu_targets().empty());
  for (const std::string& target : cpu_targets())
    EXPECT_EQ(make_cpu_backend(target)->name(), "cpu (" + target + ")");
}

TEST(CpuTargets, EnvironmentForcesOne) {
  const std::string last = cpu_targets().back();
  const TargetVariable variable(last);
  EXPECT_EQ(make_cpu_backend()->name(), "cpu (" + last + ")");
}

TEST(CpuTargets, BestWithoutEnvironment) {
  const TargetVariable variable("");
  EXPECT_EQ(make_cpu_backend()->name(), "cpu (" + cpu_targets().front() + ")");
}

TEST(CpuTargets, UnknownNameIsTheUsersError) {
  const TargetVariable variable("AVX9");
  try {
    make_cpu_backend();
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("AVX9"));
    EXPECT_THAT(error.what(), HasSubstr(cpu_targets().back()));
  }
}

}  // namespace
}  // namespace heed
