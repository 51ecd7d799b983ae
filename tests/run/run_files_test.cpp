#include "heed/run/run_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.h"

namespace heed {
namespace {

using ::testing::Pair;
using ::testing::UnorderedElementsAre;
namespace fs = std::filesystem;

class RunFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(files_.training());
    for (const char* name :
         {"config.json", "notes.txt", "config.json.partial", "notes.txt.0123456789abcdef.partial",
          "training/state.safetensors", "training/step-20.safetensors",
          "training/step-40.safetensors", "training/step-by-step.safetensors",
          "training/step-7.txt", "training/step-.safetensors", "step-3.safetensors"})
      folder_.write(name, "text");
    for (const char* name : {kModel, kCheckpoint}) folder_.write(name, "cut off");
  }
  static constexpr const char* kModel = "model.safetensors.0123456789abcdef.partial";
  static constexpr const char* kCheckpoint =
      "training/step-60.safetensors.fedcba9876543210.partial";
  testing::TemporaryFolder folder_;
  const RunFiles files_{folder_.path()};
};

TEST_F(RunFilesTest, ThoseOfARunAreKnownFromSomebodysOwn) {
  EXPECT_THAT(files_.present(), UnorderedElementsAre(folder_ / "config.json", folder_ / kModel,
                                                     folder_ / "training/state.safetensors",
                                                     folder_ / "training/step-20.safetensors",
                                                     folder_ / "training/step-40.safetensors",
                                                     folder_ / kCheckpoint));
}

TEST_F(RunFilesTest, CheckpointsAreFoundAndRemovedByStep) {
  EXPECT_THAT(files_.checkpoints(), UnorderedElementsAre(Pair(20, files_.checkpoint(20)),
                                                         Pair(40, files_.checkpoint(40))));
  files_.remove_checkpoints_except({{.step = 40, .score = {}}, {.step = 60, .score = {}}});
  EXPECT_THAT(files_.checkpoints(), UnorderedElementsAre(Pair(40, files_.checkpoint(40))));
  EXPECT_FALSE(fs::exists(folder_ / kCheckpoint));
  EXPECT_TRUE(fs::exists(folder_ / "training/step-by-step.safetensors"));
}

TEST(RunFiles, AFolderThatIsNotThereHoldsNone) {
  const RunFiles none{"absent"};
  EXPECT_TRUE(none.present().empty());
  EXPECT_TRUE(none.checkpoints().empty());
}

}  // namespace
}  // namespace heed
