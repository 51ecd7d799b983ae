#include "heed/pages/model_page.h"

#include <gtest/gtest.h>

#include <regex>

#include "heed/model/sequence_model.h"
#include "support/variant_models.h"

namespace heed {
namespace {

TEST(ModelPageTest, CountsTheParametersThatTheModelHas) {
  ModelConfig config = preset("tiny");
  config.vocabulary_size = 50;
  config.output_vocabulary_size = 49;
  config.decoder_layers = 3;
  for (const TieEmbeddings tie :
       {TieEmbeddings::all, TieEmbeddings::decoder, TieEmbeddings::none}) {
    for (const bool bias : {false, true}) {
      config.tie_embeddings = tie;
      config.output_bias = bias;
      SequenceModel model(config);
      EXPECT_EQ(totals(model_parts(config, 9)).parameters, parameter_count(model));
    }
  }
}

TEST(ModelPageTest, CountsTheParametersOfEveryVariant) {
  std::vector<testing::VariantModel> models = testing::each_variant();
  for (testing::VariantModel& model : testing::pairwise_variants())
    models.push_back(std::move(model));
  for (const testing::VariantModel& variant : models) {
    SequenceModel model(variant.config);
    EXPECT_EQ(totals(model_parts(variant.config, 9)).parameters, parameter_count(model))
        << variant.name;
  }
}

TEST(ModelPageTest, NamesTheVariant) {
  ModelConfig config = preset("tiny");
  EXPECT_EQ(model_page("t", config, 9, {}).find("Variant"), std::string::npos);
  config.variants.norm = NormPlacement::pre;
  config.variants.attention_reach = "local:3";
  EXPECT_NE(model_page("t", config, 9, {}).find("Variant: attention_reach local:3, norm pre\n"),
            std::string::npos);
  EXPECT_EQ(model_json("t", config, 9, {})["variants"]["norm"], "pre");
}

TEST(ModelPageTest, CountsTheWorkOfThePaper) {
  ModelConfig config;
  config.d_model = 8;
  config.d_ff = 16;
  config.heads = 2;
  config.vocabulary_size = 12;
  config.output_vocabulary_size = 11;
  config.encoder_layers = config.decoder_layers = 1;
  const ModelCost sum = totals(model_parts(config, 5));
  // Encoder: 4 d^2 + 2 d d_ff and 2 n d; the decoder's keys and values of the source: 2 d^2.
  EXPECT_EQ(sum.source_work, 4 * 64 + 2 * 8 * 16 + 2 * 5 * 8 + 2 * 64);
  // Decoder: 4 d^2 + 2 ((n + 1) / 2) d, then 2 d^2 + 2 n d, then 2 d d_ff, then the softmax.
  EXPECT_EQ(sum.target_work, 4 * 64 + 2 * 3 * 8 + 2 * 64 + 2 * 5 * 8 + 2 * 8 * 16 + 11 * 8);
}

TEST(ModelPageTest, ColumnsStayApartAtLargeSizes) {
  ModelConfig config;
  config.d_model = 16384;
  config.d_ff = 65536;
  config.heads = 1;
  config.vocabulary_size = 1 << 24;
  config.output_vocabulary_size = config.vocabulary_size - 1;
  const std::string page = model_page("large", config, 65536);
  EXPECT_NE(page.find("  16777216 x 16384  274,877,906,944"), std::string::npos) << page;
  EXPECT_TRUE(std::regex_search(page, std::regex("together  +[0-9,]+  +[0-9,]+  +[0-9,]+\n")))
      << page;
}

}  // namespace
}  // namespace heed
