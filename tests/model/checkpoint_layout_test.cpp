// A second layout, with names of its own: models are written and read through the interface alone.
#include "heed/model/checkpoint_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/core/strict_json.h"
#include "heed/model/directory.h"
#include "heed/model/sequence_model.h"
#include "support/folder_test.h"

namespace heed {
namespace {

using ::testing::HasSubstr;

// The names of the parameters, in their order, and three keys.
class PlainLayout : public CheckpointLayout {
 public:
  LayoutTensors tensors(const ModelConfig&,
                        const std::vector<Parameter>& parameters) const override {
    LayoutTensors all{{}, "bias", {}};
    for (const Parameter& parameter : parameters)
      if (parameter.name != "embeddings.output_bias")
        all.parameters.push_back({parameter, {"plain." + parameter.name, parameter.name}});
    return all;
  }
  std::string write_config(const ModelConfig& config, DType) const override {
    return fmt::format(R"({{"words": {}, "width": {}, "variants": {}}})", config.vocabulary_size,
                       config.d_model, to_json(config.variants));
  }
  ModelConfig read_config(std::string_view text, const std::string& place) const override {
    const nlohmann::json object = detail::parse_json(text, place);
    ModelConfig config;
    config.vocabulary_size = object.at("words");
    config.d_model = object.at("width");
    from_json(config.variants, object.at("variants").dump(), place);
    config.output_vocabulary_size = config.vocabulary_size - 1;
    config.heads = 2;
    config.d_ff = 8;
    config.encoder_layers = config.decoder_layers = 1;
    config.max_positions = 16;
    config.output_bias = true;
    return config;
  }
};

class CheckpointLayoutTest : public FolderTest {
 protected:
  // A model that the layout can describe.
  SequenceModel model() const {
    return random_model(
        layout_.read_config(R"({"words": 11, "width": 4, "variants": {"norm": "pre"}})", "here"),
        3);
  }

  PlainLayout layout_;
};

TEST_F(CheckpointLayoutTest, WritesAndReadsAModel) {
  SequenceModel saved = model();
  for (const DType type : {DType::fp32, DType::int8}) {
    save_model(folder_, {saved.config(), parameters(saved), {}}, type, layout_);
    SequenceModel loaded = load_model(folder_, layout_);
    EXPECT_EQ(loaded.config(), saved.config());
    const std::vector<Parameter> before = parameters(saved), after = parameters(loaded);
    ASSERT_EQ(after.size(), before.size());
    for (size_t i = 0; i < after.size(); ++i) {
      for (int64_t j = 0; j < after[i].tensor.size(); ++j)
        ASSERT_NEAR(element(after[i].tensor, j), element(before[i].tensor, j),
                    type == DType::fp32 ? 0 : 0.02)
            << after[i].name;
    }
  }
}

TEST_F(CheckpointLayoutTest, HasItsOwnNames) {
  SequenceModel saved = model();
  save_model(folder_, {saved.config(), parameters(saved), {}}, DType::fp32, layout_);
  const SafetensorsFile file(folder_ / "model.safetensors");
  EXPECT_EQ(file.tensors().front().name, "bias");
  EXPECT_NE(file.find("plain.encoder.0.self.query.weight"), nullptr);
  // Marian's layout finds neither its keys nor its tensors.
  EXPECT_THAT(error_of([&] { load_model(folder_); }),
              HasSubstr("config.json: the key model_type is missing"));
}

}  // namespace
}  // namespace heed
