// What the tests of the scheduler share.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "heed/core/rng.h"
#include "heed/serve/scheduler.h"
#include "serve/function_task.h"
#include "support/small_translator.h"
#include "support/temporary_folder.h"
#include "support/translations.h"

namespace heed::testing {

using namespace std::chrono_literals;
using SharedModel = std::shared_ptr<const ServedModel>;

// Records what becomes of a request.
class Recorder : public TranslationObserver {
 public:
  void translated(Translation translation) override {
    called(translation.line);
    std::lock_guard lock(mutex_);
    threads_.insert(std::this_thread::get_id());
    EXPECT_TRUE(all_.emplace(translation.line, std::move(translation)).second);
    changed_.notify_all();
  }
  void finished() override {
    if (on_finished) on_finished();
    end({});
  }
  void failed(std::exception_ptr error) override { end(error); }

  // Waits for the end; false if there is none for a long time.
  bool wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 60s, [&] { return ended_; });
  }
  bool wait_for_lines(size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 60s, [&] { return all_.size() >= count; });
  }
  // What() of the error; empty if all is translated.
  std::string error() {
    EXPECT_TRUE(wait());
    try {
      if (error_) std::rethrow_exception(error_);
    } catch (const DeadlinePassed&) {
      return "deadline";
    } catch (const std::exception& e) {
      return e.what();
    }
    return "";
  }
  std::map<int64_t, Translation> all() {
    std::lock_guard lock(mutex_);
    return all_;
  }
  size_t count() {
    std::lock_guard lock(mutex_);
    return all_.size();
  }
  bool ended() {
    std::lock_guard lock(mutex_);
    return ended_;
  }
  std::set<std::thread::id> threads() {
    std::lock_guard lock(mutex_);
    return threads_;
  }

  std::function<void(int64_t line)> on_translated;
  std::function<void()> on_finished;

 private:
  void called(int64_t line) {
    EXPECT_FALSE(calling_.exchange(true)) << "two calls at a time";
    if (on_translated) on_translated(line);
    calling_ = false;
  }
  void end(const std::exception_ptr& error) {
    std::lock_guard lock(mutex_);
    EXPECT_FALSE(ended_);
    ended_ = true;
    error_ = error;
    changed_.notify_all();
  }

  std::atomic<bool> calling_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<int64_t, Translation> all_;
  std::set<std::thread::id> threads_;
  bool ended_ = false;
  std::exception_ptr error_;
};

// Keeps a thread of a scheduler busy until it is destroyed or released.
class BusyThread {
 public:
  explicit BusyThread(Scheduler& scheduler) {
    auto begun = std::make_shared<std::promise<void>>();
    scheduler.run(one_turn([begun, released = released_.get_future().share()] {
                    begun->set_value();
                    released.wait();
                  }),
                  {.client = "busy"});
    begun->get_future().wait();
  }
  ~BusyThread() { release(); }
  void release() {
    if (!done_) released_.set_value();
    done_ = true;
  }

 private:
  std::promise<void> released_;
  bool done_ = false;
};

class SchedulerTest : public ::testing::Test {
 protected:
  SchedulerTest() {
    write_small_translator(folder_.path() / "model");
    model_ = open();
  }

  SharedModel open() const {
    return std::make_shared<const ServedModel>(
        folder_.path() / "model", ModelIdentity{.name = "en-zh", .languages = {"en", "zh"}},
        ComputeChoice::fp32);
  }

  static DecodeOptions greedy() {
    DecodeOptions options;
    options.search.beam = 1;
    options.search.extra_length = 5;
    return options;
  }

  // Of every kind.
  static std::vector<DecodeOptions> all_options() {
    std::vector<DecodeOptions> all(6, greedy());
    all[1].search.beam = {};
    all[1].search.nbest = 3, all[1].attention = true;
    all[2].search.beam = 16, all[2].search.beam_groups = 4, all[2].search.nbest = 4;
    all[3].search.beam = {}, all[3].search.sample = true, all[3].search.nbest = 16;
    all[4].search.beam = 4, all[4].search.extra_length = 20;
    all[5].search.beam = {}, all[5].search.sample = true, all[5].search.top_k = 5;
    return all;
  }

  static std::vector<TranslationInput> lines(size_t count, uint64_t seed) {
    Random random(seed);
    const std::string letters = "the quick brown fox jumps over a lazy dog, ";
    std::vector<TranslationInput> all;
    for (size_t i = 0; i < count; ++i) {
      const size_t length = random.below(20) == 0 ? 120 : random.below(25);
      std::string text;
      while (text.size() < length) text += letters[random.below(letters.size())];
      all.push_back(TranslationInput(text, random.below(4) == 0 ? "qu" : ""));
    }
    return all;
  }

  static std::shared_ptr<const TranslationSetup> setup_of(const SharedModel& model,
                                                          const DecodeOptions& options) {
    return std::make_shared<TranslationSetup>(TranslationSetup{model, options});
  }
  static void set_model(TranslationRequest& request, const SharedModel& model) {
    const auto setup = setup_of(model, request.lines.front().setup->options);
    for (TranslationLine& line : request.lines) line.setup = setup;
  }

  TranslationRequest request(std::vector<TranslationInput> lines, const DecodeOptions& options,
                             const std::string& client = "a") const {
    TranslationRequest request;
    const auto setup = setup_of(model_, options);
    for (TranslationInput& line : lines)
      request.lines.push_back({std::move(line), setup, int64_t(request.lines.size())});
    request.client = client;
    return request;
  }

  // By Translator.
  std::vector<Translation> expected(const std::vector<TranslationInput>& lines,
                                    const DecodeOptions& options) const {
    std::vector<Translation> all(lines.size());
    size_t next = 0;
    Translator(model_->model.parts(), options)
        .translate(
            [&]() -> std::optional<TranslationInput> {
              if (next == lines.size()) return {};
              return lines[next++];
            },
            [&](const Translation& t) { all[size_t(t.line)] = t; });
    return all;
  }

  static void expect_equal(const Translation& a, const Translation& b) {
    EXPECT_EQ(a.line, b.line);
    testing::expect_same_translation(a, b);
  }
  static void expect_equal(const std::map<int64_t, Translation>& all,
                           const std::vector<Translation>& expected) {
    ASSERT_EQ(all.size(), expected.size());
    for (const auto& [line, translation] : all) expect_equal(translation, expected[size_t(line)]);
  }

  // Whether the condition holds soon.
  static bool soon(const std::function<bool()>& condition) {
    for (int i = 0; i < 3000; ++i) {
      if (condition()) return true;
      std::this_thread::sleep_for(10ms);
    }
    return false;
  }
  static bool becomes_idle(const Scheduler& scheduler) {
    return soon([&] {
      const SchedulerStatus status = scheduler.status();
      return status.waiting_lines == 0 && status.waiting_bytes == 0 && status.running_lines == 0;
    });
  }

  TemporaryFolder folder_;
  SharedModel model_;
};

}  // namespace heed::testing
