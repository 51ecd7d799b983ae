// A custom training loop: the caller decides when to validate, to save and to stop. Needs the text
// of `heed phrasebook --output corpus`.
#include <heed/heed.h>

#include <cstdio>

int main() {
  heed::TrainOptions options;
  options.source = {"corpus/train.zh"};
  options.target = {"corpus/train.en"};
  options.valid_source = "corpus/valid.zh";
  options.valid_target = "corpus/valid.en";
  options.model = "stepped";
  options.overwrite = true;
  options.preset = heed::Preset::tiny;
  options.tokenizer.vocabulary_size = 1500;
  options.batches.batch_tokens = 512;
  options.warmup_steps = 100;
  options.steps = 60;
  try {
    const auto backend =
        heed::make_backend({options.compute, options.device}, heed::Purpose::training);
    heed::TrainObserver silent;
    heed::Trainer trainer(options, heed::open_training_text(options), *backend, silent);
    while (!trainer.done()) {
      trainer.step();
      const long long step = trainer.progress().step;
      if (step % 20 != 0) continue;
      const heed::ValidationReport report = trainer.validate();
      std::printf("step %lld: perplexity %.1f\n", step, report.perplexity.value_or(0));
      trainer.save();  // from here on a new Trainer with options.resume continues
      if (report.loss.value_or(0) < 5) break;
    }
    trainer.finish();  // the model is in stepped/
  } catch (const heed::Error& error) {
    std::printf("cannot train: %s\n", error.what());
    return 1;
  }
}
