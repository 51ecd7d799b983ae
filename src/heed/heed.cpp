#include "heed/heed.h"

#include "heed/run/run_settings.h"
#include "heed/run/settings_choice.h"

namespace heed {

TrainResult train(const TrainOptions& options, TrainObserver& observer) {
  validate(options);
  return train(options, open_training_text(options, observer), observer);
}

TrainResult train(const TrainOptions& options, const TrainingText& text, TrainObserver& observer) {
  validate(options);
  const TrainOptions chosen = with_chosen_settings(options, text, observer);
  const auto backend = make_backend({chosen.compute, chosen.device}, Purpose::training);
  return train(chosen, text, *backend, observer, measures_of(chosen, text, observer));
}

TrainResult train(const TrainOptions& options) {
  TrainObserver silent;
  return train(options, silent);
}

TranslationMeasures measures_of(const TrainOptions& options, const TrainingText& text,
                                TrainObserver& observer) {
  const RunSettings settings = resolve(options);
  return translation_measures(
      {.threads = settings.threads,
       .batch_tokens = settings.validation.batch_tokens,
       .bleu_tokenize = options.bleu_tokenize},
      [&](size_t number) {
        if (number > 0) return text.further[number - 1];
        if (text.validation) return *text.validation;
        return options.hold_out.value_or(0) > 0 ? held_out_text(options) : text.text;
      },
      [&](const std::string& message) { observer.message(message); });
}

Evaluation evaluate(const Lines& hypotheses, const Lines& references,
                    const BleuOptions& bleu_options) {
  const std::span<const Lines> one(&references, 1);
  return {bleu(hypotheses, one, bleu_options), chrf(hypotheses, one), ter(hypotheses, one)};
}

}  // namespace heed
