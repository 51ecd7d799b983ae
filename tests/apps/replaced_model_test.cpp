// Models that are made of others and replace a model, killed at any moment.
#include <csignal>
#include <future>
#include <map>

#include "small_model_test.h"
#include "support/sanitized.h"

namespace heed::testing {
namespace {

namespace fs = std::filesystem;

// A model's files by name.
using Files = std::map<std::string, std::string>;

class ReplacedModelTest : public SmallModelTest {
 protected:
  static Files files(const std::string& folder) {
    Files all;
    for (const char* name :
         {"config.json", "generation_config.json", "model.safetensors", "source.spm", "target.spm",
          "vocab.json", "target_vocab.json", "tokenizer_config.json"})
      if (fs::exists(*folder_ / folder / name)) all[name] = folder_->read(folder + "/" + name);
    return all;
  }
  static void copy_model(const std::string& from, const std::string& to) {
    fs::remove_all(*folder_ / to);
    fs::create_directory(*folder_ / to);
    for (const auto& [name, bytes] : files(from)) folder_->write(to + "/" + name, bytes);
  }
  void SetUp() override {
    if (is_sanitized()) GTEST_SKIP() << "a sanitizer must be the first library";
  }
  // A model with a vocabulary for each side, and so with one file more than "m" has.
  static void make_separate() {
    const RunResult trained =
        heed(with(train("separate"),
                  {"--vocabularies", "separate", "--tie-embeddings", "decoder", "--overwrite"}));
    ASSERT_EQ(trained.status, 0) << trained.err;
  }
  static RunResult killed_at(int change, const std::vector<std::string>& command) {
    setenv("HEED_KILLED_AT", std::to_string(change).c_str(), 1);
    RunResult result = heed(command, {.preload = HEED_KILLED_AT_NAME});
    unsetenv("HEED_KILLED_AT");
    return result;
  }
  static bool opens(const std::string& model) {
    const RunResult result = heed(translate(model), {}, "你好。\n");
    if (result.status != 0) expect_failure(result, model);
    return result.status == 0;
  }

  // Kills the command that replaces the model `old` in the folder "held" before each change of a
  // name: what is left is the old model or the new one, or it is refused.
  static void expect_old_or_new(const std::vector<std::string>& command, const std::string& old) {
    copy_model(old, "held");
    const Files before = files("held");
    ASSERT_EQ(heed(command).status, 0);
    const Files after = files("held");
    ASSERT_FALSE(after == before);
    std::vector<std::string> all_left;
    for (int status = -1; status != 0;) {
      ASSERT_LT(all_left.size(), 100u);
      copy_model(old, "held");
      status = killed_at(int(all_left.size()) + 1, command).status;
      all_left.push_back("left" + std::to_string(all_left.size() + 1));
      fs::remove_all(*folder_ / all_left.back());
      fs::rename(*folder_ / "held", *folder_ / all_left.back());
    }
    // A model that may be replaced just then is waited for: all of them at the same time.
    std::vector<std::future<bool>> opened;
    for (const std::string& left : all_left)
      opened.push_back(std::async(std::launch::async, [&left] { return opens(left); }));
    int refused = 0;
    for (size_t i = 0; i < all_left.size(); ++i) {
      if (opened[i].get()) {
        const Files left = files(all_left[i]);
        EXPECT_TRUE(left == before || left == after) << "killed before change " << i + 1;
        continue;
      }
      ++refused;
      fs::rename(*folder_ / all_left[i], *folder_ / "held");
      ASSERT_EQ(heed(command).status, 0) << "what is left can be replaced";
      EXPECT_TRUE(files("held") == after);
      expect_nothing_half_written(*folder_ / "held");
      fs::remove_all(*folder_ / "held");
    }
    EXPECT_GT(refused, 1) << "killed while files are replaced";
  }
};

TEST_F(ReplacedModelTest, SlowByASmallerCopyIsTheOldOneOrTheNew) {
  expect_old_or_new({"quantize", "--model", "m", "--output", "held", "--overwrite"}, "m");
}

// The old model has a file that the new one lacks.
TEST_F(ReplacedModelTest, SlowNothingOfAModelWithTwoVocabulariesStays) {
  make_separate();
  ASSERT_TRUE(files("separate").contains("target_vocab.json"));
  copy_model("separate", "held");
  ASSERT_EQ(heed({"average", "m", "--output", "fresh"}).status, 0);
  ASSERT_EQ(heed({"average", "m", "--output", "held", "--overwrite"}).status, 0);
  EXPECT_TRUE(files("held") == files("fresh"));
  expect_old_or_new({"average", "separate", "--output", "held", "--overwrite"}, "m");
}

// A training run backs the old model up until it first saves; after a kill before that, the next
// command restores it.
TEST_F(ReplacedModelTest, ByATrainingIsWholeOrRefusedWhileItIsBackedUp) {
  make_separate();
  const Files before = files("separate");
  const fs::path held = *folder_ / "held", aside = *folder_ / "aside";
  for (int at = 1; !fs::exists(held / "training/heed-replaced"); ++at) {
    copy_model("separate", "held");
    const int status = killed_at(at, with(train("held"), {"--overwrite"})).status;
    ASSERT_EQ(status, 128 + SIGKILL);
    if (opens("held")) {
      EXPECT_TRUE(files("held") == before) << "killed before change " << at;
    }
  }
  fs::rename(held, aside);
  for (int at = 1, status = -1; status != 2; ++at) {
    ASSERT_LT(at, 100);
    fs::remove_all(held);
    fs::copy(aside, held, fs::copy_options::recursive);
    status = killed_at(at, {"average", "m", "--output", "held"}).status;
    if (opens("held")) {
      EXPECT_TRUE(files("held") == before) << "killed before change " << at;
    }
  }
  EXPECT_TRUE(files("held") == before) << "put back";
}

}  // namespace
}  // namespace heed::testing
