#include "heed/core/parallel.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

#include "heed/core/error.h"

namespace heed {
namespace {

TEST(Workers, EveryTaskRunsOnceAndAnErrorComesOut) {
  Workers workers(3);
  std::atomic<int64_t> sum{0};
  workers.run(100, [&](int64_t task, int worker) {
    EXPECT_LT(worker, 3);
    sum += task;
  });
  EXPECT_EQ(sum, 4950);
  EXPECT_THROW(workers.run(10, [](int64_t, int) { fail("no"); }), Error);
  workers.run(1, [&](int64_t, int) { ++sum; });
  EXPECT_EQ(sum, 4951) << "an error leaves the workers usable";
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// A thread needs addresses for its stack. In a process of its own, since the limit is the
// process's.
TEST(Workers, ThreadsThatTheMachineRefusesAreAnError) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlimit limit{rlim_t{256} << 20, rlim_t{256} << 20};
    ::setrlimit(RLIMIT_AS, &limit);
    try {
      const Workers workers(500);
    } catch (const Error& error) {
      const std::string text = error.what();
      ::_exit(text.find("cannot start 500 threads, only") == 0 ? 0 : 1);
    } catch (...) {
      ::_exit(2);
    }
    ::_exit(3);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}
#endif

}  // namespace
}  // namespace heed
