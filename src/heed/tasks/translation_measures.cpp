#include "heed/tasks/translation_measures.h"

#include <map>
#include <memory>

#include "heed/core/parallel.h"
#include "heed/decode/alignment_choice.h"
#include "heed/decode/translator.h"
#include "heed/evaluate/bleu.h"
#include "heed/evaluate/brackets.h"
#include "heed/evaluate/chrf.h"
#include "heed/model/sequence_model.h"
#include "heed/tasks/search_choice.h"
#include "heed/text/linear_tree.h"

namespace heed {
namespace {

// `count` of the lines, or all if there are fewer.
Lines evenly_spaced(Lines lines, int64_t count) {
  const size_t all = lines.size();
  if (size_t(count) >= all) return lines;
  Lines chosen;
  chosen.reserve(size_t(count));
  for (size_t i = 0; i < size_t(count); ++i)
    chosen.push_back(std::move(lines[i * all / size_t(count)]));
  return chosen;
}

class Measures {
 public:
  Measures(const MeasureOptions& options, std::function<ParallelText(size_t)> open_text,
           std::function<void(const std::string&)> report)
      : options_(options), open_text_(std::move(open_text)), report_(std::move(report)) {}

  ScoredTranslations scores(const ModelParts& parts, const LinesToScore& which,
                            const SearchOptions& search = {}) {
    DecodeOptions decode;
    decode.search = search;
    decode.threads = options_.threads;
    decode.batch_tokens = options_.batch_tokens;
    const Translator translator(parts, decode);
    Lines sources;
    std::vector<Lines> references(1);
    const ParallelText text = open_text_(which.text);
    std::string source, target;
    for (PairReader reader(text); reader.next(source, target);) {
      sources.push_back(source);
      references[0].push_back(target);
    }
    if (which.lines) {
      sources = evenly_spaced(std::move(sources), *which.lines);
      references[0] = evenly_spaced(std::move(references[0]), *which.lines);
    }
    Lines hypotheses = best_translations(translator, sources);
    if (parts.config().parses()) {
      for (size_t i = 0; i < sources.size(); ++i)
        references[0][i] = tree_line(references[0][i], sources[i]);
      return {{{"brackets", "bracket F1", brackets(hypotheses, references).f1}},
              std::move(hypotheses)};
    }
    const BleuTokenizer tokenizer =
        bleu_tokenizer(which.text, references, text.target().front().title());
    std::vector<Score> scores = {
        {"bleu", "BLEU", bleu(hypotheses, references, {.tokenizer = tokenizer}).score,
         to_text(tokenizer)},
        {"chrf", "chrF", chrf(hypotheses, references).score}};
    return {std::move(scores), std::move(hypotheses)};
  }

  SearchDefaults search(const ModelParts& parts, int64_t lines) {
    std::string title;
    const SearchChoice choice = choose_search([&](int64_t beam, double length_penalty) {
      SearchOptions search;
      search.beam = beam;
      search.length_penalty = length_penalty;
      const std::vector<Score> all = scores(parts, {.lines = lines}, search).scores;
      title = all.front().title;
      return all.front().value;
    });
    report_(fmt::format(
        "search: beam {}, length penalty {:.1f}, chosen by {} validation lines ({} {:.2f}, with "
        "the defaults {:.2f})",
        choice.best.beam, choice.best.length_penalty, lines, title, choice.best.score,
        choice.standard.score));
    return choice.defaults();
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

  std::vector<std::string> examples(const ModelParts& parts) const {
    return example_lines(open_text_(0), parts);
  }

  std::vector<SampleOutput> samples(const ModelParts& parts) {
    if (!sampled_) sampled_ = sample_lines(open_text_(0), parts);
    return sample_outputs(parts, *sampled_, options_.threads);
  }

 private:
  // Says once for a text which was chosen.
  BleuTokenizer bleu_tokenizer(size_t text, const std::vector<Lines>& references,
                               const std::string& file) {
    if (options_.bleu_tokenize) return *options_.bleu_tokenize;
    const auto [found, is_new] = chosen_.try_emplace(text, BleuTokenizer::mteval_13a);
    if (is_new) {
      found->second = suitable_bleu_tokenizer(references);
      report_(fmt::format(
          "BLEU tokenizer: {}, chosen by the writing system of {} (--bleu-tokenize sets another)",
          to_text(found->second), file));
    }
    return found->second;
  }

  const MeasureOptions options_;
  const std::function<ParallelText(size_t)> open_text_;
  const std::function<void(const std::string&)> report_;
  std::map<size_t, BleuTokenizer> chosen_;  // by the number of the text
  std::optional<std::vector<SampleLine>> sampled_;
};

}  // namespace

TranslationMeasures translation_measures(const MeasureOptions& options,
                                         std::function<ParallelText(size_t text)> open_text,
                                         std::function<void(const std::string& text)> report) {
  const auto all = std::make_shared<Measures>(options, std::move(open_text), std::move(report));
  return {
      .scores = [all](const ModelParts& parts,
                      const LinesToScore& which) { return all->scores(parts, which); },
      .samples = [all](const ModelParts& parts) { return all->samples(parts); },
      .alignment_heads = [all](
                             const ModelOnBackend& on,
                             const AlignmentText& text) { return all->alignment_heads(on, text); },
      .search = [all](const ModelParts& parts, int64_t lines) { return all->search(parts, lines); },
      .examples = [all](const ModelParts& parts) { return all->examples(parts); }};
}

}  // namespace heed
