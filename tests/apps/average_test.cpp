// heed average on the checkpoints of a run of seconds.
#include "small_model_test.h"
#include "support/facts.h"

namespace heed::testing {
namespace {

using ::testing::HasSubstr;

class AverageTest : public SmallModelTest {
 protected:
  static std::string weights(const std::string& model) {
    return folder_->read(model + "/model.safetensors");
  }
  static RunResult average(const std::vector<std::string>& more) {
    return heed(with({"average"}, more));
  }
};

TEST_F(AverageTest, TheLastCheckpointsGiveWhatTrainingsOwnAverageGives) {
  const RunResult result = average({"run", "--last", "2", "--output", "last2"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("step-4.safetensors"));
  EXPECT_THAT(result.err, HasFacts("last2 2"));
  EXPECT_EQ(weights("last2"), weights("mean"));
  EXPECT_NE(weights("last2"), weights("run"));
  EXPECT_EQ(average({"run/training/step-4.safetensors", "run/training/step-6.safetensors",
                     "--output", "named"})
                .status,
            0);
  EXPECT_EQ(weights("named"), weights("mean"));
}

TEST_F(AverageTest, OneCheckpointBecomesAModelThatTranslates) {
  for (const char* checkpoint : {"step-6", "state"}) {
    const std::string output = std::string("of-") + checkpoint;
    const RunResult result =
        average({std::string("run/training/") + checkpoint + ".safetensors", "--output", output});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(weights(output), weights("run"));
    EXPECT_EQ(heed(translate(output), {}, "你好。\n").out,
              heed(translate("run"), {}, "你好。\n").out);
  }
  EXPECT_EQ(average({"run/training/step-2.safetensors", "--output", "of-2"}).status, 0);
  EXPECT_NE(weights("of-2"), weights("run"));
}

TEST_F(AverageTest, ACheckpointElsewhereNeedsItsModel) {
  std::filesystem::create_directory(*folder_ / "moved");
  std::filesystem::copy(*folder_ / "run/training/step-6.safetensors", *folder_ / "moved/w");
  expect_failure(average({"moved/w", "--output", "x"}), "moved/w config.json");
  EXPECT_EQ(average({"moved/w", "--model", "run", "--output", "found"}).status, 0);
  EXPECT_EQ(weights("found"), weights("run"));
}

TEST_F(AverageTest, ModelsAreAveragedWhereTheyHaveOneVocabulary) {
  ASSERT_EQ(heed(with(train("words"), {"--vocabulary-size", "1400"})).status, 0);
  expect_failure(average({"m", "words", "--output", "x"}), "words m vocabulary");
  const RunResult result = average({"run", "mean", "./run", "--output", "three"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasFacts("warning: run 2 times"));
  EXPECT_THAT(average({"run", "mean", "--output", "two", "--quiet"}).err, ::testing::IsEmpty());
  EXPECT_NE(weights("three"), weights("run"));
  EXPECT_EQ(average({"run", "run", "--output", "same"}).status, 0);
  EXPECT_EQ(weights("same"), weights("run"));
}

TEST_F(AverageTest, KnowsTheCharactersOfAllModels) {
  std::filesystem::copy(*folder_ / "run", *folder_ / "elsewhere");
  const std::string own = R"({"source": "266a 4f60", "target": "61-7a"})";
  folder_->write("elsewhere/characters.json", own);
  const RunResult result = average({"run", "elsewhere", "--output", "both"});
  EXPECT_EQ(result.status, 0) << result.err;
  const std::string both = folder_->read("both/characters.json");
  EXPECT_THAT(both, HasSubstr("266a"));
  EXPECT_NE(both, own);
  std::filesystem::remove(*folder_ / "elsewhere/characters.json");
  EXPECT_EQ(average({"run", "elsewhere", "--output", "unknown"}).status, 0);
  EXPECT_FALSE(std::filesystem::exists(*folder_ / "unknown/characters.json"));
}

// A training that was killed while it replaced a model has left that aside.
TEST_F(AverageTest, AModelThatStandsAsideIsNotReplacedUnasked) {
  const std::filesystem::path aside = *folder_ / "held/training/heed-replaced";
  std::filesystem::create_directories(aside);
  for (const auto& entry : std::filesystem::directory_iterator(*folder_ / "other"))
    if (entry.is_regular_file()) std::filesystem::copy(entry.path(), aside);
  expect_failure(average({"m", "--output", "held"}), "held --overwrite", 2);
  EXPECT_EQ(folder_->read("held/model.safetensors"), folder_->read("other/model.safetensors"));
}

TEST_F(AverageTest, BadUsesAreNamed) {
  expect_failure(average({"--output", "x"}), "DIR|FILE...", 2);
  expect_failure(average({"run"}), "--output", 2);
  expect_failure(average({"run", "m", "--last", "2", "--output", "x"}), "2 names", 2);
  expect_failure(average({"run", "--last", "4", "--output", "x"}), "keeps 3 checkpoints");
  expect_failure(average({"absent", "--output", "x"}), "absent");
  expect_failure(average({"run", "--output", "m"}), "--overwrite", 2);
  expect_failure(average({"run", "--output", "run", "--overwrite"}), "--output", 2);
  expect_failure(average({"run", "--last", "2", "--output", "run", "--overwrite"}), "--output", 2);
  EXPECT_EQ(average({"run", "--output", "again"}).status, 0);
  EXPECT_EQ(average({"run", "--output", "again", "--overwrite"}).status, 0);
}

}  // namespace
}  // namespace heed::testing
