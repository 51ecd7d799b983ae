// Runs that mix their text of several corpora, in stages.
#include <fmt/format.h>

#include <map>
#include <numeric>

#include "heed/run/corpora.h"
#include "heed/run/metrics_log.h"
#include "heed/run/run_history.h"
#include "run/trainer_fixture.h"
#include "support/facts.h"

namespace heed {
namespace {

class CorporaTest : public TrainerTest {
 protected:
  CorporaTest() {
    Random random(3);
    std::string source, target, rows;
    for (int i = 0; i < 200; ++i) {
      const std::string word(1, char('a' + random.below(12)));
      source += "x " + word + "\n";
      target += word + " x\n";
      if (i < 40) rows += "y y " + word + "\t" + word + " y\n";
    }
    folder_.write("source2", source);
    folder_.write("target2", target);
    folder_.write("rows", rows);
  }

  // Three corpora in two stages.
  TrainOptions mixed(const std::string& model) const {
    TrainOptions o = validated(model);
    o.source = o.target = {};
    o.epochs.reset();
    CorpusOptions clean{.name = "clean"}, back{.name = "back"}, rows{.name = "rows"};
    clean.source = {(folder_ / "source").string()};
    clean.target = {(folder_ / "target").string()};
    back.source = {(folder_ / "source2").string()};
    back.target = {(folder_ / "target2").string()};
    back.tag = "<back>";
    rows.tabular.tsv = {(folder_ / "rows").string()};
    o.corpora = {clean, back, rows};
    o.stages = {{{"clean=0.6", "back=0.3", "rows=0.1"}, "2 epochs of clean"},
                {{"back=2", "clean=1"}, "7 steps"}};
    o.tokenizer.kind = TokenizerKind::character;
    o.tokenizer.vocabulary_size = 40;
    return o;
  }

  // The examples drawn of each corpus by the last report of a model.
  std::map<std::string, int64_t> drawn(const std::string& model) const {
    const RunMetrics metrics = MetricsLog(folder_ / model / "metrics.jsonl").read();
    std::map<std::string, int64_t> found;
    for (const CorpusCount& corpus : metrics.reports.back().corpora)
      found[corpus.name] = corpus.examples;
    return found;
  }

  std::string refusal(const TrainOptions& o) {
    try {
      resolve(o);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(CorporaTest, EachStageHasItsShares) {
  TrainOptions o = mixed("m");
  Recorder recorder;
  const TrainResult result = train(o, *backend_, recorder);
  ASSERT_EQ(result.progress.stages.size(), 2u);
  const int64_t second = result.progress.stages[1].step;
  EXPECT_EQ(result.progress.stages[1].epoch, 2);
  EXPECT_EQ(result.progress.step, second + 7);
  std::map<std::string, int64_t> first;
  for (const TrainReport& report : recorder.reports) {
    EXPECT_EQ(report.stage, report.step <= second ? 1 : 2);
    if (report.step == second)
      for (const CorpusCount& corpus : report.corpora) first[corpus.name] = corpus.examples;
  }
  EXPECT_EQ(first, (std::map<std::string, int64_t>{{"clean", 240}, {"back", 120}, {"rows", 40}}));
  const RunHistory run = read_run(folder_ / "m");
  EXPECT_THAT(runs_text({&run, 1}), HasFacts("up to stage 2 clean back rows 40"));
  EXPECT_THAT(runs_json({&run, 1}), HasFacts(R"({"name":"rows","examples":40})"));
  const auto all = drawn("m");
  EXPECT_EQ(all.at("rows"), 40) << "not in the second stage";
  EXPECT_GT(all.at("back") - 120, all.at("clean") - 240);
}

TEST_F(CorporaTest, StoppedInEachStageItResumesToTheByte) {
  TrainOptions o = mixed("whole");
  o.vary = {"typos=0.5"};
  o.accumulate = 2;
  Recorder whole;
  const TrainResult result = train(o, *backend_, whole);
  const int64_t second = result.progress.stages.at(1).step;
  for (const int64_t stop : {int64_t{2}, second - 1, second, second + 1, second + 5}) {
    const std::string name = "stopped" + std::to_string(stop);
    TrainOptions part = o;
    part.model = (folder_ / name).string();
    Recorder first(stop);
    EXPECT_EQ(train(part, *backend_, first).end, TrainEnd::stopped);
    part.resume = true;
    part.threads = 1;
    Recorder rest;
    train(part, *backend_, rest);
    EXPECT_EQ(weights(name), weights("whole")) << "stopped after step " << stop;
    EXPECT_EQ(drawn(name), drawn("whole"));
    Recorder again;
    EXPECT_EQ(train(part, *backend_, again).progress.step, result.progress.step);
  }
}

TEST_F(CorporaTest, AStageEndsWithoutImprovement) {
  TrainOptions o = mixed("m");
  o.stages[0].until = "2 validations without improvement";
  o.validate_every = 3;
  o.validation_metric = ValidationMetric::bleu;
  Recorder recorder;
  recorder.bleus = {5, 6, 1, 1, 1, 1, 1};
  const TrainResult result = train(o, *backend_, recorder, recorder.measures());
  EXPECT_EQ(result.progress.stages.at(1).step, 12);
  EXPECT_EQ(result.progress.step, 19);
}

TEST_F(CorporaTest, TheLastStageEndsWithoutImprovement) {
  TrainOptions o = mixed("m");
  o.stages[1].until = "1 validation without improvement";
  Recorder recorder;
  recorder.bleus = {5, 4, 3, 2, 1};
  o.validation_metric = ValidationMetric::bleu;
  const TrainResult result = train(o, *backend_, recorder, recorder.measures());
  EXPECT_EQ(result.progress.epoch, 3);
}

TEST_F(CorporaTest, WithoutStagesAllPairsAreRead) {
  TrainOptions o = mixed("m");
  o.stages = {};
  o.epochs = 2;
  Recorder recorder;
  train(o, *backend_, recorder);
  EXPECT_EQ(drawn("m"),
            (std::map<std::string, int64_t>{{"clean", 240}, {"back", 400}, {"rows", 80}}));
}

TEST_F(CorporaTest, AScheduleEndsWithTheStages) {
  TrainOptions o = mixed("m");
  o.schedule = Schedule::linear;
  o.warmup_steps = 2;
  Recorder recorder;
  const TrainResult result = train(o, *backend_, recorder);
  const double last = recorder.reports.back().learning_rate;
  EXPECT_LT(last, 0.1 * TrainOptions::kDefaultPeak);
  EXPECT_GT(recorder.reports[size_t(result.progress.step / 2)].learning_rate, 4 * last);
}

TEST_F(CorporaTest, ATagIsOneTokenBeforeEachSource) {
  TrainOptions o = mixed("m");
  Recorder recorder;
  train(o, *backend_, recorder);
  const TokenizerPair tokenizers = TokenizerPair::load(folder_ / "m");
  const auto tag = tokenizers.source().vocabulary().find("<back>");
  ASSERT_TRUE(tag);
  const auto ids = tokenizers.source().encode("<back> x a");
  EXPECT_EQ(std::ranges::count(ids, *tag), 1);
}

TEST_F(CorporaTest, FiltersAreOfEachCorpus) {
  TrainOptions o = mixed("m");
  o.corpora[0].max_words = 2;
  Recorder recorder;
  train(o, *backend_, recorder);
  const auto says = [&](const std::string& facts) {
    return std::ranges::any_of(
        recorder.messages, [&](const std::string& message) { return message.starts_with(facts); });
  };
  EXPECT_FALSE(says("corpus clean: kept 120 of 120"));
  EXPECT_TRUE(says("corpus rows: kept 40 of 40"));
  EXPECT_TRUE(says("corpus back: kept 200 of 200 pairs; <back>"));
}

TEST_F(CorporaTest, HoldsOutOfTheFirstCorpus) {
  TrainOptions o = mixed("m");
  o.valid_source = o.valid_target = "";
  o.hold_out = 30;
  Recorder recorder;
  train(o, *backend_, recorder);
  const std::string held = folder_.read("m/held_out.source");
  EXPECT_EQ(std::ranges::count(held, '\n'), 30);
  EXPECT_EQ(held.find('x'), held.npos);
  EXPECT_EQ(held.find('y'), held.npos);
}

TEST_F(CorporaTest, ContradictionsAreRefused) {
  const auto with = [&](auto change) {
    TrainOptions o = mixed("m");
    change(o);
    return refusal(o);
  };
  using O = TrainOptions;
  EXPECT_EQ(refusal(mixed("m")), "");
  EXPECT_THAT(with([](O& o) { o.source = {"a"}; }), HasFacts("[[corpus]] contradicts --source"));
  EXPECT_THAT(with([](O& o) { o.corpora[1].name = "clean"; }), HasFacts("'clean' twice"));
  EXPECT_THAT(with([](O& o) { o.corpora[1].name = ""; }), HasFacts("name is missing"));
  EXPECT_THAT(with([](O& o) { o.corpora[1].name = "a b"; }), HasFacts("'a b' spaces"));
  EXPECT_THAT(with([](O& o) { o.corpora[1].target = {}; }), HasFacts("'back' target is missing"));
  EXPECT_THAT(with([](O& o) { o.corpora[1].source.push_back("z"); }), HasFacts("'back' 2 and 1"));
  EXPECT_THAT(with([](O& o) { o.corpora[2].source = {"z"}; }), HasFacts("'rows' tsv contradicts"));
  EXPECT_THAT(with([](O& o) { o.corpora[1].tag = "a b"; }), HasFacts("'back' tag white space"));
  EXPECT_THAT(with([](O& o) { o.tokenizer.kind = TokenizerKind::word; }),
              HasFacts("'back' tag --tokenizer word"));
  EXPECT_THAT(with([](O& o) { o.corpora[1].max_sentence_tokens = 5000; }),
              HasFacts("'back' 5000 --max-sentence-tokens"));
  EXPECT_THAT(with([](O& o) { o.corpora[1].max_ratio = 0.5; }), HasFacts("'back' max_ratio 0.5"));
  EXPECT_THAT(with([](O& o) { o.stages[0].mix[0] = "cleen=1"; }), HasFacts("stage 1 'clean'"));
  EXPECT_THAT(with([](O& o) { o.stages[0].mix[0] = "clean=0"; }), HasFacts("stage 1 'clean=0'"));
  EXPECT_THAT(with([](O& o) { o.stages[0].mix[0] = "clean"; }), HasFacts("stage 1 weight none"));
  EXPECT_THAT(with([](O& o) { o.stages[0].mix[0] = "back=1"; }), HasFacts("stage 1 'back' twice"));
  EXPECT_THAT(with([](O& o) { o.stages[0].until = ""; }), HasFacts("stage 1 until is missing"));
  EXPECT_THAT(with([](O& o) { o.stages[0].until = "2 epoch of rows now"; }),
              HasFacts("no corpus 'rows now'"));
  EXPECT_THAT(with([](O& o) { o.stages[1].until = "2 epochs of rows"; }),
              HasFacts("stage 2 'rows' does not have"));
  EXPECT_THAT(with([](O& o) { o.stages[0].until = "soon"; }), HasFacts("'soon' epochs steps"));
  EXPECT_THAT(with([](O& o) { o.stages[0].until = "0 steps"; }), HasFacts("'0 steps'"));
  EXPECT_THAT(with([](O& o) { o.stages[0].mix = {"clean"}; }), HasFacts("'rows' in no [[stage]]"));
  EXPECT_THAT(with([](O& o) {
                o.stages[0].until = "2 validations without improvement";
                o.valid_source = o.valid_target = "";
              }),
              HasFacts("stage 1 no validation text --hold-out"));
  EXPECT_THAT(with([](O& o) { o.corpora = {}; }), HasFacts("[[stage]] [[corpus]]"));
  EXPECT_THAT(with([](O& o) { o.task = LearningTask::tag; }), HasFacts("[[corpus]] --task tag"));
}

TEST_F(CorporaTest, ACorpusWithoutAPairIsAnError) {
  TrainOptions o = mixed("m");
  o.corpora[2].max_words = 1;
  EXPECT_THAT(message(o), HasFacts("corpus 'rows' no pair"));
}

TEST_F(CorporaTest, OtherStagesAreNotResumed) {
  TrainOptions o = mixed("m");
  Recorder recorder(3);
  train(o, *backend_, recorder);
  o.resume = true;
  TrainOptions other = o;
  other.stages[0].mix[0] = "clean=0.5";
  EXPECT_THAT(message(other), HasFacts("other options stage"));
  // The same text of a file with another name is the same corpus.
  folder_.write("renamed", folder_.read("source2"));
  o.corpora[1].source = {(folder_ / "renamed").string()};
  EXPECT_EQ(message(o), "");
}

}  // namespace
}  // namespace heed
