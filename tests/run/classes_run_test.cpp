// Taggers and classifiers learn from pairs of texts and labels, by the same run as a translator.
#include "heed/decode/classifier.h"
#include "heed/text/words.h"
#include "run/trainer_fixture.h"
#include "support/facts.h"

namespace heed {
namespace {

using ::testing::HasSubstr;

class ClassesRunTest : public TrainerTest, public ::testing::WithParamInterface<LearningTask> {
 protected:
  ClassesRunTest() {
    // A word's tag is whether it comes before g; a text's class is whether it has an a.
    std::istringstream source(folder_.read("source"));
    std::string tags, classes;
    for (std::string line; std::getline(source, line);) {
      std::istringstream words(line);
      bool has_a = false;
      for (std::string word; words >> word;) {
        tags += word < "g" ? "low " : "HIGH-er ";
        has_a |= word == "a";
      }
      tags += "\n";
      classes += has_a ? "with\n" : "without\n";
    }
    folder_.write("tags", tags);
    folder_.write("classes", classes);
  }

  TrainOptions learning(const std::string& model, LearningTask task) const {
    TrainOptions o = options(model);
    o.task = task;
    o.target = {(folder_ / (task == LearningTask::tag ? "tags" : "classes")).string()};
    o.decoder_layers.reset();
    o.compute = ComputeChoice::fp32;
    return o;
  }
  std::vector<std::string> lines(const std::string& file) const {
    std::vector<std::string> all;
    std::istringstream text(folder_.read(file));
    for (std::string line; std::getline(text, line);) all.push_back(line);
    return all;
  }
  TrainObserver silent_;
};

INSTANTIATE_TEST_SUITE_P(Tasks, ClassesRunTest,
                         ::testing::Values(LearningTask::tag, LearningTask::classify),
                         [](const auto& info) { return to_text(info.param); });

TEST_P(ClassesRunTest, SamplesOfItsPageAreLabelsOfTheModel) {
  TrainOptions o = learning("model", GetParam());
  o.hold_out = 10;
  const auto samples = samples_of(o);
  ASSERT_FALSE(samples.empty());
  const Classifier classifier(folder_ / "model", ComputeChoice::fp32);
  for (const StoredSample& sample : samples) {
    const ClassifiedLine line = classifier.classify({sample.source}).front();
    std::string labels;
    for (const ClassChoice& choice : line.choices)
      labels += (labels.empty() ? "" : " ") + choice.label;
    EXPECT_EQ(sample.output, labels);
    EXPECT_EQ(detail::count_words(sample.reference), detail::count_words(labels));
    EXPECT_FALSE(sample.score || sample.block);
  }
}

TEST_P(ClassesRunTest, StoppedAnywhereAndResumedItEndsWithTheSameBytes) {
  TrainOptions o = learning("whole", GetParam());
  o.hold_out = 10;
  o.average = "last:2";
  Recorder whole;
  const int64_t steps = train(o, *backend_, whole).progress.step;
  ASSERT_GT(steps, 8);
  EXPECT_EQ(whole.validations.back().scores.at(0).name, "accuracy");
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

// What it learned, and that no line, batch or thread changes a label.
TEST_P(ClassesRunTest, LearnsAndSaysItsLabels) {
  TrainOptions o = learning("model", GetParam());
  o.hold_out = 20;
  o.schedule = Schedule::constant;
  o.learning_rate = 0.01;
  o.epochs = 40;
  Recorder recorder;
  train(o, *backend_, recorder);
  const Classifier model(o.model);
  const std::vector<std::string> texts = lines("model/held_out.source"),
                                 labels = lines("model/held_out.target");
  ASSERT_EQ(texts.size(), 20u);
  const std::vector<ClassifiedLine> found = model.classify(texts);
  double right = 0, all = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    std::istringstream expected(labels[i]);
    for (const ClassChoice& choice : found[i].choices) {
      std::string label;
      ASSERT_TRUE(expected >> label);
      right += choice.label == label, ++all;
      EXPECT_GT(choice.probability(), 0.3);
      EXPECT_LE(choice.probability(), 1 + 1e-6);
    }
    std::string more;
    EXPECT_FALSE(expected >> more);
  }
  const double reported = recorder.validations.back().scores.at(0).value;
  EXPECT_NEAR(reported, 100 * right / all, 1e-9);
  EXPECT_GT(reported, 80);
  ScoreOptions alone;
  alone.threads = 1;
  alone.batch_tokens = 1;
  const std::vector<ClassifiedLine> again = model.classify(texts, alone);
  for (size_t i = 0; i < texts.size(); ++i)
    for (size_t k = 0; k < found[i].choices.size(); ++k) {
      EXPECT_EQ(again[i].choices[k].label, found[i].choices[k].label);
      EXPECT_EQ(again[i].choices[k].probability(), found[i].choices[k].probability());
    }
}

TEST_F(ClassesRunTest, OddLinesHaveOneResultEach) {
  for (const LearningTask task : {LearningTask::tag, LearningTask::classify}) {
    const TrainOptions o = learning(to_text(task), task);
    train(o, *backend_, silent_, {});
    const Classifier model(o.model);
    std::string endless;
    for (int i = 0; i < 2000; ++i) endless += "a ";
    const std::vector<std::string> odd = {"",         " \t ",  "\u200b", "a \xff b",
                                          "\u4f60 a", endless, "a"};
    const std::vector<ClassifiedLine> found = model.classify(odd);
    ASSERT_EQ(found.size(), odd.size());
    const bool tags = task == LearningTask::tag;
    const std::vector<size_t> words = {0, 0, 1, 3, 2, 2000, 1};
    for (size_t i = 0; i < odd.size(); ++i) {
      EXPECT_EQ(found[i].line, int64_t(i));
      EXPECT_EQ(found[i].choices.size(), tags ? words[i] : 1);
      EXPECT_EQ(found[i].words.size(), tags ? words[i] : 0);
    }
    EXPECT_EQ(found[0].status.text(), "empty");
    EXPECT_THAT(found[3].status.text(), HasSubstr("invalid_utf8"));
    EXPECT_EQ(found[4].status.text(), "unknown_characters");
    EXPECT_EQ(found[5].status.text(), tags ? "split" : "truncated");
  }
}

TEST_F(ClassesRunTest, LinesWithOtherNumbersOfLabelsAreLeftOut) {
  TrainOptions o = learning("model", LearningTask::tag);
  folder_.write("few", "low low\n" + folder_.read("tags"));
  folder_.write("more", "a\n" + folder_.read("source"));
  o.target = {(folder_ / "few").string()};
  o.source = {(folder_ / "more").string()};
  Recorder recorder;
  train(o, *backend_, recorder);
  EXPECT_THAT(recorder.messages,
              ::testing::Contains(HasSubstr("1 without as many labels as expected")));
  o = learning("other", LearningTask::classify);
  o.target = {(folder_ / "tags").string()};
  Recorder other;
  train(o, *backend_, other);
  EXPECT_THAT(other.messages, ::testing::Contains(HasSubstr("without as many labels as expected")));
}

TEST_F(ClassesRunTest, OptionsOfOtherTasksAreRefused) {
  TrainOptions patient = learning("model", LearningTask::tag);
  patient.patience = 2;
  EXPECT_THAT(message(patient), HasFacts("--patience --hold-out --valid-source --valid-tsv"));
  using Change = std::function<void(TrainOptions&)>;
  const std::vector<std::pair<Change, std::string>> changes = {
      {[](TrainOptions& o) { o.text = o.source; }, "--text"},
      {[](TrainOptions& o) { o.valid_text = o.source[0]; }, "--valid-text"},
      {[](TrainOptions& o) { o.target_language = "de"; }, "--target-language"},
      {[](TrainOptions& o) { o.vocabularies = Vocabularies::separate; }, "--vocabularies"},
      {[](TrainOptions& o) { o.filters.max_ratio = 3; }, "--max-ratio"},
      {[](TrainOptions& o) { o.validation_metric = ValidationMetric::chrf; },
       "--validation-metric"},
      {[](TrainOptions& o) { o.decoder_layers = 2; }, "--decoder-layers"},
      {[](TrainOptions& o) { o.tie_embeddings = TieEmbeddings::none; }, "--tie-embeddings"},
      {[](TrainOptions& o) { o.tokenizer_model = "m"; }, "--tokenizer-model"},
      {[](TrainOptions& o) { o.tokenizer.target_normalization = Normalization::nfkc; },
       "--target-normalization"}};
  for (const LearningTask task : {LearningTask::tag, LearningTask::classify})
    for (const auto& [change, flag] : changes) {
      TrainOptions o = learning("model", task);
      change(o);
      EXPECT_EQ(message(o), flag + " is not for --task " + to_text(task));
    }
}

TEST_F(ClassesRunTest, OtherModelsAreRefused) {
  TrainOptions o = learning("tagger", LearningTask::tag);
  o.steps = 2;
  train(o, *backend_, silent_, {});
  EXPECT_THAT(
      testing::error_of([&] { Classifier(o.model, ComputeChoice::automatic, ClassesOf::texts); }),
      HasFacts("tagger expected a classifier"));
  TrainOptions next = learning("next", LearningTask::tag);
  next.finetune_from = o.model;
  next.d_model.reset(), next.d_ff.reset(), next.heads.reset(), next.encoder_layers.reset();
  next.steps = 2;
  train(next, *backend_, silent_, {});
  EXPECT_EQ(Classifier(next.model).labels(), Classifier(o.model).labels());
  // A label that the model does not have is said, not learned.
  folder_.write("other tags",
                "middle" + folder_.read("tags").substr(folder_.read("tags").find(' ')));
  next.target = {(folder_ / "other tags").string()};
  next.model = (folder_ / "with another label").string();
  Recorder recorder;
  train(next, *backend_, recorder);
  EXPECT_THAT(recorder.warnings, ::testing::Contains(HasFacts("1 of 120 'middle' not learn")));
  next.target = {(folder_ / "tags").string()};
  next.task = LearningTask::classify;
  next.target = {(folder_ / "classes").string()};
  next.model = (folder_ / "other").string();
  EXPECT_THAT(message(next), HasFacts("tagger expected a classifier"));
}

}  // namespace
}  // namespace heed
