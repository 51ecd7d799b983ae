#include "heed/heed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heed/phrasebook/phrasebook.h"
#include "support/folder_test.h"

namespace heed {
namespace {

class FacadeTest : public FolderTest {
 protected:
  FacadeTest() {
    const Phrasebook book = make_phrasebook(400, 5, 1);
    std::string chinese, english;
    for (const SentencePair& pair : book.train) {
      chinese += pair.chinese_words + "\n";
      english += pair.english + "\n";
    }
    options_.source = {write("train.zh", chinese).string()};
    options_.target = {write("train.en", english).string()};
    for (const SentencePair& pair : book.held_out) {
      source_.push_back(pair.chinese_words);
      reference_.push_back(pair.english);
    }
    std::ofstream(folder_ / "valid.zh") << source_[0] << "\n" << source_[1] << "\n";
    std::ofstream(folder_ / "valid.en") << reference_[0] << "\n" << reference_[1] << "\n";
    options_.valid_source = (folder_ / "valid.zh").string();
    options_.valid_target = (folder_ / "valid.en").string();
    options_.model = (folder_ / "model").string();
    options_.tokenizer.kind = TokenizerKind::word;
    options_.tokenizer.vocabulary_size = 300;
    options_.preset = Preset::tiny;
    options_.d_model = 16;
    options_.d_ff = 32;
    options_.compute = ComputeChoice::fp32;
    options_.validation_metric = ValidationMetric::bleu;
    options_.steps = 3;
    options_.report_every = 1;
  }

  TrainOptions options_;
  Lines source_, reference_;
};

// Notes what it hears, and stops when told to.
struct Recorder : TrainObserver {
  void report(const TrainReport& report) override { reports.push_back(report); }
  void validated(const ValidationReport& report) override { validations.push_back(report); }
  void message(const std::string& text) override { messages.push_back(text); }
  bool stop_requested() override { return int64_t(reports.size()) >= stop_after; }

  std::vector<TrainReport> reports;
  std::vector<ValidationReport> validations;
  std::vector<std::string> messages;
  int64_t stop_after = INT64_MAX;
};

TEST_F(FacadeTest, TheWholeRoad) {
  Recorder recorder;
  EXPECT_EQ(train(options_, recorder).end, TrainEnd::limit_reached);
  EXPECT_EQ(recorder.reports.size(), 3u);
  EXPECT_FALSE(recorder.messages.empty());
  ASSERT_FALSE(recorder.validations.empty());
  const ValidationReport& validation = recorder.validations.back();

  const Model model(folder_ / "model", ComputeChoice::fp32);
  const Lines first(source_.begin(), source_.begin() + 2),
      right(reference_.begin(), reference_.begin() + 2);
  const Lines translations = model.translate(first);
  ASSERT_EQ(translations.size(), 2u);
  EXPECT_EQ(model.translate(first[1]), translations[1]);
  const Evaluation found = evaluate(translations, right);
  EXPECT_EQ(found.bleu.score, validation.score("bleu"));
  EXPECT_EQ(found.chrf.score, validation.score("chrf"));
  EXPECT_EQ(validation.scores[0].tokenize, "13a");

  const std::vector<PairScore> scores = model.score(first, right);
  EXPECT_NEAR(corpus_score(scores).perplexity(), validation.perplexity.value(),
              1e-9 * *validation.perplexity);
  EXPECT_EQ(model.score(first[1], right[1]).log_probabilities, scores[1].log_probabilities);
  EXPECT_THAT(error_of([&] { model.score(first, source_); }),
              ::testing::HasSubstr("2 sources and 5 targets"));

  SequenceModel trained = load_model(folder_ / "model");
  const Attention cross = paper::attention_of(trained, "decoder.0.cross");
  EXPECT_EQ(cross.query.weight.columns(), trained.config().d_model);
}

TEST_F(FacadeTest, ValidationTokenizesAsTheTargetNeeds) {
  std::swap(options_.source, options_.target);
  std::swap(options_.valid_source, options_.valid_target);
  Recorder chosen, told;
  train(options_, chosen);
  EXPECT_EQ(chosen.validations.back().scores[0].tokenize, "zh");
  EXPECT_THAT(chosen.messages,
              ::testing::Contains(::testing::AllOf(::testing::HasSubstr("zh, chosen"),
                                                   ::testing::HasSubstr("valid.zh"))));
  const Lines target(source_.begin(), source_.begin() + 2);
  const Lines translations = Model(folder_ / "model", ComputeChoice::fp32)
                                 .translate(Lines(reference_.begin(), reference_.begin() + 2));
  EXPECT_EQ(evaluate(translations, target, {.tokenizer = BleuTokenizer::chinese}).bleu.score,
            chosen.validations.back().score("bleu"));
  options_.model = (folder_ / "told").string();
  options_.bleu_tokenize = BleuTokenizer::character;
  train(options_, told);
  EXPECT_EQ(told.validations.back().scores[0].tokenize, "char");
  EXPECT_THAT(told.messages, ::testing::Not(::testing::Contains(::testing::HasSubstr("chosen"))));
  options_.validation_metric = ValidationMetric::loss;
  EXPECT_THROW(train(options_), UsageError) << "--bleu-tokenize would change nothing";
}

// sacreBLEU's default holds for texts that a caller brings, and its signature says so.
TEST_F(FacadeTest, EvaluationTakesATokenizer) {
  const Lines right{"昨天我的老师买了三本书。"}, close{"昨天我的老师买了两本书。"};
  const Evaluation usual = evaluate(close, right);
  EXPECT_THAT(usual.bleu.signature, ::testing::HasSubstr("tok:13a"));
  const Evaluation chinese =
      evaluate(close, right, {.tokenizer = suitable_bleu_tokenizer({&right, 1})});
  EXPECT_THAT(chinese.bleu.signature, ::testing::HasSubstr("tok:zh"));
  EXPECT_LT(usual.bleu.score, 1);
  EXPECT_GT(chinese.bleu.score, 50);
}

TEST_F(FacadeTest, SilentTrainingLeavesTheSameModel) {
  Recorder recorder;
  train(options_, recorder);
  const std::string bytes = read(folder_ / "model/model.safetensors");
  options_.model = (folder_ / "silent").string();
  train(options_);
  EXPECT_EQ(read(folder_ / "silent/model.safetensors"), bytes);
}

TEST_F(FacadeTest, SlowTheEndOfARunMeasuresWhichHeadsAlignWords) {
  options_.validation_metric = ValidationMetric::loss;
  options_.valid_source = options_.source[0];
  options_.valid_target = options_.target[0];
  options_.steps = 30;
  options_.batches.batch_tokens = 4000;
  Recorder recorder;
  train(options_, recorder);
  const auto heads_of = [&](const char* model) {
    return Model(folder_ / model).parts().model.generation_defaults().alignment;
  };
  const auto heads = heads_of("model");
  ASSERT_TRUE(heads);
  EXPECT_EQ(std::ranges::count_if(recorder.messages,
                                  [](const std::string& message) {
                                    return message.starts_with("word alignments: ");
                                  }),
            1);
  const std::string written = read(folder_ / "model/generation_config.json");
  // Resumed at its end, and with other threads, it is the same.
  options_.resume = true;
  options_.threads = 3;
  train(options_);
  EXPECT_EQ(read(folder_ / "model/generation_config.json"), written);
  // A run too short to measure has what it starts from, if anything.
  options_.resume = false;
  options_.steps = 1;
  options_.model = (folder_ / "short").string();
  train(options_);
  EXPECT_FALSE(heads_of("short"));
  options_.model = (folder_ / "tuned").string();
  options_.finetune_from = (folder_ / "model").string();
  options_.d_model.reset(), options_.d_ff.reset();
  train(options_);
  EXPECT_EQ(heads_of("tuned"), heads);
}

TEST_F(FacadeTest, AnObserverStopsARun) {
  Recorder recorder;
  recorder.stop_after = 2;
  EXPECT_EQ(train(options_, recorder).end, TrainEnd::stopped);
  EXPECT_EQ(recorder.reports.size(), 2u);
}

TEST_F(FacadeTest, OptionsOfTheCallHold) {
  train(options_);
  const Model model(folder_ / "model", ComputeChoice::fp32);
  DecodeOptions decode;
  decode.search.max_length = 1;
  EXPECT_THAT(model.tokenizers().target().encode(model.translate(source_[0], decode)),
              ::testing::SizeIs(::testing::Le(1)));
  decode.strict = true;
  EXPECT_THROW(model.translate("\xff", decode), Error);
  EXPECT_THROW(model.score("\xff", "a", {.strict = true}), Error);
  decode.search.nbest = 2;
  EXPECT_EQ(model.translator(decode).translate(source_)[0].hypotheses.size(), 2u);
  const Model rounded(folder_ / "model", ComputeChoice::int8);
  EXPECT_NE(rounded.score(source_[0], reference_[0]).log_probability,
            model.score(source_[0], reference_[0]).log_probability);
}

TEST_F(FacadeTest, WhatIsWrongIsThrown) {
  EXPECT_THAT(error_of([&] { Model(folder_ / "absent"); }),
              ::testing::HasSubstr("there is no model directory"));
  options_.beta1 = 2;
  EXPECT_THAT(error_of([&] { train(options_); }), ::testing::HasSubstr("beta1"));
  options_.beta1 = 0.9;
  options_.source = {};
  EXPECT_THROW(train(options_), UsageError);
  EXPECT_THROW(evaluate({"a"}, {"a", "b"}), Error);
}

TEST(Evaluate, IsWhatTheMetricsSay) {
  const Lines hypotheses = {"the cat sat on the mat", "a dog"},
              references = {"a cat sat on a mat", "the dog"};
  const Evaluation all = evaluate(hypotheses, references);
  const std::vector<Lines> one{references};
  EXPECT_EQ(all.bleu.line(), bleu(hypotheses, one).line());
  EXPECT_EQ(all.chrf.line(), chrf(hypotheses, one).line());
  EXPECT_EQ(all.ter.line(), ter(hypotheses, one).line());
}

}  // namespace
}  // namespace heed
