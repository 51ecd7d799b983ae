// The scores of translations that a run's metric does not need, and the search that it chooses.
#include "heed/model/directory.h"
#include "heed/model/sequence_model.h"
#include "heed/run/metrics_log.h"
#include "heed/tasks/search_choice.h"
#include "run/trainer_fixture.h"

namespace heed {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class TranslationScoresTest : public TrainerTest {
 protected:
  // Records the number of lines of each call, and chooses a beam of 2.
  TranslationMeasures counting() {
    return {
        .scores =
            [this](const ModelParts&, const LinesToScore& which) {
              scored.push_back(which.lines);
              return ScoredTranslations{{{"bleu", "BLEU", 12.5, "13a"}}};
            },
        .search =
            [this](const ModelParts& parts, int64_t lines) {
              chosen_by.push_back(lines);
              EXPECT_TRUE(
                  parameters(const_cast<SequenceModel&>(parts.model))[0].tensor.storage()->packed);
              return SearchDefaults{.beam = 2, .length_penalty = 1.5};
            }};
  }
  // A run that trains on enough tokens to choose a search by 100 short lines.
  TrainOptions long_run(const std::string& model) {
    std::string lines;
    for (int i = 0; i < 100; ++i) lines += std::string(1, char('a' + i % 12)) + "\n";
    folder_.write("short lines", lines);
    TrainOptions o = options(model);
    o.valid_source = o.valid_target = (folder_ / "short lines").string();
    o.epochs = 170;
    o.validate_every = 400;
    o.report_every = 1000;
    return o;
  }
  SearchDefaults search_of(const std::string& model) {
    return load_model(folder_ / model).generation_defaults().search;
  }

  std::vector<std::optional<int64_t>> scored;
  std::vector<int64_t> chosen_by;
};

TEST_F(TranslationScoresTest, AreOfTheLinesThatTheTrainedTokensPayFor) {
  TrainOptions o = validated("m");
  o.epochs = 30;
  Recorder recorder;
  train(o, *backend_, recorder, counting());
  ASSERT_FALSE(scored.empty());
  const ValidationReport& first = recorder.validations.front();
  EXPECT_TRUE(first.scores.empty()) << "one epoch pays for too few lines";
  const ValidationReport& last = recorder.validations.back();
  EXPECT_EQ(last.score("bleu"), 12.5);
  ASSERT_TRUE(scored.back());
  EXPECT_EQ(last.scored_lines, scored.back());
  EXPECT_GE(*last.scored_lines, 20);
  EXPECT_LT(*last.scored_lines, 120);
  const RunMetrics log = MetricsLog(folder_ / "m/metrics.jsonl").read();
  EXPECT_EQ(log.validations.back().scored_lines, last.scored_lines);
  EXPECT_EQ(log.damaged, 0);
}

TEST_F(TranslationScoresTest, AreNotTakenWhereTheyAreOffOrTheMetricHasThem) {
  TrainOptions o = validated("off");
  o.epochs = 30;
  o.scored_lines = 0;
  Recorder recorder;
  train(o, *backend_, recorder, counting());
  EXPECT_TRUE(scored.empty());
  o = validated("all");
  o.epochs = 1;
  o.validation_metric = ValidationMetric::bleu;
  train(o, *backend_, recorder, counting());
  EXPECT_EQ(scored, std::vector<std::optional<int64_t>>{std::nullopt});
  EXPECT_EQ(recorder.validations.back().scored_lines, std::nullopt);
}

TEST_F(TranslationScoresTest, TheirFailureIsAWarning) {
  const TrainOptions o = long_run("m");
  Recorder recorder;
  const TranslationMeasures failing{
      .scores = [](const ModelParts&, const LinesToScore&) -> ScoredTranslations {
        fail("the text is gone");
      },
      .search = [](const ModelParts&, int64_t) -> SearchDefaults { fail("the text is gone"); }};
  train(o, *backend_, recorder, failing);
  EXPECT_THAT(recorder.warnings, Contains(HasSubstr("no scores of translations any more: the")));
  EXPECT_THAT(recorder.warnings, Contains(HasSubstr("no search was chosen for the model: the")));
  EXPECT_EQ(search_of("m"), SearchDefaults());
  EXPECT_TRUE(recorder.validations.back().loss);
}

TEST_F(TranslationScoresTest, TheSearchIsStoredWithTheModel) {
  TrainOptions o = validated("short");
  o.epochs = 10;
  Recorder recorder;
  train(o, *backend_, recorder, counting());
  EXPECT_TRUE(chosen_by.empty()) << "too few tokens";
  EXPECT_EQ(search_of("short"), SearchDefaults());
  const auto stored = [&](const std::string& model, const char* average) {
    o = long_run(model);
    o.average = average;
    train(o, *backend_, recorder, counting());
    return search_of(model);
  };
  const SearchDefaults chosen{.beam = 2, .length_penalty = 1.5};
  EXPECT_EQ(stored("long", ""), chosen);
  EXPECT_EQ(stored("averaged", "last:2"), chosen);
  EXPECT_EQ(chosen_by, (std::vector<int64_t>{100, 100}));
  o = validated("tuned");
  o.finetune_from = (folder_ / "long").string();
  o.preset = TrainOptions().preset;
  o.d_model.reset(), o.d_ff.reset(), o.heads.reset();
  o.encoder_layers.reset(), o.decoder_layers.reset(), o.tokenizer = {};
  o.epochs = 1;
  train(o, *backend_, recorder, counting());
  EXPECT_EQ(search_of("tuned"), chosen) << "of the model that it began with";
}

// The whole way: a model that reverses lines translates its validation text, chooses a search and
// reports BLEU.
TEST_F(TranslationScoresTest, RealTranslationsAreScored) {
  const TrainOptions o = long_run("m");
  Recorder recorder;
  const TranslationMeasures all = translation_measures(
      {},
      [o](size_t) { return ParallelText({TextFile(o.valid_source)}, {TextFile(o.valid_target)}); },
      [&](const std::string& text) { recorder.message(text); });
  train(o, *backend_, recorder, all);
  EXPECT_GT(recorder.validations.back().score("chrf").value_or(0), 1);
  EXPECT_THAT(recorder.messages, Contains(HasSubstr("chosen by 100 validation lines (BLEU ")));
  const SearchDefaults search = search_of("m");
  EXPECT_TRUE(search.beam && search.length_penalty);
  EXPECT_LE(search.beam.value_or(9), 4);
}

TEST_F(TranslationScoresTest, ExamplesAreShortSentencesOfTheText) {
  const auto stored = [&](const std::string& lines, const auto& change) {
    folder_.write("examples", lines);
    TrainOptions o = options("m");
    o.steps = 1;
    o.overwrite = true;
    change(o);
    Recorder recorder;
    train(o, *backend_, recorder,
          translation_measures(
              {},
              [&](size_t) {
                return ParallelText({TextFile(folder_ / "examples")},
                                    {TextFile(folder_ / "examples")});
              },
              [](const std::string&) {}));
    return load_model(folder_ / "m").generation_defaults().examples;
  };
  const auto as_it_is = [](TrainOptions&) {};
  const std::vector<std::string> three = {"a b c d e.", "b c d e f!", "c d e f g?"};
  const std::string few = "a\n" + three[0] + "\na b c d 12.\n" + three[1] + "\n<a b c d e>.\n" +
                          three[2] + "\na b c d e f\n";
  EXPECT_EQ(stored(few, as_it_is), three);
  EXPECT_EQ(stored("a b c d e\n" + three[0] + "\n", as_it_is),
            (std::vector<std::string>{"a b c d e"}))
      << "too few whole sentences: of the others";
  EXPECT_TRUE(stored("a\nb\n", as_it_is).empty());
  EXPECT_EQ(stored(three[0] + "\n" + three[0] + "\n" + three[0] + "\n", as_it_is),
            std::vector<std::string>{three[0]})
      << "once each";
  EXPECT_TRUE(stored(few, [](TrainOptions& o) { o.examples = false; }).empty());
}

TEST_F(TranslationScoresTest, LinesAreAShareOfTheTrainedTokens) {
  TrainOptions o = options("m");
  Recorder recorder;
  const Trainer trainer(o, open_training_text(o), *backend_, recorder);
  Workers workers(1);
  const ParallelText text({TextFile(o.source[0])}, {TextFile(o.target[0])});
  const Corpus corpus =
      Corpus::open(text, trainer.parts().tokenizers, {}, folder_ / "cache", workers);
  const double tokens = double(corpus.source_tokens() + corpus.target_tokens()) / 2;
  EXPECT_EQ(lines_to_score(corpus, 0, 300), std::nullopt);
  EXPECT_EQ(lines_to_score(corpus, 100 * tokens, 300), corpus.size());
  EXPECT_EQ(lines_to_score(corpus, 50 * tokens, 300), corpus.size() / 2);
  EXPECT_EQ(lines_to_score(corpus, 100 * tokens, 7), 7) << "asked for";
  EXPECT_EQ(lines_to_choose_search(corpus, 100 * tokens), std::nullopt);
  EXPECT_EQ(lines_to_choose_search(corpus, 1000 * tokens), corpus.size());
}

}  // namespace
}  // namespace heed
