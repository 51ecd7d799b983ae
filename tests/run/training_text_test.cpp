// What a training makes of the text it is given: broken lines, tab-separated text, case.
#include "heed/run/training_text.h"

#include <fcntl.h>

#include <chrono>
#include <thread>

#include "run/trainer_fixture.h"
#include "support/facts.h"
#include "support/named_pipe.h"

namespace heed {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

class TrainingTextTest : public TrainerTest {
 protected:
  // What the run says; its weights stand in the model's folder.
  std::vector<std::string> messages(const TrainOptions& o) const {
    Recorder recorder;
    train(o, *backend_, recorder);
    return recorder.messages;
  }
  static std::string error_of(const TrainOptions& o) {
    try {
      open_training_text(o);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  std::vector<std::string> lines(const std::string& name) const {
    std::istringstream text(folder_.read(name));
    std::vector<std::string> all;
    for (std::string line; std::getline(text, line);) all.push_back(line);
    return all;
  }
};

TEST_F(TrainingTextTest, BrokenPairsAreDroppedAndCountedUnlessStrict) {
  const auto with_broken = [&](const std::string& name, size_t at) {
    std::string text;
    const std::vector<std::string> all = lines(name);
    for (size_t i = 0; i < all.size(); ++i) {
      if (i == 7) text += name == "source" ? "a b \xff\n" : "b a\n";
      if (i == at) text += name == "source" ? "c\n" : "c \xe6\n";
      text += all[i] + "\n";
    }
    return folder_.write(name + ".broken", text).string();
  };
  TrainOptions o = options("broken");
  o.source = {with_broken("source", 40)};
  o.target = {with_broken("target", 40)};
  EXPECT_THAT(messages(o),
              AllOf(Contains(AllOf(HasFacts("2 122 pairs"), HasSubstr("source.broken:8: byte 5"))),
                    Contains(HasSubstr("2 not UTF-8"))));
  messages(options("whole"));
  EXPECT_TRUE(weights("broken") == weights("whole"));
  o.strict = true;
  EXPECT_THAT(error_of(o), HasFacts("source.broken:8 5"));
}

TEST_F(TrainingTextTest, ARunOnBrokenTextResumes) {
  TrainOptions o = options("one");
  folder_.write("source", folder_.read("source") + "a \xff\n");
  folder_.write("target", folder_.read("target") + "a\n");
  messages(o);
  o.model = (folder_ / "two").string();
  o.epochs = 1;
  messages(o);
  const std::string corpus = folder_.read("two/training/train.corpus");
  o.epochs = 3;
  o.resume = true;
  messages(o);
  EXPECT_TRUE(folder_.read("two/training/train.corpus") == corpus);
  EXPECT_TRUE(weights("two") == weights("one"));
}

TEST_F(TrainingTextTest, ALongCopyOfAPipeIsReportedToTheObserver) {
  const std::filesystem::path pipe = folder_ / "pipe";
  testing::make_pipe(pipe);
  TrainOptions o = options("piped");
  const std::string text = folder_.read("source");
  o.source = {pipe.string()};
  std::thread writer([&] {
    const Descriptor end(::open(pipe.c_str(), O_WRONLY | O_CLOEXEC));
    const auto write = [&](std::string_view part) {
      EXPECT_EQ(::write(end.get(), part.data(), part.size()), ssize_t(part.size()));
    };
    write(std::string_view(text).substr(0, text.size() / 2));
    std::this_thread::sleep_for(std::chrono::milliseconds(3100));
    write(std::string_view(text).substr(text.size() / 2));
  });
  EXPECT_THAT(messages(o), Contains(AllOf(HasSubstr("copying " + pipe.string()), HasFacts("MiB"))));
  writer.join();
}

TEST_F(TrainingTextTest, TabSeparatedTextGivesTheSameModel) {
  const std::vector<std::string> source = lines("source"), target = lines("target");
  std::string text;
  for (size_t i = 0; i < source.size(); ++i)
    text += target[i] + "\tmore\t" + source[i] + "\tCC-BY\n";
  TrainOptions o = validated("files");
  messages(o);
  o.model = (folder_ / "tabular").string();
  o.source = o.target = {};
  o.valid_source = o.valid_target = "";
  o.tabular.tsv = {folder_.write("t.tsv", text).string()};
  o.tabular.columns = {"3", "1"};
  o.valid_tsv = o.tabular.tsv[0];
  messages(o);
  EXPECT_TRUE(weights("tabular") == weights("files"));
  EXPECT_TRUE(folder_.read("tabular/training/valid.corpus") ==
              folder_.read("files/training/valid.corpus"));
}

TEST_F(TrainingTextTest, ContradictionsAreUsageErrors) {
  const auto refused = [&](const TrainOptions& o, const std::string& part) {
    EXPECT_THROW(open_training_text(o), UsageError) << part;
    EXPECT_THAT(error_of(o), HasSubstr(part));
  };
  TrainOptions o = options("m");
  o.tabular.tsv = {"t.tsv"};
  refused(o, "--tsv");
  o = options("m");
  o.tabular.columns = {"2", "1"};
  refused(o, "--columns");
  o = validated("m");
  o.valid_tsv = "t.tsv";
  refused(o, "--valid-tsv");
  o = options("m");
  o.valid_tsv = "t.tsv";
  o.hold_out = 5;
  refused(o, "--valid-tsv");
  o = options("m");
  o.source.clear();
  refused(o, "--source");
  o = options("m");
  o.source = o.target = {"-"};
  refused(o, "--target");
}

// Words are counted as the vocabulary reads them, whoever brings it.
TEST_F(TrainingTextTest, RareWordsAreCountedAsTheVocabularyReadsThem) {
  const auto kept = [&](TrainOptions o) {
    o.filters.min_word_count = 2;
    o.overwrite = true;
    for (const std::string& text : messages(o)) {
      if (text.starts_with("train: ")) return text;
    }
    return std::string();
  };
  TrainOptions keeps_case = options("keeps"), folds_case = options("folds");
  folds_case.tokenizer.lowercase = true;
  messages(keeps_case);
  messages(folds_case);
  folder_.write("source", folder_.read("source") + "A\n");  // "a" is there, "A" is not
  folder_.write("target", folder_.read("target") + "a\n");
  EXPECT_THAT(kept(options("new")), HasSubstr("1 with a rare word"));
  TrainOptions o = options("new");
  o.tokenizer.lowercase = true;
  EXPECT_THAT(kept(o), HasSubstr("kept 121"));
  o.tokenizer_model = keeps_case.model + "/source.spm";
  EXPECT_THAT(kept(o), HasSubstr("1 with a rare word"));
  o = options("new");
  o.tokenizer_model = folds_case.model + "/source.spm";
  EXPECT_THAT(kept(o), HasSubstr("kept 121"));
  o = options("new");
  o.tokenizer = {};
  o.d_model.reset(), o.d_ff.reset(), o.heads.reset();
  o.encoder_layers.reset(), o.decoder_layers.reset();
  o.finetune_from = folds_case.model;
  EXPECT_THAT(kept(o), HasSubstr("kept 121"));
}

}  // namespace
}  // namespace heed
