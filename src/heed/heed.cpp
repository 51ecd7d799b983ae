#include "heed/heed.h"

#include <algorithm>

#include "heed/core/parallel.h"
#include "heed/decode/alignment_choice.h"
#include "heed/train/resolved_options.h"

namespace heed {
namespace {

constexpr size_t kSamples = 5;  // of the run's report

// Lines whose translations and attention a page can show at a glance: the first few of the
// validation text that have between 4 and 30 pieces.
class SampleLines {
 public:
  SampleLines(const ParallelText& text, const TokenizerPair& tokenizers) {
    std::string source, target;
    for (PairReader reader(text); lines_.size() < kSamples && reader.next(source, target);) {
      const size_t pieces = tokenizers.source().encode(source).size();
      const bool is_new = std::none_of(lines_.begin(), lines_.end(),
                                       [&](const auto& l) { return l.first == source; });
      if (pieces >= 4 && pieces <= 30 && is_new) lines_.emplace_back(source, target);
    }
  }
  // Source and target.
  const std::vector<std::pair<std::string, std::string>>& lines() const { return lines_; }

 private:
  std::vector<std::pair<std::string, std::string>> lines_;
};

// The mean over heads of a layer's weights, [layers, heads, rows, columns].
std::vector<float> mean_of_heads(const Tensor& weights, int64_t layer) {
  const Shape& shape = weights.shape();
  const int64_t heads = shape[1], size = shape[2] * shape[3];
  std::vector<float> mean(size_t(size), 0);
  const auto add = [&](const auto* first) {
    for (int64_t head = 0; head < heads; ++head)
      for (int64_t i = 0; i < size; ++i)
        mean[size_t(i)] += float(first[(layer * heads + head) * size + i]) / float(heads);
  };
  if (weights.dtype() == DType::fp32)
    add(weights.data<float>());
  else
    add(weights.data<double>());
  return mean;
}

SampleTranslation sample_translation(const ModelParts& parts, const std::string& source,
                                     const std::string& reference) {
  DecodeOptions decode;
  decode.search.beam = 1;
  const Explanation explanation = explain(parts, {source}, decode);
  const TextHypothesis& best = explanation.translation.hypotheses.front();
  SampleTranslation sample{source, reference, best.text, best.score, {}, {}, {}, {}};
  if (explanation.parts.size() != 1) return sample;  // nothing to show of a line without tokens
  const PartExplanation& part = explanation.parts.front();
  sample.source_pieces = part.attention.source_pieces;
  sample.target_pieces = part.attention.target_pieces;
  sample.log_probabilities = part.log_probabilities;
  sample.attention = mean_of_heads(part.attention.cross,
                                   default_alignment_heads(parts.model.config()).heads[0].layer);
  return sample;
}

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
    const Translator translator({{model, backend_}, tokenizers}, decode);
    Lines sources;
    std::vector<Lines> references(1);
    const ParallelText text = validation_text();
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

  std::optional<AlignmentHeads> alignment_heads(const Transformer& model,
                                                const AlignmentText& text) override {
    Workers workers(int(options_.threads.value_or(available_threads())));
    const AlignmentMeasurement measured = measure_alignment({model, backend_}, text, workers);
    if (!measured.best) return std::nullopt;
    const AlignmentHeads& heads = measured.best->heads;
    observer_.message(fmt::format(
        "word alignments: {}, whose attention agrees with {:.0f}% of {} word links",
        to_string(heads, model.config()),
        100 * double(measured.best->agreeing) / double(measured.links), measured.links));
    return heads;
  }

  std::vector<SampleTranslation> sample_translations(const Transformer& model,
                                                     const TokenizerPair& tokenizers) override {
    if (!sampled_) sampled_.emplace(validation_text(), tokenizers);
    const auto& lines = sampled_->lines();
    std::vector<SampleTranslation> samples(lines.size());
    Workers workers(int(
        std::clamp<int64_t>(options_.threads.value_or(available_threads()), 1, int64_t(kSamples))));
    workers.run(int64_t(lines.size()), [&](int64_t i, int) {
      const auto& [source, target] = lines[size_t(i)];
      samples[size_t(i)] = sample_translation({{model, backend_}, tokenizers}, source, target);
    });
    return samples;
  }

 private:
  ParallelText validation_text() const {
    return text_.validation ? *text_.validation : held_out_text(options_);
  }

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
  std::optional<SampleLines> sampled_;
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
