// Texts that come out of pipes and standard input, and of tab-separated files.
#include <atomic>
#include <list>
#include <thread>

#include "small_model_test.h"
#include "support/named_pipe.h"

namespace heed::testing {
namespace {

using ::testing::HasSubstr;

class StreamsTest : public SmallModelTest {
 protected:
  // Runs the program while these files come out of pipes of the same names with "pipe." in front.
  static RunResult heed_fed(const std::vector<std::string>& files,
                            const std::vector<std::string>& arguments) {
    std::vector<std::thread> writers;
    for (const std::string& file : files) {
      const auto pipe = *folder_ / ("pipe." + file);
      make_pipe(pipe);
      writers.push_back(feed_pipe(pipe, folder_->read(file)));
    }
    RunResult result = heed(arguments);
    for (std::thread& writer : writers) writer.join();
    return result;
  }

  static void SetUpTestSuite() {
    SmallModelTest::SetUpTestSuite();
    std::istringstream source(folder_->read("train.zh")), target(folder_->read("train.en"));
    std::string text, left, right;
    while (std::getline(source, left) && std::getline(target, right))
      text.append(right).append("\t").append(left).append("\tCC-BY 2.0\n");
    folder_->write("train.tsv", text);
  }
};

// The allocator's locks, held by another thread when the process was forked, once stopped these
// tests for ever: in the child no thread releases them.
TEST_F(StreamsTest, TheProgramStartsWhileOtherThreadsAllocate) {
  std::atomic<bool> ended = false;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 2; ++thread) {
    threads.emplace_back([&ended] {
      while (!ended) std::list<int64_t>(1000);
    });
  }
  for (int run = 0; run < 10; ++run) EXPECT_EQ(heed({"--version"}).status, 0);
  ended = true;
  for (std::thread& thread : threads) thread.join();
}

TEST_F(StreamsTest, TrainingReadsPipes) {
  const RunResult trained =
      heed_fed({"train.zh", "train.en"}, train_on("pipe.train.zh", "pipe.train.en", "piped"));
  ASSERT_EQ(trained.status, 0) << trained.err;
  EXPECT_TRUE(folder_->read("piped/model.safetensors") == folder_->read("m/model.safetensors"));
  // The text is what a run is told by, not where it comes from.
  const RunResult resumed =
      heed(with(train_on("train.zh", "train.en", "piped"), {"--resume", "--steps", "5"}));
  EXPECT_EQ(resumed.status, 0) << resumed.err;
}

TEST_F(StreamsTest, TrainingReadsStandardInputAndTabSeparatedText) {
  const std::vector<std::string> tabular{"train", "--tsv", "-",       "--columns",
                                         "2",     "1",     "--model", "t"};
  std::vector<std::string> command = train("t");
  const auto model = std::find(command.begin(), command.end(), "--model");
  command.erase(command.begin(), model + 2);
  command.insert(command.begin(), tabular.begin(), tabular.end());
  const RunResult trained = heed(command, {}, folder_->read("train.tsv"));
  ASSERT_EQ(trained.status, 0) << trained.err;
  EXPECT_TRUE(folder_->read("t/model.safetensors") == folder_->read("m/model.safetensors"));
}

TEST_F(StreamsTest, InspectionReadsPipes) {
  const auto counted = [](const RunResult& result) {
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out.substr(result.out.find(':'));
  };
  const std::string plain = counted(heed({"inspect", "data", "train.en", "train.zh"}));
  EXPECT_THAT(plain, HasSubstr("5,000 pairs"));
  const auto without_names = [](std::string text, const std::string& prefix) {
    for (size_t at; (at = text.find(prefix)) != text.npos;) text.erase(at, prefix.size());
    return text;
  };
  EXPECT_EQ(without_names(counted(heed_fed({"train.en", "train.zh"},
                                           {"inspect", "data", "pipe.train.en", "pipe.train.zh"})),
                          "pipe."),
            plain);
  EXPECT_THAT(counted(heed_fed({"train.tsv"}, {"inspect", "data", "--tsv", "pipe.train.tsv"})),
              HasSubstr("5,000 pairs"));
}

// The bytes that a command reads of a pipe without an end; its message has these facts.
TEST_F(StreamsTest, APipeWithoutAnEndIsNotReadToTheEnd) {
  const auto flooded = [](const std::vector<std::string>& arguments, const std::string& facts) {
    make_pipe(*folder_ / "endless");
    int64_t written = 0;
    std::thread writer = flood_pipe(*folder_ / "endless", written);
    const RunResult result = heed(arguments);
    writer.join();
    EXPECT_EQ(result.status, facts.empty() ? 0 : 1) << result.err;
    EXPECT_THAT(result.err, HasFacts(facts));
    EXPECT_LT(written, kEndless / 8) << arguments[0];
  };
  flooded({"score", "--model", "m", "--source", "valid.zh", "--target", "endless"},
          "valid.zh 20 lines endless");
  flooded({"score", "--model", "m", "--source", "endless", "--target", "valid.en"},
          "valid.en 20 lines endless");
  flooded({"evaluate", "--hypothesis", "valid.en", "--reference", "endless"},
          "valid.en 20 lines endless");
  flooded(with(translate("m"), {"--input", "valid.zh", "--target-prefix", "endless"}),
          "20 endless");
  flooded({"inspect", "data", "train.en", "endless", "--pairs", "10"}, "");
  flooded({"inspect", "data", "valid.en", "endless", "--pairs", "30"}, "valid.en 20 least 30");
}

TEST_F(StreamsTest, OtherCommandsReadPipes) {
  const RunResult scored =
      heed_fed({"valid.zh", "valid.en"},
               {"score", "--model", "m", "--source", "pipe.valid.zh", "--target", "pipe.valid.en"});
  EXPECT_EQ(scored.status, 0) << scored.err;
  EXPECT_EQ(scored.out,
            heed({"score", "--model", "m", "--source", "valid.zh", "--target", "valid.en"}).out);
  const RunResult evaluated = heed_fed(
      {"valid.en"}, {"evaluate", "--hypothesis", "valid.en", "--reference", "pipe.valid.en"});
  EXPECT_THAT(evaluated.out, HasSubstr("100.00"));
  const RunResult prefixed =
      heed(with(translate("m"), {"--input", "valid.zh", "--target-prefix", "-"}), {},
           std::string(20, '\n'));
  EXPECT_EQ(prefixed.status, 0) << prefixed.err;
  EXPECT_EQ(prefixed.out, heed(with(translate("m"), {"--input", "valid.zh"})).out);
}

}  // namespace
}  // namespace heed::testing
