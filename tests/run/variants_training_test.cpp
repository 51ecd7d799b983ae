// Training of every variant of the model: it resumes to the byte, and its memory is planned.
#include <set>

#include "heed/backend/meta_backend.h"
#include "heed/model/pair_batch.h"
#include "heed/model/sequence_model.h"
#include "heed/run/memory_plan.h"
#include "run/trainer_fixture.h"
#include "support/facts.h"
#include "support/variant_models.h"

namespace heed {
namespace {

using testing::VariantModel;

class VariantsTrainingTest : public TrainerTest {
 protected:
  // A training of this variant, of few steps.
  TrainOptions options_of(const ModelConfig& config, const std::string& model) const {
    TrainOptions o = options(model);
    o.heads = 4;
    if (config.is_recurrent()) o.heads.reset(), o.d_ff.reset();
    o.variants = config.variants;
    o.activation = config.activation;
    o.dropout = 0.1;
    o.epochs.reset();
    o.steps = 4;
    o.report_every = 1000;
    return o;
  }

  // Stops and resumes one training of each.
  void expect_resumes_to_the_byte(const std::vector<VariantModel>& models);
};

void VariantsTrainingTest::expect_resumes_to_the_byte(const std::vector<VariantModel>& models) {
  std::set<std::string> different;
  for (const VariantModel& variant : models) {
    SCOPED_TRACE(variant.name);
    Recorder recorder;
    TrainOptions whole = options_of(variant.config, "whole"), half = whole;
    whole.overwrite = half.overwrite = true;
    train(whole, *backend_, recorder);
    half.model = (folder_ / "half").string();
    half.steps = 2;
    train(half, *backend_, recorder);
    half.overwrite = false;
    half.resume = true;
    half.steps = 4;
    train(half, *backend_, recorder);
    EXPECT_EQ(weights("half"), weights("whole"));
    different.insert(weights("whole"));
  }
  EXPECT_EQ(different.size(), models.size()) << "two variants trained the same model";
}

TEST_F(VariantsTrainingTest, SlowResumesToTheByte) {
  expect_resumes_to_the_byte(testing::each_variant());
}

// There are many of them, whose parts are those above.
TEST_F(VariantsTrainingTest, SoakPairsResumeToTheByte) {
  expect_resumes_to_the_byte(testing::pairwise_variants());
}

// In bf16, and with the gradients of linear layers deferred or not.
TEST_F(VariantsTrainingTest, TrainsInBf16) {
  const auto bf16 = make_cpu_backend("", DType::bf16);
  for (const VariantModel& variant : testing::each_variant()) {
    SCOPED_TRACE(variant.name);
    Recorder recorder;
    TrainOptions o = options_of(variant.config, "m");
    o.overwrite = true;
    o.steps = 2;
    train(o, *bf16, recorder);
    const std::string deferred = weights("m");
    o.clip_norm = 1e9;  // clips nothing, but needs the whole gradient first
    train(o, *bf16, recorder);
    EXPECT_EQ(weights("m"), deferred);
  }
}

TEST_F(VariantsTrainingTest, ADryRunComputesShapes) {
  const auto meta = make_meta_backend();
  for (const VariantModel& variant : testing::each_variant()) {
    SCOPED_TRACE(variant.name);
    SequenceModel shapes(variant.config, DType::fp32, meta_memory());
    TensorPool pool(meta_memory());
    Tape tape(pool);
    std::vector<Tensor> gradients;
    for (const Parameter& p : parameters(shapes)) {
      gradients.emplace_back(p.tensor.shape(), DType::fp32, meta_memory());
      tape.watch(p.tensor, gradients.back());
    }
    ForwardPass pass(*meta, pool);
    pass.dropout_seed = 1;
    pass.tape = &tape;
    PairBatch batch;
    const std::vector<TokenId> ids = {2, 3, 4};
    batch.add(ids, ids, variant.config);
    EXPECT_EQ(loss_of(shapes, pass, batch, {0.1, 1}).tokens, 4);
    EXPECT_GT(pool.bytes_held(), 0);
  }
}

TEST_F(VariantsTrainingTest, AnotherVariantIsNotResumedOrFineTuned) {
  TrainOptions o = options("m");
  o.variants.norm = NormPlacement::pre;
  o.variants.positions = Positions::rotary;
  o.steps = 2;
  Recorder recorder;
  train(o, *backend_, recorder);
  TrainOptions other = o;
  other.resume = true;
  other.variants.norm = NormPlacement::post;
  EXPECT_THAT(message(other), HasFacts("norm pre post --overwrite"));
  TrainOptions tuned = o;
  tuned.model = (folder_ / "tuned").string();
  tuned.finetune_from = o.model;
  tuned.d_model.reset(), tuned.d_ff.reset(), tuned.heads.reset();
  tuned.encoder_layers.reset(), tuned.decoder_layers.reset();
  tuned.variants = {};
  EXPECT_EQ(message(tuned), "");
  tuned.overwrite = true;
  tuned.variants.d_key = 8;  // the model's: 16 / 2
  EXPECT_EQ(message(tuned), "");
  tuned.variants.d_key = 4;
  EXPECT_THAT(message(tuned), HasFacts("--d-key 4 --finetune-from 8"));
  tuned.variants.d_key.reset();
  tuned.variants.positions = Positions::alibi;
  EXPECT_THAT(message(tuned), HasFacts("--positions alibi --finetune-from rotary"));
}

}  // namespace
}  // namespace heed
