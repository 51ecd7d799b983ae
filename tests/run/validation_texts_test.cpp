// Further validation texts, and the numbers of validations that are followed for themselves.
#include "heed/pages/run_page.h"
#include "heed/run/metrics_log.h"
#include "heed/run/run_files.h"
#include "run/trainer_fixture.h"
#include "support/facts.h"

namespace heed {
namespace {

using ::testing::ElementsAre;

class ValidationTextsTest : public TrainerTest {
 protected:
  ValidationTextsTest() {
    folder_.write("s2", "a b\nc\nd e f\n");
    folder_.write("t2", "b a\nc\nf e d\n");
    folder_.write("rows", "a c\tc a\nb\tb\n");
  }

  TrainOptions with_texts(const std::string& model) const {
    TrainOptions o = validated(model);
    ValidationTextOptions news{.name = "news"}, rows{.name = "rows"};
    news.source = {(folder_ / "s2").string()};
    news.target = {(folder_ / "t2").string()};
    rows.tabular.tsv = {(folder_ / "rows").string()};
    o.validation_texts = {news, rows};
    return o;
  }

  std::string refusal(const TrainOptions& o) {
    try {
      resolve(o);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }

  bool exists(const std::string& file) const { return std::filesystem::exists(folder_ / file); }

  // Of a validation that translates, by the number of the text.
  static TranslationMeasures measures() {
    return {.scores = [](const ModelParts&, const LinesToScore& which) -> ScoredTranslations {
      return {{{"bleu", "BLEU", double(which.text), "13a"}},
              {"line of text " + std::to_string(which.text)}};
    }};
  }
};

TEST_F(ValidationTextsTest, EachHasTheLossThatItHasAsTheFirst) {
  Recorder recorder, first;
  train(with_texts("m"), *backend_, recorder);
  TrainOptions o = options("first");
  o.valid_source = (folder_ / "s2").string();
  o.valid_target = (folder_ / "t2").string();
  train(o, *backend_, first);
  const ValidationReport& last = recorder.validations.back();
  ASSERT_EQ(last.texts.size(), 2u);
  EXPECT_EQ(last.texts[0].name, "news");
  EXPECT_EQ(last.texts[0].loss, first.validations.back().loss);
  EXPECT_EQ(last.texts[0].perplexity, first.validations.back().perplexity);
  EXPECT_NE(last.texts[1].loss, last.texts[0].loss);
  EXPECT_EQ(weights("m"), weights("first")) << "validating changed what is learned";
}

TEST_F(ValidationTextsTest, TheLogHasThem) {
  TrainOptions o = with_texts("m");
  o.validation_metric = ValidationMetric::bleu;
  Recorder recorder;
  train(o, *backend_, recorder, measures());
  const RunMetrics log = MetricsLog(folder_ / "m/metrics.jsonl").read();
  EXPECT_EQ(log.damaged, 0);
  const ValidationReport& read = log.validations.back();
  ASSERT_EQ(read.texts.size(), 2u);
  EXPECT_EQ(read.texts[1].name, "rows");
  EXPECT_EQ(read.texts[1].loss, recorder.validations.back().texts[1].loss);
  ASSERT_EQ(read.texts[1].scores.size(), 1u);
  EXPECT_EQ(read.texts[1].scores[0].value, 2);
  EXPECT_EQ(read.texts[1].scores[0].tokenize, "13a");
  for (const char* damaged :
       {R"("texts":3)", R"("texts":{"a":3})", R"("texts":{"a":{"loss":-1}})"}) {
    write_file_atomically(folder_ / "m/metrics.jsonl",
                          fmt::format(R"({{"kind":"validation","step":1,{}}})"
                                      "\n",
                                      damaged));
    EXPECT_EQ(MetricsLog(folder_ / "m/metrics.jsonl").read().damaged, 1) << damaged;
  }
}

TEST_F(ValidationTextsTest, ThePageHasTheLastAndTheBest) {
  RunHistory run{.name = "m"};
  run.metrics.reports.push_back({.step = 3});
  for (const auto& [step, loss, bleu] :
       {std::tuple(1, 3.0, 10.0), {2, 2.0, 12.0}, {3, 2.5, 11.0}}) {
    ValidationReport& report = run.metrics.validations.emplace_back();
    report.step = step;
    report.texts = {{.name = "news", .loss = loss, .scores = {{"bleu", "BLEU", bleu, "13a"}}}};
  }
  const std::string json = runs_json({&run, 1});
  EXPECT_THAT(
      json, ::testing::HasSubstr(R"("texts":[{"name":"news","best":{"loss":{"value":2.0,"step":2},)"
                                 R"("bleu":{"value":12.0,"step":2}},)"
                                 R"("last":{"step":3,"loss":2.5,"bleu":11.0}}])"));
}

TEST_F(ValidationTextsTest, TranslationsOfTheLastValidationAreKept) {
  TrainOptions o = with_texts("m");
  o.epochs = 1;
  train(o, *backend_, *std::make_unique<Recorder>(), measures());
  EXPECT_FALSE(exists("m/training/translations.txt")) << "no metric needs them";
  o.overwrite = true;
  o.validation_metric = ValidationMetric::bleu;
  Recorder recorder;
  train(o, *backend_, recorder, measures());
  EXPECT_EQ(folder_.read("m/training/translations.txt"), "line of text 0\n");
  EXPECT_EQ(folder_.read("m/training/translations.news.txt"), "line of text 1\n");
  EXPECT_EQ(folder_.read("m/training/translations.rows.txt"), "line of text 2\n");
  EXPECT_FALSE(exists("m/training/best-bleu.safetensors"));
  EXPECT_TRUE(exists("m/training/valid.news.corpus"));
  o.validation_texts.clear();
  o.validation_metric = ValidationMetric::loss;
  train(o, *backend_, recorder);
  for (const char* file : {"translations.txt", "translations.news.txt", "valid.news.corpus"})
    EXPECT_FALSE(exists(std::string("m/training/") + file)) << "of the run that was overwritten";
}

TEST_F(ValidationTextsTest, TheWeightsWithTheBestOfEachNumberAreKept) {
  TrainOptions o = with_texts("m");
  o.validation_metric = ValidationMetric::bleu;
  o.keep_best = true;
  o.keep_checkpoints = 10;
  o.ema = 0.9;  // the weights are those that were validated
  Recorder recorder;
  recorder.bleus = {1, 3, 2};
  const TrainResult result = train(o, *backend_, recorder, recorder.measures());
  const std::vector<FollowedScore>& followed = result.progress.followed;
  std::vector<std::string> names;
  for (const FollowedScore& number : followed) names.push_back(number.name);
  EXPECT_THAT(names, ElementsAre("loss", "bleu", "chrf", "news.loss", "news.bleu", "news.chrf",
                                 "rows.loss", "rows.bleu", "rows.chrf"));
  EXPECT_EQ(followed[1].best, 3);
  EXPECT_EQ(followed[1].step, recorder.validations[1].step);
  EXPECT_EQ(followed[1].since_best, 1);
  double lowest = 1e9;
  for (const ValidationReport& r : recorder.validations) lowest = std::min(lowest, *r.loss);
  EXPECT_EQ(followed[0].best, lowest);
  const RunFiles files{folder_ / "m"};
  for (const FollowedScore& number : followed)
    EXPECT_EQ(read_file(files.best_weights(number.name)), read_file(files.checkpoint(number.step)))
        << number.name;
  EXPECT_FALSE(exists("m/training/best-bleu.txt")) << "these measures have no translations";
}

TEST_F(ValidationTextsTest, PatienceWaitsForAnyOrAll) {
  const auto steps = [&](PatienceOn on, const std::string& model) {
    TrainOptions o = validated(model);
    o.validation_metric = ValidationMetric::bleu;
    o.validate_every = 1;
    o.epochs.reset();
    o.steps = 12;
    o.patience = 3;
    o.patience_on = on;
    Recorder recorder;
    recorder.bleus = {5, 6, 7, 8, 9, 1};  // not better from the sixth on
    recorder.chrfs = {5, 6, 6};           // not better from the third on
    return train(o, *backend_, recorder, recorder.measures()).progress.step;
  };
  EXPECT_EQ(steps(PatienceOn::any, "any"), 5);
  EXPECT_EQ(steps(PatienceOn::metric, "metric"), 8);
  EXPECT_GT(steps(PatienceOn::all, "all"), 8) << "the loss still becomes better";
}

TEST_F(ValidationTextsTest, AStoppedRunIsResumedToTheByte) {
  TrainOptions o = with_texts("whole");
  o.validation_metric = ValidationMetric::bleu;
  o.keep_best = true;
  o.validate_every = 2;
  Recorder whole;
  train(o, *backend_, whole, measures());
  o.model = (folder_ / "parts").string();
  o.resume = true;
  for (const int64_t stop_after : {3, 2, 100}) {
    Recorder part(stop_after);
    train(o, *backend_, part, measures());
  }
  for (const char* file : {"model.safetensors", "training/best-news.loss.safetensors",
                           "training/best-rows.bleu.txt", "training/translations.rows.txt"})
    EXPECT_EQ(folder_.read(std::string("whole/") + file),
              folder_.read(std::string("parts/") + file))
        << file;
  const auto texts_of = [&](const std::string& model) {
    std::string all;
    for (const ValidationReport& r :
         MetricsLog(folder_ / model / "metrics.jsonl").read().validations)
      for (const TextValidation& text : r.texts)
        all += fmt::format("{} {} {}\n", r.step, text.name, *text.loss);
    return all;
  };
  EXPECT_EQ(texts_of("whole"), texts_of("parts"));
}

TEST_F(ValidationTextsTest, AnotherTextIsNotResumed) {
  for (const int64_t held : {0, 20}) {
    TrainOptions o = with_texts("m" + std::to_string(held));
    if (held > 0) o.valid_source = o.valid_target = "", o.hold_out = held;
    Recorder recorder(2);
    train(o, *backend_, recorder);
    o.resume = true;
    TrainOptions other = o;
    other.validation_texts[0].target = other.validation_texts[0].source;
    EXPECT_THAT(message(other), HasFacts("validates on another text [[validation]]")) << held;
    other = o;
    other.validation_texts[0].name = "olds";
    EXPECT_THAT(message(other), HasFacts("other options validation")) << held;
    EXPECT_EQ(message(o), "") << held;
  }
}

TEST_F(ValidationTextsTest, ContradictionsAreRefused) {
  const auto with = [&](auto change) {
    TrainOptions o = with_texts("m");
    change(o);
    return refusal(o);
  };
  using O = TrainOptions;
  EXPECT_EQ(refusal(with_texts("m")), "");
  EXPECT_THAT(with([](O& o) { o.validation_texts[1].name = "news"; }), HasFacts("'news' twice"));
  EXPECT_THAT(with([](O& o) { o.validation_texts[1].name = ""; }),
              HasFacts("[[validation]] name is missing"));
  for (const char* name : {"a/b", "..", "a.b"})
    EXPECT_THAT(with([&](O& o) { o.validation_texts[1].name = name; }),
                HasFacts(std::string(name) + " files"));
  EXPECT_THAT(with([](O& o) { o.validation_texts[0].target = {}; }),
              HasFacts("validation 'news' target is missing"));
  EXPECT_THAT(with([](O& o) { o.validation_texts[1].source = {"x"}; }),
              HasFacts("validation 'rows' tsv contradicts"));
  EXPECT_THAT(with([](O& o) { o.valid_source = o.valid_target = ""; }),
              HasFacts("[[validation]] first --valid-source --hold-out"));
  EXPECT_THAT(with([](O& o) {
                o.task = LearningTask::tag;
                o.decoder_layers.reset();
              }),
              HasFacts("[[validation]] --task tag"));
  EXPECT_THAT(with([](O& o) { o.patience_on = PatienceOn::any; }),
              HasFacts("--patience-on any --patience"));
  EXPECT_THAT(with([](O& o) {
                o.validation_texts.clear();
                o.valid_source = o.valid_target = "";
                o.keep_best = true;
              }),
              HasFacts("--keep-best needs --hold-out"));
}

}  // namespace
}  // namespace heed
