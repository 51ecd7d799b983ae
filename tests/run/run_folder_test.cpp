// The folder of a run: who may write to it, and what is in it after a refusal.
#include <fcntl.h>
#include <unistd.h>

#include <map>

#include "heed/core/directory_lock.h"
#include "heed/run/run_directory.h"
#include "run/trainer_fixture.h"
#include "support/facts.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Pair;
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
  // Its files with their bytes.
  std::map<std::string, std::string> contents(const std::string& folder) const {
    std::map<std::string, std::string> all;
    for (const std::string& name : entries(folder))
      if (fs::is_regular_file(folder_ / folder / name))
        all[name] = read_file(folder_ / folder / name);
    return all;
  }
  // Has the training refused after the vocabulary and the encoded text were written: only they tell
  // at which step the schedule ends.
  static void refuse_last(TrainOptions& o) {
    o.schedule = Schedule::linear;
    o.warmup_steps = 1'000'000;
  }
  // Files of the user with names that a run gives to its own, in a folder without a model.
  void write_stray_files(const std::string& folder) const {
    for (const char* name :
         {"held_out.source", "held_out.target", "vocab.json", "target_vocab.json", "source.spm",
          "metrics.jsonl", "notes", "training/notes", "training/train.corpus",
          "training/step-1.safetensors"}) {
      fs::create_directories((folder_ / folder / name).parent_path());
      folder_.write(folder + "/" + name, std::string("my ") + name);
    }
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
  EXPECT_EQ(train(o, *backend_, first).end, TrainEnd::limit_reached);
  ASSERT_EQ(messages.size(), 3u);
  for (const std::string& text : messages) EXPECT_THAT(text, HasSubstr(o.model));
  for (const std::string& text : messages) EXPECT_THAT(text, HasSubstr("another process"));
  EXPECT_EQ(message(options("alone")), "");
  EXPECT_EQ(weights("m"), weights("alone"));
  EXPECT_EQ(entries("m"), entries("alone"));
}

TEST_F(RunFolderTest, ARefusalLeavesNothing) {
  TrainOptions o = validated("a/b/m");
  o.filters.max_sentence_tokens = 2;  // drops every pair of two lines of "a b"
  for (const char* name : {"source", "target"}) folder_.write(name, "a b\nb a\na b\n");
  EXPECT_THAT(message(o), HasFacts("pair"));
  EXPECT_FALSE(fs::exists(folder_ / "a"));
  o.filters.max_sentence_tokens = 100;
  o.model = (folder_ / "m").string();
  o.valid_source = o.valid_target = "";
  o.hold_out = 1;
  refuse_last(o);
  EXPECT_THAT(message(o), HasFacts("--warmup-steps"));
  EXPECT_FALSE(fs::exists(folder_ / "m"));
  // What was there stays, and nothing else.
  fs::create_directories(folder_ / "m/training");
  for (const char* name : {"m/notes", "m/training/notes", "m/held_out.source"})
    folder_.write(name, "mine");
  EXPECT_THAT(message(o), HasFacts("--warmup-steps"));
  EXPECT_THAT(contents("m"),
              UnorderedElementsAre(Pair("notes", "mine"), Pair("training/notes", "mine"),
                                   Pair("held_out.source", "mine")));
  o.overwrite = true;
  fs::remove_all(folder_ / "m/training");
  EXPECT_THAT(message(o), HasFacts("--warmup-steps"));
  EXPECT_THAT(entries("m"), UnorderedElementsAre("notes", "held_out.source"));
  EXPECT_EQ(folder_.read("m/held_out.source"), "mine");
}

TEST_F(RunFolderTest, ARefusalKeepsFilesThatHaveTheNamesOfItsOwn) {
  write_stray_files("m");
  auto before = contents("m");
  for (const int64_t hold_out : {0, 5}) {
    TrainOptions o = options("m");
    o.resume = hold_out == 5;  // nothing was saved to resume
    o.hold_out = hold_out;
    refuse_last(o);
    EXPECT_THAT(message(o), HasFacts("--warmup-steps"));
    EXPECT_EQ(contents("m"), before);
  }
  TrainOptions o = options("m");
  o.tokenizer.vocabulary_size = 60000;
  o.tokenizer.kind = TokenizerKind::bpe;
  EXPECT_NE(message(o), "");
  EXPECT_EQ(contents("m"), before);
  // A folder with the name of a file is in the way, and not removed.
  fs::create_directory(folder_ / "m/target.spm");
  folder_.write("m/target.spm/notes", "mine");
  before = contents("m");
  EXPECT_THAT(message(options("m")), HasFacts("target.spm"));
  EXPECT_EQ(contents("m"), before);
}

// Pairs held out belong to no run without --hold-out.
TEST_F(RunFolderTest, ARunReplacesTheFilesThatAreItsOwn) {
  for (const int64_t hold_out : {0, 5}) {
    const std::string name = "m" + std::to_string(hold_out);
    write_stray_files(name);
    TrainOptions o = options(name);
    o.hold_out = hold_out;
    EXPECT_EQ(message(o), "");
    for (const auto& [file, bytes] : contents(name)) {
      const bool users = file.ends_with("notes") || (file.starts_with("held_out") && hold_out == 0);
      EXPECT_EQ(bytes == "my " + file, users) << file;
    }
    EXPECT_FALSE(fs::exists(folder_ / name / "target_vocab.json"));
    EXPECT_TRUE(fs::exists(folder_ / name / "held_out.target"));
  }
}

TEST_F(RunFolderTest, WhatARunReadsItDoesNotReplace) {
  fs::create_directory(folder_ / "m");
  for (const char* side : {"source", "target"})
    folder_.write(std::string("m/held_out.") + side, folder_.read(side));
  const auto before = contents("m");
  TrainOptions o = options("m");
  o.source = {(folder_ / "m/held_out.source").string()};
  o.hold_out = 5;
  EXPECT_THROW(Recorder recorder; train(o, *backend_, recorder), UsageError);
  EXPECT_THAT(message(o), HasFacts(o.source[0] + " --model"));
  EXPECT_EQ(contents("m"), before);
  o.hold_out = 0;  // such a run writes no pairs held out
  o.valid_source = o.source[0];
  o.valid_target = (folder_ / "m/held_out.target").string();
  EXPECT_EQ(message(o), "");
  EXPECT_EQ(folder_.read("m/held_out.source"), before.at("held_out.source"));
  EXPECT_EQ(folder_.read("m/held_out.target"), before.at("held_out.target"));
}

TEST_F(RunFolderTest, AFileOnStandardInputIsNotReplacedEither) {
  fs::create_directory(folder_ / "m");
  const std::string path = folder_.write("m/held_out.source", folder_.read("source")).string();
  TrainOptions o = options("m");
  o.source = {"-"};
  o.hold_out = 5;
  const int before = ::dup(0), file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ::dup2(file, 0);
  ::close(file);
  EXPECT_THAT(message(o), HasFacts("standard input --model"));
  ::dup2(before, 0);
  ::close(before);
  EXPECT_EQ(folder_.read("m/held_out.source"), folder_.read("source"));
}

TEST_F(RunFolderTest, AfterAKillPairsHeldOutAreNotRemovedForTheirName) {
  EXPECT_EQ(message(options("m")), "");
  const fs::path training = folder_ / "m/training";
  fs::create_directories(training / "heed-replaced/training");
  for (const auto& [name, bytes] : contents("m"))
    fs::rename(folder_ / "m" / name, training / "heed-replaced" / name);
  folder_.write("m/held_out.source", "mine");
  EXPECT_THAT(message(options("m")), HasFacts("--resume"));
  EXPECT_EQ(folder_.read("m/held_out.source"), "mine");
}

// The weights overflow before anything is saved.
TEST_F(RunFolderTest, ARunThatSavesNothingGivesTheModelBack) {
  EXPECT_EQ(message(options("m")), "");
  const auto before = contents("m");
  TrainOptions o = options("m");
  o.overwrite = true;
  make_overflow(o);
  EXPECT_THAT(message(o), HasFacts("--learning-rate"));
  EXPECT_EQ(contents("m"), before);
  EXPECT_FALSE(fs::exists(folder_ / "m/training/heed-replaced"));
}

// A folder that took the run's place is not its own to restore.
TEST_F(RunFolderTest, ARunThatSavesNothingLeavesAFolderInItsPlaceAlone) {
  EXPECT_EQ(message(options("m")), "");
  {
    const RunBackup backup(folder_ / "m");
    fs::rename(folder_ / "m", folder_ / "moved");
    fs::create_directory(folder_ / "m");
    folder_.write("m/metrics.jsonl", "mine");
  }
  EXPECT_EQ(folder_.read("m/metrics.jsonl"), "mine");
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
    EXPECT_THAT(text, HasSubstr("the directory " + (folder_ / gone).string() + " is missing"));
    fs::remove_all(folder_ / "m");
  }
}

// A folder of other things is no place for a model; a log beside it is.
TEST_F(RunFolderTest, AFolderOfOtherThingsIsNotMixedWithAModel) {
  const auto expect_refused = [&](const std::string& folder, const std::string& facts) {
    const auto before = entries(folder);
    TrainOptions o = options(folder);
    EXPECT_THAT(message(o), HasFacts(o.model + " --overwrite " + facts));
    o.resume = true;
    EXPECT_THAT(message(o), HasFacts(o.model + " --overwrite"));
    EXPECT_EQ(entries(folder), before);
    o.resume = false, o.overwrite = true;
    EXPECT_EQ(message(o), "");
  };
  fs::create_directories(folder_ / "home/music");
  expect_refused("home", "1 music");
  fs::create_directory(folder_ / "texts");
  for (const char* name : {"texts/a", "texts/b", "texts/c", "texts/d", "texts/e"})
    folder_.write(name, "");
  expect_refused("texts", "5 a");
  fs::create_directories(folder_ / "run/.cache");
  for (const char* name : {"run/log", "run/run.toml"}) folder_.write(name, "");
  EXPECT_EQ(message(options("run")), "");
  EXPECT_TRUE(fs::exists(folder_ / "run/log"));
}

// Nothing of the folder changes while a vocabulary is learned: a process may be ended by then.
TEST_F(RunFolderTest, BeforeItBeginsToWriteTheFolderIsAsItWas) {
  class Watcher : public Recorder {
   public:
    explicit Watcher(std::function<std::map<std::string, std::string>()> look)
        : look_(std::move(look)) {}
    void before_first_write() override { found = look_(); }
    std::map<std::string, std::string> found;

   private:
    std::function<std::map<std::string, std::string>()> look_;
  };
  EXPECT_EQ(message(options("m")), "");
  const auto before = contents("m");
  TrainOptions o = options("m");
  o.overwrite = true;
  o.hold_out = 5;
  Watcher watcher([&] { return contents("m"); });
  train(o, *backend_, watcher);
  EXPECT_TRUE(watcher.found == before);
  EXPECT_FALSE(contents("m") == before);
}

// What would throw away an hour of learning a vocabulary is refused before.
TEST_F(RunFolderTest, WhatIsKnownIsRefusedBeforeAVocabularyIsLearned) {
  const auto refused = [&](const TrainOptions& o, const std::string& facts) {
    Recorder recorder;
    try {
      train(o, *backend_, recorder);
      ADD_FAILURE() << facts;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasFacts(facts));
    }
    for (const std::string& text : recorder.messages)
      EXPECT_FALSE(has_fact(text, "vocabulary")) << text;
  };
  TrainOptions o = options("m");
  o.batches.batch_tokens = 3;
  refused(o, "--batch-tokens 3");
  o = options("m");
  o.d_model = 16384;
  o.encoder_layers = 50;
  refused(o, "memory");
}

// Before the text is read.
TEST_F(RunFolderTest, TheOptionsAndTheFolderAreCheckedFirst) {
  const auto refusal = [&](const TrainOptions& o) -> std::string {
    try {
      check_start(o);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  TrainOptions o = options("m");
  EXPECT_EQ(message(o), "");
  EXPECT_THAT(refusal(o), HasFacts(o.model + " --resume"));
  o.model = (folder_ / "n").string();
  o.source = {"missing"};  // is not looked at
  EXPECT_EQ(refusal(o), "");
  o.d_model = 100, o.heads = 3;
  EXPECT_THAT(refusal(o), HasFacts("100 3"));
  o = options("n");
  o.tokenizer.lowercase = true;
  o.tokenizer.normalization = Normalization::identity;
  EXPECT_THAT(refusal(o), HasFacts("lowercase"));
  o = options("n");
  o.tokenizer_model = "missing.spm";
  EXPECT_THAT(refusal(o), HasFacts("missing.spm"));
  o = options("n");
  o.d_model.reset(), o.d_ff.reset(), o.heads.reset();
  o.encoder_layers.reset(), o.decoder_layers.reset();
  o.finetune_from = options("m").model;
  EXPECT_EQ(refusal(o), "");
  o.activation = FeedForwardKind::gelu;
  EXPECT_THAT(refusal(o), HasFacts("--activation gelu relu"));
  EXPECT_FALSE(fs::exists(folder_ / "n"));
}

TEST_F(RunFolderTest, FineTuningNamesTheBackupOfTheModel) {
  fs::create_directories(folder_ / "base/training/heed-replaced");
  folder_.write("base/training/heed-replaced/config.json", "{}");
  TrainOptions o;
  o.source = {(folder_ / "source").string()};
  o.target = {(folder_ / "target").string()};
  o.model = (folder_ / "m").string();
  o.finetune_from = (folder_ / "base").string();
  EXPECT_THAT(message(o), HasFacts(o.finetune_from + "/training/heed-replaced --overwrite"));
}

TEST_F(RunFolderTest, ABackupThatCannotBeRestoredThrowsNothing) {
  EXPECT_EQ(message(options("m")), "");
  TrainOptions o = options("m");
  {
    RunBackup backup(folder_ / "m");
    backup.back_up(o);
    fs::remove_all(folder_ / "m");  // nothing can be restored
  }
  EXPECT_FALSE(fs::exists(folder_ / "m/config.json"));
}

}  // namespace
}  // namespace heed
