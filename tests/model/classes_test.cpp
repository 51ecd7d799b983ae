// A Transformer without a decoder: classes of words and of texts.
#include "heed/model/classes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/model/directory.h"
#include "reference/reference_backend.h"
#include "support/computing.h"
#include "support/damage.h"
#include "support/facts.h"
#include "support/gradients.h"
#include "support/isolated_backend.h"
#include "support/model_gradients.h"
#include "support/small_model.h"
#include "support/temporary_folder.h"

namespace heed {
namespace {

using testing::expect_gradient;

ModelConfig classifier(ClassesOf of) {
  ModelConfig config = testing::small_config(11);
  config.decoder_layers = 0;
  config.classes = 3;
  config.classes_of = of;
  config.tie_embeddings = TieEmbeddings::none;
  return config;
}

ClassBatch texts_of(const ModelConfig& config) {
  ClassBatch batch;
  const auto add = [&](const std::vector<TokenId>& tokens, const std::vector<int32_t>& of_words,
                       int32_t of_text) {
    const bool words = config.classes_of == ClassesOf::words;
    batch.add(tokens, words ? of_words : std::vector<int32_t>{of_text}, config);
  };
  add({4, 3, 8}, {0, kNoClass, 2}, 1);
  add({9, 9, 2, 7, 5}, {1, 1, kNoClass, kNoClass, 0}, 0);
  add({6}, {2}, 2);
  return batch;
}

double class_loss(const SequenceModel& model, Backend& backend, TensorPool& pool,
                  Tape* tape = nullptr) {
  ForwardPass pass(backend, pool);
  pass.dropout_seed = 5;
  pass.tape = tape;
  const Loss loss = loss_of(model, pass, texts_of(model.config()), {0.1, 1});
  if (tape) tape->backward();
  return loss.smoothed;
}

class ClassesTest : public ::testing::TestWithParam<ClassesOf> {};
INSTANTIATE_TEST_SUITE_P(Of, ClassesTest, ::testing::Values(ClassesOf::words, ClassesOf::texts),
                         [](const auto& info) { return to_text(info.param); });

TEST_P(ClassesTest, SlowGradients) {
  const auto backend = testing::isolated_if_asked(make_reference_backend());
  TensorPool pool(backend->memory());
  ModelConfig config = classifier(GetParam());
  config.dropout = 0.2;
  SequenceModel model(config, DType::fp64);
  model.initialize(3);
  for (const Parameter& p : parameters(model))
    EXPECT_EQ(p.name.find("decoder"), std::string::npos) << p.name;
  model.move_to(backend->memory());
  const std::vector<Tensor> gradients = testing::model_gradients(
      model, *backend, pool, [&](Tape& tape) { class_loss(model, *backend, pool, &tape); });
  const std::vector<Parameter> all = parameters(model);
  for (size_t i = 0; i < all.size(); ++i)
    expect_gradient(
        all[i].name, all[i].tensor, gradients[i], [&] { return class_loss(model, *backend, pool); },
        12);
}

TEST_P(ClassesTest, EveryInstructionSetComputesWhatTheReferenceDoes) {
  const auto reference = make_reference_backend();
  TensorPool pool;
  const ModelConfig config = classifier(GetParam());
  SequenceModel model = random_model(config, 3);
  const double expected = class_loss(model, *reference, pool);
  for (const std::string& target : testing::cpu_targets()) {
    SCOPED_TRACE(target);
    const auto cpu = make_cpu_backend(target);
    SequenceModel packed = model.clone();
    pack(packed, *cpu, Purpose::training);
    EXPECT_NEAR(class_loss(packed, *cpu, pool), expected, 1e-4 * expected);
  }
}

// The mean over a text is what it says, and another text in the batch changes no bit of it.
TEST(ClassesOfTextsTest, StatesAreMeansOfTheText) {
  const auto backend = make_cpu_backend("", DType::fp32);
  TensorPool pool;
  const ModelConfig config = classifier(ClassesOf::texts);
  SequenceModel model = random_model(config, 4);
  pack(model, *backend, Purpose::training);
  ForwardPass pass(*backend, pool);
  const ClassBatch batch = texts_of(config);
  const Tensor all = class_states(model, pass, batch);
  const Tensor states = model.encode(pass, batch.source).states;
  ASSERT_EQ(all.rows(), 3);
  for (int64_t b = 0; b < 3; ++b) {
    const int64_t begin = batch.source.layout.offsets[size_t(b)],
                  count = batch.source.layout.length(b);
    for (int64_t c = 0; c < config.d_model; ++c) {
      double sum = 0;
      for (int64_t r = begin; r < begin + count; ++r)
        sum += double(states.data<float>()[r * config.d_model + c]);
      EXPECT_NEAR(all.data<float>()[b * config.d_model + c], sum / double(count), 1e-5);
    }
  }
  ClassBatch alone;
  alone.add(std::vector<TokenId>{9, 9, 2, 7, 5}, std::vector<int32_t>{0}, config);
  const Tensor one = class_states(model, pass, alone);
  for (int64_t c = 0; c < config.d_model; ++c)
    EXPECT_EQ(one.data<float>()[c], all.data<float>()[config.d_model + c]);
}

TEST_P(ClassesTest, SavesAndLoads) {
  testing::TemporaryFolder folder;
  const auto backend = make_cpu_backend("", DType::fp32);
  TensorPool pool;
  SequenceModel model = random_model(classifier(GetParam()), 4);
  save_model(folder.path(), model);
  SequenceModel loaded = load_model(folder.path());
  EXPECT_EQ(loaded.config(), model.config());
  EXPECT_THAT(folder.read("config.json"),
              HasFacts("\"heed\" \"classes_of\": \"" + to_text(GetParam()) + "\""));
  pack(model, *backend, Purpose::training);
  pack(loaded, *backend, Purpose::training);
  EXPECT_EQ(class_loss(loaded, *backend, pool), class_loss(model, *backend, pool));
  for (const auto& [from, to, facts] : std::vector<std::array<std::string, 3>>{
           {"\"classes\": 3", "\"classes\": 0", "classes 0"},
           {"\"classes\": 3", "\"classes\": 400", "classes 400"},
           {"\"classes_of\": \"", "\"classes_of\": \"odd", "classes_of words or texts"},
           {"\"model_type\": \"heed\"", "\"model_type\": \"marian\"", "decoder_layers 0"}}) {
    std::string text = folder.read("config.json");
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    const std::string good = text;
    folder.write("config.json", text.replace(at, from.size(), to));
    EXPECT_THAT(testing::error_of([&] { load_model(folder.path()); }), HasFacts(facts));
    folder.write("config.json", good);
  }
}

}  // namespace
}  // namespace heed
