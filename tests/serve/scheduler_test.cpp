#include "heed/serve/scheduler.h"

#include "scheduler_fixture.h"

namespace heed {
namespace {

using testing::BusyThread;
using testing::Recorder;
using testing::SchedulerTest;

TEST_F(SchedulerTest, SlowTranslationsUnderLoadEqualTheTranslators) {
  const auto options = all_options();
  std::vector<std::vector<TranslationInput>> texts;
  std::vector<std::vector<Translation>> translations;
  for (size_t i = 0; i < 2 * options.size(); ++i) {
    texts.push_back(lines(12, i));
    translations.push_back(expected(texts[i], options[i % options.size()]));
  }
  for (const int64_t threads : {1, 2, 3}) {
    for (const int64_t batch_tokens : {50, 2048}) {
      Scheduler scheduler({.threads = threads, .batch_tokens = batch_tokens});
      std::vector<std::shared_ptr<Recorder>> recorders;
      for (size_t i = 0; i < texts.size(); ++i) {
        recorders.push_back(std::make_shared<Recorder>());
        scheduler.submit(request(texts[i], options[i % options.size()], std::to_string(i % 3)),
                         recorders.back());
      }
      for (size_t i = 0; i < texts.size(); ++i) {
        EXPECT_EQ(recorders[i]->error(), "");
        expect_equal(recorders[i]->all(), translations[i]);
      }
      EXPECT_TRUE(becomes_idle(scheduler));
      const SchedulerStatus status = scheduler.status();
      const auto& steps = status.step_sentences.histogram;
      EXPECT_GT(steps.sample_count, 0u);
      EXPECT_GE(steps.sample_sum, double(steps.sample_count));
      EXPECT_EQ(steps.bucket.size(), 11u);
      EXPECT_GT(status.cache_rows, 0);
      EXPECT_EQ(status.reserved_rows, 0);
      EXPECT_GT(status.source_tokens, 500);
      EXPECT_GT(status.target_tokens, 500);
    }
  }
}

TEST_F(SchedulerTest, OptionsOutOfRangeAreRefused) {
  Scheduler scheduler({.hypotheses = 3});
  const auto recorder = std::make_shared<Recorder>();
  EXPECT_THROW(scheduler.submit(request(lines(1, 1), DecodeOptions()), recorder), UsageError);
  DecodeOptions options = greedy();
  options.search.nbest = 2;
  EXPECT_THROW(scheduler.submit(request(lines(1, 1), options), recorder), UsageError);
  EXPECT_FALSE(recorder->ended());
}

TEST_F(SchedulerTest, SlowALineJoinsWhileOthersRun) {
  Scheduler scheduler({.batch_tokens = 400});
  const auto texts = lines(3, 5);
  const auto translations = expected(texts, greedy());
  const auto many = std::make_shared<Recorder>();
  const auto few = std::make_shared<Recorder>();
  scheduler.submit(request(lines(3000, 1), greedy()), many);
  ASSERT_TRUE(many->wait_for_lines(1));
  scheduler.submit(request(texts, greedy(), "b"), few);
  EXPECT_EQ(few->error(), "");
  EXPECT_FALSE(many->ended());
  expect_equal(few->all(), translations);
  EXPECT_EQ(many->error(), "");
}

TEST_F(SchedulerTest, ASmallRequestDoesNotWaitForALargeOne) {
  for (const std::string client : {"a", "b"}) {
    Scheduler scheduler({.batch_tokens = 200});
    const auto large = std::make_shared<Recorder>();
    const auto small = std::make_shared<Recorder>();
    size_t before = 0;
    small->on_finished = [&] { before = large->count(); };
    {
      const BusyThread busy(scheduler);
      scheduler.submit(request(lines(1000, 1), greedy()), large);
      scheduler.submit(request(lines(4, 2), greedy(), client), small);
    }
    EXPECT_EQ(small->error(), "");
    EXPECT_LT(before, 100u);
    EXPECT_EQ(large->error(), "");
  }
}

TEST_F(SchedulerTest, ShortLinesDoNotKeepALongOneWaiting) {
  const SchedulerOptions limits = {.batch_tokens = 30};
  std::vector<detail::ModelBatch> none;
  detail::ThreadRoom room(none, limits);
  const auto job = [&](uint64_t id, size_t bytes) {
    return std::make_shared<detail::Job>(id, request({std::string(bytes, 'q')}, greedy()), nullptr);
  };
  const auto long_line = job(1, 60), short_line = job(2, 3);
  ASSERT_TRUE(room.accepts(*long_line));
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(room.accepts(*short_line));
    room.take({short_line, 0, short_line->request.lines[0].input});
  }
  EXPECT_FALSE(room.accepts(*long_line)) << "10 tokens are left";
  EXPECT_FALSE(room.accepts(*short_line));
  const detail::Job task(3, testing::one_turn([] {}), {.client = "a"});
  EXPECT_TRUE(room.accepts(task));
}

TEST_F(SchedulerTest, LinesHaveModelsAndOptionsOfTheirOwn) {
  Scheduler scheduler({.threads = 2});
  const SharedModel other = open();
  const auto texts = lines(20, 5);
  const std::vector<DecodeOptions> options = all_options();
  std::vector<std::vector<Translation>> want;
  for (const DecodeOptions& one : options) want.push_back(expected(texts, one));
  TranslationRequest mixed;
  mixed.client = "a";
  std::vector<std::shared_ptr<const TranslationSetup>> setups;
  for (size_t i = 0; i < options.size(); ++i)
    setups.push_back(setup_of(i % 2 == 0 ? model_ : other, options[i]));
  // Each text with each setup, in another order than their numbers.
  for (size_t i = texts.size(); i-- > 0;)
    for (const auto& setup : setups) mixed.lines.push_back({texts[i], setup, int64_t(i)});
  const auto recorder = std::make_shared<Recorder>();
  scheduler.submit(mixed, recorder);
  EXPECT_EQ(recorder->error(), "");
  const auto all = recorder->all();
  ASSERT_EQ(all.size(), mixed.lines.size());
  for (const auto& [index, translation] : all) {
    EXPECT_EQ(translation.line, index);
    const TranslationLine& line = mixed.lines[size_t(index)];
    const auto setup = size_t(index) % setups.size();
    testing::expect_same_translation(translation, want[setup][size_t(line.number)]);
  }
}

TEST_F(SchedulerTest, IdleThreadsShareARequest) {
  Scheduler scheduler({.threads = 2});
  const auto recorder = std::make_shared<Recorder>();
  recorder->on_translated = [&](int64_t) {
    // The other thread has taken the lines that are left to it.
    soon([&] { return scheduler.status().waiting_lines == 0; });
  };
  scheduler.submit(request(lines(10, 1), greedy()), recorder);
  EXPECT_EQ(recorder->error(), "");
  EXPECT_EQ(recorder->threads().size(), 2u);
}

TEST_F(SchedulerTest, ABusyThreadLeavesItsShareToOthers) {
  Scheduler scheduler({.threads = 2});
  BusyThread busy(scheduler);
  const auto recorder = std::make_shared<Recorder>();
  scheduler.submit(request(lines(50, 1), greedy()), recorder);
  EXPECT_EQ(recorder->error(), "");
}

TEST_F(SchedulerTest, TasksRunOnceAndMayThrow) {
  Scheduler scheduler({.threads = 2});
  std::atomic<int> runs{0}, failures{0};
  for (int i = 0; i < 20; ++i) {
    const auto task = testing::one_turn([&] {
      ++runs;
      throw std::runtime_error("a task");
    });
    task->on_failed = [&](const std::exception_ptr&) { ++failures; };
    scheduler.run(task, {.client = "a", .cost = 10});
  }
  EXPECT_TRUE(soon([&] { return failures == 20; }));
  const auto recorder = std::make_shared<Recorder>();
  scheduler.submit(request(lines(5, 1), greedy()), recorder);
  EXPECT_EQ(recorder->error(), "");
  EXPECT_EQ(runs, 20);
}

TEST_F(SchedulerTest, LinesAreTranslatedBetweenTheTurnsOfATask) {
  Scheduler scheduler({.threads = 1});
  std::atomic<bool> translated{false};
  std::atomic<int> turns{0};
  scheduler.run(std::make_shared<testing::FunctionTask>([&] {
                  ++turns;
                  std::this_thread::sleep_for(1ms);
                  return !translated;
                }),
                {.client = "a"});
  const auto recorder = std::make_shared<Recorder>();
  scheduler.submit(request(lines(5, 1), greedy(), "b"), recorder);
  EXPECT_EQ(recorder->error(), "");
  translated = true;
  EXPECT_TRUE(becomes_idle(scheduler));
  EXPECT_GT(turns, 1);
}

// Not a turn between any two steps of a line, which are much shorter.
TEST_F(SchedulerTest, TheTurnsOfATaskTakeNoMoreTimeThanLines) {
  Scheduler scheduler({.threads = 1});
  DecodeOptions options = greedy();
  options.search.min_length = options.search.max_length = 35;
  std::atomic<bool> translated{false};
  std::atomic<int> turns{0};
  const auto recorder = std::make_shared<Recorder>();
  scheduler.run(std::make_shared<testing::FunctionTask>([&] {
                  if (++turns == 1)
                    scheduler.submit(request({TranslationInput("fox")}, options, "b"), recorder);
                  std::this_thread::sleep_for(40ms);
                  return !translated;
                }),
                {.client = "a"});
  EXPECT_EQ(recorder->error(), "");
  EXPECT_LT(turns, 20);
  translated = true;
}

// The fault: a page of attention was refused when most of it was computed.
TEST_F(SchedulerTest, ATaskIsAdmittedOnce) {
  SchedulerOptions limits;
  limits.waiting_requests = 2;
  Scheduler scheduler(limits);
  std::atomic<int> turns{0};
  std::atomic<bool> queue_is_full{false};
  std::promise<void> last;
  scheduler.run(std::make_shared<testing::FunctionTask>([&] {
                  if (++turns == 3) last.set_value();
                  EXPECT_TRUE(soon([&] { return queue_is_full.load(); }));
                  return turns < 3;
                }),
                {.client = "a"});
  EXPECT_TRUE(soon([&] { return turns == 1; }));
  const auto submit = [&] {
    scheduler.submit(request(lines(1, 1), greedy(), "b"), std::make_shared<Recorder>());
  };
  EXPECT_THROW(for (int i = 0; i < 3; ++i) submit(), Overloaded);
  queue_is_full = true;
  last.get_future().wait();
}

// The fault: scores had no deadline, and were computed for a client that had gone.
TEST_F(SchedulerTest, ATaskEndsAtItsDeadlineOrWhenItIsCancelled) {
  Scheduler scheduler({.threads = 1});
  std::promise<std::exception_ptr> failure;
  std::atomic<int> turns{0};
  const auto endless = [&] {
    ++turns;
    return true;
  };
  const auto late = std::make_shared<testing::FunctionTask>(endless);
  late->on_failed = [&](const std::exception_ptr& error) { failure.set_value(error); };
  scheduler.run(late, {.client = "a", .deadline = std::chrono::steady_clock::now() + 20ms});
  EXPECT_THROW(std::rethrow_exception(failure.get_future().get()), DeadlinePassed);

  turns = 0;
  const uint64_t id =
      scheduler.run(std::make_shared<testing::FunctionTask>(endless), {.client = "a"});
  EXPECT_TRUE(soon([&] { return turns > 3; }));
  scheduler.cancel(id);
  EXPECT_TRUE(becomes_idle(scheduler));
  const int at_end = turns;
  std::this_thread::sleep_for(10ms);
  EXPECT_EQ(turns, at_end);
}

TEST_F(SchedulerTest, ATaskThatWaitsEndsAtItsDeadline) {
  Scheduler scheduler({.threads = 1});
  std::promise<void> failed;
  const auto task = testing::one_turn([] { FAIL() << "its deadline has passed"; });
  task->on_failed = [&](const std::exception_ptr&) { failed.set_value(); };
  BusyThread busy(scheduler);
  scheduler.run(task, {.client = "a", .deadline = std::chrono::steady_clock::now() + 10ms});
  std::this_thread::sleep_for(20ms);
  busy.release();
  failed.get_future().wait();
}

// Follows the translations of a request of greedy search.
class Follower : public Recorder {
 public:
  bool follows_progress() const override { return true; }
  void progress(const Translation& so_far) override {
    std::lock_guard lock(seen_mutex);
    seen[so_far.line].push_back(so_far.hypotheses.at(0).pieces);
  }
  std::mutex seen_mutex;
  std::map<int64_t, std::vector<std::vector<std::string>>> seen;
};

TEST_F(SchedulerTest, ProgressGrowsToTheTranslation) {
  Scheduler scheduler({.threads = 2});
  const auto follower = std::make_shared<Follower>();
  scheduler.submit(request(lines(30, 1), greedy()), follower);
  EXPECT_EQ(follower->error(), "");
  std::lock_guard lock(follower->seen_mutex);
  EXPECT_GT(follower->seen.size(), 20u);
  const auto all = follower->all();
  for (const auto& [line, steps] : follower->seen) {
    const auto& whole = all.at(line).hypotheses[0].pieces;
    size_t before = 0;
    for (const auto& pieces : steps) {
      EXPECT_GE(pieces.size(), before);
      before = pieces.size();
      ASSERT_LE(pieces.size(), whole.size());
      EXPECT_TRUE(std::equal(pieces.begin(), pieces.end(), whole.begin()));
    }
  }
}

}  // namespace
}  // namespace heed
