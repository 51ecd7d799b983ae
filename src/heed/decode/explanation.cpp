#include "heed/decode/explanation.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "heed/decode/line_labels.h"
#include "heed/decode/line_processor.h"
#include "heed/decode/search.h"
#include "heed/decode/translator.h"
#include "heed/model/sequence_model.h"
#include "heed/text/word_encoding.h"

namespace heed {
namespace {

// The results of the parts of a line; `traces` records their searches.
std::vector<SearchResult> search_parts(const ModelParts& model, const EncodedLine& line,
                                       const DecodeOptions& options,
                                       std::vector<SearchTrace>& traces) {
  std::vector<SearchResult> results;
  traces.resize(line.parts.size());
  Search batch(make_steps(model), model.backend,
               {.hypotheses = options.hypotheses_of_sentence(), .batch_tokens = 1});
  for (size_t i = 0; i < line.parts.size(); ++i) {
    const EncodedPart& part = line.parts[i];
    const SearchOptions of_part = part.search(options.search, options.hypotheses_of_sentence());
    batch.add({int64_t(i), part.source, part.prefix, of_part, part.constraints, &traces[i],
               &model.tokenizers.target()});
    while (batch.running() > 0) batch.step(results);
  }
  return results;
}

// The numbers of the hypotheses in the order of LineProcessor::postprocess(): best first.
std::vector<size_t> ranking(const std::vector<SearchResult>& parts) {
  const size_t count = line_hypothesis_count(parts);
  std::vector<double> scores(count, 0);
  for (const SearchResult& part : parts)
    for (size_t i = 0; i < count; ++i) scores[i] += hypothesis_at(part, i).score;
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  return order;
}

std::vector<std::vector<LikelyPiece>> likeliest_of(const SearchTrace& trace, int64_t node,
                                                   const ModelParts& parts) {
  std::vector<std::vector<LikelyPiece>> all;
  while (node >= 0) {
    node = trace.nodes[size_t(node)].parent;
    std::vector<LikelyPiece>& pieces = all.emplace_back();
    for (const auto& [id, log_probability] : trace.likeliest.at(node))
      pieces.push_back({target_pieces(parts, std::span(&id, 1)).front(), log_probability});
  }
  std::reverse(all.begin(), all.end());
  return all;
}

// Renumbers the words of tokens so that the first is 0, and returns the range of pieces of each
// word.
std::vector<PieceRange> renumber_words(std::vector<UnitRange>& words) {
  const auto first = std::find_if(words.begin(), words.end(),
                                  [](const UnitRange& range) { return !range.empty(); });
  const int64_t before = first == words.end() ? 0 : first->begin;
  for (UnitRange& range : words)
    if (!range.empty()) range = {range.begin - before, range.end - before};
  return pieces_of_units(words);
}

PartExplanation explain_part(const ModelParts& parts, const EncodedPart& encoded,
                             const SearchResult& result, const std::vector<size_t>& order,
                             SearchTrace trace) {
  const std::vector<TokenId>& source = encoded.source;
  const Hypothesis& best = result.hypotheses[order.front()];
  PartExplanation part;
  part.ended = best.ended;
  part.log_probabilities = best.log_probabilities;
  part.likeliest = likeliest_of(trace, best.node, parts);
  std::vector<TokenId> target = best.ids;
  if (best.ended) target.push_back(parts.model.config().end_id());
  // If the constraints allow no token, the translation is empty and has no attention.
  if (!target.empty()) {
    part.attention = attention(parts, source, target);
    part.attention.target_pieces = target_pieces(parts, target);
  } else {
    part.attention.source_pieces = parts.tokenizers.source().pieces(source);
  }
  std::vector<UnitRange> source_words = encoded.words, target_words;
  const bool has_words = !parts.config().parses();
  if (has_words) {
    const Decoding decoded = parts.tokenizers.target().decode_with_ends(best.ids);
    target_words = TextUnits(decoded.text).of_tokens(decoded.ends);
  }
  part.attention.source_words = renumber_words(source_words);
  part.attention.target_words = renumber_words(target_words);
  if (has_words && attention_layers(parts.config(), AttentionSite::cross) > 0)
    part.alignment = aligned_pairs(source_words, target_words,
                                   Aligner(parts).weights(source, {best.ids}).front());
  part.search = std::move(trace);
  for (const size_t i : order) {
    if (i >= result.hypotheses.size()) continue;
    const Hypothesis& hypothesis = result.hypotheses[i];
    part.results.push_back(hypothesis.node);
    // One that ended without </s>, at the maximum length, has its score only now.
    if (hypothesis.node >= 0) part.search.nodes[size_t(hypothesis.node)].score = hypothesis.score;
  }
  return part;
}

// The labels of a part of a line, which are appended to `labels` too.
PartExplanation explain_labels(const ModelParts& parts, const LineLabels& labeller,
                               const LabelledPart& of_part, TextHypothesis& labels) {
  std::vector<TokenId> source = of_part.ids;
  source.push_back(parts.config().end_id());
  PartExplanation part;
  part.attention = attention(parts, source, {});
  part.attention.source_words = of_part.words;
  TensorPool pool(parts.backend.memory());
  for (const std::vector<ClassChoice>& likeliest :
       labeller.likeliest(std::span(&of_part, 1), SearchTrace::kLikeliest, pool)) {
    std::vector<LikelyPiece>& pieces = part.likeliest.emplace_back();
    for (const ClassChoice& choice : likeliest)
      pieces.push_back({choice.label, choice.log_probability});
    const auto number = int64_t(part.log_probabilities.size());
    const LikelyPiece& best = pieces.front();
    part.attention.target_pieces.push_back(best.piece);
    part.attention.target_words.push_back({number, number + 1});
    part.log_probabilities.push_back(best.log_probability);
    if (parts.config().classes_of == ClassesOf::words) part.alignment.push_back({number, number});
    labels.text += (labels.text.empty() ? "" : " ") + best.piece;
    labels.score += best.log_probability;
    labels.pieces.push_back(best.piece);
    labels.log_probabilities.push_back(best.log_probability);
  }
  return part;
}

// The explanation of a line by a tagger or a classifier.
Explanation explain_labels(const ModelParts& parts, const std::string& text,
                           const LinePlace& place) {
  const std::vector<std::string> names = labels_of(parts.tokenizers.target().vocabulary());
  const LineLabels labeller(parts, names);
  const EncodedForLabels encoded = labeller.encode(text, place);
  Explanation explanation;
  explanation.translation.line = place.line;
  explanation.translation.status = encoded.line.status;
  TextHypothesis& labels = explanation.translation.hypotheses.emplace_back();
  for (const LabelledPart& part : encoded.parts)
    explanation.parts.push_back(explain_labels(parts, labeller, part, labels));
  return explanation;
}

}  // namespace

std::vector<std::string> target_pieces(const ModelParts& parts, std::span<const TokenId> ids) {
  std::vector<std::string> pieces = parts.tokenizers.target().pieces(ids);
  if (!parts.config().parses()) return pieces;
  for (std::string& piece : pieces)
    if (piece.starts_with(kSpaceSymbol)) piece.erase(0, kSpaceSymbol.size());
  return pieces;
}

Explanation explain(const ModelParts& parts, const TranslationInput& input,
                    const DecodeOptions& options, int64_t line) {
  expect_same_vocabulary(parts);
  if (!parts.config().has_decoder())
    return explain_labels(parts, input.text, {line, "input", options.strict});
  const DecodeOptions all = with_defaults(options, parts.model);
  check_options(all);
  const LineProcessor processor(parts.tokenizers, parts.config(),
                                parts.model.generation_defaults().confidence);
  DecodeOptions with_words = all;
  with_words.attention = true;
  EncodedLine encoded = processor.preprocess(input, line, with_words);
  encoded.attention = options.attention;
  std::vector<SearchTrace> traces;
  const std::vector<SearchResult> results = search_parts(parts, encoded, all, traces);
  Aligner aligner(parts);
  Explanation explanation;
  explanation.translation = processor.postprocess(encoded, results, &aligner);
  const std::vector<size_t> order = ranking(results);
  for (size_t i = 0; i < encoded.parts.size(); ++i)
    explanation.parts.push_back(
        explain_part(parts, encoded.parts[i], results[i], order, std::move(traces[i])));
  return explanation;
}

}  // namespace heed
