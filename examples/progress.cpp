// Training with an observer, which prints reports and stops it. Needs the text of
// `heed phrasebook --output corpus`.
#include <heed/heed.h>

#include <cstdio>

struct Watcher : heed::TrainObserver {
  void report(const heed::TrainReport& report) override {
    std::printf("step %lld: loss %.3f\n", static_cast<long long>(report.step), report.loss);
    loss = report.loss;
  }
  void validated(const heed::ValidationReport& report) override {
    std::printf("validation: perplexity %.1f\n", report.perplexity.value_or(0));
  }
  // Called after every step. A run that is stopped is saved; options.resume continues it.
  bool stop_requested() override { return loss < 6; }

  double loss = 10;
};

int main() {
  heed::TrainOptions options;
  options.source = {"corpus/train.zh"};
  options.target = {"corpus/train.en"};
  options.valid_source = "corpus/valid.zh";
  options.valid_target = "corpus/valid.en";
  options.model = "watched";
  options.overwrite = true;
  options.preset = heed::Preset::tiny;
  options.tokenizer.vocabulary_size = 1500;
  options.batches.batch_tokens = 512;
  options.warmup_steps = 100;
  options.steps = 60;
  options.validate_every = 30;
  options.report_every = 10;
  try {
    Watcher watcher;
    const bool stopped = heed::train(options, watcher).end == heed::TrainEnd::stopped;
    std::puts(stopped ? "stopped by the observer" : "all steps done");
  } catch (const heed::Error& error) {  // its message is one line
    std::printf("cannot train: %s\n", error.what());
    return 1;
  }
}
