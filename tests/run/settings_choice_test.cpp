// Settings that are chosen for a text and a number of minutes.
#include "heed/run/settings_choice.h"

#include <limits>

#include "heed/core/files.h"
#include "heed/run/run_settings.h"
#include "heed/run/step_time.h"
#include "run/trainer_fixture.h"
#include "support/facts.h"

namespace heed {
namespace {

using ::testing::Contains;

// Pairs with this number of letters a side, of writing with spaces.
TextSize text_of(int64_t pairs, int64_t letters = 60) {
  return {.pairs = pairs, .sample = {{{0, letters}, {0, letters}}}, .distinct = 80};
}

TrainOptions for_minutes(double minutes) {
  TrainOptions o;
  o.source = {"a"};
  o.target = {"b"};
  o.model = "m";
  o.minutes = minutes;
  return o;
}

// A machine on which a step takes so long for each parameter and token.
StepTimer machine(double seconds) {
  return [seconds](const TrainOptions& o) {
    const int64_t ids = o.tokenizer.size();
    const ModelConfig c = model_config(o, ids, ids - 1);
    const auto parameters = double(ids * c.d_model + (c.encoder_layers + c.decoder_layers) *
                                                         c.d_model * (4 * c.d_model + 2 * c.d_ff));
    return seconds * parameters * double(o.batches.tokens());
  };
}
constexpr double kSlow = 6e-11;  // of two cores

TEST(SettingsChoice, ChoosesAllThatIsOpenAndNothingElse) {
  const ChosenSettings chosen = choose_settings(for_minutes(10), text_of(30'000), machine(kSlow));
  const TrainOptions& o = chosen.options;
  EXPECT_FALSE(leaves_settings_open(o));
  EXPECT_EQ(o.schedule, Schedule::linear);
  EXPECT_EQ(o.hold_out, 600);
  EXPECT_GT(*o.warmup_steps, 100);
  EXPECT_FALSE(o.steps || o.epochs) << "the run itself estimates its end";
  const std::vector<OptionDifference> changed = differences(for_minutes(10), o);
  std::vector<std::string> names;
  for (const OptionDifference& d : changed) names.push_back(d.name);
  EXPECT_THAT(names, ::testing::UnorderedElementsAre(
                         "hold_out", "vocabulary_size", "vocabulary_lines", "encoder_layers",
                         "decoder_layers", "d_model", "heads", "d_ff", "dropout", "batch_tokens",
                         "schedule", "learning_rate", "warmup_steps"));
  EXPECT_LE(chosen.reasons.size(), 6);
  EXPECT_THAT(chosen.reasons[0], HasFacts("10 minutes 30000 pairs"));
  EXPECT_THAT(chosen.reasons, Contains(HasFacts("d_model steps needs")));
  EXPECT_NO_THROW(resolve(o));
}

TEST(SettingsChoice, TheVocabularyIsLearnedInAShareOfTheTime) {
  const auto lines = [](TrainOptions o) {
    return choose_settings(o, text_of(2'000'000), machine(kSlow))
        .options.tokenizer.vocabulary_lines;
  };
  EXPECT_EQ(lines(for_minutes(1)), 20'000);
  EXPECT_EQ(lines(for_minutes(60)), 180'000);
  EXPECT_EQ(lines(for_minutes(10'000)), TokenizerOptions::kDefaultLines);
  TrainOptions words = for_minutes(10);
  words.tokenizer.kind = TokenizerKind::word;
  EXPECT_FALSE(lines(words)) << "each word counts";
}

TEST(SettingsChoice, MoreTimeOrAFasterMachineGivesALargerModel) {
  int64_t before = 0, distinct = 0;
  for (const double minutes : {1.0, 10.0, 100.0, 1000.0, 10'000.0}) {
    const TrainOptions o =
        choose_settings(for_minutes(minutes), text_of(2'000'000), machine(kSlow)).options;
    EXPECT_GE(*o.d_model, before) << minutes;
    distinct += *o.d_model > before;
    before = *o.d_model;
    EXPECT_EQ(choose_settings(for_minutes(minutes / 10), text_of(2'000'000), machine(kSlow / 20))
                      .options.d_model >= o.d_model,
              true)
        << minutes;
  }
  EXPECT_GE(distinct, 4);
  EXPECT_EQ(before, 512);
}

TEST(SettingsChoice, AModelIsNotTooLargeForItsTextOrTheMemory) {
  const auto days = for_minutes(10'000);
  const ChosenSettings few = choose_settings(days, text_of(3000), machine(kSlow));
  EXPECT_LE(*few.options.d_model, 192);
  EXPECT_THAT(few.reasons, Contains(HasFacts("model text too small d_model")));
  const StepTimer small_memory = [](const TrainOptions& o) {
    return *o.d_model > 192 ? std::numeric_limits<double>::infinity() : machine(kSlow)(o);
  };
  const ChosenSettings narrow = choose_settings(days, text_of(2'000'000), small_memory);
  EXPECT_EQ(narrow.options.d_model, 192);
  EXPECT_THAT(narrow.reasons, Contains(HasFacts("model memory")));
}

TEST(SettingsChoice, ShortTimesSayWhatMoreTimeWouldGive) {
  const ChosenSettings brief = choose_settings(for_minutes(3), text_of(2'000'000), machine(kSlow));
  EXPECT_THAT(brief.reasons.back(), HasFacts("not all minutes chosen d_model"));
  const ChosenSettings days = choose_settings(for_minutes(10'000), text_of(3000), machine(kSlow));
  EXPECT_THAT(days.reasons, ::testing::Not(Contains(HasFacts("minutes on"))));
}

TEST(SettingsChoice, WhatIsGivenStays) {
  TrainOptions given = for_minutes(10);
  given.preset = Preset::small;
  given.tokenizer.vocabulary_size = 1234;
  given.tokenizer.vocabulary_lines = 5678;
  given.batches.batch_tokens = 777;
  given.schedule = Schedule::noam;
  given.dropout = 0.25;
  given.hold_out = 0;
  ChosenSettings chosen = choose_settings(given, text_of(30'000), machine(kSlow));
  ASSERT_TRUE(chosen.options.warmup_steps);
  EXPECT_FALSE(chosen.options.learning_rate) << "noam has a formula";
  chosen.options.warmup_steps.reset();
  EXPECT_EQ(to_json(chosen.options), to_json(given));

  given.schedule = Schedule::constant;
  given.learning_rate = 0.25;
  const TrainOptions constant = choose_settings(given, text_of(30'000), machine(kSlow)).options;
  EXPECT_EQ(to_json(constant), to_json(given)) << "no warm-up";

  TrainOptions factor = for_minutes(10);
  factor.learning_rate = 2;
  const TrainOptions noam = choose_settings(factor, text_of(30'000), machine(kSlow)).options;
  EXPECT_FALSE(noam.schedule) << "the rate is a factor of noam's formula";
  EXPECT_EQ(noam.learning_rate, 2);
  EXPECT_FALSE(leaves_settings_open(noam));

  TrainOptions grouped = for_minutes(100'000);
  grouped.variants.key_value_heads = 4;  // which six heads are not divided by
  EXPECT_EQ(*choose_settings(grouped, text_of(2'000'000), machine(kSlow)).options.heads % 4, 0);

  TrainOptions some = for_minutes(10);
  some.decoder_layers = 1;
  const TrainOptions shallow = choose_settings(some, text_of(30'000), machine(kSlow)).options;
  EXPECT_EQ(shallow.decoder_layers, 1);
  EXPECT_FALSE(shallow.d_model) << "the others are those of the preset";
  TrainOptions sentences = for_minutes(10);
  sentences.batches.batch_sentences = 32;
  EXPECT_FALSE(
      choose_settings(sentences, text_of(30'000), machine(kSlow)).options.batches.batch_tokens);
  TrainOptions validated = for_minutes(10);
  validated.valid_source = validated.valid_target = "v";
  EXPECT_FALSE(choose_settings(validated, text_of(30'000), machine(kSlow)).options.hold_out);
  TrainOptions words = for_minutes(10);
  words.tokenizer.kind = TokenizerKind::word;
  EXPECT_FALSE(
      choose_settings(words, text_of(30'000), machine(kSlow)).options.tokenizer.vocabulary_size);
}

TEST(SettingsChoice, OnlyTranslatorsThatMinutesAloneLimitAreChosenFor) {
  EXPECT_TRUE(leaves_settings_open(for_minutes(10)));
  EXPECT_FALSE(leaves_settings_open(TrainOptions()));
  for (const auto change : std::vector<void (*)(TrainOptions&)>{
           [](TrainOptions& o) { o.steps = 100; }, [](TrainOptions& o) { o.epochs = 1; },
           [](TrainOptions& o) { o.finetune_from = "m"; },
           [](TrainOptions& o) { o.task = LearningTask::tag; },
           [](TrainOptions& o) { o.variants.architecture = Architecture::rnn; }}) {
    TrainOptions o = for_minutes(10);
    change(o);
    EXPECT_FALSE(leaves_settings_open(o));
  }
}

TEST(SettingsChoice, VocabulariesGrowWithTheTextAndItsCharacters) {
  const auto ids = [](const TextSize& text) {
    return *choose_settings(for_minutes(10), text, machine(kSlow))
                .options.tokenizer.vocabulary_size;
  };
  EXPECT_EQ(ids(text_of(50'000)), 4000);
  EXPECT_EQ(ids(text_of(400'000)), 8000);
  EXPECT_LT(ids(text_of(500)), 2000);
  EXPECT_GT(ids(text_of(500)), 100);
  TextSize chinese = text_of(50'000);
  chinese.distinct += chinese.distinct_unspaced = 3000;
  EXPECT_EQ(ids(chinese), 7000);
}

TEST(SettingsChoice, DropoutGrowsWithPassesOverTheText) {
  const auto dropout = [](int64_t pairs) {
    return *choose_settings(for_minutes(20), text_of(pairs), machine(kSlow)).options.dropout;
  };
  EXPECT_EQ(dropout(5'000'000), 0);
  EXPECT_EQ(dropout(30'000), 0.1);
  EXPECT_EQ(dropout(1000), 0.3);
  const ChosenSettings brief = choose_settings(for_minutes(0.05), text_of(2), machine(kSlow));
  EXPECT_EQ(brief.options.dropout, 0.2) << "some fifty batches, each of all of the text";
}

TEST_F(TrainerTest, TheSizeOfATextIsThatOfItsLines) {
  folder_.write("zh", "我爱你 ok\n");
  folder_.write("en", "I love you\n");
  const ParallelText text({folder_ / "zh"}, {folder_ / "en"});
  const TextSize size = size_of(text);
  ASSERT_EQ(size.sample.size(), 1);
  EXPECT_EQ(size.pairs, 1);
  EXPECT_EQ(size.sample[0].source.unspaced, 3);
  EXPECT_EQ(size.sample[0].source.others, 3);
  EXPECT_EQ(size.sample[0].target.others, 10);
  EXPECT_EQ(size.distinct_unspaced, 3);
  EXPECT_EQ(size.distinct, 12);
  EXPECT_EQ(expected_characters(size), 16);
  EXPECT_GT(mean_tokens(size, 4000).source, 1 + 2);
  EXPECT_LT(mean_tokens(size, 4000).source, 1 + 5);
}

TEST_F(TrainerTest, StepsOfLargerModelsTakeLonger) {
  TrainOptions o = options("timed");
  const TextSize text = text_of(100, 200);
  o.batches.batch_tokens = 400;
  o.tokenizer.vocabulary_size = 500;
  const double small = step_seconds(o, text, 0.05, *backend_);
  EXPECT_GT(small, 0);
  o.d_model = 128;
  o.d_ff = 1024;
  o.encoder_layers = o.decoder_layers = 3;
  EXPECT_GT(step_seconds(o, text, 0.05, *backend_), 2 * small);
}

// A run begins with chosen settings, and goes on with them when it is resumed.
TEST_F(TrainerTest, ChosenSettingsAreResumed) {
  TrainOptions given = options("chosen");
  given.preset.reset();
  given.d_model.reset(), given.d_ff.reset(), given.heads.reset();
  given.encoder_layers.reset(), given.decoder_layers.reset();
  given.batches.batch_tokens.reset();
  given.warmup_steps.reset();
  given.epochs.reset();
  given.minutes = 0.5;
  Recorder recorder(3);
  const TrainingText text = open_training_text(given);
  const TrainOptions chosen = with_chosen_settings(given, text, recorder);
  EXPECT_THAT(recorder.messages, Contains(HasFacts("settings 0.5 minutes 120 pairs")));
  EXPECT_EQ(chosen.d_model, 128);
  EXPECT_EQ(train(chosen, text, *backend_, recorder).end, TrainEnd::stopped);

  given.resume = true;
  given.minutes = 5000;  // for which a larger model would be chosen
  Recorder resumed(2);
  const TrainOptions again = with_chosen_settings(given, text, resumed);
  EXPECT_TRUE(resumed.messages.empty());
  EXPECT_EQ(train(again, text, *backend_, resumed).progress.step, 5);
}

// A run leaves its settings in training/settings.toml.
TEST_F(TrainerTest, TheSettingsOfARunAreAConfiguration) {
  TrainOptions o = options("written");
  o.steps = 2;
  o.epochs.reset();
  Recorder recorder;
  train(o, *backend_, recorder);
  const std::string written = folder_.read("written/training/settings.toml");
  EXPECT_THAT(written, HasFacts("train --config --model d_model = 16 warmup_steps = 20 steps = 2"));
  for (const char* absent : {"\nmodel =", "resume", "overwrite", "preset", "minutes"})
    EXPECT_EQ(written.find(absent), std::string::npos) << absent;
}

}  // namespace
}  // namespace heed
