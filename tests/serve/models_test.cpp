#include "heed/serve/models.h"

#include <gtest/gtest.h>

#include "support/facts.h"
#include "support/folder_test.h"
#include "support/small_translator.h"

namespace heed {
namespace {

class ServedModelsTest : public FolderTest {
 protected:
  // A model directory that says these languages.
  std::string model(const std::string& name, const std::string& source, const std::string& target) {
    const std::filesystem::path directory = folder_ / name;
    testing::write_small_translator(directory);
    testing::character_tokenizers(directory).save(directory, {source, target});
    return directory.string();
  }
};

TEST_F(ServedModelsTest, LanguagesComeFromTheDirectoryOrTheArgument) {
  const std::string zh_en = model("a", "zh", "en"), unknown = model("b", "", "");
  const ServedModels models({zh_en, "en-zh=" + zh_en, "zh-Hant:de=" + unknown},
                            ComputeChoice::automatic);
  ASSERT_EQ(models.all().size(), 3U);
  EXPECT_EQ(models.all()[0]->languages, (LanguagePair{"zh", "en"}));
  EXPECT_EQ(models.all()[1]->languages, (LanguagePair{"en", "zh"}));
  EXPECT_EQ(models.all()[2]->languages, (LanguagePair{"zh-Hant", "de"}));
}

TEST_F(ServedModelsTest, LanguagesMayBeInTheNameOfTheDirectory) {
  for (const char* name : {"zh-en", "opus-mt-zh-en"}) {
    const std::string directory = model(name, "", "");
    EXPECT_EQ(model_languages(directory), (LanguagePair{"zh", "en"})) << name;
    EXPECT_EQ(model_languages(directory + "/"), (LanguagePair{"zh", "en"})) << name;
  }
  for (const char* name : {"model", "my-model", "zh-nothing", "-en", "zh-", "-"})
    EXPECT_EQ(model_languages(folder_ / name), LanguagePair()) << name;
  EXPECT_EQ(model_languages(model("de-fr", "zh", "en")), (LanguagePair{"zh", "en"}))
      << "what the model says counts";
}

TEST_F(ServedModelsTest, WhatIsWrongIsNamed) {
  const std::string zh_en = model("a", "zh", "en"), unknown = model("b", "", "");
  const auto error = [](const std::vector<std::string>& models) {
    return error_of([&] { ServedModels(models, ComputeChoice::automatic); });
  };
  EXPECT_THAT(error({unknown}), HasFacts("--model zh-en=" + unknown));
  EXPECT_THAT(error({zh_en, "zh-en=" + unknown}), HasFacts(zh_en + " " + unknown + " zh-en"));
  EXPECT_THAT(error({"zhen=" + zh_en}), HasFacts("--model zhen= zh-en=DIR"));
  for (const std::string languages : {"auto-en", "AUTO-en", "zh-auto"})
    EXPECT_THAT(error({languages + "=" + zh_en}), HasFacts("--model auto " + zh_en)) << languages;
  EXPECT_THAT(error({model("c", "auto", "en")}), HasFacts("--model auto"));
  EXPECT_THAT(error({"zh-en=" + (folder_ / "none").string()}), HasFacts("none"));
  write("a/tokenizer_config.json", "[1]");
  EXPECT_THAT(error({zh_en}), HasFacts("tokenizer_config.json"));
}

TEST_F(ServedModelsTest, ChangedModelsAreReplaced) {
  const std::string a = model("a", "zh", "en"), b = model("b", "en", "zh");
  ServedModels models({a, b}, ComputeChoice::automatic);
  auto old_a = models.all()[0];
  const auto old_b = models.all()[1];
  EXPECT_TRUE(models.reload(ServedModels::Which::changed).empty());
  testing::write_small_translator(a);
  const std::vector<ModelReload> reloads = models.reload(ServedModels::Which::changed);
  ASSERT_EQ(reloads.size(), 1U);
  EXPECT_EQ(reloads[0].directory, a);
  EXPECT_EQ(reloads[0].error, "");
  EXPECT_NE(models.all()[0], old_a);
  EXPECT_EQ(models.all()[1], old_b);
  EXPECT_TRUE(models.reload(ServedModels::Which::changed).empty());
  EXPECT_EQ(models.reload(ServedModels::Which::all).size(), 1U) << "the first of a is in use";
  EXPECT_NE(models.all()[1], old_b);
  EXPECT_TRUE(models.reload(ServedModels::Which::changed).empty());
  old_a.reset();
  EXPECT_EQ(models.reload(ServedModels::Which::changed).size(), 1U) << "it was asked for";
  EXPECT_TRUE(models.reload(ServedModels::Which::changed).empty());
}

TEST_F(ServedModelsTest, ADamagedModelLeavesTheOldOne) {
  const std::string a = model("a", "zh", "en");
  ServedModels models({a}, ComputeChoice::automatic);
  const auto old = models.all()[0];
  const std::string config = read(folder_ / "a/config.json");
  std::filesystem::remove(folder_ / "a/config.json");
  write("a/config.json", "{}");
  std::vector<ModelReload> reloads = models.reload(ServedModels::Which::changed);
  ASSERT_EQ(reloads.size(), 1U);
  EXPECT_THAT(reloads[0].error, HasFacts("config.json"));
  EXPECT_EQ(models.all()[0], old);
  EXPECT_TRUE(models.reload(ServedModels::Which::changed).empty()) << "told once";
  std::filesystem::remove(folder_ / "a/config.json");
  write("a/config.json", config);
  reloads = models.reload(ServedModels::Which::changed);
  ASSERT_EQ(reloads.size(), 1U);
  EXPECT_EQ(reloads[0].error, "");
  EXPECT_NE(models.all()[0], old);
}

}  // namespace
}  // namespace heed
