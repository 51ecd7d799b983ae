// Stopped, killed, damaged and resumed: a run ends with the same bytes, or says why it cannot.
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "run/edited_state.h"
#include "run/trainer_fixture.h"
#include "support/bytes.h"
#include "support/facts.h"

namespace heed {
namespace {

// The paper's optimizer, one with all that a state can hold beside it and other pieces in each
// epoch, and steps that are small for their model.
enum class Recipe { paper, modern, small_steps };

const char* name(Recipe recipe) {
  return recipe == Recipe::paper ? "Paper" : recipe == Recipe::modern ? "Modern" : "SmallSteps";
}

class ResumingTest : public TrainerTest,
                     public ::testing::WithParamInterface<std::tuple<DType, Recipe>> {};
INSTANTIATE_TEST_SUITE_P(ComputeTypes, ResumingTest,
                         ::testing::Combine(::testing::Values(DType::fp32, DType::bf16),
                                            ::testing::Values(Recipe::paper, Recipe::modern,
                                                              Recipe::small_steps)),
                         [](const auto& info) {
                           return std::string(name(std::get<0>(info.param))) +
                                  name(std::get<1>(info.param));
                         });

TEST_P(ResumingTest, StoppedAnywhereAndResumedItEndsWithTheSameBytes) {
  const auto [compute, recipe] = GetParam();
  backend_ = testing::isolated_if_asked(make_cpu_backend("", compute));
  TrainOptions o = validated("whole");
  if (recipe == Recipe::modern) {
    use_modern_recipe(o);
    o.tokenizer.kind = TokenizerKind::bpe;
    o.tokenizer.vocabulary_size = 26;
    o.subword_sampling = {0.2, 0.2};
    o.vary = {"joined=0.3"};
  }
  if (recipe == Recipe::small_steps) {
    o.d_model = 128;  // gradients by parts
    o.tokenizer.kind = TokenizerKind::bpe;
    o.tokenizer.vocabulary_size = 26;
    o.subword_sampling = {0.2, 0.2};
    o.guided_alignment = {std::string(kAlignsItself)};
  }
  o.average = "last:2";
  o.accumulate = 2;
  Recorder whole;
  const int64_t steps = train(o, *backend_, whole).progress.step;
  ASSERT_GT(steps, 8);
  for (int64_t stop = 1; stop < steps; stop += 3) {
    const std::string name = "stopped" + std::to_string(stop);
    TrainOptions first = o;
    first.model = (folder_ / name).string();
    Recorder recorder(stop);
    EXPECT_EQ(train(first, *backend_, recorder).end, TrainEnd::stopped);
    first.resume = true;
    first.threads = 1;
    Recorder rest;
    EXPECT_EQ(train(first, *backend_, rest).end, TrainEnd::limit_reached);
    EXPECT_EQ(weights(name), weights("whole")) << "stopped after step " << stop;
    // The losses reported are those of the run that never stopped, too.
    EXPECT_EQ(rest.reports.back().loss, whole.reports.back().loss);
  }
}

TEST_F(TrainerTest, ResumingBeforeAnythingWasSavedBeginsAnew) {
  TrainOptions o = options("a");
  Recorder recorder;
  train(o, *backend_, recorder);
  o.model = (folder_ / "b").string();
  o.resume = true;
  train(o, *backend_, recorder);
  EXPECT_EQ(weights("a"), weights("b"));
}

TEST_F(TrainerTest, AFinishedRunCanGoOnLonger) {
  TrainOptions o = options("long");
  Recorder recorder;
  train(o, *backend_, recorder);
  o.model = (folder_ / "short").string();
  o.epochs = 1;
  train(o, *backend_, recorder);
  o.epochs = 3;
  o.resume = true;
  train(o, *backend_, recorder);
  EXPECT_EQ(weights("long"), weights("short"));
}

TEST_F(TrainerTest, ResumingWithOtherOptionsIsRefused) {
  EXPECT_EQ(message(options("m")), "");
  TrainOptions o = options("m");
  o.resume = true;
  o.label_smoothing = 0.2;
  EXPECT_NE(message(o).find("label_smoothing was 0.1, is now 0.2"), std::string::npos);
  o = options("m");
  o.resume = true;
  std::swap(o.source, o.target);
  EXPECT_NE(message(o).find("another text"), std::string::npos);
}

// The model stays of use: a refusal names how to train it on, unless it has other sizes.
TEST_F(TrainerTest, ARefusalToResumeNamesFineTuning) {
  TrainOptions first = validated("m");
  first.epochs = 1;
  EXPECT_EQ(message(first), "");
  first.resume = true;
  const std::string advice = "--finetune-from " + first.model + " and another --model";
  const auto refusal = [&](auto change) {
    TrainOptions o = first;
    change(o);
    return message(o);
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal([](TrainOptions& o) { o.learning_rate = 2; }), HasSubstr(advice));
  EXPECT_THAT(refusal([](TrainOptions& o) { std::swap(o.source, o.target); }), HasSubstr(advice));
  EXPECT_THAT(refusal([](TrainOptions& o) { o.tokenizer.vocabulary_size = 30; }),
              HasSubstr(advice));
  EXPECT_THAT(refusal([](TrainOptions& o) { std::swap(o.valid_source, o.valid_target); }),
              HasSubstr(advice));
  EXPECT_THAT(refusal([](TrainOptions& o) { o.valid_source = o.valid_target = ""; }),
              HasSubstr(advice));
  for (const auto change : {+[](TrainOptions& o) { o.d_model = 32; },
                            +[](TrainOptions& o) { o.variants.positions = Positions::rotary; }}) {
    EXPECT_THAT(refusal(change), HasFacts("other options another --model --overwrite"));
    EXPECT_THAT(refusal(change), ::testing::Not(HasSubstr("--finetune-from")));
  }
  // A run that was killed while it first saved.
  std::filesystem::remove(folder_ / "m/config.json");
  EXPECT_THAT(refusal([](TrainOptions& o) { o.learning_rate = 2; }),
              HasFacts("(heed average " + first.model + "/training/state.safetensors --output " +
                       first.model + "-weights) --finetune-from " + first.model + "-weights"));
}

TEST_F(TrainerTest, AllOptionsThatDifferAreNamed) {
  EXPECT_EQ(message(options("m")), "");
  TrainOptions o = options("m");
  o.resume = true;
  o.seed = 2;
  o.label_smoothing = 0.2;
  o.warmup_steps = 21;
  EXPECT_THAT(message(o), HasFacts("label_smoothing 0.1 0.2 seed 1 2 warmup 20 21"));
  o.beta1 = 0.8, o.beta2 = 0.9, o.epsilon = 1e-8, o.shards = 2;
  EXPECT_THAT(message(o), HasFacts("2 more")) << "five are named";
}

// Options that another one overrules are no part of a run.
TEST_F(TrainerTest, AnOptionWithoutEffectMayChangeOnResuming) {
  EXPECT_EQ(message(options("base")), "");
  TrainOptions o = options("m");
  o.tokenizer_model = (folder_ / "base/source.spm").string();
  o.batches.batch_sentences = 10;
  EXPECT_EQ(message(o), "");
  o.resume = true;
  o.tokenizer.vocabulary_size = 4000;
  o.batches.batch_tokens = 17;
  EXPECT_EQ(message(o), "");
  o.batches.batch_sentences = 11;
  EXPECT_THAT(message(o), HasFacts("batch_sentences 10 11"));
}

// A restarted script gives --resume the first time too; a mistyped folder must be noticed.
TEST_F(TrainerTest, WhatStartsInsteadOfResumingIsWarnedOf) {
  EXPECT_EQ(message(options("zh-en")), "");
  const auto warnings = [&](const std::string& model) {
    TrainOptions o = options(model);
    o.resume = true;
    Recorder recorder;
    train(o, *backend_, recorder);
    return recorder.warnings;
  };
  const auto warned = warnings("zh-em/");
  ASSERT_FALSE(warned.empty());
  EXPECT_THAT(warned[0], HasFacts("zh-em 'zh-en'"));
  EXPECT_THAT(warnings("zh-en"), ::testing::Each(::testing::Not(HasFacts("resume"))));
}

TEST_F(TrainerTest, AStateOfAnotherVersionsOptionsIsRefused) {
  TrainOptions o = options("m");
  o.epochs = 1;
  EXPECT_EQ(message(o), "");
  const std::string name = "m/training/state.safetensors";
  std::string state = without_checksum(folder_.read(name));
  const std::string known = "validation_metric", unknown = "validation_method";
  const size_t at = state.find(known);
  ASSERT_NE(at, std::string::npos);
  folder_.write(name, state.replace(at, known.size(), unknown));
  o.resume = true;
  EXPECT_THAT(message(o), ::testing::AllOf(::testing::HasSubstr("state.safetensors"),
                                           ::testing::HasSubstr(unknown),
                                           ::testing::HasSubstr("another version")));
  EXPECT_EQ(folder_.read(name), state);
}

TEST_F(TrainerTest, EveryPartOfARecipeIsComparedOnResuming) {
  TrainOptions first = options("m");
  use_modern_recipe(first);
  EXPECT_EQ(message(first), "");
  first.resume = true;
  const auto expect = [&](auto change, const char* part) {
    TrainOptions o = first;
    change(o);
    EXPECT_NE(message(o).find(part), std::string::npos) << message(o);
  };
  expect([](TrainOptions& o) { o.ema = 0.99; }, "ema was 0.9, is now 0.99");
  expect([](TrainOptions& o) { o.ema.reset(); }, "ema was 0.9, is now none");
  expect([](TrainOptions& o) { o.weight_decay = 0.2; }, "weight_decay was 0.1, is now 0.2");
  expect([](TrainOptions& o) { o.optimizer = Optimizer::adam, o.weight_decay.reset(); },
         "optimizer was adamw, is now adam");
  expect([](TrainOptions& o) { o.schedule = Schedule::linear; }, "schedule was cosine");
  expect([](TrainOptions& o) { o.decay_steps = 13; }, "decay_steps was 12, is now 13");
  expect([](TrainOptions& o) { o.final_fraction = 0.5; }, "final_fraction was 0, is now 0.5");
  expect([](TrainOptions& o) { o.dropout = 0.2; }, "dropout was 0.1, is now 0.2");
}

TEST_F(TrainerTest, ADefaultThatIsSaidIsTheSameRun) {
  TrainOptions o = options("m");
  o.optimizer = Optimizer::adamw;
  EXPECT_EQ(message(o), "");
  o.resume = true;
  o.weight_decay = 0.01;
  o.learning_rate = 1;
  o.dropout = 0.1;
  o.attention_dropout = 0;
  o.initialization = InitialWeights::fan_in;
  EXPECT_EQ(message(o), "");
  o.attention_dropout = 0.1;
  EXPECT_NE(message(o).find("attention_dropout was 0, is now 0.1"), std::string::npos);
}

TEST_F(TrainerTest, ResumingOnAnotherInstructionSetIsRefused) {
  const std::vector<std::string> targets = cpu_instruction_sets();
  if (targets.size() < 2) GTEST_SKIP() << "this machine has one instruction set";
  EXPECT_EQ(message(options("m")), "");
  backend_ = make_cpu_backend(targets.back());
  TrainOptions o = options("m");
  o.resume = true;
  EXPECT_NE(message(o).find("--allow-other-instruction-set"), std::string::npos);
  o.allow_other_instruction_set = true;
  EXPECT_EQ(message(o), "");
}

// `auto` computes in what the machine is fast at: elsewhere that is another run, whatever the flag
// about instruction sets says.
TEST_F(TrainerTest, ResumingInAnotherComputeTypeIsRefused) {
  backend_ = testing::isolated_if_asked(make_cpu_backend("", DType::fp32));
  EXPECT_EQ(message(options("m")), "");
  backend_ = testing::isolated_if_asked(make_cpu_backend("", DType::bf16));
  TrainOptions o = options("m");
  o.resume = true;
  for (const bool allowed : {false, true}) {
    o.allow_other_instruction_set = allowed;
    EXPECT_NE(message(o).find("compute was fp32, is now bf16"), std::string::npos) << message(o);
    EXPECT_NE(message(o).find("--compute fp32"), std::string::npos) << message(o);
  }
}

TEST_F(TrainerTest, AModelWithoutATrainingStateIsNotResumed) {
  namespace fs = std::filesystem;
  EXPECT_EQ(message(options("m")), "");
  fs::remove_all(folder_ / "m/training");
  const std::string before = weights("m");
  TrainOptions o = options("m");
  EXPECT_EQ(message(o).find("--resume"), std::string::npos) << message(o);
  EXPECT_NE(message(o).find("--finetune-from " + o.model), std::string::npos) << message(o);
  o.resume = true;
  EXPECT_THROW(
      {
        Recorder recorder;
        train(o, *backend_, recorder);
      },
      UsageError);
  EXPECT_NE(message(o).find("--finetune-from " + o.model), std::string::npos) << message(o);
  EXPECT_EQ(weights("m"), before);
  EXPECT_FALSE(fs::exists(folder_ / "m/training"));
}

TEST_F(TrainerTest, ARunIsResumedWithItsValidationText) {
  TrainOptions o = validated("m");
  o.epochs = 1;
  EXPECT_EQ(message(o), "");
  o.resume = true;
  o.epochs = 2;
  const auto refused = [&](const std::string& source, const std::string& target) {
    TrainOptions other = o;
    other.valid_source = source;
    other.valid_target = target;
    const std::string text = message(other);
    EXPECT_NE(text.find(o.valid_source), std::string::npos) << text;
    EXPECT_NE(text.find(o.valid_target), std::string::npos) << text;
  };
  refused("", "");
  refused(o.valid_target, o.valid_source);
  // The same text under another name is the same run.
  folder_.write("copy", folder_.read("source"));
  o.valid_source = (folder_ / "copy").string();
  Recorder recorder;
  train(o, *backend_, recorder);
  EXPECT_EQ(recorder.validations.size(), 1u);
  TrainOptions without = options("without");
  EXPECT_EQ(message(without), "");
  TrainOptions with = validated("without");
  with.resume = true;
  with.epochs = 4;
  EXPECT_NE(message(with).find("--valid-source"), std::string::npos);
}

TEST_F(TrainerTest, ACompleteRunSaysSoAndHowToGoOn) {
  TrainOptions o = options("m");
  EXPECT_EQ(message(o), "");
  const std::string before = weights("m");
  o.resume = true;
  Recorder recorder;
  EXPECT_EQ(train(o, *backend_, recorder).end, TrainEnd::limit_reached);
  EXPECT_THAT(recorder.messages,
              ::testing::Contains(::testing::AllOf(::testing::HasSubstr("complete"),
                                                   ::testing::HasSubstr("--epochs 3"))));
  EXPECT_TRUE(recorder.reports.empty());
  EXPECT_EQ(weights("m"), before);
}

TEST_F(TrainerTest, ARunOutOfPatienceGoesOnWithMoreOfIt) {
  TrainOptions o = validated("m");
  o.validation_metric = ValidationMetric::bleu;
  o.patience = 1;
  o.epochs = 50;
  Recorder recorder;
  recorder.bleus = {5, 4};
  EXPECT_EQ(train(o, *backend_, recorder, recorder.measures()).end, TrainEnd::out_of_patience);
  const std::string before = weights("m");
  o.resume = true;
  Recorder same;
  train(o, *backend_, same, same.measures());
  EXPECT_THAT(same.messages, ::testing::Contains(HasFacts("--patience 1")));
  EXPECT_EQ(weights("m"), before);
  o.patience = 2;
  Recorder more;
  more.bleus = {3};
  EXPECT_EQ(train(o, *backend_, more, more.measures()).end, TrainEnd::out_of_patience);
  EXPECT_EQ(more.validations.size(), 1u);
}

TEST_F(TrainerTest, ADamagedCheckpointIsAClearError) {
  EXPECT_EQ(message(options("m")), "");
  const auto state = folder_ / "m" / "training" / "state.safetensors";
  const std::string bytes = folder_.read("m/training/state.safetensors");
  TrainOptions o = options("m");
  o.resume = true;
  for (const size_t length :
       {size_t(0), size_t(7), size_t(100), bytes.size() / 2, bytes.size() - 1}) {
    folder_.write("m/training/state.safetensors", bytes.substr(0, length));
    EXPECT_NE(message(o).find("state.safetensors"), std::string::npos) << length;
  }
}

// Values that a run may well leave, but this run did not.
TEST_F(TrainerTest, ValuesThatChangedOnDiskAreAClearError) {
  TrainOptions o = options("m");
  o.epochs = 1;
  EXPECT_EQ(message(o), "");
  const std::string name = "m/training/state.safetensors";
  const std::string state = folder_.read(name);
  o.resume = true;
  o.epochs = 2;
  uint64_t header = 0;
  memcpy(&header, state.data(), sizeof header);
  const size_t weights = size_t(8 + header);
  for (const size_t begin : {weights, weights + (state.size() - weights) / 2, state.size() - 64}) {
    std::string zeroed = state;
    zeroed.replace(begin, 64, 64, '\0');
    ASSERT_NE(zeroed, state);
    folder_.write(name, zeroed);
    EXPECT_THAT(message(o), HasFacts("state.safetensors checksum damaged --overwrite")) << begin;
  }
  folder_.write(name, with_header(state, R"("seconds":[^,]+)", R"("seconds":1)"));
  EXPECT_THAT(message(o), HasFacts("state.safetensors checksum"));
  folder_.write(name, without_checksum(state));
  EXPECT_EQ(message(o), "") << "a state of an earlier version";
}

// Progress that no run makes would overflow a count, loop for ever or name what is not there.
TEST_F(TrainerTest, ImpossibleProgressIsAClearError) {
  TrainOptions o = validated("m");
  o.average = "best:2";
  o.steps = 4;
  o.validate_every = 2;
  EXPECT_EQ(message(o), "");
  const std::string name = "m/training/state.safetensors";
  const std::string state = without_checksum(folder_.read(name));
  o.resume = true;
  o.steps = 6;
  const auto expect = [&](const char* pattern, const char* replacement, const char* part) {
    folder_.write(name, with_header(state, pattern, replacement));
    const std::string text = message(o);
    EXPECT_NE(text.find("state.safetensors: the progress it records " + std::string(part)),
              std::string::npos)
        << pattern << ": " << text;
    EXPECT_NE(text.find("start over with --overwrite"), std::string::npos) << text;
  };
  expect(R"("batch":\d+)", R"("batch":9007199254740992)", "is at batch 9007199254740993 of");
  expect(R"("batch":\d+)", R"("batch":-1)", "is damaged");
  expect(R"("step":4,"epoch")", R"("step":9223372036854775807,"epoch")", "is damaged");
  expect(R"("step":4,"epoch")", R"("step":4.5,"epoch")", "is damaged");
  expect(R"("seconds":[^,]+)", R"("seconds":-1)", "is damaged");
  expect(R"("step":4,"score")", R"("step":5,"score")", "is damaged");
  expect(R"("step":4,"score")", R"("step":2,"score")", "is damaged");
  expect(R"("score":[^}]+)", R"("score":null)", "has checkpoints without a score");
  folder_.write(name, state);
  EXPECT_EQ(message(o), "");
}

TEST_F(TrainerTest, WeightsThatNoRunLeavesAreAClearError) {
  TrainOptions o = options("m");
  o.epochs = 1;
  EXPECT_EQ(message(o), "");
  const std::string name = "m/training/state.safetensors";
  const std::string state = without_checksum(folder_.read(name));
  o.resume = true;
  o.epochs = 2;
  uint64_t header = 0;
  memcpy(&header, state.data(), sizeof header);
  for (const float bad : {NAN, INFINITY}) {
    std::string damaged = state;
    memcpy(damaged.data() + 8 + header, &bad, sizeof bad);
    folder_.write(name, damaged);
    EXPECT_NE(message(o).find("holds impossible values"), std::string::npos) << bad;
  }
  std::string negative = state;  // a second moment is a mean of squares; the last tensor is one
  const float below = -1;
  memcpy(negative.data() + negative.size() - sizeof below, &below, sizeof below);
  folder_.write(name, negative);
  EXPECT_NE(message(o).find("second_moment"), std::string::npos) << message(o);
}

}  // namespace
}  // namespace heed
