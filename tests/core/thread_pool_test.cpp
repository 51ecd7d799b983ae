#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <set>

#include "heed/core/error.h"
#include "heed/core/parallel.h"

namespace heed {
namespace {

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
