#include "heed/tasks/alignment_text.h"

#include "heed/model/directory.h"
#include "heed/model/sequence_model.h"
#include "run/trainer_fixture.h"

namespace heed {
namespace {

// Chooses a head by the number of the call, and notes the text.
class Chooser : public Recorder {
 public:
  TranslationMeasures measures() {
    return {.alignment_heads = [this](const ModelOnBackend& on, const AlignmentText& text) {
      texts.push_back(text);
      EXPECT_TRUE(parameters(const_cast<SequenceModel&>(on.model))[0].tensor.storage()->packed);
      return AlignmentHeads{{{0, 1}}, AlignmentStep::following};
    }};
  }
  std::vector<AlignmentText> texts;
};

class AlignmentTextTest : public TrainerTest {
 protected:
  Corpus corpus() {
    TrainOptions o = options("encoded");
    Recorder recorder;
    const Trainer trainer(o, open_training_text(o), *backend_, recorder);
    Workers workers(1);
    const ParallelText text({TextFile(o.source[0])}, {TextFile(o.target[0])});
    return Corpus::open(text, trainer.parts().tokenizers, {}, folder_ / "cache", workers);
  }

  std::optional<AlignmentHeads> heads_of(const std::string& model) {
    return load_model(folder_ / model).generation_defaults().alignment;
  }
};

double source_and_target_tokens(const std::vector<TokenPair>& pairs) {
  double tokens = 0;
  for (const TokenPair& pair : pairs) tokens += double(pair.source.size() + pair.target.size()) / 2;
  return tokens;
}

TEST_F(AlignmentTextTest, IsBoundedByWhatTheRunTrainedOn) {
  const Corpus all = corpus();
  for (const double trained : {0.0, 1000.0, 20'000.0, 1e9}) {
    const AlignmentText text = alignment_text(all, nullptr, trained);
    EXPECT_LE(source_and_target_tokens(text.measured), 0.003 * trained);
    double token_pairs = 0;
    for (const TokenPair& pair : text.lexical)
      token_pairs += double(pair.source.size() * pair.target.size());
    EXPECT_LE(token_pairs, 0.4 * trained);
    EXPECT_EQ(text.lexical.empty(), trained == 0);
  }
  const AlignmentText text = alignment_text(all, nullptr, 1e9);
  EXPECT_EQ(int64_t(text.lexical.size()), all.size());
  EXPECT_EQ(int64_t(text.measured.size()), all.size()) << "fewer than 500";
  EXPECT_EQ(text.lexical.back().source, all.example(all.size() - 1).source) << "without </s>";
}

TEST_F(AlignmentTextTest, IsSpreadOverTheWholeText) {
  const Corpus all = corpus();
  const AlignmentText text = alignment_text(all, &all, 12'000);
  ASSERT_GE(text.measured.size(), 5u);
  ASSERT_LT(int64_t(text.measured.size()), all.size() / 4);
  const auto half = text.measured.size() / 2;
  const auto place = int64_t(double(half) * double(all.size()) / double(text.measured.size()));
  const std::vector<TokenId> middle = all.example(place).source;
  // Unless the tokens ran out before the last pair, the pairs are at even distances.
  const auto has = [&](const TokenPair& pair) { return pair.source == middle; };
  EXPECT_GT(std::ranges::count_if(text.measured, has), 0);
}

TEST_F(AlignmentTextTest, TheEndOfARunAsksWhichHeadsAlignWords) {
  Chooser chooser;
  TrainOptions o = options("m");
  train(o, *backend_, chooser, chooser.measures());
  EXPECT_EQ(chooser.texts.size(), 1u);
  EXPECT_EQ(heads_of("m"), (AlignmentHeads{{{0, 1}}, AlignmentStep::following}));
  // A run that stops early has not been asked.
  Chooser stopping;
  Recorder stopped(2);
  o = options("stopped");
  train(o, *backend_, stopped, stopped.measures());
  EXPECT_FALSE(heads_of("stopped"));
  // Those of the model that is trained further are kept by a run that does not measure.
  o = options("tuned");
  o.finetune_from = (folder_ / "m").string();
  o.d_model.reset(), o.d_ff.reset(), o.heads.reset();
  o.encoder_layers.reset(), o.decoder_layers.reset();
  Recorder silent(2);
  train(o, *backend_, silent, silent.measures());
  EXPECT_EQ(heads_of("tuned"), heads_of("m"));
}

TEST_F(AlignmentTextTest, TheWeightsThatAreWrittenAreMeasured) {
  TrainOptions o = validated("ema");
  use_modern_recipe(o);
  Chooser ema, average;
  train(o, *backend_, ema, ema.measures());
  EXPECT_EQ(ema.texts.size(), 1u);
  EXPECT_TRUE(heads_of("ema"));
  o = validated("average");
  o.average = "last:2";
  train(o, *backend_, average, average.measures());
  EXPECT_EQ(average.texts.size(), 1u);
  EXPECT_TRUE(heads_of("average"));
}

}  // namespace
}  // namespace heed
