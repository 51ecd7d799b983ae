// A small text, a small model to train on it, and an observer that keeps what training tells.
#pragma once

#include <gmock/gmock.h>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/core/files.h"
#include "heed/run/samples_log.h"
#include "heed/run/trainer.h"
#include "support/isolated_backend.h"
#include "support/temporary_folder.h"

namespace heed {

// Counts steps by reports and asks to stop after some of them.
class Recorder : public TrainObserver {
 public:
  explicit Recorder(int64_t stop_after = INT64_MAX) : stop_after_(stop_after) {}
  void report(const TrainReport& r) override { reports.push_back(r); }
  void progress(const TrainReport& r) override { progressed.push_back(r); }
  void warning(const std::string& text) override {
    warnings.push_back(text);
    message(text);
  }
  void validated(const ValidationReport& r) override { validations.push_back(r); }
  bool stop_requested() override { return ++asked_ >= stop_after_; }
  // The scores that it was given, in their order, whatever the model.
  TranslationMeasures measures() {
    return {.scores = [this](const ModelParts&, const LinesToScore&) -> ScoredTranslations {
      const auto next = [&](const std::vector<double>& scores) {
        return scores.empty() ? 0 : scores[std::min(validations.size(), scores.size() - 1)];
      };
      return {{{"bleu", "BLEU", next(bleus), "13a"}, {"chrf", "chrF", next(chrfs)}}};
    }};
  }
  void message(const std::string& text) override { messages.push_back(text); }
  std::vector<std::string> messages, warnings;
  std::vector<TrainReport> reports, progressed;
  std::vector<ValidationReport> validations;
  std::vector<double> bleus, chrfs;

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
    o.tokenizer.vocabulary_size = 32;
    o.preset = Preset::tiny;
    o.d_model = 16;
    o.d_ff = 32;
    o.heads = 2;
    o.encoder_layers = o.decoder_layers = 1;
    o.batches.batch_tokens = 100;
    o.warmup_steps = 20;
    o.threads = 2;
    o.report_every = 1;
    o.epochs = 3;
    return o;
  }

  static TranslationMeasures measures(const TrainOptions& o, TrainObserver& observer) {
    return translation_measures(
        {}, [o](size_t) { return held_out_text(o); },
        [&](const std::string& text) { observer.message(text); });
  }

  // Those of the last step of a run that holds lines out.
  std::vector<StoredSample> samples_of(const TrainOptions& o) {
    TrainObserver silent;
    const int64_t steps = train(o, *backend_, silent, measures(o, silent)).progress.step;
    std::vector<StoredSample> samples =
        SamplesLog(folder_ / o.model / "training/samples.jsonl").read();
    std::erase_if(samples, [&](const StoredSample& sample) { return sample.step != steps; });
    return samples;
  }

  TrainOptions validated(const std::string& model) const {
    TrainOptions o = options(model);
    o.valid_source = o.source[0];
    o.valid_target = o.target[0];
    return o;
  }

  // Weights decayed by a million times themselves soon overflow.
  static void make_overflow(TrainOptions& o) {
    o.optimizer = Optimizer::adamw;
    o.schedule = Schedule::constant;
    o.warmup_steps = 0;
    o.learning_rate = 1000;
    o.weight_decay = 1000;
    o.validate_every = 1000;
  }

  static void use_modern_recipe(TrainOptions& o) {
    o.optimizer = Optimizer::adamw;
    o.weight_decay = 0.1;
    o.ema = 0.9;
    o.schedule = Schedule::cosine;
    o.learning_rate = 0.01;
    o.warmup_steps = 4;
    o.decay_steps = 12;
  }

  std::string weights(const std::string& model) const {
    return folder_.read(model + "/model.safetensors");
  }

  std::string message(const TrainOptions& o) {
    try {
      Recorder recorder;
      train(o, *backend_, recorder, recorder.measures());
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }

  testing::TemporaryFolder folder_;
  std::unique_ptr<Backend> backend_ = testing::isolated_if_asked(make_cpu_backend());
};

}  // namespace heed
