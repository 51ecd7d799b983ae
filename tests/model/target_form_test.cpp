// The directories of models that write trees.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/model/directory.h"
#include "heed/model/sequence_model.h"
#include "support/facts.h"
#include "support/folder_test.h"
#include "support/small_model.h"

namespace heed {
namespace {

class TargetFormTest : public FolderTest {
 protected:
  std::string written(TargetForm form) const {
    ModelConfig config = testing::small_config(11);
    config.target_form = form;
    SequenceModel model = random_model(config, 4);
    save_model(folder_, model);
    EXPECT_EQ(read_config(folder_), config);
    return read(folder_ / "config.json");
  }
};

TEST_F(TargetFormTest, IsSavedOfParsersAlone) {
  EXPECT_THAT(written(TargetForm::trees),
              HasFacts("\"model_type\": \"heed\" \"target_form\": \"trees\""));
  EXPECT_TRUE(read_parser_config(folder_).parses());
  const std::string translator = written(TargetForm::text);
  EXPECT_THAT(translator, ::testing::Not(::testing::HasSubstr("target_form")));
  EXPECT_THAT(translator, HasFacts("\"model_type\": \"marian\""));
}

TEST_F(TargetFormTest, EachKindIsRefusedWhereTheOtherIsExpected) {
  written(TargetForm::trees);
  EXPECT_THAT(error_of([&] { read_translator_config(folder_); }),
              HasFacts("a parser heed parse expected a model that translates"));
  EXPECT_THAT(error_of([&] { read_language_model_config(folder_); }), HasFacts("a parser"));
  EXPECT_THAT(error_of([&] { read_classifier_config(folder_); }), HasFacts("a parser"));
  written(TargetForm::text);
  EXPECT_THAT(error_of([&] { read_parser_config(folder_); }),
              HasFacts("translates expected a parser heed train --task parse"));
}

TEST_F(TargetFormTest, DamageIsNamed) {
  const std::string good = written(TargetForm::trees);
  for (const auto& [from, to, facts] : std::vector<std::array<std::string, 3>>{
           {"\"trees\"", "\"tree\"", "target_form \"tree\" text or trees"},
           {"\"trees\"", "7", "target_form 7 text"}}) {
    std::string text = good;
    write("config.json", text.replace(text.find(from), from.size(), to));
    EXPECT_THAT(error_of([&] { read_config(folder_); }), HasFacts(facts));
  }
  ModelConfig config = testing::small_config(11);
  config.target_form = TargetForm::trees;
  config.encoder_layers = 0;
  expect_usage([&] { config.validate(); }, "trees encoder decoder");
}

}  // namespace
}  // namespace heed
