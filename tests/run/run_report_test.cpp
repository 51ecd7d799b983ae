// training/report.html and the history of a run from which it is made.
#include "heed/run/run_report.h"

#include <nlohmann/json.hpp>

#include "heed/model/directory.h"
#include "heed/pages/run_page.h"
#include "heed/run/run_history.h"
#include "run/trainer_fixture.h"
#include "support/page_data.h"

namespace heed {
namespace {

using Json = nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Gives a sample for each call, whose weights are known.
class Sampler : public Recorder {
 public:
  using Recorder::Recorder;
  TranslationMeasures measures() {
    return {.samples = [this](const ModelParts&) { return sample(); }};
  }
  virtual std::vector<SampleOutput> sample() {
    ++sampled;
    return {{{"</script><b>", "a \"reference\""},
             fmt::format("sample {}", sampled),
             -0.5,
             {"a", "b", "</s>"},
             {"c", "</s>"},
             {-0.1, -0.2},
             {0.25F, 0.5F, 0.25F, 0, 0, 1}}};
  }
  int sampled = 0;
};

class RunReportTest : public TrainerTest {
 protected:
  Json page_of(const std::string& model) const {
    return testing::data_of(folder_.read(model + "/training/report.html"));
  }
  Json metrics_of(const std::string& model, const std::string& kind) const {
    Json all = Json::array();
    std::istringstream lines(folder_.read(model + "/metrics.jsonl"));
    for (std::string line; std::getline(lines, line);)
      if (const Json report = Json::parse(line); report["kind"] == kind) all.push_back(report);
    return all;
  }
};

TEST_F(RunReportTest, HasTheNumbersOfMetricsJsonl) {
  Sampler observer;
  train(validated("m"), *backend_, observer, observer.measures());
  const Json data = page_of("m");
  EXPECT_EQ(data["live"], false);
  const Json& run = data["runs"][0];
  EXPECT_EQ(run["state"], "complete");
  EXPECT_EQ(run["options"]["d_model"], "16");
  EXPECT_EQ(run["model"]["d_ff"], 32);
  const ModelConfig config = read_config(folder_ / "m");
  EXPECT_EQ(run["model"]["attention_layer"], default_alignment_heads(config).heads[0].layer + 1);
  EXPECT_EQ(run["parameters"], parameter_count(load_model(folder_ / "m")));
  const Json reports = metrics_of("m", "train"), validations = metrics_of("m", "validation");
  EXPECT_EQ(run["train"]["step"].size(), reports.size());
  EXPECT_EQ(run["validation"]["step"].size(), validations.size());
  for (size_t i = 0; i < reports.size(); ++i)
    for (const char* name : {"step", "epoch", "loss", "nll", "learning_rate", "gradient_norm",
                             "tokens_per_second", "seconds", "memory"})
      EXPECT_EQ(run["train"][name][i], reports[i][name]) << name;
  for (size_t i = 0; i < validations.size(); ++i)
    for (const char* name : {"step", "epoch", "loss", "perplexity", "best", "seconds"})
      EXPECT_EQ(run["validation"][name][i], validations[i][name]) << name;
  EXPECT_THAT(run["train"]["memory"][0].get<int64_t>(), Gt(1'000'000));
}

TEST_F(RunReportTest, ShowsTheSamplesOfTheLastValidation) {
  Sampler observer;
  train(validated("m"), *backend_, observer, observer.measures());
  EXPECT_GE(observer.sampled, 1);
  const std::string html = folder_.read("m/training/report.html");
  EXPECT_THAT(html, Not(HasSubstr("</script><b>")));
  const Json run = testing::data_of(html)["runs"][0];
  const Json& sentence = run["sentences"][0];
  EXPECT_EQ(sentence["source"], "</script><b>");
  EXPECT_EQ(sentence["samples"].back()["step"], run["step"]);
  EXPECT_EQ(sentence["samples"].back()["output"], fmt::format("sample {}", observer.sampled));
  const testing::PageBlock block =
      testing::block_of(html, sentence["samples"].back()["block"].get<int>());
  EXPECT_THAT(block.numbers, ElementsAre(2500, 5000, 2500, 0, 0, 10000));
  EXPECT_EQ(block.json["target_pieces"], Json({"c", "</s>"}));
}

TEST_F(RunReportTest, IsNotWrittenWithoutTheOption) {
  TrainOptions o = validated("m");
  o.report = false;
  Sampler observer;
  train(o, *backend_, observer, observer.measures());
  EXPECT_EQ(observer.sampled, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "m/training/report.html"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "m/training/samples.jsonl"));
}

TEST_F(RunReportTest, ChangesNoWeight) {
  TrainOptions with = validated("with"), without = validated("without");
  without.report = false;
  Sampler observer;
  train(with, *backend_, observer, observer.measures());
  train(without, *backend_, observer, observer.measures());
  EXPECT_EQ(weights("with"), weights("without"));
}

TEST_F(RunReportTest, AStoppedRunIsInterruptedAndGoesOnWhenResumed) {
  TrainOptions o = validated("m");
  o.validate_every = 2;
  Sampler stopping(5);
  train(o, *backend_, stopping, stopping.measures());
  Json run = page_of("m")["runs"][0];
  EXPECT_EQ(run["state"], "interrupted");
  EXPECT_EQ(run["step"], 5);

  // A line of a later step, as a killed run leaves it, and one that a kill cut short.
  const std::string samples = folder_.read("m/training/samples.jsonl");
  folder_.write("m/training/samples.jsonl",
                samples + R"({"step":99,"source":"s","reference":"","translation":"","score":0,)"
                          R"("block":""})"
                          "\n{\"step\":");
  o.resume = true;
  Sampler observer;
  train(o, *backend_, observer, observer.measures());
  run = page_of("m")["runs"][0];
  EXPECT_EQ(run["state"], "complete");
  EXPECT_EQ(run["train"]["step"].size(), metrics_of("m", "train").size());
  EXPECT_EQ(run["sentences"].size(), 1);
  EXPECT_EQ(run["sentences"][0]["samples"].back()["step"], run["step"]);
}

TEST_F(RunReportTest, IsThereAfterTheFirstReport) {
  TrainOptions o = options("m");
  const auto text = open_training_text(o);
  Recorder observer;
  Trainer trainer(o, text, *backend_, observer, observer.measures());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "m/training/report.html"));
  trainer.step();
  const Json data = page_of("m");
  EXPECT_EQ(data["live"], true);
  EXPECT_EQ(data["runs"][0]["state"], "running");
  EXPECT_THAT(data["runs"][0]["fraction_done"].get<double>(), Gt(0));
  EXPECT_THAT(data["runs"][0]["sentences"], IsEmpty());
}

TEST_F(RunReportTest, ARunGoesOnWithoutItsPage) {
  TrainOptions o = validated("m");
  Sampler observer;
  const auto text = open_training_text(o);
  {
    Trainer trainer(o, text, *backend_, observer, observer.measures());
    std::filesystem::create_directory(folder_ / "m/training/report.html");  // in its way
    while (!trainer.done()) trainer.step();
    trainer.finish();
  }
  EXPECT_THAT(observer.warnings, Contains(HasSubstr("report.html")).Times(1));
  EXPECT_FALSE(weights("m").empty());
}

TEST_F(RunReportTest, ThePageGoesOnWithoutSamples) {
  class Unsampled : public Sampler {
   public:
    std::vector<SampleOutput> sample() override {
      if (!sampled) return Sampler::sample();
      throw Error("the text is gone");
    }
  } observer;
  train(validated("m"), *backend_, observer, observer.measures());
  EXPECT_THAT(observer.warnings, Contains(HasSubstr("the text is gone")).Times(1));
  const Json run = page_of("m")["runs"][0];
  EXPECT_EQ(run["state"], "complete");
  EXPECT_EQ(run["sentences"][0]["samples"].size(), 1u);
}

TEST_F(RunReportTest, ReadsTheRunOfADirectory) {
  Sampler observer;
  train(validated("m"), *backend_, observer, observer.measures());
  const RunHistory run = read_run(folder_ / "m");
  EXPECT_EQ(run.status, RunStatus::complete);
  EXPECT_EQ(run.metrics.reports.size(), observer.reports.size());
  EXPECT_EQ(run.metrics.validations.back().loss, observer.validations.back().loss);
  EXPECT_EQ(run.parameters, parameter_count(load_model(folder_ / "m")));
  EXPECT_FALSE(run.samples.empty());
  // The page of the directory has the data of the report.
  Json of_files = testing::data_of(run_page_html({&run, 1}, PageOf::files));
  Json of_run = page_of("m");
  of_files["written"] = of_run["written"] = nullptr;
  EXPECT_EQ(of_files, of_run);

  std::filesystem::remove_all(folder_ / "m/training");
  const RunHistory kept = read_run(folder_ / "m");
  EXPECT_EQ(kept.status, RunStatus::unknown);
  EXPECT_THAT(kept.options, IsEmpty());
  EXPECT_EQ(kept.config->d_model, 16);
}

TEST_F(RunReportTest, RefusesADirectoryWithoutARun) {
  const auto message_of = [&](const std::string& name) -> std::string {
    try {
      read_run(folder_ / name);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message_of("nowhere"), HasSubstr("no such directory"));
  std::filesystem::create_directory(folder_ / "empty");
  EXPECT_THAT(message_of("empty"), HasSubstr("no metrics.jsonl"));
  folder_.write("empty/metrics.jsonl", "");
  EXPECT_THAT(message_of("empty"), HasSubstr("no report of a step yet"));
}

// Whatever a line says, reading it does no harm, and what is not a number is not shown as one.
TEST_F(RunReportTest, DamagedLinesAreLeftOut) {
  std::filesystem::create_directory(folder_ / "m");
  folder_.write("m/metrics.jsonl",
                "[1]\n{\"kind\":7}\n\xff\n{\"kind\":\"train\",\"step\":-3,\"loss\":\"x\"}\n"
                R"({"kind":"train","step":1e300,"loss":1e999})"
                "\n"
                R"({"kind":"train","step":4,"loss":2.5})"
                "\n"
                R"({"kind":"train","step":5,"loss":2.5,"memory":-1})"
                "\n"
                R"({"kind":"validation","step":4,"loss":[],"bleu":1})"
                "\n{\"kind\":\"tr");
  const RunHistory run = read_run(folder_ / "m");
  ASSERT_EQ(run.metrics.reports.size(), 1U);
  EXPECT_EQ(run.metrics.reports[0].loss, 2.5);
  EXPECT_TRUE(run.metrics.validations.empty());
  EXPECT_EQ(run.metrics.damaged, 7);  // the last line was cut short
  EXPECT_THAT(run.warnings, Contains(HasSubstr("7 lines")));
  const Json data = testing::data_of(run_page_html({&run, 1}, PageOf::files));
  EXPECT_EQ(data["runs"][0]["train"]["loss"], Json({2.5}));
}

TEST(RunSamples, ABlockThatIsNotBase64IsDropped) {
  testing::TemporaryFolder folder;
  folder.write("samples.jsonl",
               R"({"step":1,"source":"s","reference":"r","translation":"t","score":0,)"
               R"("block":"</script>"})"
               "\n");
  const std::vector<StoredSample> samples = SamplesLog(folder / "samples.jsonl").read();
  ASSERT_EQ(samples.size(), 1U);
  EXPECT_EQ(samples[0].output, "t");
  EXPECT_EQ(samples[0].block, "");
}

TEST(RunPage, ThinsLongRunsEvenly) {
  RunHistory run;
  run.name = "long";
  for (int64_t i = 1; i <= 10'000; ++i) {
    TrainReport r;
    r.step = i;
    r.loss = double(i);
    run.metrics.reports.push_back(r);
  }
  const Json train = testing::data_of(run_page_html({&run, 1}, PageOf::files))["runs"][0]["train"];
  EXPECT_EQ(train["step"].size(), 2000U);
  EXPECT_EQ(train["step"].front(), 1);
  EXPECT_EQ(train["step"].back(), 10'000);
  EXPECT_EQ(train["loss"][1000], train["step"][1000].get<double>());
}

}  // namespace
}  // namespace heed
