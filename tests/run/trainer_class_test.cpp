// The class Trainer as its callers use it: step by step, resumed, and after failures.
#include <fmt/format.h>
#include <sys/resource.h>

#include <csignal>
#include <regex>
#include <utility>

#include "heed/model/sequence_model.h"
#include "run/trainer_fixture.h"
#include "support/facts.h"
#include "support/failing_new.h"

namespace heed {
namespace {

class TrainerClassTest : public TrainerTest {
 protected:
  std::unique_ptr<Trainer> trainer(const TrainOptions& o) {
    return std::make_unique<Trainer>(o, open_training_text(o), *backend_, observer_);
  }

  // What train() leaves in the folder `name`.
  std::string trained(TrainOptions o, const std::string& name) {
    o.model = (folder_ / name).string();
    Recorder recorder;
    train(o, *backend_, recorder, recorder.measures());
    return weights(name);
  }

  // metrics.jsonl without its times.
  std::string metrics(const std::string& model) const {
    return std::regex_replace(folder_.read(model + "/metrics.jsonl"),
                              std::regex(R"re("(seconds|tokens_per_second|memory)":[^,}]+)re"), "");
  }

  static std::vector<float> values(const Trainer& trainer) {
    SequenceModel model = trainer.parts().model.clone();
    std::vector<float> all;
    for (const Parameter& p : parameters(model)) {
      const Tensor host = to_host(p.tensor);
      all.insert(all.end(), host.span<float>().begin(), host.span<float>().end());
    }
    return all;
  }

  // Every call that would use or change the weights throws an Error with these facts.
  static void expect_refusal(Trainer& trainer, const std::string& facts) {
    const auto message_of = [](const auto& call) -> std::string {
      try {
        call();
      } catch (const Error& error) {
        return error.what();
      }
      return "";
    };
    EXPECT_THAT(message_of([&] { trainer.step(); }), HasFacts(facts));
    EXPECT_THAT(message_of([&] { trainer.validate(); }), HasFacts(facts));
    EXPECT_THAT(message_of([&] { trainer.save(); }), HasFacts(facts));
    EXPECT_THAT(message_of([&] { trainer.finish(); }), HasFacts(facts));
  }

  Recorder observer_;
};

TEST_F(TrainerClassTest, StepsLeaveWhatTrainLeaves) {
  const auto stepped = trainer(options("stepped"));
  EXPECT_EQ(stepped->progress().step, 0);
  int64_t steps = 0;
  for (; !stepped->done(); ++steps) stepped->step();
  EXPECT_EQ(stepped->progress().step, steps);
  EXPECT_EQ(stepped->progress().epoch, 3);
  EXPECT_EQ(observer_.reports.size(), size_t(steps));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "stepped/model.safetensors"));
  stepped->finish();
  EXPECT_EQ(weights("stepped"), trained(options("stepped"), "trained"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "stepped/training/state.safetensors"));
}

TEST_F(TrainerClassTest, ALoopOverWhatIsDueIsTrain) {
  TrainOptions o = validated("looped");
  use_modern_recipe(o);
  o.average = "best:2";
  o.validate_every = 4;
  const auto looped = trainer(o);
  while (!looped->done()) {
    looped->step();
    EXPECT_EQ(looped->validation_due(), looped->progress().step % 4 == 0);
    if (looped->validation_due()) {
      const ValidationReport report = looped->validate();
      EXPECT_EQ(report.step, looped->progress().step);
      EXPECT_GT(report.loss, 0);
      EXPECT_TRUE(looped->save_due());
      EXPECT_FALSE(looped->validation_due()) << "it was validated";
    }
    if (looped->save_due()) looped->save();
    EXPECT_FALSE(looped->save_due());
  }
  looped->finish();
  EXPECT_EQ(weights("looped"), trained(o, "trained"));
  EXPECT_EQ(metrics("looped"), metrics("trained"));
}

TEST_F(TrainerClassTest, TwoTrainersInTurnDoNotMeet) {
  TrainOptions other = validated("second");
  other.seed = 2;
  other.ema = 0.9;
  const auto first = trainer(options("first")), second = trainer(other);
  while (!first->done() || !second->done()) {
    if (!first->done()) first->step();
    if (!second->done()) second->step();
    if (second->validation_due()) second->validate();
  }
  second->finish();
  first->finish();
  EXPECT_EQ(weights("first"), trained(options("first"), "one"));
  EXPECT_EQ(weights("second"), trained(other, "two"));
}

TEST_F(TrainerClassTest, ValidatingAndSavingChangeNoStep) {
  TrainOptions o = validated("often");
  o.ema = 0.9;
  const auto often = trainer(o);
  while (!often->done()) {
    often->step();
    often->validate();
    often->save();
  }
  often->finish();
  EXPECT_EQ(weights("often"), trained(o, "trained"));
}

TEST_F(TrainerClassTest, WhatIsSavedIsResumed) {
  TrainOptions o = options("m");
  auto part = trainer(o);
  for (int step = 0; step < 4; ++step) part->step();
  part->save();
  part->step();  // lost
  part.reset();
  o.resume = true;
  part = trainer(o);
  EXPECT_EQ(part->progress().step, 4);
  while (!part->done()) part->step();
  part->finish();
  EXPECT_EQ(weights("m"), trained(options("m"), "trained"));
}

TEST_F(TrainerClassTest, ARunFinishedEarlyLeavesAModelAndCanBeResumed) {
  TrainOptions o = validated("m");
  o.average = "last:2";
  auto early = trainer(o);
  for (int step = 0; step < 2; ++step) early->step();
  early->finish();
  ASSERT_EQ(observer_.validations.size(), 2u) << "of the last step, and of the mean";
  EXPECT_EQ(observer_.validations.back().averaged_checkpoints, 1);
  EXPECT_FALSE(weights("m").empty());
  early.reset();
  o.resume = true;
  const auto rest = trainer(o);
  EXPECT_EQ(rest->progress().step, 2);
  while (!rest->done()) {
    rest->step();
    if (rest->validation_due()) rest->validate();
  }
  rest->finish();
  o.resume = false;
  EXPECT_EQ(weights("m"), trained(o, "trained"));
}

// Stopped before its first validation, a run that is complete with what it has can be averaged.
TEST_F(TrainerClassTest, ACompleteRunThatWasNotValidatedIs) {
  TrainOptions o = validated("m");
  o.average = "last:2";
  auto stopped = trainer(o);
  stopped->step();
  stopped->save();
  stopped.reset();
  o.resume = true;
  o.steps = 1;
  const auto complete = trainer(o);
  EXPECT_TRUE(complete->done());
  complete->finish();
  ASSERT_EQ(observer_.validations.size(), 2u);
  EXPECT_EQ(observer_.validations.back().averaged_checkpoints, 1);
}

TEST_F(TrainerClassTest, NothingFollowsTheEnd) {
  TrainOptions o = options("m");
  o.steps = 2;
  const auto ended = trainer(o);
  while (!ended->done()) ended->step();
  EXPECT_THROW(ended->step(), UsageError);
  ended->save();  // and what follows no step may
  ended->finish();
  const std::string left = weights("m");
  expect_refusal(*ended, o.model + " finished state.safetensors");
  EXPECT_EQ(weights("m"), left);
}

TEST_F(TrainerClassTest, OptionsAreChecked) {
  TrainOptions o = options("m");
  o.label_smoothing = 1.5;
  const auto message = [&] {
    try {
      trainer(o);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message(), HasFacts("1.5"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "m"));
}

// Memory runs out at one allocation of a step or another, found by bisection: before the weights
// are touched, and when some of them are updated. Neither is used any more.
TEST_F(TrainerClassTest, AfterAFailedStepNothingIsSaved) {
  TrainOptions o = options("m");
  o.threads = 1;          // the thread whose memory runs out
  o.report_every = 1000;  // nlohmann-json, which writes reports, terminates without memory
  trained(o, "m");
  const std::string saved = weights("m"), state = folder_.read("m/training/state.safetensors");
  o.resume = true;
  o.epochs = 4;
  enum class Reached { nothing, weights, end };
  const auto step_with = [&](int64_t allocations) {
    const auto failing = trainer(o);
    const int64_t step = failing->progress().step;
    const std::vector<float> before = values(*failing);
    try {
      const testing::FailingNew memory(allocations);
      failing->step();
      return Reached::end;
    } catch (const std::bad_alloc&) {
    }
    expect_refusal(*failing, o.model + " failed --resume state.safetensors");
    EXPECT_EQ(weights("m"), saved);
    EXPECT_EQ(folder_.read("m/training/state.safetensors"), state);
    if (failing->progress().step > step) return Reached::end;
    return values(*failing) == before ? Reached::nothing : Reached::weights;
  };
  int64_t few = 0, many = 1000;
  EXPECT_EQ(step_with(few), Reached::nothing);
  while (step_with(many) == Reached::nothing) few = std::exchange(many, 2 * many);
  bool half_updated = false;
  while (!half_updated && many - few > 1) {
    const int64_t middle = few + (many - few) / 2;
    const Reached reached = step_with(middle);
    half_updated = reached == Reached::weights;
    (reached == Reached::nothing ? few : many) = middle;
  }
  EXPECT_TRUE(half_updated);
  const auto again = trainer(o);
  while (!again->done()) again->step();
  again->finish();
  o.resume = false;
  EXPECT_EQ(weights("m"), trained(o, "trained"));
}

TEST_F(TrainerClassTest, BeforeAnythingWasSavedAFailureSaysSo) {
  TrainOptions o = options("m");
  o.threads = 1;
  const auto failing = trainer(o);
  {
    const testing::FailingNew memory(1);
    EXPECT_THROW(failing->step(), std::bad_alloc);
  }
  expect_refusal(*failing, o.model + " failed");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "m/model.safetensors"));
}

// A validation that fails changes weights only where it exchanges them for their moving average.
TEST_F(TrainerClassTest, AFailedValidationEndsOnlyWhatItChanged) {
  TrainOptions o = validated("m");
  o.validation_metric = ValidationMetric::bleu;
  o.epochs = 1;
  TrainObserver observer;
  bool fails = true;
  const TranslationMeasures measures{
      .scores = [&](const ModelParts&, const LinesToScore&) -> ScoredTranslations {
        if (fails) fail("no translations");
        return {{{"bleu", "BLEU", 0}}};
      }};
  {
    Trainer plain(o, open_training_text(o), *backend_, observer, measures);
    plain.step();
    EXPECT_THROW(plain.validate(), Error);
    fails = false;
    while (!plain.done()) plain.step();
    plain.finish();
  }
  EXPECT_EQ(weights("m"), trained(o, "trained"));
  o.ema = 0.9;
  o.model = (folder_ / "ema").string();
  Trainer averaged(o, open_training_text(o), *backend_, observer, measures);
  averaged.step();
  fails = true;
  EXPECT_THROW(averaged.validate(), Error);
  fails = false;
  expect_refusal(averaged, o.model + " failed");
}

TEST_F(TrainerClassTest, ASaveThatFailedIsRepeated) {
  const auto saving = trainer(options("m"));
  saving->step();
  // Writing beyond this size fails, as on a full disk.
  const auto before = signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit tight{1000, limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &tight);
  EXPECT_THROW(saving->save(), Error);
  setrlimit(RLIMIT_FSIZE, &limit);
  signal(SIGXFSZ, before);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "m/training/state.safetensors"));
  saving->save();
  while (!saving->done()) saving->step();
  saving->finish();
  EXPECT_EQ(weights("m"), trained(options("m"), "trained"));
}

}  // namespace
}  // namespace heed
