// The folder of a run: who may write to it, and what is in it after a refusal.
#include "heed/core/folder_claim.h"
#include "heed/train/earlier_run.h"
#include "support/facts.h"
#include "train/trainer_fixture.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class RunFolderTest : public TrainerTest {
 protected:
  // Everything below a folder of the test's, by name.
  std::vector<std::string> entries(const std::string& folder) const {
    std::vector<std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / folder))
      all.push_back(entry.path().lexically_relative(folder_ / folder).string());
    std::sort(all.begin(), all.end());
    return all;
  }
};

// Calls a function at the first report.
class Interrupter : public Recorder {
 public:
  explicit Interrupter(std::function<void()> call) : call_(std::move(call)) {}
  void report(const TrainReport& r) override {
    if (reports.empty()) call_();
    Recorder::report(r);
  }

 private:
  std::function<void()> call_;
};

TEST_F(RunFolderTest, TwoTrainingsDoNotShareOne) {
  TrainOptions o = options("m");
  TrainOptions second = o;
  second.seed = 2;
  std::vector<std::string> messages;
  Interrupter first([&] {
    messages.push_back(message(second));
    second.overwrite = true;
    messages.push_back(message(second));
    second.overwrite = false;
    second.resume = true;
    messages.push_back(message(second));
  });
  EXPECT_EQ(train(o, *backend_, first).end, TrainEnd::finished);
  ASSERT_EQ(messages.size(), 3u);
  for (const std::string& text : messages) EXPECT_THAT(text, HasSubstr(o.model));
  for (const std::string& text : messages) EXPECT_THAT(text, HasSubstr("another process"));
  EXPECT_EQ(message(options("alone")), "");
  EXPECT_EQ(weights("m"), weights("alone"));
  EXPECT_EQ(entries("m"), entries("alone"));
}

TEST_F(RunFolderTest, ARefusalLeavesNothing) {
  TrainOptions o = validated("a/b/m");
  o.filters.max_tokens = 2;  // drops every pair of two lines of "a b"
  for (const char* name : {"source", "target"}) folder_.write(name, "a b\nb a\na b\n");
  EXPECT_THAT(message(o), HasFacts("pair"));
  EXPECT_FALSE(fs::exists(folder_ / "a"));
  o.filters.max_tokens = 100;
  o.model = (folder_ / "m").string();
  o.valid_source = o.valid_target = "";
  o.hold_out = 1;
  o.d_model = 16384;
  o.encoder_layers = 50;
  EXPECT_THAT(message(o), HasSubstr("memory"));
  EXPECT_FALSE(fs::exists(folder_ / "m"));
  // What was there stays, and nothing else.
  fs::create_directories(folder_ / "m/training");
  for (const char* name : {"m/notes", "m/training/notes", "m/held_out.source"})
    folder_.write(name, "mine");
  EXPECT_THAT(message(o), HasSubstr("memory"));
  EXPECT_THAT(entries("m"),
              UnorderedElementsAre("notes", "training", "training/notes", "held_out.source"));
  o.overwrite = true;
  fs::remove_all(folder_ / "m/training");
  folder_.write("m/held_out.source", "mine");
  EXPECT_THAT(message(o), HasSubstr("memory"));
  EXPECT_THAT(entries("m"), UnorderedElementsAre("notes", "held_out.source"));
  EXPECT_EQ(folder_.read("m/held_out.source"), "mine");
}

// What is refused last, by the state itself, leaves no more than what is refused first.
TEST_F(RunFolderTest, ARefusedResumptionLeavesNothingNew) {
  EXPECT_EQ(message(options("m")), "");
  fs::remove(folder_ / "m/training/train.corpus");
  const std::vector<std::string> before = entries("m");
  TrainOptions o = validated("m");
  o.resume = true;
  o.label_smoothing = 0.3;
  EXPECT_THAT(message(o), HasSubstr("label_smoothing"));
  EXPECT_EQ(entries("m"), before);
}

// Held-out pairs of another seed or text would be pairs that the model has learnt from.
TEST_F(RunFolderTest, ARefusedResumptionChangesNoFile) {
  TrainOptions o = options("m");
  o.hold_out = 10;
  EXPECT_EQ(message(o), "");
  const std::vector<std::string> names{"m/held_out.source", "m/held_out.target",
                                       "m/training/train.corpus", "m/training/valid.corpus",
                                       "m/metrics.jsonl"};
  std::vector<std::string> before;
  for (const std::string& name : names) before.push_back(folder_.read(name));
  o.resume = true;
  TrainOptions seed = o, text = o;
  seed.seed = 2;
  std::swap(text.source, text.target);
  for (const TrainOptions& other : {seed, text}) EXPECT_NE(message(other), "");
  for (size_t i = 0; i < names.size(); ++i)
    EXPECT_EQ(folder_.read(names[i]), before[i]) << names[i];
  o.epochs = 4;
  EXPECT_EQ(message(o), "");
}

TEST_F(RunFolderTest, AFolderThatIsRemovedIsSaid) {
  for (const char* gone : {"m", "m/training"}) {
    Interrupter observer([&] { fs::remove_all(folder_ / gone); });
    std::string text;
    try {
      train(options("m"), *backend_, observer);
    } catch (const Error& error) {
      text = error.what();
    }
    EXPECT_THAT(text, HasSubstr("the folder " + (folder_ / gone).string() + " is missing"));
    fs::remove_all(folder_ / "m");
  }
}

TEST_F(RunFolderTest, WhatComesBackDoesSoWithoutAWord) {
  EXPECT_EQ(message(options("m")), "");
  TrainOptions o = options("m");
  {
    EarlierRun earlier(folder_ / "m");
    earlier.put_aside(o);
    fs::remove_all(folder_ / "m");  // nothing can be put back
  }
  EXPECT_FALSE(fs::exists(folder_ / "m/config.json"));
}

}  // namespace
}  // namespace heed
