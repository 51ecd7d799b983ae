// What a run tells its observer: reports, validations, messages and warnings.
#include <fmt/format.h>

#include <chrono>
#include <map>
#include <thread>

#include "heed/core/utf8.h"
#include "run/trainer_fixture.h"
#include "support/facts.h"

namespace heed {
namespace {

// The epochs of validations are those of reports at the same steps, however rare reports are.
TEST_F(TrainerTest, ValidationsSayTheirEpoch) {
  Recorder every, rare, rest;
  TrainOptions o = validated("every");
  o.validate_every = 2;
  train(o, *backend_, every);
  std::map<int64_t, double> epochs;
  for (const TrainReport& r : every.reports) epochs[r.step] = r.epoch;
  o.model = (folder_ / "rare").string();
  o.report_every = 1000;
  Recorder first(5);
  EXPECT_EQ(train(o, *backend_, first).end, TrainEnd::stopped);
  o.resume = true;
  train(o, *backend_, rest);
  for (const Recorder* part : {&first, &rest}) {
    ASSERT_FALSE(part->validations.empty());
    for (const ValidationReport& r : part->validations)
      EXPECT_DOUBLE_EQ(r.epoch, epochs[r.step]) << r.step;
  }
  // Ended by steps in the middle of an epoch, and resumed with nothing left to do.
  o.model = (folder_ / "steps").string();
  o.resume = false;
  o.steps = 3;
  o.average = "last:1";
  EXPECT_EQ(message(o), "");
  o.resume = true;
  Recorder ended;
  train(o, *backend_, ended);
  EXPECT_DOUBLE_EQ(ended.validations.back().epoch, epochs[3]);
}

TEST_F(TrainerTest, EveryStepIsReportedOrFollowed) {
  TrainOptions o = options("m");
  o.report_every = 3;
  Recorder recorder, often;
  train(o, *backend_, recorder);
  std::vector<TrainReport> all = recorder.reports;
  EXPECT_FALSE(recorder.progressed.empty());
  all.insert(all.end(), recorder.progressed.begin(), recorder.progressed.end());
  std::ranges::sort(all, {}, &TrainReport::step);
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].step, int64_t(i) + 1);
    EXPECT_GT(all[i].loss, 0);
    EXPECT_GT(all[i].fraction_done, 0);
  }
  // metrics.jsonl holds the reports alone.
  const std::string metrics = folder_.read("m/metrics.jsonl");
  const auto lines = std::count(metrics.begin(), metrics.end(), '\n');
  EXPECT_GE(lines, std::ptrdiff_t(recorder.reports.size()));
  EXPECT_EQ(metrics.find(R"("step":1,)"), std::string::npos);
}

TEST_F(TrainerTest, ARunThatEndsWithinItsWarmupIsWarnedOnce) {
  const auto warnings = [&](const TrainOptions& o) {
    Recorder recorder;
    train(o, *backend_, recorder);
    std::erase_if(recorder.warnings, [](const std::string& w) { return !has_fact(w, "warm-up"); });
    return recorder.warnings;
  };
  TrainOptions o = options("steps");
  o.steps = 6;
  o.warmup_steps = 7;
  EXPECT_THAT(warnings(o), ::testing::ElementsAre(HasFacts("6 7 longer run")));
  o = options("epochs");
  o.warmup_steps = 1000;
  EXPECT_EQ(warnings(o).size(), 1u);
  o = options("fine");
  o.warmup_steps = 6;
  EXPECT_TRUE(warnings(o).empty());
}

TEST_F(TrainerTest, ABlankValidationTextIsNamed) {
  TrainOptions o = options("m");
  o.valid_source = folder_.write("blank.source", "\n\n").string();
  o.valid_target = folder_.write("blank.target", "a\n\n").string();
  EXPECT_THAT(message(o), ::testing::HasSubstr("blank.source"));
}

TEST_F(TrainerTest, OptionsThatChangeNothingAreWarnedOf) {
  const auto warning = [&](const TrainOptions& o) {
    Recorder recorder;
    train(o, *backend_, recorder);
    for (const std::string& text : recorder.warnings)
      if (has_fact(text, "ignored")) return text;
    return std::string();
  };
  const TrainOptions base = options("base");
  EXPECT_EQ(warning(base), "");
  TrainOptions o = options("second");
  o.tokenizer_model = (folder_ / "base/source.spm").string();
  EXPECT_THAT(warning(o), HasFacts("--tokenizer-model --tokenizer --vocabulary-size"));
  // A value that is the default cannot be told from none: the log has the real one.
  o.tokenizer = {};
  o.overwrite = true;
  EXPECT_EQ(warning(o), "");
  Recorder recorder;
  train(o, *backend_, recorder);
  EXPECT_THAT(
      recorder.messages,
      ::testing::Contains(HasFacts("base/source.spm vocabulary " +
                                   std::to_string(TokenizerPair::load(base.model).size()))));
  o = options("third");
  o.d_model.reset(), o.d_ff.reset(), o.heads.reset();
  o.encoder_layers.reset(), o.decoder_layers.reset();
  o.tokenizer = {};
  o.tokenizer.lowercase = true;
  o.finetune_from = base.model;
  const auto only_those = ::testing::AllOf(HasFacts("--finetune-from --lowercase --preset"),
                                           ::testing::Not(HasFacts("--vocabulary-size")));
  EXPECT_THAT(warning(o), only_those);
  o.model = (folder_ / "fourth").string();
  o.filters.min_word_count = 2;  // counts words as the vocabulary of --finetune-from reads them
  EXPECT_THAT(warning(o), only_those);
}

TEST_F(TrainerTest, BrokenPairsAreWarnedOf) {
  TrainOptions o = validated("m");
  o.source = {folder_.write("broken", "\xFF\n" + folder_.read("source")).string()};
  o.target = {folder_.write("more", "a\n" + folder_.read("target")).string()};
  Recorder recorder;
  train(o, *backend_, recorder);
  EXPECT_THAT(recorder.warnings, ::testing::Contains(HasFacts("1 121 broken:1 --strict")));
  o.model = (folder_ / "validated").string();
  std::swap(o.valid_source, o.source[0]);
  std::swap(o.valid_target, o.target[0]);
  Recorder validated;
  train(o, *backend_, validated);
  EXPECT_THAT(validated.warnings, ::testing::Contains(HasFacts("1 121 broken:1 --strict")));
}

TEST_F(TrainerTest, LearningAVocabularyIsAnnouncedAndTimed) {
  TrainOptions o = options("joint");
  o.steps = 1;
  Recorder joint, apart, given;
  train(o, *backend_, joint);
  ASSERT_GE(joint.messages.size(), 2u);
  EXPECT_THAT(joint.messages[0], HasFacts("vocabulary 32 240 lines"));
  EXPECT_THAT(joint.messages[1], HasFacts("vocabulary 15 ids s"));
  o.model = (folder_ / "apart").string();
  o.tokenizer.lowercase = true;  // of the source alone, whose normalization changes letters
  o.vocabularies = Vocabularies::separate;
  o.tie_embeddings = TieEmbeddings::none;
  o.tokenizer.vocabulary_lines = 50;
  train(o, *backend_, apart);
  ASSERT_GE(apart.messages.size(), 3u);
  EXPECT_THAT(apart.messages[0], HasFacts("source 32 sample 50 lines"));
  EXPECT_THAT(apart.messages[1], HasFacts("target 32 sample 50 lines"));
  EXPECT_THAT(apart.messages[2], HasFacts("15 and 15 ids"));
  o = options("given");
  o.steps = 1;
  o.tokenizer_model = (folder_ / "joint/source.spm").string();
  train(o, *backend_, given);
  EXPECT_THAT(given.messages, ::testing::Not(::testing::Contains(HasFacts("learned"))));
}

TEST_F(TrainerTest, AVocabularyOfManyNumbersNamesSplitDigits) {
  std::string rooms;
  for (int i = 0; i < 400; ++i) rooms += "room " + std::to_string(100 + i * 37 % 900) + "\n";
  TrainOptions o = options("m");
  o.source = {folder_.write("rooms", rooms).string()};
  o.target = o.source;
  o.tokenizer.kind = TokenizerKind::bpe;
  o.tokenizer.vocabulary_size = 120;
  o.steps = 1;
  const auto advice = ::testing::Contains(HasFacts("pieces numbers --split-digits"));
  Recorder whole, split;
  train(o, *backend_, whole);
  EXPECT_THAT(whole.messages, advice);
  o.model = (folder_ / "split").string();
  o.tokenizer.split_digits = true;
  o.tokenizer.vocabulary_size = 24;
  train(o, *backend_, split);
  EXPECT_THAT(split.messages, ::testing::Not(advice));
}

TEST_F(TrainerTest, AVocabularyThatATextCannotFillNamesThatText) {
  TrainOptions o = options("m");
  o.tokenizer.kind = TokenizerKind::bpe;
  o.tokenizer.vocabulary_size = 32000;
  EXPECT_THAT(message(o),
              HasFacts(o.source[0] + " " + o.target[0] + " 32000 most --vocabulary-size"));
  o.vocabularies = Vocabularies::separate;
  o.tie_embeddings = TieEmbeddings::none;
  folder_.write("source", "a b\nc d\n");
  std::string target;  // enough for 300 ids
  for (int i = 0; i < 300; ++i) append_utf8(target, char32_t(0x4E00 + i));
  folder_.write("target", target + "\n" + target + "\n");
  o.tokenizer.vocabulary_size = 310;
  EXPECT_THAT(message(o), HasFacts(o.source[0] + " 310 most"));
  EXPECT_THAT(message(o), ::testing::Not(HasFacts(o.target[0])));
}

// Waits while the run prepares.
class SlowStart : public Recorder {
 public:
  void message(const std::string& text) override {
    if (messages.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    Recorder::message(text);
  }
};

TEST_F(TrainerTest, MinutesCountThePreparation) {
  TrainOptions o = options("m");
  o.epochs.reset();
  o.minutes = 0.3 / 60;
  SlowStart slow;
  EXPECT_EQ(train(o, *backend_, slow).progress.step, 1);
  EXPECT_THAT(slow.warnings, ::testing::Contains(HasFacts("--minutes --tokenizer-model")));
  EXPECT_GE(slow.reports.back().seconds, 0.3);
  EXPECT_EQ(slow.reports.back().seconds_left, 0);
  // The time of the first process counts, and is over.
  o.resume = true;
  Recorder again;
  train(o, *backend_, again);
  EXPECT_THAT(again.messages, ::testing::Contains(HasFacts("complete --minutes")));
  EXPECT_TRUE(again.warnings.empty()) << "its vocabulary is learned already";
}

// However long the preparation took.
TEST_F(TrainerTest, TheTimeThatIsLeftIsTheRestOfMinutes) {
  TrainOptions o = options("m");
  o.epochs.reset();
  o.minutes = 1.0 / 60;
  SlowStart slow;
  train(o, *backend_, slow);
  ASSERT_GT(slow.reports.size(), 2u);
  for (const TrainReport& r : slow.reports)
    EXPECT_NEAR(r.seconds_left, std::max(0.0, 1.0 - r.seconds), 1e-9) << r.step;
}

TEST_F(TrainerTest, TheTimeThatIsLeftIsEstimatedFromTheStepsAlone) {
  TrainOptions o = options("m");
  o.epochs.reset();
  o.steps = 20;
  SlowStart slow;
  train(o, *backend_, slow);
  for (const TrainReport& r : slow.reports)
    EXPECT_LE(r.seconds_left, (r.seconds - 0.3) * double(20 - r.step) / double(r.step) + 1e-6);
  EXPECT_GT(slow.reports[0].seconds_left, 0);
}

TEST_F(TrainerTest, ASmoothedLossIsNamedBesideThePerplexity) {
  TrainOptions o = options("smooth");
  o.steps = 1;
  Recorder smooth, plain;
  train(o, *backend_, smooth);
  EXPECT_THAT(smooth.messages, ::testing::Contains(HasFacts("loss smoothing 0.1 perplexity")));
  o.model = (folder_ / "plain").string();
  o.label_smoothing = 0;
  train(o, *backend_, plain);
  EXPECT_THAT(plain.messages, ::testing::Not(::testing::Contains(HasFacts("smoothing"))));
}

TEST_F(TrainerTest, SlowARunThatCollapsedIsWarnedOf) {
  TrainOptions o = validated("validated");
  o.epochs.reset();
  o.steps = 510;
  o.validate_every = 505;
  o.schedule = Schedule::constant;
  o.learning_rate = 10;
  o.warmup_steps = 0;
  Recorder validating, reporting, learning, short_run;
  train(o, *backend_, validating);
  const auto collapsed = HasFacts("510 --learning-rate 10 --warmup-steps 0");
  EXPECT_THAT(validating.warnings, ::testing::Contains(collapsed));
  EXPECT_THAT(validating.warnings, ::testing::Contains(HasFacts("505 --learning-rate 10")));
  o.model = (folder_ / "reported").string();
  o.valid_source.clear(), o.valid_target.clear();
  train(o, *backend_, reporting);
  EXPECT_THAT(reporting.warnings, ::testing::Contains(collapsed));
  o = validated("learned");
  o.epochs = 20;
  train(o, *backend_, learning);
  EXPECT_TRUE(learning.warnings.empty());
  EXPECT_THAT(learning.messages, ::testing::Not(::testing::Contains(HasFacts("frequencies"))));
  o = validated("short");
  o.epochs.reset();
  o.steps = 20;
  o.learning_rate = 1e-6;
  train(o, *backend_, short_run);
  EXPECT_THAT(short_run.warnings, ::testing::ElementsAre(HasFacts("20 frequencies longer")));
}

}  // namespace
}  // namespace heed
