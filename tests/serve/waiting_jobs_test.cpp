#include "heed/serve/waiting_jobs.h"

#include <gtest/gtest.h>

#include "serve/function_task.h"

namespace heed::detail {
namespace {

using std::chrono::milliseconds;

class WaitingJobsTest : public ::testing::Test {
 protected:
  static SchedulerOptions limits() {
    SchedulerOptions options;
    options.waiting_requests = 10;
    options.waiting_time = milliseconds(10'000);
    return options;
  }

  std::shared_ptr<Job> task_of(const std::string& client, int64_t cost) {
    return std::make_shared<Job>(++id_, testing::one_turn([] {}),
                                 TaskRequest{.client = client, .cost = cost});
  }
  // A job of one turn of this cost.
  uint64_t add(const std::string& client, int64_t cost) {
    waiting_.add(task_of(client, cost), now_);
    return id_;
  }
  uint64_t take() {
    return waiting_.take(now_, [](const Job&) { return true; })->job->id;
  }
  // Jobs of 100 tokens wait and begin for so long, 100 tokens a second; one keeps waiting.
  void measure(int seconds) {
    add("measured", 100);
    for (int i = 0; i < seconds; ++i) {
      add("measured", 100);
      now_ += milliseconds(1000);
      take();
    }
  }

  TimePoint now_ = TimePoint() + milliseconds(1'000'000);
  uint64_t id_ = 0;
  WaitingJobs waiting_{limits()};
};

TEST_F(WaitingJobsTest, AJobThatIsAloneAlwaysHasRoom) {
  add("a", int64_t(1) << 40);
  take();
  EXPECT_TRUE(waiting_.empty());
  measure(60);
  take();
  EXPECT_TRUE(waiting_.empty());
  add("a", int64_t(1) << 40);
  EXPECT_EQ(waiting_.turns(), 1);
}

TEST_F(WaitingJobsTest, AClientLeavesRoomForOthers) {
  int accepted = 0;
  try {
    for (;; ++accepted) add("many", 10);
  } catch (const Overloaded& error) {
    EXPECT_GE(error.retry_after.count(), 1);
  }
  EXPECT_EQ(accepted, 8);
  EXPECT_EQ(waiting_.turns(), 8) << "a job that is refused leaves nothing";
  add("other", 10);
  EXPECT_EQ(take(), 1u);
  EXPECT_EQ(take(), id_);
  add("many", 10);
}

TEST_F(WaitingJobsTest, ALongWaitRefusesWhoCausesIt) {
  add("a", 100'000);
  add("a", 100'000);
  EXPECT_EQ(waiting_.estimated_wait().count(), 0) << "without a measurement";
  waiting_.remove(1, now_);
  waiting_.remove(2, now_);
  EXPECT_TRUE(waiting_.empty());

  measure(60);
  EXPECT_NEAR(double(waiting_.estimated_wait().count()), 1000, 100);
  add("a", 2000);
  EXPECT_NEAR(double(waiting_.estimated_wait().count()), 21000, 2000);
  try {
    add("a", 10);
    FAIL() << "20 s of its own wait before it";
  } catch (const Overloaded& error) {
    EXPECT_NEAR(double(error.retry_after.count()), 11, 2);
  }
  add("b", 500);
  // Half of what waits begins.
  while (waiting_.estimated_wait() > milliseconds(10'000)) {
    now_ += milliseconds(1000);
    take();
  }
  add("a", 10);
}

TEST_F(WaitingJobsTest, AMomentOfWaitingIsNoMeasurement) {
  for (int i = 0; i < 5000; ++i) {
    add("a", 100);
    now_ += milliseconds(1);
    take();
  }
  add("a", 100);
  EXPECT_EQ(waiting_.estimated_wait().count(), 0);
}

TEST_F(WaitingJobsTest, JobsExpireAtTheirDeadlines) {
  for (const int after : {30, 10, 20}) {
    auto job = task_of("a", 1);
    job->request.deadline = now_ + milliseconds(after);
    waiting_.add(job, now_);
  }
  add("a", 1);
  EXPECT_EQ(waiting_.next_deadline(), now_ + milliseconds(10));
  EXPECT_TRUE(waiting_.remove_expired(now_ + milliseconds(9)).empty());
  const auto expired = waiting_.remove_expired(now_ + milliseconds(20));
  ASSERT_EQ(expired.size(), 2u);
  EXPECT_EQ(expired[0]->id, 2u);
  EXPECT_EQ(take(), 1u);
  EXPECT_FALSE(waiting_.next_deadline());
  EXPECT_EQ(waiting_.turns(), 1);
}

}  // namespace
}  // namespace heed::detail
