#include "heed/heed.h"

#include "heed/train/resolved_options.h"

namespace heed {
namespace {

// The caller's observer, with the translations that train/ does not know how to make.
class MeasuringObserver : public TrainObserver {
 public:
  MeasuringObserver(const TrainOptions& options, const TrainingText& text, Backend& backend,
                    TrainObserver& observer)
      : options_(options), text_(text), backend_(backend), observer_(observer) {}

  void message(const std::string& text) override { observer_.message(text); }
  void warning(const std::string& text) override { observer_.warning(text); }
  void report(const TrainReport& report) override { observer_.report(report); }
  void progress(const TrainReport& report) override { observer_.progress(report); }
  void validated(const ValidationReport& report) override { observer_.validated(report); }
  void before_first_write() override { observer_.before_first_write(); }
  void preparing() override { observer_.preparing(); }
  bool stop_requested() override { return observer_.stop_requested(); }

  TranslationScores translation_scores(const Transformer& model,
                                       const TokenizerPair& tokenizers) override {
    DecodeOptions decode;
    decode.threads = options_.threads;
    decode.batch_tokens = validation_batch_tokens(options_);
    const Translator translator(model, tokenizers, backend_, decode);
    Lines sources;
    std::vector<Lines> references(1);
    const ParallelText text = text_.validation ? *text_.validation : held_out_text(options_);
    std::string source, target;
    for (PairReader reader(text); reader.next(source, target);) {
      sources.push_back(source);
      references[0].push_back(target);
    }
    const Lines hypotheses = best_translations(translator, sources);
    const BleuTokenizer tokenizer = bleu_tokenizer(references, text.target().front().title());
    return {bleu(hypotheses, references, {.tokenizer = tokenizer}).score,
            chrf(hypotheses, references).score, tokenizer};
  }

 private:
  // Says once which was chosen.
  BleuTokenizer bleu_tokenizer(const std::vector<Lines>& references, const std::string& file) {
    if (options_.bleu_tokenize) return *options_.bleu_tokenize;
    if (!chosen_) {
      chosen_ = suitable_bleu_tokenizer(references);
      observer_.message(fmt::format(
          "BLEU tokenizer: {}, chosen by the writing system of {} (--bleu-tokenize sets another)",
          name(*chosen_), file));
    }
    return *chosen_;
  }

  const TrainOptions& options_;
  const TrainingText& text_;
  Backend& backend_;
  TrainObserver& observer_;
  std::optional<BleuTokenizer> chosen_;
};

}  // namespace

TrainResult train(const TrainOptions& options, TrainObserver& observer) {
  validate(options);
  return train(options, open_training_text(options, observer), observer);
}

TrainResult train(const TrainOptions& options, const TrainingText& text, TrainObserver& observer) {
  validate(options);
  const auto backend = make_backend(options.compute, Purpose::training);
  const auto measuring = with_translation_scores(options, text, *backend, observer);
  return train(options, text, *backend, *measuring);
}

TrainResult train(const TrainOptions& options) {
  TrainObserver silent;
  return train(options, silent);
}

std::unique_ptr<TrainObserver> with_translation_scores(const TrainOptions& options,
                                                       const TrainingText& text, Backend& backend,
                                                       TrainObserver& observer) {
  return std::make_unique<MeasuringObserver>(options, text, backend, observer);
}

Evaluation evaluate(const Lines& hypotheses, const Lines& references,
                    const BleuOptions& bleu_options) {
  const std::span<const Lines> one(&references, 1);
  return {bleu(hypotheses, one, bleu_options), chrf(hypotheses, one), ter(hypotheses, one)};
}

}  // namespace heed
