#include "heed/core/parallel.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <latch>
#include <set>

#include "heed/core/error.h"
#include "support/sanitized.h"

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

constexpr const char* kDigits = "0123456789";

// The numbers in the message where so many Workers cannot be started; zeros where they can.
struct Refused {
  int wanted = 0, running = 0;
};
Refused refused_threads(int threads) {
  try {
    const Workers workers(threads);
    return {};
  } catch (const Error& error) {
    Refused refused;
    const std::string text = error.what();
    const size_t first = text.find_first_of(kDigits);
    const size_t second = text.find_first_of(kDigits, text.find_first_not_of(kDigits, first));
    refused.wanted = std::stoi(text.substr(first));
    refused.running = std::stoi(text.substr(second));
    return refused;
  }
}

// A thread needs addresses for its stack. In a process of its own, since the limit is the
// process's.
TEST(Workers, ThreadsThatTheMachineRefusesAreAnError) {
  if (testing::is_sanitized()) GTEST_SKIP() << "sanitizers need all addresses";
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlimit limit{rlim_t{256} << 20, rlim_t{256} << 20};
    ::setrlimit(RLIMIT_AS, &limit);
    ::mallopt(M_ARENA_MAX, 1);  // else how many threads fit depends on when each one allocates
    try {
      const auto [wanted, running] = refused_threads(500);
      if (wanted != 500 || running < 2) ::_exit(1);
      // So many work, the calling thread included, and no more.
      if (refused_threads(running).wanted != 0) ::_exit(2);
      if (refused_threads(running + 1).running != running) ::_exit(3);
    } catch (...) {
      ::_exit(4);
    }
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(ThreadPool, TasksThatWaitForEachOtherRunAtOnce) {
  ThreadPool pool;
  for (int round = 0; round < 20; ++round) {
    std::latch all(4);
    std::vector<std::future<void>> ends;
    for (int i = 0; i < 4; ++i)
      ends.push_back(pool.start([&] { all.arrive_and_wait(); }, {.running = i, .wanted = 4}));
    for (auto& end : ends) end.get();
  }
}

TEST(ThreadPool, AThreadIsReused) {
  ThreadPool pool;
  std::set<std::thread::id> ids;
  for (int i = 0; i < 50; ++i) {
    pool.start([&] { ids.insert(std::this_thread::get_id()); }, {.running = 0, .wanted = 1}).get();
    // The thread is idle a moment after its task has ended.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_LT(ids.size(), 10u);
}

TEST(ThreadPool, TheFutureHasTheException) {
  ThreadPool pool;
  auto end = pool.start([] { fail("no"); }, {.running = 0, .wanted = 1});
  EXPECT_THROW(end.get(), Error);
  pool.start([] {}, {.running = 0, .wanted = 1}).get();
}

TEST(ThreadPool, TheDestructorWaitsForTheTasks) {
  std::atomic<int> done = 0;
  {
    ThreadPool pool;
    for (int i = 0; i < 8; ++i)
      pool.start(
          [&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            ++done;
          },
          {.running = i, .wanted = 8});
  }
  EXPECT_EQ(done, 8);
}

}  // namespace
}  // namespace heed
