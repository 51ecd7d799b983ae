// --tensorboard: what a run writes for TensorBoard, and that it changes nothing else.
#include "heed/run/tensorboard_log.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <ctime>

#include "run/event_reader.h"
#include "run/trainer_fixture.h"
#include "support/facts.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using testing::curve;
using ::testing::ElementsAre;
using testing::Event;
using testing::event_files;
using ::testing::HasSubstr;
using testing::read_events;
using ::testing::StartsWith;

class TensorBoardLogTest : public TrainerTest {
 protected:
  TrainOptions logged(const std::string& model, const std::string& events) const {
    TrainOptions o = validated(model);
    o.tensorboard = (folder_ / events).string();
    return o;
  }
  std::vector<int64_t> steps(const std::string& events, const std::string& tag) const {
    std::vector<int64_t> all;
    for (const auto& [step, value] : curve(folder_ / events, tag)) all.push_back(step);
    return all;
  }
};

TEST_F(TensorBoardLogTest, AFileHasEveryReport) {
  TrainOptions o = logged("m", "a/b/events");
  o.validation_metric = ValidationMetric::bleu;
  o.seed = 7;
  Recorder recorder;
  recorder.bleus = {3, 2};
  recorder.chrfs = {30, 20};
  const double begin = double(::time(nullptr));
  train(o, *backend_, recorder, recorder.measures());
  const std::vector<fs::path> files = event_files(o.tensorboard);
  ASSERT_EQ(files.size(), 1u);
  const std::vector<Event> events = read_events(files[0]);
  ASSERT_EQ(events.size(), 3 + recorder.reports.size() + recorder.validations.size());
  EXPECT_EQ(events[0].version, "brain.Event:2");
  EXPECT_TRUE(events[1].starts_session);
  EXPECT_EQ(events[1].step, 0);
  EXPECT_THAT(events[2].texts.at("configuration"), HasSubstr("    seed = 7\n"));
  double before = begin;
  for (const Event& event : events) {
    EXPECT_GE(event.wall_time, before);
    before = event.wall_time;
  }
  EXPECT_LE(before, double(::time(nullptr)) + 1);
  const auto expect_curve = [&](const char* tag, const auto& reports, auto value) {
    const auto points = curve(o.tensorboard, tag);
    ASSERT_EQ(points.size(), reports.size()) << tag;
    for (size_t i = 0; i < points.size(); ++i)
      EXPECT_EQ(points[i], std::pair(reports[i].step, float(value(reports[i])))) << tag;
  };
  using R = TrainReport;
  using V = ValidationReport;
  const auto& reports = recorder.reports;
  expect_curve("train/loss", reports, [](const R& r) { return r.loss; });
  expect_curve("train/nll", reports, [](const R& r) { return r.nll; });
  expect_curve("train/learning_rate", reports, [](const R& r) { return r.learning_rate; });
  expect_curve("train/gradient_norm", reports, [](const R& r) { return r.gradient_norm; });
  expect_curve("train/tokens_per_second", reports, [](const R& r) { return r.tokens_per_second; });
  const auto& validations = recorder.validations;
  expect_curve("validation/loss", validations, [](const V& r) { return *r.loss; });
  expect_curve("validation/perplexity", validations, [](const V& r) { return *r.perplexity; });
  expect_curve("validation/bleu", validations, [](const V& r) { return *r.score("bleu"); });
  expect_curve("validation/chrf", validations, [](const V& r) { return *r.score("chrf"); });
}

TEST_F(TensorBoardLogTest, TheFileHasTheNameThatTensorBoardLooksFor) {
  const TrainOptions o = logged("m", "events");
  const auto begin = ::time(nullptr);
  const TensorBoardLog first(o, 0), second(o, 0);
  folder_.write(fmt::format("events/events.out.tfevents.{}.of.another", begin + 1000), "");
  const TensorBoardLog third(o, 0);  // after the clock was set back
  const auto files = event_files(o.tensorboard);
  ASSERT_EQ(files.size(), 4u);
  const std::string here = fmt::format(".{}", ::getpid());
  for (const size_t i : {0, 1, 3}) {
    EXPECT_TRUE(is_event_file(files[i]));
    EXPECT_TRUE(files[i].filename().string().ends_with(here)) << files[i];
  }
  EXPECT_THAT(files[3].filename().string(),
              StartsWith(fmt::format("events.out.tfevents.{}.", begin + 1001)));
}

TEST_F(TensorBoardLogTest, EveryRecordCanBeReadAtOnce) {
  const TrainOptions o = logged("m", "events");
  class Reader : public Recorder {
   public:
    explicit Reader(fs::path directory) : directory_(std::move(directory)) {}
    void report(const TrainReport& r) override {
      last.push_back(curve(directory_, "train/loss").back().first);
      Recorder::report(r);
    }
    std::vector<int64_t> last;

   private:
    fs::path directory_;
  } reader(o.tensorboard);
  train(o, *backend_, reader);
  ASSERT_FALSE(reader.reports.empty());
  for (size_t i = 0; i < reader.last.size(); ++i) EXPECT_EQ(reader.last[i], reader.reports[i].step);
}

// The process ended after step 7, the last training state is of step 4.
TEST_F(TensorBoardLogTest, AResumedRunReplacesLaterSteps) {
  TrainOptions o = logged("m", "events");
  o.valid_source = o.valid_target = "";
  o.steps = 10;
  {
    Recorder recorder;
    Trainer killed(o, open_training_text(o), *backend_, recorder);
    for (int i = 0; i < 7; ++i) {
      killed.step();
      if (killed.progress().step == 4) killed.save();
    }
  }
  EXPECT_THAT(steps("events", "train/loss"), ElementsAre(1, 2, 3, 4, 5, 6, 7));
  o.resume = true;
  Recorder rest;
  train(o, *backend_, rest);
  const auto files = event_files(o.tensorboard);
  ASSERT_EQ(files.size(), 2u);
  const std::vector<Event> events = read_events(files[1]);
  EXPECT_TRUE(events[1].starts_session);
  EXPECT_EQ(events[1].step, 5);
  EXPECT_THAT(steps("events", "train/loss"), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  // A new run begins anew.
  o.resume = false;
  o.overwrite = true;
  o.steps = 2;
  train(o, *backend_, rest);
  EXPECT_THAT(steps("events", "train/loss"), ElementsAre(1, 2));
}

TEST_F(TensorBoardLogTest, AnAverageHasItsOwnCurves) {
  TrainOptions o = logged("m", "events");
  o.average = "last:2";
  Recorder recorder;
  train(o, *backend_, recorder);
  ASSERT_GT(recorder.validations.back().averaged_checkpoints, 0);
  EXPECT_EQ(steps("events", "average/loss"),
            std::vector<int64_t>{recorder.validations.back().step});
  EXPECT_EQ(steps("events", "validation/loss").size(), recorder.validations.size() - 1);
}

TEST_F(TensorBoardLogTest, NothingElseOfARunChanges) {
  TrainOptions without = validated("without"), with = logged("with", "events");
  Recorder first, second;
  train(without, *backend_, first);
  EXPECT_FALSE(fs::exists(folder_ / "events"));
  train(with, *backend_, second);
  EXPECT_EQ(first.messages.size(), second.messages.size());
  const auto names = [&](const std::string& model) {
    std::vector<std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / model))
      all.push_back(entry.path().lexically_relative(folder_ / model).string());
    std::sort(all.begin(), all.end());
    return all;
  };
  EXPECT_EQ(names("without"), names("with"));
  for (const std::string& name : names("without")) {
    if (name == "training" || name == "metrics.jsonl" || name == "training/report.html" ||
        name == "training/settings.toml" || name.ends_with("state.safetensors"))
      continue;  // these hold times or options
    EXPECT_TRUE(folder_.read("without/" + name) == folder_.read("with/" + name)) << name;
  }
}

TEST_F(TensorBoardLogTest, ADirectoryThatCannotHoldItIsRefusedAtTheStart) {
  folder_.write("file", "mine");
  fs::create_symlink(folder_ / "nothing", folder_ / "link");
  for (const std::string& name :
       {std::string("file"), std::string("file/below"), std::string("link"), std::string(5000, 'x'),
        "new/" + std::string(300, 'x')}) {
    const TrainOptions o = logged("m", name);
    const std::string expected = "--tensorboard " + o.tensorboard;
    EXPECT_THAT(message(o), HasSubstr(expected));
    EXPECT_THROW(check_start(o), Error);
    EXPECT_FALSE(fs::exists(folder_ / "m"));
  }
  EXPECT_EQ(folder_.read("file"), "mine");
}

TEST_F(TensorBoardLogTest, ADirectoryWithoutRightsIsRefusedAtTheStart) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write to any directory";
  fs::create_directory(folder_ / "closed");
  fs::permissions(folder_ / "closed", fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_THAT(message(logged("m", "closed/events")), HasFacts("--tensorboard closed"));
}

// A directory below the model's may be left alone there by a run that failed.
TEST_F(TensorBoardLogTest, ItMayLieInTheDirectoryOfTheModel) {
  for (const std::string events : {"m/events/1", "m"}) {
    TrainOptions o = logged("m", events);
    o.steps = 3;
    for (int i = 0; i < 6; ++i) TensorBoardLog(o, 0);
    EXPECT_EQ(message(o), "") << events;
    EXPECT_EQ(curve(o.tensorboard, "train/loss").size(), 3u);
    fs::remove_all(folder_ / "m");
  }
}

TEST_F(TensorBoardLogTest, AFullDiskEndsTheRunAndLeavesWholeRecords) {
  TrainOptions o = logged("m", "events");
  TensorBoardLog log(o, 0);
  TrainReport report;
  report.step = 1;
  log.add(report);
  const fs::path file = event_files(o.tensorboard)[0];
  const auto before = signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit tight{rlim_t(fs::file_size(file)) + 20, limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &tight);
  EXPECT_THROW(log.add(report), Error);
  setrlimit(RLIMIT_FSIZE, &limit);
  signal(SIGXFSZ, before);
  EXPECT_EQ(read_events(file).size(), 4u);
  report.step = 2;
  log.add(report);
  EXPECT_THAT(steps("events", "train/loss"), ElementsAre(1, 2));
}

TEST_F(TensorBoardLogTest, ALogThatCannotGrowFailsTheRunAsMetricsDo) {
  TrainOptions o = logged("m", "events");
  {
    Recorder recorder;
    Trainer trainer(o, open_training_text(o), *backend_, recorder);
    trainer.step();
    trainer.save();
    fs::remove_all(o.tensorboard);
    EXPECT_THROW(trainer.step(), Error);
  }
  o.resume = true;
  EXPECT_EQ(message(o), "");
  EXPECT_EQ(message(validated("whole")), "");
  EXPECT_TRUE(weights("m") == weights("whole"));
}

}  // namespace
}  // namespace heed
