// SIGINT while a training prepares: what it says, its status, and what it leaves.
#include <csignal>
#include <map>

#include "console/train_display.h"
#include "small_model_test.h"

namespace heed::testing {
namespace {

namespace fs = std::filesystem;

class InterruptedTrainingTest : public SmallModelTest {
 protected:
  static std::map<std::string, std::string> contents(const std::string& folder) {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(*folder_ / folder))
      all[entry.path()] = entry.is_regular_file() ? heed::read_file(entry.path()) : "";
    return all;
  }
  // Interrupts a training as it begins to learn its vocabulary, and gives what it says then.
  static std::string interrupted(std::vector<std::string> command) {
    command = with(std::move(command), {"--no-quiet", "--tokenizer", "unigram"});
    RunningHeed running(command, folder_->path());
    std::string line;
    do line = running.read_error_line();
    while (!line.empty() && line.find("learning a vocabulary") == line.npos);
    EXPECT_FALSE(line.empty());
    running.send(SIGINT);
    std::string said;
    while (!(line = running.read_error_line()).empty()) said += line + "\n";
    EXPECT_EQ(running.wait(), 130);
    return said;
  }
};

TEST_F(InterruptedTrainingTest, WhileItLearnsAVocabularyItLeavesNothing) {
  EXPECT_THAT(interrupted(train("deep/new")), HasFacts("stopped nothing saved"));
  EXPECT_FALSE(fs::exists(*folder_ / "deep"));
  const auto before = contents("m");
  interrupted(with(train("m"), {"--overwrite"}));
  EXPECT_TRUE(contents("m") == before);
}

// Once it writes, the first signal waits for the end of a stage, and what was there comes back.
TEST_F(InterruptedTrainingTest, AfterThatItEndsAtTheNextStage) {
  heed::TrainOptions options;
  options.model = "zh-en";
  heed::Output out(1, "standard output");
  heed::Console console(out);
  console.be_quiet(true);
  heed::TrainDisplay display(options, console);
  display.before_first_write();
  display.preparing();
  ::testing::internal::CaptureStderr();
  std::raise(SIGINT);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasFacts("stage second"));
  for (const bool by_message : {false, true}) {
    try {
      by_message ? display.message("encoded") : display.preparing();
      ADD_FAILURE() << by_message;
    } catch (const heed::StoppedBySignal& stop) {
      EXPECT_EQ(stop.status(), 130);
      EXPECT_THAT(stop.what(), HasFacts("zh-en"));
    }
  }
  // A step that is done is saved instead.
  display.progress({});
  display.preparing();
  EXPECT_TRUE(display.stop_requested());
}

}  // namespace
}  // namespace heed::testing
