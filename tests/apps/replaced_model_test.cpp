// Models that are made of others and replace a model, killed at any moment.
#include <map>

#include "small_model_test.h"

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
    ASSERT_NE(after, before);
    int refused = 0;
    for (int at = 1, status = -1; status != 0; ++at) {
      ASSERT_LT(at, 100);
      copy_model(old, "held");
      setenv("HEED_KILLED_AT", std::to_string(at).c_str(), 1);
      status = heed(command, {.preload = HEED_KILLED_AT_NAME}).status;
      unsetenv("HEED_KILLED_AT");
      const Files left = files("held");
      if (opens("held")) {
        EXPECT_TRUE(left == before || left == after) << "killed before change " << at;
        continue;
      }
      refused = at;
      ASSERT_EQ(heed(command).status, 0) << "what is left can be replaced";
      EXPECT_EQ(files("held"), after);
      expect_nothing_half_written(*folder_ / "held");
    }
    EXPECT_GT(refused, 1) << "killed while files are replaced";
  }
};

TEST_F(ReplacedModelTest, ByASmallerCopyIsTheOldOneOrTheNew) {
  expect_old_or_new({"quantize", "--model", "m", "--output", "held", "--overwrite"}, "m");
}

// The old model has a file that the new one lacks.
TEST_F(ReplacedModelTest, NothingOfAModelWithTwoVocabulariesStays) {
  const RunResult trained =
      heed(with(train("separate"), {"--vocabularies", "separate", "--tie-embeddings", "decoder"}));
  ASSERT_EQ(trained.status, 0) << trained.err;
  ASSERT_TRUE(files("separate").contains("target_vocab.json"));
  copy_model("separate", "held");
  ASSERT_EQ(heed({"average", "m", "--output", "fresh"}).status, 0);
  ASSERT_EQ(heed({"average", "m", "--output", "held", "--overwrite"}).status, 0);
  EXPECT_EQ(files("held"), files("fresh"));
  expect_old_or_new({"average", "separate", "--output", "held", "--overwrite"}, "m");
}

}  // namespace
}  // namespace heed::testing
