#include "heed/tasks/translation_measures.h"

#include <memory>

#include "heed/core/parallel.h"
#include "heed/decode/alignment_choice.h"
#include "heed/decode/translator.h"
#include "heed/evaluate/bleu.h"
#include "heed/evaluate/brackets.h"
#include "heed/evaluate/chrf.h"
#include "heed/model/sequence_model.h"
#include "heed/text/linear_tree.h"

namespace heed {
namespace {

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

  std::vector<SampleOutput> samples(const ModelParts& parts) {
    if (!sampled_) sampled_ = sample_lines(open_text_(), parts);
    return sample_outputs(parts, *sampled_, options_.threads);
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
  std::optional<std::vector<SampleLine>> sampled_;
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
