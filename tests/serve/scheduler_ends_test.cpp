// The ends of requests: cancelled, late, refused, and with their models.
#include "scheduler_fixture.h"

namespace heed {
namespace {

using namespace std::chrono_literals;
using testing::BusyThread;
using testing::Recorder;
using testing::SchedulerTest;
using testing::SharedModel;

TEST_F(SchedulerTest, CancelledRequestsLeaveNothingBehind) {
  const auto texts = lines(20, 3);
  const auto translations = expected(texts, DecodeOptions());
  for (const int64_t threads : {1, 2}) {
    Scheduler scheduler({.threads = threads, .batch_tokens = 100});
    Random random(uint64_t(threads) + 7);
    std::vector<std::shared_ptr<Recorder>> cancelled, kept;
    for (int i = 0; i < 12; ++i) {
      cancelled.push_back(std::make_shared<Recorder>());
      const uint64_t id = scheduler.submit(request(lines(300, 9), greedy()), cancelled.back());
      kept.push_back(std::make_shared<Recorder>());
      scheduler.submit(request(texts, DecodeOptions(), "b"), kept.back());
      std::this_thread::sleep_for(std::chrono::microseconds(random.below(4000)));
      scheduler.cancel(id);
      scheduler.cancel(id);
    }
    scheduler.cancel(12345678);
    for (const auto& recorder : kept) {
      EXPECT_EQ(recorder->error(), "");
      expect_equal(recorder->all(), translations);
    }
    EXPECT_TRUE(becomes_idle(scheduler));
    for (const auto& recorder : cancelled)
      EXPECT_TRUE(!recorder->ended() || recorder->count() == 300);
  }
}

TEST_F(SchedulerTest, DeadlinesEndRequestsThatWaitOrRun) {
  Scheduler scheduler({});
  TranslationRequest late = request(lines(2, 1), greedy());
  late.deadline = std::chrono::steady_clock::now();
  const auto past = std::make_shared<Recorder>();
  scheduler.submit(late, past);
  EXPECT_EQ(past->error(), "deadline");

  TranslationRequest large = request(lines(100'000, 1), greedy());
  large.deadline = std::chrono::steady_clock::now() + 50ms;
  const auto running = std::make_shared<Recorder>();
  const auto waiting = std::make_shared<Recorder>();
  scheduler.submit(large, running);
  {
    const BusyThread busy(scheduler);
    late.deadline = std::chrono::steady_clock::now() + 5ms;
    scheduler.submit(late, waiting);
    std::this_thread::sleep_for(60ms);
  }
  EXPECT_EQ(running->error(), "deadline");
  EXPECT_LT(running->count(), 100'000u);
  EXPECT_EQ(waiting->error(), "deadline");
  EXPECT_TRUE(becomes_idle(scheduler));

  late.deadline = std::chrono::steady_clock::now() + 60s;
  const auto in_time = std::make_shared<Recorder>();
  scheduler.submit(late, in_time);
  EXPECT_EQ(in_time->error(), "");
}

TEST_F(SchedulerTest, ADeadlineEndsALineThatRuns) {
  Scheduler scheduler({.batch_tokens = 40});
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "the quick dog. ";
  TranslationRequest one = request({text}, greedy());
  one.deadline = std::chrono::steady_clock::now() + 100ms;
  const auto recorder = std::make_shared<Recorder>();
  scheduler.submit(one, recorder);
  EXPECT_EQ(recorder->error(), "deadline");
  EXPECT_EQ(recorder->count(), 0u);
  EXPECT_TRUE(becomes_idle(scheduler));
}

TEST_F(SchedulerTest, AnErrorOfALineEndsItsRequestOnly) {
  Scheduler scheduler({.threads = 2});
  DecodeOptions options = greedy();
  options.search.max_length = 3;
  options.strict = true;
  std::vector<TranslationInput> texts(200, TranslationInput("lazy dog"));
  const auto good = std::make_shared<Recorder>();
  scheduler.submit(request(texts, options), good);
  texts[7].prefix = "the quick brown fox";
  const auto bad = std::make_shared<Recorder>();
  scheduler.submit(request(texts, options), bad);
  EXPECT_NE(bad->error().find("line 8 of the prefixes"), std::string::npos) << bad->error();
  EXPECT_EQ(good->error(), "");
  EXPECT_EQ(good->count(), 200u);
  EXPECT_TRUE(becomes_idle(scheduler));
}

TEST_F(SchedulerTest, TooManyRequestsAreRefusedUntilThereIsRoom) {
  SchedulerOptions limits;
  limits.waiting_requests = 3;
  limits.waiting_bytes = 1000;
  Scheduler scheduler(limits);
  const std::vector<TranslationInput> large(1, TranslationInput(std::string(5000, 'a')));
  std::vector<std::shared_ptr<Recorder>> accepted;
  const auto submit = [&](const std::vector<TranslationInput>& text) {
    const auto recorder = std::make_shared<Recorder>();
    scheduler.submit(request(text, greedy()), recorder);
    accepted.push_back(recorder);
  };
  BusyThread busy(scheduler);
  submit(large);
  EXPECT_THROW(submit(lines(1, 1)), Overloaded) << "bytes";
  EXPECT_THROW(scheduler.run(testing::one_turn([] {}), {.client = "b"}), Overloaded);
  busy.release();
  EXPECT_EQ(accepted.back()->error(), "");
  {
    const BusyThread again(scheduler);
    for (int i = 0; i < 3; ++i) submit(lines(1, 1));
    EXPECT_THROW(submit(lines(1, 1)), Overloaded) << "requests";
    EXPECT_EQ(scheduler.status().waiting_lines, 3);
  }
  for (const auto& recorder : accepted) EXPECT_EQ(recorder->error(), "");
  submit(large);
  EXPECT_EQ(accepted.back()->error(), "");
}

TEST_F(SchedulerTest, AModelThatIsNotUsedAnyMoreIsFreedWhileAnotherRuns) {
  Scheduler scheduler({.threads = 2});
  SharedModel old = open();
  const std::weak_ptr<const ServedModel> gone = old;
  const auto endless = std::make_shared<Recorder>();
  const auto texts = lines(40, 3);
  const uint64_t id = scheduler.submit(request(lines(100'000, 1), greedy()), endless);
  for (int i = 0; i < 3; ++i) {
    TranslationRequest other = request(texts, DecodeOptions(), "b");
    set_model(other, old);
    const auto recorder = std::make_shared<Recorder>();
    scheduler.submit(std::move(other), recorder);
    EXPECT_EQ(recorder->error(), "");
    expect_equal(recorder->all(), expected(texts, DecodeOptions()));
  }
  EXPECT_FALSE(gone.expired());
  old.reset();
  EXPECT_TRUE(soon([&] { return gone.expired(); }));
  EXPECT_FALSE(endless->ended());
  scheduler.cancel(id);
  // On idle threads too.
  EXPECT_TRUE(becomes_idle(scheduler));
  const std::weak_ptr<const ServedModel> last = model_;
  model_.reset();
  EXPECT_TRUE(soon([&] { return last.expired(); }));
}

TEST_F(SchedulerTest, ObserversMayCallTheScheduler) {
  Scheduler scheduler({.threads = 2, .batch_tokens = 100});
  const auto first = std::make_shared<Recorder>();
  const auto second = std::make_shared<Recorder>();
  const auto third = std::make_shared<Recorder>();
  std::promise<uint64_t> id_of_third;
  auto id = id_of_third.get_future().share();
  third->on_translated = [&](int64_t) { scheduler.cancel(id.get()); };
  first->on_finished = [&] {
    scheduler.submit(request(lines(5, 2), greedy()), second);
    id_of_third.set_value(scheduler.submit(request(lines(500, 3), greedy()), third));
    EXPECT_GE(scheduler.status().waiting_lines, 0);
  };
  scheduler.submit(request(lines(5, 1), greedy()), first);
  EXPECT_EQ(first->error(), "");
  EXPECT_EQ(second->error(), "");
  ASSERT_TRUE(third->wait_for_lines(1));
  EXPECT_TRUE(becomes_idle(scheduler));
  EXPECT_EQ(third->count(), 1u) << "cancelled in its first call";
  EXPECT_FALSE(third->ended());
}

TEST_F(SchedulerTest, TheEndCancelsWhatIsUnfinished) {
  const auto recorder = std::make_shared<Recorder>();
  size_t count = 0;
  {
    Scheduler scheduler({.threads = 2});
    scheduler.submit(request(lines(100'000, 1), greedy()), recorder);
    ASSERT_TRUE(recorder->wait_for_lines(1));
    TranslationRequest many = request(lines(100'000, 2), DecodeOptions());
    const auto begin = std::chrono::steady_clock::now();
    {
      Scheduler other({.threads = 3});
      other.submit(std::move(many), std::make_shared<Recorder>());
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
  }
  count = recorder->count();
  EXPECT_LT(count, 100'000u);
  EXPECT_FALSE(recorder->ended());
}

// Several threads that submit, cancel and look, on two models that come and go.
TEST_F(SchedulerTest, ManyClientsAtOnce) {
  SchedulerOptions limits;
  limits.threads = 2;
  limits.batch_tokens = 120;
  limits.waiting_requests = 12;
  Scheduler scheduler(limits);
  const auto options = all_options();
  std::vector<std::vector<TranslationInput>> texts;
  std::vector<std::vector<Translation>> translations;
  for (size_t i = 0; i < options.size(); ++i) {
    texts.push_back(lines(6, 40 + i));
    translations.push_back(expected(texts[i], options[i]));
  }
  std::atomic<int> finished{0}, refused{0};
  std::vector<std::thread> clients;
  for (uint64_t client = 0; client < 4; ++client)
    clients.emplace_back([&, client] {
      Random random(client);
      SharedModel own = open();
      for (int i = 0; i < 25; ++i) {
        const size_t kind = random.below(options.size());
        TranslationRequest asked = request(texts[kind], options[kind], std::to_string(client % 3));
        if (random.below(2) == 0) set_model(asked, own);
        if (random.below(5) == 0)
          asked.deadline =
              std::chrono::steady_clock::now() + std::chrono::microseconds(random.below(20'000));
        const bool in_time = !asked.deadline;
        const auto recorder = std::make_shared<Recorder>();
        try {
          const uint64_t id = scheduler.submit(std::move(asked), recorder);
          if (random.below(4) == 0) {
            std::this_thread::sleep_for(std::chrono::microseconds(random.below(3000)));
            scheduler.cancel(id);
            continue;
          }
        } catch (const Overloaded&) {
          ++refused;
          std::this_thread::sleep_for(2ms);
          continue;
        }
        if (random.below(3) == 0) continue;
        const std::string error = recorder->error();
        if (in_time) {
          EXPECT_EQ(error, "");
        }
        if (error.empty()) {
          expect_equal(recorder->all(), translations[kind]);
          ++finished;
        }
        EXPECT_GE(scheduler.status().running_lines, 0);
        if (random.below(8) == 0) own = open();
      }
    });
  for (std::thread& client : clients) client.join();
  EXPECT_GT(finished, 20);
  EXPECT_TRUE(becomes_idle(scheduler));
}

}  // namespace
}  // namespace heed
