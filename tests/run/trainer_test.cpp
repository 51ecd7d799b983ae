// What a run leaves, and where it ends.
#include "heed/run/trainer.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <cstring>
#include <map>
#include <sstream>

#include "heed/core/files.h"
#include "heed/model/directory.h"
#include "heed/run/averaging.h"
#include "run/trainer_fixture.h"
#include "support/bytes.h"
#include "support/facts.h"

namespace heed {
namespace {

TEST_F(TrainerTest, LearnsAndLeavesAModelDirectory) {
  TrainOptions o = options("m");
  o.epochs = 30;
  Recorder recorder;
  const TrainResult result = train(o, *backend_, recorder);
  EXPECT_EQ(result.end, TrainEnd::limit_reached);
  EXPECT_EQ(result.progress.epoch, 30);
  EXPECT_LT(recorder.reports.back().loss, 0.7 * recorder.reports.front().loss);
  EXPECT_DOUBLE_EQ(recorder.reports.back().fraction_done, 1);
  for (const char* name : {"config.json", "model.safetensors", "source.spm", "target.spm",
                           "vocab.json", "generation_config.json", "tokenizer_config.json",
                           "metrics.jsonl", "training/state.safetensors"})
    EXPECT_TRUE(std::filesystem::exists(folder_ / "m" / name)) << name;
}

// Clipping needs the whole gradient, so a bound that clips nothing trains without deferring.
TEST_F(TrainerTest, DeferredGradientsTrainTheSame) {
  const auto run = [&](const std::string& name, int64_t shards, int64_t accumulate,
                       double clip_norm) {
    TrainOptions o = validated(name);
    use_modern_recipe(o);
    o.d_model = 64;
    o.batches.batch_tokens = o.batches.tokens() / accumulate;
    o.accumulate = accumulate;
    o.shards = shards;
    o.clip_norm = clip_norm;
    Recorder recorder;
    train(o, *backend_, recorder);
    return recorder.reports.back();
  };
  for (const auto& [shards, accumulate] :
       {std::pair<int64_t, int64_t>{1, 1}, {2, 1}, {8, 1}, {4, 2}}) {
    const std::string name = fmt::format("{} shards of {}", shards, accumulate);
    const TrainReport deferred = run("deferred " + name, shards, accumulate, 0);
    const TrainReport whole = run("whole " + name, shards, accumulate, 1e9);
    EXPECT_EQ(weights("deferred " + name), weights("whole " + name)) << name;
    EXPECT_EQ(deferred.loss, whole.loss) << name;
    EXPECT_EQ(deferred.gradient_norm, whole.gradient_norm) << name;
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
  EXPECT_THAT(message(again), HasFacts("--valid-source"));
  o.hold_out = 1000;
  o.model = (folder_ / "too-many").string();
  EXPECT_THAT(message(o), HasFacts("nothing"));
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
  o.validation_metric = ValidationMetric::bleu;
  o.patience = 2;
  o.epochs = 50;
  Recorder recorder;
  recorder.bleus = {1, 5, 4, 5, 9};
  EXPECT_EQ(train(o, *backend_, recorder, recorder.measures()).end, TrainEnd::out_of_patience);
  ASSERT_EQ(recorder.validations.size(), 4u);
  EXPECT_TRUE(recorder.validations[1].best);
  EXPECT_FALSE(recorder.validations[3].best) << "equal is not better";
}

TEST_F(TrainerTest, TheBestCheckpointsAreAveraged) {
  TrainOptions o = validated("best");
  o.validation_metric = ValidationMetric::bleu;
  o.average = "best:1";
  o.epochs = 4;
  Recorder recorder;
  recorder.bleus = {1, 7, 3, 2};
  train(o, *backend_, recorder, recorder.measures());
  TrainOptions two = validated("two");
  two.epochs = 2;
  Recorder plain;
  train(two, *backend_, plain, plain.measures());
  EXPECT_EQ(weights("best"), weights("two"));
}

TEST_F(TrainerTest, ChrfRanksValidationsWhereAsked) {
  TrainOptions o = validated("chrf");
  o.validation_metric = ValidationMetric::chrf;
  o.average = "best:1";
  o.epochs = 4;
  Recorder recorder;
  recorder.bleus = {1, 2, 3, 4};
  recorder.chrfs = {5, 7, 6, 4};
  train(o, *backend_, recorder, recorder.measures());
  ASSERT_GE(recorder.validations.size(), 4u);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(recorder.validations[i].best, i < 2) << i;
  EXPECT_EQ(recorder.validations[3].score("bleu"), 4);
  const std::string metrics = folder_.read("chrf/metrics.jsonl");
  EXPECT_THAT(metrics, ::testing::HasSubstr(R"("bleu":2.0,"bleu_tokenize":"13a","chrf":7.0)"));
  TrainOptions two = validated("two");
  two.epochs = 2;
  train(two, *backend_, recorder, recorder.measures());
  EXPECT_EQ(weights("chrf"), weights("two"));
}

// The loss of a model on the text that validated() names.
double validation_loss(const TrainOptions& validated, const std::filesystem::path& model,
                       Backend& backend) {
  TrainOptions o = validated;
  o.d_model.reset(), o.d_ff.reset(), o.heads.reset();
  o.encoder_layers.reset(), o.decoder_layers.reset();
  o.finetune_from = model.string();
  o.model = model.string() + " scored";
  o.schedule = Schedule::constant;
  o.learning_rate = 1e-30;  // so small that nothing moves
  o.steps = 1;
  Recorder scored;
  train(o, backend, scored);
  return scored.validations.back().loss.value();
}

TEST_F(TrainerTest, TheMeanOfCheckpointsIsValidatedToo) {
  TrainOptions o = validated("mean");
  o.average = "last:2";
  Recorder recorder;
  train(o, *backend_, recorder);
  ASSERT_EQ(recorder.validations.size(), 4u);
  const ValidationReport& mean = recorder.validations.back();
  EXPECT_EQ(mean.averaged_checkpoints, 2);
  EXPECT_EQ(mean.step, recorder.reports.back().step);
  EXPECT_NE(mean.loss, recorder.validations[2].loss);
  EXPECT_EQ(mean.loss, validation_loss(validated("mean"), folder_ / "mean", *backend_));
  // A finished run that is resumed makes the mean again, and records it once.
  o.resume = true;
  Recorder again;
  train(o, *backend_, again);
  ASSERT_EQ(again.validations.size(), 1u);
  EXPECT_EQ(again.validations[0].loss, mean.loss);
  EXPECT_EQ(again.validations[0].epoch, mean.epoch);
  const std::string metrics = folder_.read("mean/metrics.jsonl");
  const size_t first = metrics.find(R"({"kind":"average")");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(metrics.find(R"("kind":"average")", first + 10), std::string::npos);
  EXPECT_THAT(metrics.substr(first), ::testing::HasSubstr(R"("checkpoints":2)"));
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

// Every file below the folder, with its bytes.
std::map<std::string, std::string> files(const std::filesystem::path& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      all[std::filesystem::relative(entry.path(), folder).string()] = read_file(entry.path());
  return all;
}

TEST_F(TrainerTest, WhatIsRefusedOverwritesNothing) {
  EXPECT_EQ(message(validated("m")), "");
  const auto before = files(folder_ / "m");
  TrainOptions o = options("m");
  o.overwrite = true;
  o.vocabularies = Vocabularies::separate;  // leaves other files
  o.tie_embeddings = TieEmbeddings::none;
  o.d_model = 16384;  // refused after the vocabulary was saved
  o.encoder_layers = 50;
  EXPECT_THAT(message(o), ::testing::HasSubstr("memory"));
  EXPECT_EQ(files(folder_ / "m"), before);
}

TEST_F(TrainerTest, TheBackupOfAKilledRunIsRestored) {
  namespace fs = std::filesystem;
  EXPECT_EQ(message(options("m")), "");
  const auto before = files(folder_ / "m");
  const fs::path training = folder_ / "m" / "training";
  // The backup is complete, and the new run has written a vocabulary.
  fs::create_directories(training / "heed-replaced/training");
  for (const auto& [name, bytes] : before)
    fs::rename(folder_ / "m" / name, training / "heed-replaced" / name);
  folder_.write("m/target_vocab.json", "{}");
  EXPECT_THAT(message(options("m")), HasFacts("--resume"));
  EXPECT_EQ(files(folder_ / "m"), before);
  // Killed in the middle of a move.
  fs::create_directories(training / "heed-replaced.partial/training");
  for (const char* name : {"config.json", "training/train.corpus"})
    fs::rename(folder_ / "m" / name, training / "heed-replaced.partial" / name);
  EXPECT_THAT(message(options("m")), HasFacts("--resume"));
  EXPECT_EQ(files(folder_ / "m"), before);
  // A backup that was being deleted.
  fs::create_directory(training / "heed-removed");
  folder_.write("m/training/heed-removed/config.json", "old");
  EXPECT_THAT(message(options("m")), HasFacts("--resume"));
  EXPECT_EQ(files(folder_ / "m"), before);
}

TEST_F(TrainerTest, TheEmaIsValidatedAndWrittenToCheckpointsAndTheModel) {
  TrainOptions o = validated("ema");
  o.ema = 0.5;
  o.keep_checkpoints = 2;
  Recorder averaged, plain;
  train(o, *backend_, averaged);
  TrainOptions without = validated("plain");
  train(without, *backend_, plain);
  // The training itself is the same.
  EXPECT_EQ(averaged.reports.back().loss, plain.reports.back().loss);
  EXPECT_NE(weights("ema"), weights("plain"));
  EXPECT_NE(averaged.validations.back().loss, plain.validations.back().loss);
  // What it leaves is what its last checkpoint holds, and has the loss that was reported.
  SequenceModel kept = load_model(folder_ / "ema");
  const auto step = fmt::format("step-{}.safetensors", averaged.reports.back().step);
  load_average({folder_ / "ema/training" / step}, kept.config(), parameters(kept));
  save_model(folder_ / "kept", kept);
  EXPECT_EQ(weights("kept"), weights("ema"));
  EXPECT_EQ(validation_loss(validated("ema"), folder_ / "ema", *backend_),
            averaged.validations.back().loss);
}

TEST_F(TrainerTest, WeightDecayAndTheRateOfAScheduleReachTheWeights) {
  TrainOptions o = options("adam");
  o.schedule = Schedule::linear;
  o.learning_rate = 0.01;
  o.warmup_steps = 2;
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

TEST_F(TrainerTest, TheEndOfAScheduleIsCountedFromTheEpochs) {
  TrainOptions o = options("epochs");
  o.schedule = Schedule::linear;
  o.warmup_steps = 1;
  o.epochs = 2;
  o.accumulate = 3;  // the last step of an epoch takes what is left
  Recorder recorder;
  train(o, *backend_, recorder);
  const auto first = std::ranges::count_if(recorder.reports, [](auto& r) { return r.epoch <= 1; });
  EXPECT_EQ(first, 2);
  o.resume = true;
  o.epochs = 3;
  EXPECT_NE(message(o).find(fmt::format("decay_steps was {}, is now {}", 2 * first, 3 * first)),
            std::string::npos)
      << message(o);
  o.decay_steps = 2 * first;
  EXPECT_EQ(message(o), "");

  o = options("steps");
  o.schedule = Schedule::linear;
  o.warmup_steps = 1;
  o.accumulate = 3;
  o.decay_steps = 2 * first;
  train(o, *backend_, recorder);
  EXPECT_EQ(weights("steps"), weights("epochs"));
}

TEST_F(TrainerTest, ALossThatIsNotFiniteStopsTheRunAndKeepsTheCheckpoint) {
  TrainOptions o = options("m");
  o.epochs = 1;
  EXPECT_EQ(message(o), "");
  // Weights so large that the next step overflows: the first tensor's values follow the header,
  // whose length stands in the first eight bytes.
  std::string state = without_checksum(folder_.read("m/training/state.safetensors"));
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
  EXPECT_THAT(text, HasFacts("state.safetensors --overwrite --learning-rate"))
      << "the first step after resuming";
  EXPECT_EQ(folder_.read("m/training/state.safetensors"), state);
}

TEST_F(TrainerTest, ALossThatIsNotFiniteBeforeAnythingWasSavedSaysSo) {
  TrainOptions o = options("m");
  make_overflow(o);
  const std::string text = message(o);
  EXPECT_NE(text.find("the loss is not finite at step"), std::string::npos) << text;
  EXPECT_EQ(text.find("state.safetensors"), std::string::npos) << text;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "m/training/state.safetensors"));
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
  o.finetune_from = (folder_ / "base").string();
  o.schedule = Schedule::constant;
  o.learning_rate = 1e-30;  // so small that nothing moves
  EXPECT_EQ(message(o), "");
  EXPECT_EQ(weights("tuned"), weights("base"));
}

TEST_F(TrainerTest, FineTuningKeepsTheLanguages) {
  TrainOptions base = options("base");
  base.epochs = 1;
  base.source_language = "zh";
  base.target_language = "en";
  EXPECT_EQ(message(base), "");
  const auto languages = [&](const std::string& source, const std::string& target) {
    TrainOptions o = options("tuned");
    o.epochs = 1;
    o.d_model.reset(), o.d_ff.reset(), o.heads.reset();
    o.encoder_layers.reset(), o.decoder_layers.reset();
    o.finetune_from = base.model;
    o.source_language = source;
    o.target_language = target;
    o.overwrite = true;
    EXPECT_EQ(message(o), "");
    const TokenizerConfig config = read_tokenizer_config(o.model);
    return config.source_language + "-" + config.target_language;
  };
  EXPECT_EQ(languages("", ""), "zh-en");
  EXPECT_EQ(languages("", "de"), "zh-de");
  EXPECT_EQ(languages("yue", ""), "yue-en");
}

TEST_F(TrainerTest, FineTuningTakesItsDropoutAndNoOtherKindOfModel) {
  TrainOptions base = options("base");
  base.activation_dropout = 0.2;
  EXPECT_EQ(message(base), "");
  TrainOptions o = options("kept");
  o.d_model.reset(), o.d_ff.reset(), o.heads.reset();
  o.encoder_layers.reset(), o.decoder_layers.reset();
  o.finetune_from = (folder_ / "base").string();
  EXPECT_EQ(message(o), "");
  EXPECT_EQ(load_model(folder_ / "kept").config().dropout, 0.1);
  EXPECT_EQ(load_model(folder_ / "kept").config().activation_dropout, 0.2);
  o.model = (folder_ / "other").string();
  o.dropout = 0.3;
  o.activation_dropout = 0;
  EXPECT_EQ(message(o), "");
  EXPECT_EQ(load_model(folder_ / "other").config().dropout, 0.3);
  EXPECT_EQ(load_model(folder_ / "other").config().activation_dropout, 0);
  EXPECT_NE(weights("other"), weights("kept"));
  TrainOptions forgotten = o;
  forgotten.resume = true;
  forgotten.finetune_from.clear();
  EXPECT_NE(message(forgotten).find("a run that began with --finetune-from"), std::string::npos);
  o.model = (folder_ / "gelu").string();
  o.activation = FeedForwardKind::gelu;
  EXPECT_EQ(message(o), "--activation is gelu, the model of --finetune-from has relu");
  o.activation = FeedForwardKind::relu;
  o.tie_embeddings = TieEmbeddings::none;
  EXPECT_EQ(message(o), "--tie-embeddings is none, the model of --finetune-from has all");
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
