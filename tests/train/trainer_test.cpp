#include "heed/train/trainer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <cstring>
#include <regex>
#include <sstream>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/core/files.h"
#include "heed/model/directory.h"
#include "heed/train/averaging.h"
#include "support/temporary_folder.h"

namespace heed {
namespace {

// Counts steps by reports and asks to stop after some of them.
class Recorder : public TrainObserver {
 public:
  explicit Recorder(int64_t stop_after = INT64_MAX) : stop_after_(stop_after) {}
  void report(const TrainReport& r) override { reports.push_back(r); }
  void validated(const ValidationReport& r) override { validations.push_back(r); }
  bool stop_requested() override { return ++asked_ >= stop_after_; }
  double bleu(const Transformer&, const TokenizerPair&) override {
    return bleus.empty() ? 0 : bleus[std::min(validations.size(), bleus.size() - 1)];
  }
  void message(const std::string& text) override { messages.push_back(text); }
  std::vector<std::string> messages;
  std::vector<TrainReport> reports;
  std::vector<ValidationReport> validations;
  std::vector<double> bleus;

 private:
  int64_t asked_ = 0, stop_after_;
};

class TrainerTest : public ::testing::Test {
 protected:
  TrainerTest() {
    std::string source, target;
    Random random(1);
    for (int i = 0; i < 120; ++i) {  // the target is the source backwards
      std::string words, backwards;
      for (uint64_t n = 1 + random.below(5); n > 0; --n) {
        const std::string word(1, char('a' + random.below(12)));
        words += word + " ";
        backwards.insert(0, word + " ");
      }
      source += words + "\n";
      target += backwards + "\n";
    }
    folder_.write("source", source);
    folder_.write("target", target);
  }

  TrainOptions options(const std::string& model) const {
    TrainOptions o;
    o.source = {(folder_ / "source").string()};
    o.target = {(folder_ / "target").string()};
    o.model = (folder_ / model).string();
    o.tokenizer.kind = TokenizerKind::word;
    o.tokenizer.vocabulary = 32;
    o.preset = Preset::tiny;
    o.d_model = 16;
    o.d_ff = 32;
    o.heads = 2;
    o.encoder_layers = o.decoder_layers = 1;
    o.batches.batch_tokens = 100;
    o.warmup = 20;
    o.threads = 2;
    o.report_every = 1;
    o.epochs = 3;
    return o;
  }

  TrainOptions validated(const std::string& model) const {
    TrainOptions o = options(model);
    o.valid_source = o.source[0];
    o.valid_target = o.target[0];
    return o;
  }

  static void use_modern_recipe(TrainOptions& o) {
    o.optimizer = Optimizer::adamw;
    o.weight_decay = 0.1;
    o.ema = 0.9;
    o.schedule = Schedule::cosine;
    o.learning_rate = 0.01;
    o.warmup = 4;
    o.decay_steps = 12;
  }

  std::string weights(const std::string& model) const {
    return folder_.read(model + "/model.safetensors");
  }

  std::string message(const TrainOptions& o) {
    try {
      Recorder recorder;
      train(o, *backend_, recorder);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }

  testing::TemporaryFolder folder_;
  std::unique_ptr<Backend> backend_ = make_cpu_backend();
};

TEST_F(TrainerTest, LearnsAndLeavesAModelDirectory) {
  TrainOptions o = options("m");
  o.epochs = 30;
  Recorder recorder;
  const TrainResult result = train(o, *backend_, recorder);
  EXPECT_EQ(result.end, TrainEnd::finished);
  EXPECT_EQ(result.progress.epoch, 30);
  EXPECT_LT(recorder.reports.back().loss, 0.7 * recorder.reports.front().loss);
  EXPECT_DOUBLE_EQ(recorder.reports.back().done, 1);
  for (const char* name : {"config.json", "model.safetensors", "source.spm", "target.spm",
                           "vocab.json", "generation_config.json", "tokenizer_config.json",
                           "metrics.jsonl", "training/state.safetensors"})
    EXPECT_TRUE(std::filesystem::exists(folder_ / "m" / name)) << name;
}

// The paper's optimizer, and one with all that a state can hold beside it.
enum class Recipe { paper, modern };

class ResumingTest : public TrainerTest,
                     public ::testing::WithParamInterface<std::tuple<ComputeType, Recipe>> {};
INSTANTIATE_TEST_SUITE_P(ComputeTypes, ResumingTest,
                         ::testing::Combine(::testing::Values(ComputeType::fp32, ComputeType::bf16),
                                            ::testing::Values(Recipe::paper, Recipe::modern)),
                         [](const auto& info) {
                           return std::string(name(std::get<0>(info.param))) +
                                  (std::get<1>(info.param) == Recipe::paper ? "Paper" : "Modern");
                         });

TEST_P(ResumingTest, StoppedAnywhereAndResumedItEndsWithTheSameBytes) {
  const auto [compute, recipe] = GetParam();
  backend_ = make_cpu_backend("", compute);
  TrainOptions o = validated("whole");
  if (recipe == Recipe::modern) use_modern_recipe(o);
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
    EXPECT_EQ(train(first, *backend_, rest).end, TrainEnd::finished);
    EXPECT_EQ(weights(name), weights("whole")) << "stopped after step " << stop;
    // The losses reported are those of the run that never stopped, too.
    EXPECT_EQ(rest.reports.back().loss, whole.reports.back().loss);
  }
}

TEST_F(TrainerTest, HeldOutPairsAreValidatedOnAndNeverLearnt) {
  TrainOptions o = options("m");
  o.hold_out = 10;
  o.tokenizer.lowercase = true;
  Recorder recorder(5);
  EXPECT_EQ(train(o, *backend_, recorder).end, TrainEnd::stopped);
  const std::string source = folder_.read("m/held_out.source");
  EXPECT_EQ(std::count(source.begin(), source.end(), '\n'), 10);
  const auto lines_of = [](const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  };
  const std::vector<std::string> held = lines_of(source);
  const std::vector<std::string> all = lines_of(folder_.read("source"));
  const auto left = std::count_if(all.begin(), all.end(), [&](const std::string& line) {
    return std::find(held.begin(), held.end(), line) == held.end();
  });
  EXPECT_THAT(recorder.messages,
              ::testing::Contains(::testing::HasSubstr(fmt::format("train: kept {} of", left))));
  o.resume = true;
  Recorder rest;
  train(o, *backend_, rest);
  EXPECT_EQ(recorder.validations.size() + rest.validations.size(), 3u);
  TrainOptions again = o;
  again.model = (folder_ / "again").string();
  train(again, *backend_, rest);
  EXPECT_EQ(weights("again"), weights("m"));
  EXPECT_EQ(folder_.read("again/held_out.target"), folder_.read("m/held_out.target"));
  again.valid_source = again.valid_target = again.source[0];
  EXPECT_THAT(message(again), ::testing::HasSubstr("contradicts --valid-source"));
  o.hold_out = 1000;
  o.model = (folder_ / "too-many").string();
  EXPECT_THAT(message(o), ::testing::HasSubstr("leaves nothing to learn from"));
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

TEST_F(TrainerTest, BoundsEndTheRun) {
  TrainOptions o = options("steps");
  o.epochs.reset();
  o.steps = 5;
  Recorder recorder;
  EXPECT_EQ(train(o, *backend_, recorder).progress.step, 5);
  o = options("minutes");
  o.epochs.reset();
  o.minutes = 1e-9;
  EXPECT_EQ(train(o, *backend_, recorder).progress.step, 1);
}

TEST_F(TrainerTest, PatienceEndsTheRun) {
  TrainOptions o = validated("patient");
  o.validate_bleu = true;
  o.patience = 2;
  o.epochs = 50;
  Recorder recorder;
  recorder.bleus = {1, 5, 4, 5, 9};
  EXPECT_EQ(train(o, *backend_, recorder).end, TrainEnd::out_of_patience);
  ASSERT_EQ(recorder.validations.size(), 4u);
  EXPECT_TRUE(recorder.validations[1].best);
  EXPECT_FALSE(recorder.validations[3].best) << "equal is not better";
}

TEST_F(TrainerTest, TheBestSnapshotsAreAveraged) {
  TrainOptions o = validated("best");
  o.validate_bleu = true;
  o.average = "best:1";
  o.epochs = 4;
  Recorder recorder;
  recorder.bleus = {1, 7, 3, 2};
  train(o, *backend_, recorder);
  TrainOptions two = validated("two");
  two.epochs = 2;
  Recorder plain;
  train(two, *backend_, plain);
  EXPECT_EQ(weights("best"), weights("two"));
}

TEST_F(TrainerTest, AModelIsNotOverwrittenUnasked) {
  EXPECT_EQ(message(options("m")), "");
  EXPECT_NE(message(options("m")).find("holds a model already"), std::string::npos);
  TrainOptions o = options("m");
  o.overwrite = true;
  o.seed = 2;
  const std::string before = weights("m");
  EXPECT_EQ(message(o), "");
  EXPECT_NE(weights("m"), before);
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
  expect([](TrainOptions& o) { o.final_fraction = 0.5; }, "final_fraction was none");
}

TEST_F(TrainerTest, TheMovingAverageIsWhatIsScoredKeptAndLeft) {
  TrainOptions o = validated("ema");
  o.ema = 0.5;
  o.keep = 2;
  Recorder averaged, plain;
  train(o, *backend_, averaged);
  TrainOptions without = validated("plain");
  train(without, *backend_, plain);
  // The training itself is the same.
  EXPECT_EQ(averaged.reports.back().loss, plain.reports.back().loss);
  EXPECT_NE(weights("ema"), weights("plain"));
  EXPECT_NE(averaged.validations.back().loss, plain.validations.back().loss);
  // What it leaves is what its last snapshot holds, and has the loss that was reported.
  Transformer kept = load_model(folder_ / "ema");
  const auto step = fmt::format("step-{}.safetensors", averaged.reports.back().step);
  load_average({folder_ / "ema/training" / step}, kept);
  save_model(folder_ / "kept", kept);
  EXPECT_EQ(weights("kept"), weights("ema"));
  TrainOptions again = validated("again");
  again.d_model.reset(), again.d_ff.reset(), again.heads.reset();
  again.encoder_layers.reset(), again.decoder_layers.reset();
  again.initialize = (folder_ / "ema").string();
  again.schedule = Schedule::constant;
  again.learning_rate = 1e-30;
  again.steps = 1;
  Recorder scored;
  train(again, *backend_, scored);
  EXPECT_EQ(scored.validations.back().loss, averaged.validations.back().loss);
}

TEST_F(TrainerTest, WeightDecayAndTheRateOfAScheduleReachTheWeights) {
  TrainOptions o = options("adam");
  o.schedule = Schedule::linear;
  o.learning_rate = 0.01;
  o.warmup = 2;
  o.steps = 8;
  o.final_fraction = 0.5;
  Recorder recorder;
  train(o, *backend_, recorder);
  EXPECT_DOUBLE_EQ(recorder.reports[0].learning_rate, 0.005);
  EXPECT_DOUBLE_EQ(recorder.reports[4].learning_rate, 0.0075);
  EXPECT_DOUBLE_EQ(recorder.reports[7].learning_rate, 0.005);
  o.optimizer = Optimizer::adamw;
  for (const auto& [name, decay] : {std::pair("zero", 0.0), std::pair("some", 0.1)}) {
    o.model = (folder_ / name).string();
    o.weight_decay = decay;
    train(o, *backend_, recorder);
  }
  EXPECT_EQ(weights("zero"), weights("adam"));
  EXPECT_NE(weights("some"), weights("adam"));
}

TEST_F(TrainerTest, ResumingOnAnotherInstructionSetIsRefused) {
  const std::vector<std::string> targets = cpu_targets();
  if (targets.size() < 2) GTEST_SKIP() << "this machine has one instruction set";
  EXPECT_EQ(message(options("m")), "");
  backend_ = make_cpu_backend(targets.back());
  TrainOptions o = options("m");
  o.resume = true;
  EXPECT_NE(message(o).find("--other-instruction-set"), std::string::npos);
  o.other_instruction_set = true;
  EXPECT_EQ(message(o), "");
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

// The same file with what matches in its header replaced. The header is JSON inside JSON: `"` in
// the arguments stands for `\"`.
std::string with_header(const std::string& state, std::string pattern, std::string replacement) {
  for (std::string* text : {&pattern, &replacement})
    for (size_t at = 0; (at = text->find('"', at)) != text->npos; at += 3)
      text->replace(at, 1, text == &pattern ? R"(\\")" : R"(\")");
  uint64_t length = 0;
  memcpy(&length, state.data(), sizeof length);
  const std::string before = state.substr(8, length);
  const std::string header = std::regex_replace(before, std::regex(pattern), replacement);
  EXPECT_NE(header, before) << pattern;
  const uint64_t size = header.size();
  return std::string(reinterpret_cast<const char*>(&size), 8) + header + state.substr(8 + length);
}

// Progress that no run makes would overflow a count, loop for ever or name what is not there.
TEST_F(TrainerTest, ImpossibleProgressIsAClearError) {
  TrainOptions o = validated("m");
  o.average = "best:2";
  o.steps = 4;
  o.validate_every = 2;
  EXPECT_EQ(message(o), "");
  const std::string name = "m/training/state.safetensors";
  const std::string state = folder_.read(name);
  o.resume = true;
  o.steps = 6;
  const auto expect = [&](const char* pattern, const char* replacement, const char* part) {
    folder_.write(name, with_header(state, pattern, replacement));
    const std::string text = message(o);
    EXPECT_NE(text.find("state.safetensors: the progress it records " + std::string(part)),
              std::string::npos)
        << pattern << ": " << text;
    EXPECT_NE(text.find("begin anew with --overwrite"), std::string::npos) << text;
  };
  expect(R"("batch":\d+)", R"("batch":9007199254740992)", "stands at batch 9007199254740993 of");
  expect(R"("batch":\d+)", R"("batch":-1)", "is damaged");
  expect(R"("step":4,"epoch")", R"("step":9223372036854775807,"epoch")", "is damaged");
  expect(R"("step":4,"epoch")", R"("step":4.5,"epoch")", "is damaged");
  expect(R"("seconds":[^,]+)", R"("seconds":-1)", "is damaged");
  expect(R"("step":4,"score")", R"("step":5,"score")", "is damaged");
  expect(R"("step":4,"score")", R"("step":2,"score")", "is damaged");
  expect(R"("score":[^}]+)", R"("score":null)", "has snapshots without a score");
  folder_.write(name, state);
  EXPECT_EQ(message(o), "");
}

TEST_F(TrainerTest, WeightsThatNoRunLeavesAreAClearError) {
  TrainOptions o = options("m");
  o.epochs = 1;
  EXPECT_EQ(message(o), "");
  const std::string name = "m/training/state.safetensors";
  const std::string state = folder_.read(name);
  o.resume = true;
  o.epochs = 2;
  uint64_t header = 0;
  memcpy(&header, state.data(), sizeof header);
  for (const float bad : {NAN, INFINITY}) {
    std::string damaged = state;
    memcpy(damaged.data() + 8 + header, &bad, sizeof bad);
    folder_.write(name, damaged);
    EXPECT_NE(message(o).find("holds values that no run leaves"), std::string::npos) << bad;
  }
  std::string negative = state;  // a second moment is a mean of squares; the last tensor is one
  const float below = -1;
  memcpy(negative.data() + negative.size() - sizeof below, &below, sizeof below);
  folder_.write(name, negative);
  EXPECT_NE(message(o).find("second_moment"), std::string::npos) << message(o);
}

TEST_F(TrainerTest, ALossThatIsNotFiniteStopsTheRunAndKeepsTheCheckpoint) {
  TrainOptions o = options("m");
  o.epochs = 1;
  EXPECT_EQ(message(o), "");
  // Weights so large that the next step overflows: the first tensor's values follow the header,
  // whose length stands in the first eight bytes.
  std::string state = folder_.read("m/training/state.safetensors");
  uint64_t header = 0;
  memcpy(&header, state.data(), 8);
  const std::vector<float> huge(64, 1e38f);
  memcpy(state.data() + 8 + header, huge.data(), 64 * sizeof(float));
  folder_.write("m/training/state.safetensors", state);
  o.resume = true;
  o.epochs = 2;
  const std::string text = message(o);
  EXPECT_NE(text.find("the loss is not finite at step"), std::string::npos) << text;
  EXPECT_NE(text.find("from lines"), std::string::npos) << text;
  EXPECT_EQ(folder_.read("m/training/state.safetensors"), state);
}

TEST_F(TrainerTest, AFullDiskLeavesTheLastGoodCheckpoint) {
  TrainOptions o = options("m");
  o.epochs = 1;
  EXPECT_EQ(message(o), "");
  const std::string state = folder_.read("m/training/state.safetensors");
  o.resume = true;
  o.epochs = 2;
  // Writing beyond this size fails, as on a full disk.
  const auto before = signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit tight{rlim_t(state.size() / 2), limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &tight);
  const std::string text = message(o);
  setrlimit(RLIMIT_FSIZE, &limit);
  signal(SIGXFSZ, before);
  EXPECT_NE(text.find("state.safetensors"), std::string::npos) << text;
  EXPECT_EQ(folder_.read("m/training/state.safetensors"), state);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "m/training/state.safetensors.partial"));
  EXPECT_EQ(message(o), "") << "with room again the run goes on";
}

TEST_F(TrainerTest, FineTuningBeginsWithTheModel) {
  EXPECT_EQ(message(options("base")), "");
  TrainOptions o = options("tuned");
  o.d_model.reset(), o.d_ff.reset(), o.heads.reset();
  o.encoder_layers.reset(), o.decoder_layers.reset();
  o.initialize = (folder_ / "base").string();
  o.schedule = Schedule::constant;
  o.learning_rate = 1e-30;  // so small that nothing moves
  EXPECT_EQ(message(o), "");
  EXPECT_EQ(weights("tuned"), weights("base"));
}

TEST_F(TrainerTest, SeparateVocabularies) {
  TrainOptions o = options("separate");
  o.vocabularies = Vocabularies::separate;
  o.tie_embeddings = TieEmbeddings::decoder;
  EXPECT_EQ(message(o), "");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "separate" / "target_vocab.json"));
}

}  // namespace
}  // namespace heed
