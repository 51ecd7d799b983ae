#include "heed/tasks/translation_measures.h"

#include <algorithm>
#include <memory>

#include "heed/core/parallel.h"
#include "heed/decode/alignment_choice.h"
#include "heed/decode/explanation.h"
#include "heed/decode/translator.h"
#include "heed/evaluate/bleu.h"
#include "heed/evaluate/brackets.h"
#include "heed/evaluate/chrf.h"
#include "heed/model/sequence_model.h"
#include "heed/text/linear_tree.h"

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
  with_values(weights, [&](auto values) {
    for (int64_t head = 0; head < heads; ++head)
      for (int64_t i = 0; i < size; ++i)
        mean[size_t(i)] += float(values[size_t((layer * heads + head) * size + i)]) / float(heads);
  });
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
  const AlignmentHeads heads = default_alignment_heads(parts.model.config());
  if (!heads.heads.empty())
    sample.attention = mean_of_heads(part.attention.cross, heads.heads[0].layer);
  return sample;
}

class Measures {
 public:
  Measures(const MeasureOptions& options, std::function<ParallelText()> open_text,
           std::function<void(const std::string&)> report)
      : options_(options), open_text_(std::move(open_text)), report_(std::move(report)) {}

  std::vector<Score> scores(const ModelParts& parts) {
    DecodeOptions decode;
    decode.threads = options_.threads;
    decode.batch_tokens = options_.batch_tokens;
    const Translator translator(parts, decode);
    Lines sources;
    std::vector<Lines> references(1);
    const ParallelText text = open_text_();
    std::string source, target;
    for (PairReader reader(text); reader.next(source, target);) {
      sources.push_back(source);
      references[0].push_back(target);
    }
    const Lines hypotheses = best_translations(translator, sources);
    if (parts.config().parses()) {
      for (size_t i = 0; i < sources.size(); ++i)
        references[0][i] = tree_line(references[0][i], sources[i]);
      return {{"brackets", "bracket F1", brackets(hypotheses, references).f1}};
    }
    const BleuTokenizer tokenizer = bleu_tokenizer(references, text.target().front().title());
    return {{"bleu", "BLEU", bleu(hypotheses, references, {.tokenizer = tokenizer}).score,
             to_text(tokenizer)},
            {"chrf", "chrF", chrf(hypotheses, references).score}};
  }

  std::optional<AlignmentHeads> alignment_heads(const ModelOnBackend& on,
                                                const AlignmentText& text) const {
    Workers workers(int(options_.threads));
    const AlignmentMeasurement measured = measure_alignment(on, text, workers);
    if (!measured.best) return std::nullopt;
    const AlignmentHeads& heads = measured.best->heads;
    report_(fmt::format("word alignments: {}, whose attention agrees with {:.0f}% of {} word links",
                        to_string(heads, on.model.config()),
                        100 * double(measured.best->agreeing) / double(measured.links),
                        measured.links));
    return heads;
  }

  std::vector<SampleTranslation> samples(const ModelParts& parts) {
    if (!sampled_) sampled_.emplace(open_text_(), parts.tokenizers);
    const auto& lines = sampled_->lines();
    std::vector<SampleTranslation> samples(lines.size());
    Workers workers(int(std::clamp<int64_t>(options_.threads, 1, int64_t(kSamples))));
    workers.run(int64_t(lines.size()), [&](int64_t i, int) {
      const auto& [source, target] = lines[size_t(i)];
      samples[size_t(i)] = sample_translation(parts, source, target);
    });
    return samples;
  }

 private:
  // Says once which was chosen.
  BleuTokenizer bleu_tokenizer(const std::vector<Lines>& references, const std::string& file) {
    if (options_.bleu_tokenize) return *options_.bleu_tokenize;
    if (!chosen_) {
      chosen_ = suitable_bleu_tokenizer(references);
      report_(fmt::format(
          "BLEU tokenizer: {}, chosen by the writing system of {} (--bleu-tokenize sets another)",
          to_text(*chosen_), file));
    }
    return *chosen_;
  }

  const MeasureOptions options_;
  const std::function<ParallelText()> open_text_;
  const std::function<void(const std::string&)> report_;
  std::optional<BleuTokenizer> chosen_;
  std::optional<SampleLines> sampled_;
};

}  // namespace

TranslationMeasures translation_measures(const MeasureOptions& options,
                                         std::function<ParallelText()> open_text,
                                         std::function<void(const std::string& text)> report) {
  const auto all = std::make_shared<Measures>(options, std::move(open_text), std::move(report));
  return {[all](const ModelParts& parts) { return all->scores(parts); },
          [all](const ModelParts& parts) { return all->samples(parts); },
          [all](const ModelOnBackend& on, const AlignmentText& text) {
            return all->alignment_heads(on, text);
          }};
}

}  // namespace heed
