#include "heed/decode/explanation.h"

#include <algorithm>
#include <numeric>

#include "heed/decode/line_processor.h"
#include "heed/decode/search.h"
#include "heed/decode/translator.h"
#include "heed/model/sequence_model.h"

namespace heed {
namespace {

// The results of the parts of a line; `traces` records their searches.
std::vector<SearchResult> search_parts(const ModelParts& model, const EncodedLine& line,
                                       const DecodeOptions& options,
                                       std::vector<SearchTrace>& traces) {
  std::vector<SearchResult> results;
  traces.resize(line.parts.size());
  Search batch(make_steps(model), model.backend,
               {.hypotheses = options.search.hypothesis_count(), .batch_tokens = 1});
  for (size_t i = 0; i < line.parts.size(); ++i) {
    const EncodedPart& part = line.parts[i];
    batch.add({int64_t(i), part.source, part.prefix, options.search, part.constraints, &traces[i],
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

std::vector<std::vector<TokenLogProbability>> likeliest_of(const SearchTrace& trace, int64_t node) {
  std::vector<std::vector<TokenLogProbability>> all;
  while (node >= 0) {
    node = trace.nodes[size_t(node)].parent;
    all.push_back(trace.likeliest.at(node));
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
  part.likeliest = likeliest_of(trace, best.node);
  std::vector<TokenId> target = best.ids;
  if (best.ended) target.push_back(parts.model.config().end_id());
  // If the constraints allow no token, the translation is empty and has no attention.
  if (!target.empty())
    part.attention = attention(parts, source, target);
  else
    part.attention.source_pieces = parts.tokenizers.source().pieces(source);
  const Decoding decoded = parts.tokenizers.target().decode_with_ends(best.ids);
  std::vector<UnitRange> source_words = encoded.words,
                         target_words = TextUnits(decoded.text).of_tokens(decoded.ends);
  part.attention.source_words = renumber_words(source_words);
  part.attention.target_words = renumber_words(target_words);
  if (attention_layers(parts.model.config(), AttentionSite::cross) > 0)
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

}  // namespace

Explanation explain(const ModelParts& parts, const TranslationInput& input,
                    const DecodeOptions& options, int64_t line) {
  check_options(options.search);
  expect_same_vocabulary(parts);
  const LineProcessor processor(parts.tokenizers, parts.model.config().max_positions);
  DecodeOptions with_words = options;
  with_words.attention = true;
  const EncodedLine encoded = processor.preprocess(input, line, with_words);
  std::vector<SearchTrace> traces;
  const std::vector<SearchResult> results = search_parts(parts, encoded, options, traces);
  Aligner aligner(parts);
  Explanation explanation;
  explanation.translation =
      processor.postprocess(encoded, results, options.attention ? &aligner : nullptr);
  const std::vector<size_t> order = ranking(results);
  for (size_t i = 0; i < encoded.parts.size(); ++i)
    explanation.parts.push_back(
        explain_part(parts, encoded.parts[i], results[i], order, std::move(traces[i])));
  return explanation;
}

}  // namespace heed
