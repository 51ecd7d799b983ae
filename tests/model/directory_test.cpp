#include "heed/model/directory.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/backend/quantize.h"
#include "heed/model/safetensors.h"
#include "heed/model/sequence_model.h"
#include "reference/reference_backend.h"
#include "support/damage.h"
#include "support/facts.h"
#include "support/small_model.h"
#include "support/temporary_folder.h"

namespace heed {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;

constexpr TieEmbeddings kTies[] = {TieEmbeddings::all, TieEmbeddings::decoder, TieEmbeddings::none};

ModelConfig config_with_fillers() {
  ModelConfig config = testing::small_config(13);
  config.output_vocabulary_size = 10;  // 10 and 11 are fillers
  config.decoder_layers = 1;
  config.dropout = 0.3;
  config.activation_dropout = 0.05;
  return config;
}

// A model whose every value is drawn: biases and gains too.
SequenceModel random_model(const ModelConfig& config, DType type = DType::fp32) {
  SequenceModel model(config, type);
  model.initialize(3);
  Random random(5);
  for (Parameter& p : parameters(model)) {
    if (p.tensor.shape().size() != 1) continue;
    for (int64_t i = 0; i < p.tensor.size(); ++i) {
      const double value = random.normal() + (p.name.ends_with("gain") ? 1 : 0);
      if (type == DType::fp32)
        p.tensor.data<float>()[i] = float(value);
      else
        p.tensor.data<double>()[i] = value;
    }
  }
  return model;
}

std::vector<double> logits(const SequenceModel& model, Backend& backend) {
  TensorPool pool;
  ForwardPass pass(backend, pool);
  Tokens source, target;
  source.add(std::vector<TokenId>{2, 5, 9, 0});
  source.add(std::vector<TokenId>{7, 0});
  target.add(std::vector<TokenId>{model.config().start_id(), 4, 3});
  target.add(std::vector<TokenId>{model.config().start_id(), 1});
  const Tensor result =
      model.output().logits(pass, model.decode(pass, target, model.encode(pass, source)));
  if (result.dtype() == DType::fp64)
    return {result.span<double>().begin(), result.span<double>().end()};
  return {result.span<float>().begin(), result.span<float>().end()};
}

std::vector<double> logits(const SequenceModel& model) {
  return logits(model, *make_reference_backend());
}

class DirectoryTest : public ::testing::Test {
 protected:
  std::filesystem::path path() const { return folder_.path(); }
  void save(const ModelConfig& config = config_with_fillers()) const {
    SequenceModel model = random_model(config);
    save_model(path(), model);
  }
  json config_json() const { return json::parse(folder_.read("config.json")); }
  // The complaint after `change` was made to config.json.
  std::string complaint(const std::function<void(json&)>& change) const {
    save();
    json config = config_json();
    change(config);
    folder_.write("config.json", config.dump());
    return error_of([&] { load_model(path()); });
  }
  std::string complaint(const std::string& key, const json& value) const {
    return complaint([&](json& config) { config[key] = value; });
  }

  // Rewrites model.safetensors in fp32 under the names and with the values that `change` leaves.
  using Weights = std::vector<std::pair<std::string, Tensor>>;
  void rewrite(const std::function<void(Weights&)>& change) const {
    Weights weights;
    {
      const SafetensorsFile file(path() / "model.safetensors");
      for (const StoredTensor& stored : file.tensors()) {
        weights.emplace_back(stored.name, Tensor(stored.shape));
        file.read(stored.name, weights.back().second);
      }
    }
    change(weights);
    std::vector<TensorEntry> entries;
    for (const auto& [name, values] : weights)
      entries.push_back({name, DType::fp32, values.shape()});
    SafetensorsWriter writer(path() / "model.safetensors", entries);
    for (const auto& [name, values] : weights) writer.write(name, values);
    writer.commit();
  }
  static Tensor& named(Weights& weights, const std::string& name) {
    for (auto& [known, values] : weights)
      if (known == name) return values;
    throw std::runtime_error("no tensor " + name);
  }
  // The complaint after that.
  std::string weights_complaint(const std::function<void(Weights&)>& change) const {
    save();
    rewrite(change);
    return error_of([&] { load_model(path()); });
  }

  testing::TemporaryFolder folder_;
};

TEST_F(DirectoryTest, AModelComesBackAsItWas) {
  for (const TieEmbeddings tie : kTies) {
    for (const bool output_bias : {false, true}) {
      ModelConfig config = config_with_fillers();
      config.tie_embeddings = tie;
      config.output_bias = output_bias;
      config.activation = output_bias ? FeedForwardKind::silu : FeedForwardKind::relu;
      SequenceModel model = random_model(config);
      save_model(path(), model);
      EXPECT_EQ(read_config(path()), config);
      SequenceModel loaded = load_model(path());
      EXPECT_EQ(loaded.config(), config);
      EXPECT_EQ(logits(loaded), logits(model));
    }
  }
}

TEST_F(DirectoryTest, TheSameModelIsTheSameBytes) {
  save();
  const std::string weights = folder_.read("model.safetensors"),
                    config = folder_.read("config.json");
  SequenceModel loaded = load_model(path());
  save_model(path() / "again", loaded);
  EXPECT_EQ(folder_.read("again/model.safetensors"), weights);
  EXPECT_EQ(folder_.read("again/config.json"), config);
  EXPECT_EQ(folder_.read("again/generation_config.json"), folder_.read("generation_config.json"));
}

TEST_F(DirectoryTest, DoublesAreSavedAsSingles) {
  SequenceModel model = random_model(config_with_fillers(), DType::fp64);
  save_model(path(), model);
  const std::vector<double> before = logits(model), after = logits(load_model(path()));
  ASSERT_EQ(before.size(), after.size());
  for (size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(before[i], after[i], 1e-4);
}

// Values that Marian's models do not have, and that the layout has keys for.
TEST_F(DirectoryTest, KeepsSizesOfTheDecoderItsStartAndTheScaleOfEmbeddings) {
  ModelConfig config = config_with_fillers();
  config.decoder_d_ff = 12;
  config.decoder_start = 0;
  config.scale_embeddings = false;
  SequenceModel model = random_model(config);
  save_model(path(), model);
  const json saved = config_json();
  EXPECT_EQ(saved["encoder_ffn_dim"], 16);
  EXPECT_EQ(saved["decoder_ffn_dim"], 12);
  EXPECT_EQ(saved["decoder_start_token_id"], 0);
  EXPECT_EQ(saved["scale_embedding"], false);
  const json generation = json::parse(folder_.read("generation_config.json"));
  EXPECT_EQ(generation["decoder_start_token_id"], 0);
  const SequenceModel loaded = load_model(path());
  EXPECT_EQ(loaded.config(), config);
  EXPECT_EQ(logits(loaded), logits(model));
}

TEST_F(DirectoryTest, SaysWhatOtherProgramsRead) {
  ModelConfig config = config_with_fillers();
  SequenceModel model = random_model(config);
  save_model(path(), model);
  const json saved = config_json();
  EXPECT_EQ(saved["model_type"], "marian");
  EXPECT_EQ(saved["architectures"], json::array({"MarianMTModel"}));
  EXPECT_EQ(saved["decoder_start_token_id"], 12);
  EXPECT_EQ(saved["dropout"], 0.3);
  const json generation = json::parse(folder_.read("generation_config.json"));
  EXPECT_EQ(generation, json::parse(R"({"decoder_start_token_id": 12, "eos_token_id": 0,
      "pad_token_id": 12, "forced_eos_token_id": 0, "bad_words_ids": [[12]], "num_beams": 4,
      "max_length": 32})"));
  const SafetensorsFile file(path() / "model.safetensors");
  Tensor bias({1, 13}), value({8, 8});
  file.read("final_logits_bias", bias);
  EXPECT_THAT(bias.span<float>(), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1e4f, -1e4f, -1e4f));
  file.read("model.decoder.layers.0.encoder_attn.v_proj.weight", value);
  for (const Parameter& p : parameters(model)) {
    if (p.name != "decoder.0.cross.value.weight") continue;
    EXPECT_EQ(0, std::memcmp(value.bytes(), p.tensor.bytes(), 256));
  }
}

// What transformers writes of an OPUS-MT model: no word of heed, biases on real tokens, positions
// and tied copies stored.
TEST_F(DirectoryTest, OpensWhatOthersPublished) {
  ModelConfig config = config_with_fillers();
  config.output_vocabulary_size = 12;
  config.output_bias = true;
  config.max_positions = 512;
  config.activation = FeedForwardKind::silu;
  SequenceModel model = random_model(config);
  save_model(path(), model);
  json published = config_json();
  published.erase("heed");
  published["activation_function"] = "swish";
  published["bos_token_id"] = 0;
  published["num_beams"] = 6;
  published.erase("max_position_embeddings");
  folder_.write("config.json", published.dump());
  rewrite([&](Weights& weights) {
    named(weights, "final_logits_bias").data<float>()[12] = 0;
    const Tensor shared = named(weights, "model.shared.weight");
    weights.emplace_back("model.encoder.embed_tokens.weight", shared);
    weights.emplace_back("lm_head.weight", shared);
    weights.emplace_back("model.encoder.embed_positions.weight",
                         positional_encoding(512, 8, DType::fp32));
  });
  const SequenceModel loaded = load_model(path());
  EXPECT_EQ(loaded.config(), config);
  EXPECT_EQ(logits(loaded), logits(model));
}

TEST_F(DirectoryTest, WeightsThatDoNotFitAreNamed) {
  const std::string file = (path() / "model.safetensors").string();
  EXPECT_EQ(weights_complaint([](Weights& w) { w.pop_back(); }),
            file + ": the tensor \"model.decoder.layers.0.final_layer_norm.bias\" is missing");
  EXPECT_EQ(weights_complaint([](Weights& w) {
              named(w, "model.encoder.layers.1.fc1.weight") = Tensor({11, 8});
            }),
            file +
                ": tensor \"model.encoder.layers.1.fc1.weight\" has shape [11, 8], expected "
                "[16, 8]");
  EXPECT_THAT(weights_complaint([](Weights& w) {
                w.emplace_back("model.encoder.layer_norm.weight", Tensor({8}));
              }),
              HasSubstr("\"model.encoder.layer_norm.weight\" has no place in the model"));
  EXPECT_THAT(weights_complaint([](Weights& w) {
                w.emplace_back("lm_head.weight", Tensor({13, 8}));
              }),
              HasSubstr("\"model.shared.weight\" and \"lm_head.weight\" differ"));
  EXPECT_THAT(weights_complaint([](Weights& w) {
                w.emplace_back("model.decoder.embed_positions.weight", Tensor({32, 8}));
              }),
              HasSubstr("no table of sinusoids"));
  EXPECT_THAT(weights_complaint(
                  [](Weights& w) { named(w, "model.shared.weight").data<float>()[17] = NAN; }),
              HasSubstr("\"model.shared.weight\" holds nan at index 17"));
  EXPECT_THAT(
      weights_complaint([](Weights& w) { named(w, "final_logits_bias").data<float>()[3] = 1; }),
      HasSubstr("heed.output_bias is false"));
}

TEST_F(DirectoryTest, ConfigurationsThatHeedCannotRunAreNamed) {
  const std::string file = (path() / "config.json").string();
  EXPECT_EQ(complaint("model_type", "bart"), file +
                                                 ": model_type is \"bart\", expected marian, gpt2 "
                                                 "or heed: heed opens no other kind of model "
                                                 "directory");
  EXPECT_EQ(complaint("d_model", "eight"),
            file + ": d_model is \"eight\", expected a whole number");
  EXPECT_EQ(complaint([](json& c) { c.erase("d_model"); }), file + ": the key d_model is missing");
  EXPECT_THAT(complaint("normalize_before", true), HasFacts("normalize_before"));
  EXPECT_THAT(complaint("static_position_embeddings", false), HasFacts("true"));
  EXPECT_THAT(complaint("scale_embedding", 1), HasFacts("scale_embedding 1 true false"));
  EXPECT_THAT(complaint("decoder_start_token_id", 13), HasFacts("decoder_start_token_id 13"));
  EXPECT_THAT(complaint("decoder_start_token_id", -1), HasFacts("decoder_start_token_id -1"));
  EXPECT_THAT(complaint("activation_function", "tanh"), HasFacts("relu gelu gelu_new silu swish"));
  EXPECT_THAT(complaint("decoder_ffn_dim", 0), HasFacts("decoder_ffn_dim 0"));
  EXPECT_THAT(complaint("decoder_ffn_dim", 13), HasFacts("model.decoder.layers.0.fc1"));
  EXPECT_THAT(complaint("eos_token_id", 2), HasFacts("eos_token_id 2 0"));
  EXPECT_THAT(complaint("pad_token_id", 11), HasFacts("pad_token_id 11 12"));
  EXPECT_THAT(complaint("tie_word_embeddings", false), HasFacts("tie_word_embeddings"));
  EXPECT_THAT(complaint("encoder_attention_heads", 3),
              HasFacts("decoder_attention_heads 2 3 (as encoder_attention_heads)"));
  EXPECT_THAT(complaint("vocab_size", 14), HasFacts("decoder_vocab_size 13 14 (as vocab_size)"));
  EXPECT_THAT(complaint("dropout", 2), HasSubstr("dropout must be"));
  EXPECT_THAT(complaint("d_model", int64_t{1} << 60), HasSubstr("d_model is 1152921504606846976"));
  EXPECT_THAT(complaint("encoder_layers", 1000),
              HasFacts("encoder.layers.2.self_attn.q_proj.weight\""));
  EXPECT_THAT(complaint("heed", json{{"classes", 13}}),
              HasSubstr("heed.classes is 13, expected 2 to 12"));
}

// Not by heed's own names for them.
TEST_F(DirectoryTest, ValuesOutOfRangeAreNamedByTheirKeys) {
  const auto both = [](const char* key, int64_t value) {
    return [=](json& c) {
      c[key] = value;
      c["decoder" + std::string(key).substr(std::string("encoder").size())] = value;
    };
  };
  EXPECT_THAT(complaint(both("encoder_attention_heads", 0)),
              HasSubstr(": encoder_attention_heads is 0, expected 1 to 8"));
  EXPECT_THAT(complaint(both("encoder_attention_heads", 3)),
              HasFacts("multiple of encoder_attention_heads d_model 8 encoder_attention_heads 3"));
  EXPECT_THAT(complaint(both("encoder_ffn_dim", 1 << 21)),
              HasSubstr(": encoder_ffn_dim is 2097152"));
  EXPECT_THAT(complaint("max_position_embeddings", 7),
              HasSubstr(": max_position_embeddings is 7, expected 8 to 65536"));
  EXPECT_THAT(complaint([](json& c) {
                c["vocab_size"] = c["decoder_vocab_size"] = 3;
                c["pad_token_id"] = c["decoder_start_token_id"] = 2;
              }),
              HasSubstr(": vocab_size is 3"));
  EXPECT_THAT(complaint("attention_dropout", 1.5), HasFacts("attention_dropout below 1, got 1.5"));
  EXPECT_THAT(complaint("activation_dropout", -1),
              HasSubstr("activation_dropout must be at least 0 and below 1, got -1"));
}

TEST_F(DirectoryTest, MissingPiecesAreNamed) {
  EXPECT_EQ(error_of([&] { load_model(path() / "nowhere"); }),
            "there is no model directory " + (path() / "nowhere").string());
  EXPECT_EQ(error_of([&] { load_model(path()); }),
            path().string() + " is no model directory: config.json is missing");
  save();
  std::filesystem::remove(path() / "model.safetensors");
  folder_.write("pytorch_model.bin", "");
  EXPECT_THAT(error_of([&] { load_model(path()); }),
              HasSubstr("model.safetensors is missing (heed does not read pytorch_model.bin"));
}

// Given for a model: one of its files, the folder of its training, and the folder around it.
TEST_F(DirectoryTest, PathsNearAModelNameIt) {
  const std::filesystem::path model = path() / "model";
  std::filesystem::create_directories(model / "training");
  folder_.write("model/config.json", "{}");
  folder_.write("model/training/state.safetensors", "");
  for (const auto& wrong : {path(), model / "config.json", model / "training",
                            model / "training" / "state.safetensors"})
    EXPECT_THAT(error_of([&] { load_model(wrong); }),
                ::testing::EndsWith("; did you mean " + model.string() + "?"))
        << wrong;
}

// A training with --overwrite that was killed, or has not begun, has moved the model.
TEST_F(DirectoryTest, AModelInABackupIsFound) {
  const BackupDirectories backup = backup_directories(path());
  for (const auto& folder : {backup.partial, backup.complete}) {
    std::filesystem::create_directories(folder);
    for (const char* name : {"config.json", "model.safetensors"}) {
      folder_.write((folder / name).lexically_relative(path()).string(), "");
      const std::string text = error_of([&] { load_model(path()); });
      EXPECT_THAT(text, HasFacts("config.json --overwrite"));
      EXPECT_THAT(text, HasSubstr(" " + folder.string() + " "));
    }
  }
}

// Files of two models must not be mixed by a reader that comes between.
TEST_F(DirectoryTest, AModelThatIsReplacedMeanwhileIsReadAgain) {
  save();
  int times = 0;
  const int got = read_unchanged(path(), [&] {
    if (++times == 1) save();
    return times;
  });
  EXPECT_EQ(got, 2);
  times = 0;
  std::filesystem::create_directory(replacement_directory(path()));
  const ModelConfig config = read_unchanged(path(), [&] {
    if (++times == 1) std::filesystem::remove(path() / "config.json");
    if (times == 2) save();
    return read_config(path());
  });
  EXPECT_EQ(config.d_model, 8);
  EXPECT_EQ(times, 3);
}

TEST_F(DirectoryTest, AReplacementThatWasKilledIsNamed) {
  std::filesystem::create_directory(replacement_directory(path()));
  const auto read = [&] { return read_config(path()); };
  EXPECT_THAT(error_of([&] { read_unchanged(path(), read); }),
              HasFacts(replacement_directory(path()).string() + " --overwrite"));
  std::filesystem::remove(replacement_directory(path()));
  EXPECT_THAT(error_of([&] { read_unchanged(path(), read); }), HasFacts("config.json"));
}

TEST_F(DirectoryTest, WhatCannotBeSavedLeavesTheOldModel) {
  save();
  const std::string before = folder_.read("model.safetensors");
  SequenceModel model = random_model(config_with_fillers());
  parameters(model)[2].tensor.data<float>()[0] = INFINITY;
  EXPECT_THAT(error_of([&] { save_model(path(), model); }), HasSubstr("is not written: tensor"));
  EXPECT_EQ(folder_.read("model.safetensors"), before);
  folder_.write("file", "");
  SequenceModel good = random_model(config_with_fillers());
  EXPECT_THAT(error_of([&] { save_model(path() / "file", good); }),
              HasSubstr("cannot make the directory"));
}

TEST_F(DirectoryTest, ADamagedDirectoryIsAnErrorOrAModel) {
  save();
  int refused = 0, loaded = 0;
  for (const char* name : {"config.json", "model.safetensors"}) {
    const std::string good = folder_.read(name);
    testing::for_each_damaged(good, 5000, 400, [&](const std::string& bytes) {
      folder_.write(name, bytes);
      try {
        EXPECT_EQ(logits(load_model(path())).size() % 5, 0u);
        ++loaded;
      } catch (const UsageError& e) {
        ADD_FAILURE() << "a file is no usage: " << e.what();
      } catch (const Error&) {
        ++refused;
      }
    });
    folder_.write(name, good);
  }
  EXPECT_GT(refused, 500);
  EXPECT_GT(loaded, 0) << "a changed weight is still a weight";
}

// A model whose matrices are what is left of them in bf16 or int8.
Tensor rounded(const Tensor& values, DType type) {
  Tensor result(values.shape());
  for (int64_t r = 0; r < values.rows(); ++r) {
    const auto row =
        values.span<float>().subspan(size_t(r * values.columns()), size_t(values.columns()));
    const float scale = int8_scale(row);
    for (int64_t c = 0; c < values.columns(); ++c)
      result.data<float>()[r * values.columns() + c] =
          type == DType::bf16 ? to_bf16(row[size_t(c)])
                              : scale * float(int8_of(row[size_t(c)], scale));
  }
  return result;
}

TEST_F(DirectoryTest, SmallerWeightsAreReadAsTheyWereRounded) {
  for (const TieEmbeddings tie : kTies) {
    for (const DType type : {DType::bf16, DType::int8}) {
      ModelConfig config = config_with_fillers();
      config.tie_embeddings = tie;
      SequenceModel model = random_model(config);
      save_model(path(), model, type);
      SequenceModel read = load_model(path());
      const auto before = parameters(model), after = parameters(read);
      for (size_t i = 0; i < before.size(); ++i) {
        const bool matrix = before[i].tensor.shape().size() == 2;
        const Tensor expected = matrix ? rounded(before[i].tensor, type) : before[i].tensor;
        EXPECT_TRUE(std::ranges::equal(after[i].tensor.span<float>(), expected.span<float>()))
            << before[i].name;
      }
      // Rounding what is rounded changes nothing.
      const std::string bytes = folder_.read("model.safetensors");
      save_model(path(), read, type);
      EXPECT_EQ(folder_.read("model.safetensors"), bytes);
    }
  }
}

TEST_F(DirectoryTest, OnlyInt8IsClosedToTransformers) {
  SequenceModel model = random_model(config_with_fillers());
  save_model(path(), model, DType::bf16);
  EXPECT_EQ(config_json()["model_type"], "marian");
  EXPECT_EQ(config_json()["torch_dtype"], "bfloat16");
  save_model(path(), model, DType::int8);
  EXPECT_EQ(config_json()["model_type"], "heed");
  EXPECT_FALSE(config_json().contains("architectures"));
}

TEST_F(DirectoryTest, DamagedScalesAreRefused) {
  SequenceModel model = random_model(config_with_fillers());
  save_model(path(), model, DType::int8);
  const std::string good = folder_.read("model.safetensors");
  std::string renamed = good;
  const size_t at = renamed.find("q_proj.weight_scale");
  renamed.replace(at, 6, "q_prok");
  folder_.write("model.safetensors", renamed);
  EXPECT_THAT(error_of([&] { load_model(path()); }), HasSubstr("weight_scale"));
  // The last bytes of the file are fp32 of a norm; a scale that is no number stands before.
  const SafetensorsFile file = [&] {
    folder_.write("model.safetensors", good);
    return SafetensorsFile(path() / "model.safetensors");
  }();
  const StoredTensor& scale = *file.find("model.encoder.layers.0.fc1.weight_scale");
  std::string broken = good;
  const size_t header = 8 + *reinterpret_cast<const uint64_t*>(good.data());
  const size_t offset = header + size_t(scale.bytes.data() - file.tensors().front().bytes.data());
  const float nan = std::nanf("");
  std::memcpy(broken.data() + offset, &nan, sizeof(nan));
  folder_.write("broken", broken);
  std::filesystem::rename(path() / "broken", path() / "model.safetensors");
  EXPECT_THAT(error_of([&] { load_model(path()); }), HasSubstr("fc1.weight_scale"));
}

// Opened for a backend, a model keeps its matrices in packed form alone, and computes the same.
TEST_F(DirectoryTest, OpenedForABackendItComputesTheSame) {
  for (const DType compute : {DType::fp32, DType::bf16, DType::int8}) {
    const auto backend = make_cpu_backend("", compute);
    SequenceModel model = random_model(config_with_fillers());
    // The tables are read in rounded form too.
    for (Parameter& p : parameters(model)) {
      if (p.tensor.shape().size() != 2 || compute == DType::fp32) continue;
      const Tensor seen = rounded(p.tensor, compute == DType::bf16 ? DType::bf16 : DType::int8);
      std::ranges::copy(seen.span<float>(), p.tensor.data<float>());
    }
    save_model(path(), model);
    SequenceModel opened = load_model(path(), *backend);
    EXPECT_FALSE(parameters(opened)[0].tensor.has_values());
    EXPECT_THROW(parameters(opened)[0].tensor.data<float>(), Bug);
    EXPECT_EQ(logits(opened, *backend), logits(model, *backend)) << name(compute);
  }
}

}  // namespace
}  // namespace heed
