// A language model learns from text alone, by the same run as a translator.
#include "heed/decode/language_model.h"
#include "heed/run/run_files.h"
#include "run/trainer_fixture.h"
#include "support/facts.h"

namespace heed {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class LanguageModelRunTest : public TrainerTest {
 protected:
  TrainOptions learning(const std::string& model) const {
    TrainOptions o = options(model);
    o.task = LearningTask::language_model;
    o.source.clear(), o.target.clear();
    o.text = {(folder_ / "source").string()};
    o.encoder_layers.reset();
    o.compute = ComputeChoice::fp32;
    return o;
  }
  std::string usage_message(const TrainOptions& o) {
    try {
      train(o, *backend_, silent_, {});
    } catch (const UsageError& e) {
      return e.what();
    }
    return "no usage error";
  }
  TrainObserver silent_;
};

TEST_F(LanguageModelRunTest, StoppedAnywhereAndResumedItEndsWithTheSameBytes) {
  TrainOptions o = learning("whole");
  o.valid_text = o.text[0];
  o.average = "last:2";
  o.accumulate = 2;
  Recorder whole;
  const int64_t steps = train(o, *backend_, whole).progress.step;
  ASSERT_GT(steps, 8);
  for (int64_t stop = 1; stop < steps; stop += 4) {
    TrainOptions first = o;
    first.model = (folder_ / "stopped").string();
    first.overwrite = true;
    Recorder recorder(stop);
    EXPECT_EQ(train(first, *backend_, recorder).end, TrainEnd::stopped);
    first.overwrite = false, first.resume = true, first.threads = 1;
    Recorder rest;
    EXPECT_EQ(train(first, *backend_, rest).end, TrainEnd::limit_reached);
    EXPECT_EQ(weights("stopped"), weights("whole")) << "stopped after step " << stop;
  }
}

TEST_F(LanguageModelRunTest, SamplesOfItsPageContinueTheBeginningsOfLines) {
  TrainOptions o = learning("model");
  o.hold_out = 20;
  const auto samples = samples_of(o);
  ASSERT_FALSE(samples.empty());
  DecodeOptions greedy;
  greedy.search.beam = 1;
  const LanguageModel model(o.model, ComputeChoice::fp32);
  for (const StoredSample& sample : samples) {
    EXPECT_EQ(sample.output, model.generate(sample.source, greedy));
    EXPECT_THAT(sample.reference, StartsWith(sample.source));
    EXPECT_GT(sample.reference.size(), sample.source.size());
    EXPECT_FALSE(sample.score || sample.block);
  }
}

// What training reports of its validation text, and what the opened model says of it.
TEST_F(LanguageModelRunTest, ItsPerplexityIsThatOfItsScores) {
  TrainOptions o = learning("model");
  o.hold_out = 20;
  Recorder recorder;
  train(o, *backend_, recorder);
  const LanguageModel model(o.model, ComputeChoice::fp32);
  EXPECT_FALSE(model.config().has_encoder());
  const std::string held_out = folder_.read("model/held_out.text");
  std::vector<std::string> lines;
  std::istringstream text(held_out);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 20u);
  const CorpusScore score = corpus_score(model.score(lines));
  EXPECT_EQ(score.pairs, 20);
  EXPECT_NEAR(score.perplexity(), *recorder.validations.back().perplexity, 1e-5);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "model/held_out.source"));
  // Without label smoothing the loss is the cross entropy.
  EXPECT_NEAR(score.loss(), *recorder.validations.back().loss, 1e-6);
  // Nothing of a held-out line was learned: its other copies are gone, too.
  EXPECT_THAT(recorder.messages, ::testing::Contains(HasSubstr("20 held out")));
  EXPECT_THAT(recorder.messages, Not(::testing::Contains(HasSubstr("pair"))));
}

// The file has scaled embeddings and a divided norm: what is opened computes the same.
TEST_F(LanguageModelRunTest, AGpt2IsWrittenInItsLayout) {
  TrainOptions o = learning("model");
  o.variants.positions = Positions::learned;
  o.variants.norm = NormPlacement::pre;
  o.activation = FeedForwardKind::gelu_tanh;
  o.tokenizer.kind = TokenizerKind::character;  // one of words has no tokenizer.json
  o.hold_out = 20;
  Recorder recorder;
  train(o, *backend_, recorder);
  EXPECT_THAT(folder_.read("model/config.json"), HasSubstr("\"model_type\": \"gpt2\""));
  EXPECT_THAT(folder_.read("model/tokenizer_config.json"), HasSubstr("PreTrainedTokenizerFast"));
  EXPECT_THAT(folder_.read("model/tokenizer.json"), HasSubstr("TemplateProcessing"));
  const LanguageModel model(o.model, ComputeChoice::fp32);
  EXPECT_TRUE(model.config().scale_embeddings);
  std::vector<std::string> lines;
  std::istringstream text(folder_.read("model/held_out.text"));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  EXPECT_NEAR(corpus_score(model.score(lines)).loss(), *recorder.validations.back().loss, 1e-5);
}

// Its tokenizer comes with it, and the result is a GPT-2 again.
TEST_F(LanguageModelRunTest, GoesOnFromAPublishedGpt2) {
  TrainOptions o = learning("tuned");
  o.finetune_from = HEED_TESTS "/decode/data/gpt2";
  o.d_model.reset(), o.d_ff.reset(), o.heads.reset(), o.decoder_layers.reset();
  o.steps = 2;
  train(o, *backend_, silent_, {});
  const LanguageModel before(o.finetune_from, ComputeChoice::fp32);
  const LanguageModel after(o.model, ComputeChoice::fp32);
  EXPECT_EQ(after.config().end_id(), before.config().end_id());
  EXPECT_EQ(after.tokenizers().target().model(), before.tokenizers().target().model());
  EXPECT_THAT(folder_.read("tuned/config.json"), HasSubstr("\"model_type\": \"gpt2\""));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "tuned/source.spm"));
  EXPECT_NE(after.score({"  a b"})[0].log_probability, before.score({"  a b"})[0].log_probability);
}

// Lines of the validation text may be longer than a thread's share of a batch.
TEST_F(LanguageModelRunTest, ValidatesLongLines) {
  std::string line;
  for (int i = 0; i < 100; ++i) line += "a b ";
  folder_.write("long", line + "\na b\n");
  TrainOptions o = learning("model");
  o.valid_text = (folder_ / "long").string();
  o.steps = 2;
  Recorder recorder;
  train(o, *backend_, recorder);
  EXPECT_TRUE(recorder.validations.back().perplexity);
}

TEST_F(LanguageModelRunTest, LearnsAVocabularyThatKeepsTheText) {
  folder_.write("wide", "Ｈｅｌｌｏ（世界）！\nＨｅｌｌｏ（世界）！\n" + folder_.read("source"));
  TrainOptions o = learning("model");
  o.text = {(folder_ / "wide").string()};
  o.tokenizer = {};
  o.tokenizer.vocabulary_size = 45;
  o.steps = 2;
  train(o, *backend_, silent_, {});
  const LanguageModel model(o.model, ComputeChoice::fp32);
  const Tokenizer& tokenizer = model.tokenizers().target();
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("Ｈｅｌｌｏ（世界）！")), "Ｈｅｌｌｏ（世界）！");
  EXPECT_TRUE(tokenizer.unknown_in("Ｈ", tokenizer.encode("Ｈ")).characters.empty());
}

TEST_F(LanguageModelRunTest, GoesOnFromALanguageModelAlone) {
  TrainOptions o = learning("first");
  o.steps = 2;
  train(o, *backend_, silent_, {});
  TrainOptions next = learning("next");
  next.finetune_from = o.model;
  next.preset = Preset::base;
  next.d_model.reset(), next.d_ff.reset(), next.heads.reset(), next.decoder_layers.reset();
  next.steps = 2;
  train(next, *backend_, silent_, {});
  EXPECT_NE(weights("next"), weights("first"));
  TrainOptions pairs = options("translator");
  pairs.steps = 2;
  train(pairs, *backend_, silent_, {});
  next.model = (folder_ / "other").string();
  next.finetune_from = pairs.model;
  EXPECT_THAT(message(next),
              HasFacts("translator a model that translates expected a language model"));
  TrainOptions back = options("back");
  back.d_model.reset(), back.d_ff.reset(), back.heads.reset();
  back.encoder_layers.reset(), back.decoder_layers.reset();
  back.finetune_from = o.model;
  EXPECT_THAT(message(back), HasFacts("first language model translates"));
}

TEST_F(LanguageModelRunTest, OptionsOfTheOtherTaskAreRefused) {
  const TrainOptions good = learning("model");
  const auto refused = [&](const std::function<void(TrainOptions&)>& change) {
    TrainOptions o = good;
    change(o);
    return usage_message(o);
  };
  const std::string text = good.text[0];
  using Change = std::function<void(TrainOptions&)>;
  const std::vector<std::pair<Change, std::string>> changes = {
      {[&](TrainOptions& o) { o.source = {text}; }, "--source"},
      {[&](TrainOptions& o) { o.target = {text}; }, "--target"},
      {[&](TrainOptions& o) { o.tabular.tsv = {text}; }, "--tsv"},
      {[&](TrainOptions& o) { o.valid_source = text; }, "--valid-source"},
      {[&](TrainOptions& o) { o.valid_target = text; }, "--valid-target"},
      {[&](TrainOptions& o) { o.valid_tsv = text; }, "--valid-tsv"},
      {[&](TrainOptions& o) { o.source_language = "de"; }, "--source-language"},
      {[&](TrainOptions& o) { o.target_language = "de"; }, "--target-language"},
      {[&](TrainOptions& o) { o.tokenizer.normalization = Normalization::nfkc; },
       "--normalization"},
      {[&](TrainOptions& o) { o.vocabularies = Vocabularies::separate; }, "--vocabularies"},
      {[&](TrainOptions& o) { o.filters.max_ratio = 3; }, "--max-ratio"},
      {[&](TrainOptions& o) { o.encoder_layers = 2; }, "--encoder-layers"},
      {[&](TrainOptions& o) { o.validation_metric = ValidationMetric::bleu; },
       "--validation-metric"}};
  for (const auto& [change, flag] : changes)
    EXPECT_EQ(refused(change), flag + " is not for --task language-model");
  EXPECT_THAT(refused([](TrainOptions& o) { o.text.clear(); }), HasFacts("--text missing"));
  EXPECT_THAT(refused([](TrainOptions& o) { o.tokenizer.lowercase = true; }),
              HasFacts("--lowercase changes nothing --target-normalization identity"));
  EXPECT_THAT(refused([&](TrainOptions& o) { o.hold_out = 2, o.valid_text = text; }),
              HasFacts("--hold-out --valid-text"));
  EXPECT_THAT(refused([](TrainOptions& o) { o.patience = 2; }),
              HasFacts("--patience --hold-out --valid-text"));
  TrainOptions pairs = options("pairs");
  pairs.text = {text};
  EXPECT_EQ(usage_message(pairs), "--text is not for --task translation");
  pairs.text.clear(), pairs.valid_text = text;
  EXPECT_EQ(usage_message(pairs), "--valid-text is not for --task translation");
}

TEST_F(LanguageModelRunTest, ResumingAnotherTaskIsRefused) {
  TrainOptions o = learning("model");
  Recorder recorder(2);
  train(o, *backend_, recorder);
  TrainOptions pairs = options("model");
  pairs.resume = true;
  EXPECT_THAT(usage_message(pairs), HasFacts("task was language-model is now translation"));
}

}  // namespace
}  // namespace heed
