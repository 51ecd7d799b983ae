// A GPT-2 that transformers saved (tools/make_gpt2_goldens.py), and models written in its layout.
#include "heed/model/gpt2.h"

#include <gmock/gmock.h>

#include <cstring>

#include "heed/decode/language_model.h"
#include "heed/model/directory.h"
#include "heed/model/marian.h"
#include "heed/model/sequence_model.h"
#include "support/damage.h"
#include "support/folder_test.h"
#include "support/goldens.h"

namespace heed {
namespace {

using ::testing::HasSubstr;
using testing::Json;

const std::filesystem::path kPublished = HEED_TESTS "/decode/data/gpt2";
constexpr ComputeChoice kExact = ComputeChoice::fp32;

Json goldens() {
  return testing::goldens("/decode/data/gpt2/goldens.json", "cases");
}

class Gpt2Test : public FolderTest {
 protected:
  Gpt2Test() {
    for (const char* file :
         {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"})
      std::filesystem::copy(kPublished / file, folder_);
  }

  Json config() const { return Json::parse(read(folder_ / "config.json")); }
  template <class Value>
  void set(const char* key, const Value& value) const {
    Json changed = config();
    changed[key] = value;
    write("config.json", changed.dump());
  }
  // The Error for a key of config.json.
  template <class Value>
  std::string complaint(const char* key, const Value& value) const {
    const std::string before = read(folder_ / "config.json");
    set(key, value);
    const std::string error = testing::error_of([&] { load_model(folder_); });
    write("config.json", before);
    return error;
  }
  // Writes the weights again, as `change` makes them from those of the file.
  using Weights = std::vector<std::pair<std::string, Tensor>>;
  void rewrite(const std::function<void(Weights&)>& change) const {
    Weights weights;
    {
      const SafetensorsFile file(folder_ / "model.safetensors");
      for (const StoredTensor& stored : file.tensors()) {
        Tensor values(stored.shape, DType::fp32);
        file.read(stored.name, values);
        weights.emplace_back(stored.name, values);
      }
    }
    change(weights);
    std::vector<TensorEntry> entries;
    for (const auto& [name, values] : weights)
      entries.push_back({name, values.dtype(), values.shape()});
    SafetensorsWriter writer(folder_ / "model.safetensors", entries);
    for (const auto& [name, values] : weights) writer.write(name, values);
    writer.commit();
  }
  static Tensor logits_of(const std::filesystem::path& directory, std::span<const TokenId> ids) {
    const LanguageModel model(directory, kExact);
    TensorPool pool(model.backend().memory());
    ForwardPass pass(model.backend(), pool);
    std::vector<TokenId> input{model.config().start_id()};
    input.insert(input.end(), ids.begin(), ids.end());
    Tokens tokens;
    tokens.add(input);
    const SequenceModel& sequences = model.parts().model;
    return to_host(sequences.output().logits(pass, sequences.decode(pass, tokens, {})));
  }
  // The logits of the directory's model are those of transformers.
  void expect_published(double tolerance = 2e-5) const {
    for (const Json& one : goldens()) {
      const Tensor logits = logits_of(folder_, one["ids"].get<std::vector<TokenId>>());
      const Tensor expected = testing::matrix(one["logits"]);
      ASSERT_EQ(logits.rows(), expected.rows());
      for (int64_t r = 0; r < expected.rows(); ++r)
        for (int64_t c = 0; c < expected.columns(); ++c)
          ASSERT_NEAR(element(logits, r * logits.columns() + c),
                      element(expected, r * expected.columns() + c), tolerance)
              << one["text"] << ", row " << r << ", id " << c;
    }
  }
  // A language model that GPT-2's layout can express.
  static ModelConfig own_config() {
    ModelConfig config;
    config.vocabulary_size = 20;
    config.output_vocabulary_size = 19;
    config.d_model = 12;
    config.d_ff = 10;
    config.heads = 3;
    config.encoder_layers = 0;
    config.decoder_layers = 2;
    config.max_positions = 16;
    config.variants.positions = Positions::learned;
    config.variants.norm = NormPlacement::pre;
    config.activation = FeedForwardKind::gelu_tanh;
    return config;
  }
};

TEST_F(Gpt2Test, ComputesWhatTransformersDoes) {
  const LanguageModel model(folder_, kExact);
  EXPECT_EQ(model.config().start_id(), 479);
  EXPECT_EQ(model.config().end_id(), 479);
  EXPECT_EQ(model.config().pad_id(), kNoToken);
  EXPECT_EQ(model.config().max_positions, 32);
  expect_published();
  for (const Json& one : goldens()) {
    const std::string text = one["text"];
    EXPECT_EQ(Json(model.tokenizers().target().encode(text)), one["ids"]);
    const PairScore score = model.score({text})[0];
    ASSERT_EQ(score.log_probabilities.size(), one["log_probabilities"].size());
    for (size_t i = 0; i < score.log_probabilities.size(); ++i)
      EXPECT_NEAR(score.log_probabilities[i], one["log_probabilities"][i].get<double>(), 1e-4);
    EXPECT_EQ(score.pieces.back(), "<|endoftext|>");
  }
}

TEST_F(Gpt2Test, ContinuesTextsAsTransformersDoes) {
  const LanguageModel model(folder_, kExact);
  DecodeOptions options;
  options.search.beam = 1;
  options.search.extra_length = 12;
  for (const Json& one : goldens())
    EXPECT_EQ(model.generate(one["text"].get<std::string>(), options), one["generated"]);
}

// As published: names without a prefix, the output projection, masks, other types.
TEST_F(Gpt2Test, OtherFormsOfTheFileAreEqual) {
  rewrite([](Weights& weights) {
    for (auto& [name, values] : weights) {
      ASSERT_TRUE(name.starts_with("transformer."));
      name = name.substr(12);
    }
    for (const char* mask : {"h.0.attn.bias", "h.1.attn.bias"})
      weights.emplace_back(mask, Tensor({1, 1, 32, 32}));
    weights.emplace_back("h.0.attn.masked_bias", Tensor({1}));
  });
  expect_published();
  rewrite([](Weights& weights) {
    const auto table = std::ranges::find(weights, "wte.weight", &Weights::value_type::first);
    weights.emplace_back("lm_head.weight", table->second);
  });
  expect_published();
  rewrite([](Weights& weights) { set_element(weights.back().second, 3, 7); });
  EXPECT_THAT(testing::error_of([&] { load_model(folder_); }),
              HasSubstr("\"wte.weight\" and \"lm_head.weight\" differ"));
  set("tie_word_embeddings", false);
  EXPECT_EQ(read_config(folder_).tie_embeddings, TieEmbeddings::none);
  load_model(folder_);
}

TEST_F(Gpt2Test, Bf16IsGpt2AndInt8IsHeeds) {
  SequenceModel model = load_model(folder_);
  const ModelConfig before = model.config();
  save_model(folder_, model, DType::bf16);
  EXPECT_EQ(config()["model_type"], "gpt2");
  EXPECT_EQ(config()["torch_dtype"], "bfloat16");
  EXPECT_EQ(read_config(folder_), before);
  expect_published(0.15);
  save_model(folder_, model, DType::int8);
  EXPECT_EQ(config()["model_type"], "heed");
  EXPECT_EQ(config()["eos_token_id"], 479);
  EXPECT_EQ(read_config(folder_), before);
  expect_published(0.25);
}

// Embeddings are scaled in heed, and not in GPT-2.
TEST_F(Gpt2Test, OwnModelsComeBackAsTheyWere) {
  for (const TieEmbeddings tie : {TieEmbeddings::all, TieEmbeddings::decoder, TieEmbeddings::none})
    for (const bool scale : {true, false}) {
      ModelConfig described = own_config();
      described.tie_embeddings = tie;
      described.scale_embeddings = scale;
      SequenceModel saved = random_model(described, 5);
      ASSERT_TRUE(is_gpt2(saved.config()));
      save_model(folder_, saved);
      EXPECT_EQ(config()["model_type"], "gpt2");
      EXPECT_EQ(config()["bos_token_id"], 19);
      SequenceModel loaded = load_model(folder_);
      EXPECT_EQ(loaded.config(), saved.config());
      const std::vector<Parameter> before = parameters(saved), after = parameters(loaded);
      ASSERT_EQ(before.size(), after.size());
      for (size_t i = 0; i < before.size(); ++i)
        for (int64_t j = 0; j < before[i].tensor.size(); ++j)
          ASSERT_NEAR(element(after[i].tensor, j), element(before[i].tensor, j), scale ? 1e-6 : 0.0)
              << before[i].name;
    }
}

// As heed wrote them before it wrote GPT-2s.
TEST_F(Gpt2Test, ModelsInHeedsOwnLayoutStillOpen) {
  SequenceModel saved = random_model(own_config(), 5);
  save_model(folder_, ModelContents{saved.config(), parameters(saved)}, DType::fp32,
             marian_layout());
  EXPECT_EQ(config()["model_type"], "heed");
  SequenceModel loaded = load_model(folder_);
  EXPECT_EQ(loaded.config(), saved.config());
  const std::vector<Parameter> before = parameters(saved), after = parameters(loaded);
  for (size_t i = 0; i < before.size(); ++i)
    for (int64_t j = 0; j < before[i].tensor.size(); ++j)
      ASSERT_EQ(element(after[i].tensor, j), element(before[i].tensor, j)) << before[i].name;
}

TEST_F(Gpt2Test, OtherModelsKeepTheirLayout) {
  const auto is_written_as_gpt2 = [](const std::function<void(ModelConfig&)>& change) {
    ModelConfig config = own_config();
    change(config);
    return is_gpt2(config);
  };
  EXPECT_FALSE(
      is_written_as_gpt2([](ModelConfig& c) { c.variants.positions = Positions::rotary; }));
  EXPECT_FALSE(is_written_as_gpt2([](ModelConfig& c) { c.variants.norm = NormPlacement::post; }));
  EXPECT_FALSE(is_written_as_gpt2([](ModelConfig& c) { c.variants.norm_kind = NormKind::rms; }));
  EXPECT_FALSE(is_written_as_gpt2([](ModelConfig& c) { c.variants.key_value_heads = 1; }));
  EXPECT_FALSE(is_written_as_gpt2([](ModelConfig& c) { c.output_bias = true; }));
  EXPECT_FALSE(is_written_as_gpt2([](ModelConfig& c) { c.activation = FeedForwardKind::swiglu; }));
  EXPECT_FALSE(is_written_as_gpt2([](ModelConfig& c) { c.encoder_layers = 1; }));
}

TEST_F(Gpt2Test, WhatHeedCannotComputeIsRefused) {
  EXPECT_THAT(complaint("scale_attn_by_inverse_layer_idx", true),
              HasSubstr("scale_attn_by_inverse_layer_idx is true, expected false"));
  EXPECT_THAT(complaint("scale_attn_weights", false), HasSubstr("scale_attn_weights is false"));
  EXPECT_THAT(complaint("add_cross_attention", true), HasSubstr("add_cross_attention is true"));
  EXPECT_THAT(complaint("layer_norm_epsilon", 1e-6),
              HasSubstr("layer_norm_epsilon is 1e-06, expected 1e-05"));
  EXPECT_THAT(complaint("activation_function", "tanh"),
              HasSubstr("activation_function is \"tanh\""));
  EXPECT_THAT(complaint("activation_function", "swiglu"), HasSubstr("activation_function"));
  EXPECT_THAT(complaint("n_head", 5), HasSubstr("n_head is 5, expected a divisor of n_embd, 12"));
  EXPECT_THAT(complaint("n_head", 0), HasSubstr("n_head is 0"));
  EXPECT_THAT(complaint("n_embd", int64_t{3} << 40), HasSubstr("d_model is"));
  EXPECT_THAT(complaint("n_layer", 3), HasSubstr("transformer.h.2.ln_1.weight"));
  EXPECT_THAT(complaint("n_inner", nullptr), HasSubstr("has shape [12, 20], expected [12, 48]"));
  EXPECT_THAT(complaint("n_positions", 31), HasSubstr("wpe.weight"));
  EXPECT_THAT(complaint("vocab_size", 479), HasSubstr("bos_token_id is 479, expected an id"));
  EXPECT_THAT(complaint("eos_token_id", -1), HasSubstr("eos_token_id is -1"));
  EXPECT_THAT(complaint("model_type", "gpt_neo"), HasSubstr("model_type is \"gpt_neo\""));
}

TEST_F(Gpt2Test, FilesThatDoNotBelongTogetherAreRefused) {
  write("tokenizer_config.json", R"({"eos_token": "<|user|>"})");
  EXPECT_THAT(testing::error_of([&] { LanguageModel(folder_, kExact).score({"a"}); }),
              HasSubstr("texts end with token 480 of the vocabulary, and with token 479"));
}

TEST_F(Gpt2Test, DamagedFilesAreReadOrRefused) {
  for (const std::string file : {"config.json", "model.safetensors"}) {
    const std::string whole = read(folder_ / file);
    testing::for_each_damaged(whole, 2000, 60, [&](const std::string& damaged) {
      write(file, damaged);
      try {
        load_model(folder_);
      } catch (const Error& error) {
        EXPECT_STRNE(error.what(), "");
      }
    });
    write(file, whole);
  }
}

}  // namespace
}  // namespace heed
