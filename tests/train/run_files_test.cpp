#include "heed/train/run_files.h"

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
         {"config.json", "model.safetensors.partial", "notes.txt", "training/state.safetensors",
          "training/step-20.safetensors", "training/step-40.safetensors",
          "training/step-60.safetensors.partial", "training/step-by-step.safetensors",
          "training/step-7.txt", "training/step-.safetensors"})
      folder_.write(name, "text");
  }
  testing::TemporaryFolder folder_;
  const RunFiles files_{folder_.path()};
};

TEST_F(RunFilesTest, ThoseOfARunAreKnownFromSomebodysOwn) {
  EXPECT_THAT(files_.present(),
              UnorderedElementsAre(folder_ / "config.json", folder_ / "model.safetensors.partial",
                                   folder_ / "training/state.safetensors",
                                   folder_ / "training/step-20.safetensors",
                                   folder_ / "training/step-40.safetensors",
                                   folder_ / "training/step-60.safetensors.partial"));
}

TEST_F(RunFilesTest, SnapshotsAreFoundAndRemovedByStep) {
  EXPECT_THAT(files_.snapshots(),
              UnorderedElementsAre(Pair(20, files_.snapshot(20)), Pair(40, files_.snapshot(40))));
  files_.remove_snapshots_but({{.step = 40, .score = {}}, {.step = 60, .score = {}}});
  EXPECT_THAT(files_.snapshots(), UnorderedElementsAre(Pair(40, files_.snapshot(40))));
  EXPECT_FALSE(fs::exists(folder_ / "training/step-60.safetensors.partial"));
  EXPECT_TRUE(fs::exists(folder_ / "training/step-by-step.safetensors"));
}

TEST(RunFiles, AFolderThatIsNotThereHoldsNone) {
  const RunFiles none{"absent"};
  EXPECT_TRUE(none.present().empty());
  EXPECT_TRUE(none.snapshots().empty());
}

}  // namespace
}  // namespace heed
