#include "heed/tasks/sample_outputs.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "heed/core/parallel.h"
#include "heed/decode/explanation.h"
#include "heed/decode/line_labels.h"
#include "heed/decode/translator.h"
#include "heed/model/alignment_heads.h"
#include "heed/model/sequence_model.h"
#include "heed/text/linear_tree.h"
#include "heed/text/word_encoding.h"
#include "heed/text/words.h"

namespace heed {
namespace {

constexpr size_t kSamples = 5, kExamples = 3;
constexpr int64_t kLinesForExamples = 10'000;  // the first of a text

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

DecodeOptions greedy() {
  DecodeOptions options;
  options.search.beam = 1;
  options.threads = 1;
  return options;
}

// A translation with its pieces, their probabilities and what they attend to.
void translate(const ModelParts& parts, SampleOutput& sample) {
  const Explanation explanation = explain(parts, {sample.source}, greedy());
  const TextHypothesis& best = explanation.translation.hypotheses.front();
  sample.output = best.text;
  sample.score = best.score;
  if (explanation.parts.size() != 1) return;  // nothing to show of a line without tokens
  const PartExplanation& part = explanation.parts.front();
  sample.source_pieces = part.attention.source_pieces;
  sample.target_pieces = part.attention.target_pieces;
  sample.log_probabilities = part.log_probabilities;
  const AlignmentHeads heads = default_alignment_heads(parts.config());
  if (!heads.heads.empty())
    sample.attention = mean_of_heads(part.attention.cross, heads.heads[0].layer);
}

// The likeliest label of each word, or of the line.
std::string labels_for(const ModelParts& parts, const std::string& line) {
  const std::vector<std::string> labels = labels_of(parts.tokenizers.target().vocabulary());
  const LineLabels labeller(parts, labels);
  const EncodedForLabels encoded = labeller.encode(line, {0, "the validation text", false});
  TensorPool pool(parts.backend.memory());
  std::vector<std::string> chosen;
  for (const ClassChoice& choice : labeller.choose(encoded.parts, pool))
    chosen.push_back(choice.label);
  return fmt::format("{}", fmt::join(chosen, " "));
}

// About a third of the words, at least one.
std::string beginning_of(const std::string& text) {
  const std::vector<std::string_view> words = detail::words_of(text);
  if (words.empty()) return text;
  const std::string_view last = words[words.size() / 3];
  return text.substr(0, size_t(last.data() + last.size() - text.data()));
}

SampleLine sample_line(const ModelConfig& config, std::string source, std::string target) {
  if (!config.has_encoder()) return {beginning_of(target), target};
  if (config.parses()) target = tree_line(target, source);
  return {std::move(source), std::move(target)};
}

// Whether a line says something to everybody.
bool is_whole_sentence(std::string_view line) {
  if (line.find_first_of("0123456789<>{}[]@/\\_|=&#*`%$") != line.npos) return false;
  for (const std::string_view end : {".", "!", "?", "。", "！", "？"})
    if (line.ends_with(end)) return true;
  return false;
}

size_t pieces_of_line(const ModelParts& parts, const std::string& source,
                      const std::string& target) {
  return parts.config().has_encoder() ? parts.tokenizers.source().encode(source).size()
                                      : parts.tokenizers.target().encode(target).size();
}

}  // namespace

std::vector<std::string> example_lines(const ParallelText& text, const ModelParts& parts) {
  std::vector<std::string> sentences, others;
  std::string source, target;
  PairReader reader(text);
  for (int64_t i = 0; i < kLinesForExamples && reader.next(source, target); ++i) {
    const size_t pieces = pieces_of_line(parts, source, target);
    if (pieces < 5 || pieces > 25) continue;
    const bool is_sentence = is_whole_sentence(parts.config().has_encoder() ? source : target);
    (is_sentence ? sentences : others)
        .push_back(sample_line(parts.config(), source, target).source);
  }
  const std::vector<std::string>& all = sentences.size() >= kExamples ? sentences : others;
  std::vector<std::string> chosen;
  for (size_t i = 0; i < std::min(kExamples, all.size()); ++i) {
    const std::string& line = all[(2 * i + 1) * all.size() / (2 * std::min(kExamples, all.size()))];
    if (std::find(chosen.begin(), chosen.end(), line) == chosen.end()) chosen.push_back(line);
  }
  return chosen;
}

std::vector<SampleLine> sample_lines(const ParallelText& text, const ModelParts& parts) {
  const ModelConfig& config = parts.config();
  std::vector<SampleLine> lines;
  std::string source, target;
  for (PairReader reader(text); lines.size() < kSamples && reader.next(source, target);) {
    const size_t pieces = pieces_of_line(parts, source, target);
    if (pieces < 4 || pieces > 30) continue;
    SampleLine line = sample_line(config, source, target);
    const bool is_new = std::none_of(lines.begin(), lines.end(), [&](const SampleLine& other) {
      return other.source == line.source;
    });
    if (is_new) lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<SampleOutput> sample_outputs(const ModelParts& parts,
                                         const std::vector<SampleLine>& lines, int64_t threads) {
  const ModelConfig& config = parts.config();
  std::vector<SampleOutput> samples(lines.size());
  Workers workers(int(std::clamp<int64_t>(threads, 1, int64_t(kSamples))));
  workers.run(int64_t(lines.size()), [&](int64_t i, int) {
    SampleOutput& sample = samples[size_t(i)];
    sample.source = lines[size_t(i)].source;
    sample.reference = lines[size_t(i)].reference;
    if (config.translates()) {
      translate(parts, sample);
    } else if (!config.has_decoder()) {
      sample.output = labels_for(parts, sample.source);
    } else {
      sample.output = best_translations(Translator(parts, greedy()), {sample.source}).front();
    }
  });
  return samples;
}

}  // namespace heed
