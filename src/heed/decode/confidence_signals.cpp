#include "heed/decode/confidence_signals.h"

#include <cmath>
#include <unordered_set>

#include "heed/core/utf8.h"
#include "heed/decode/scorer.h"
#include "heed/text/words.h"

namespace heed {
namespace {

// The tokens of a text, and the share of them that occurred before.
struct TokenCounts {
  int64_t all = 0;
  std::unordered_set<TokenId> different = {};

  void add(std::span<const TokenId> ids) {
    all += int64_t(ids.size());
    different.insert(ids.begin(), ids.end());
  }
  double repeated() const {
    return all == 0 ? 0 : double(all - int64_t(different.size())) / double(all);
  }
};

// 0 for a translation without text, from which nothing can be translated back.
double reverse_signal(const EncodedLine& line, const std::string& translation) {
  if (!line.reverse) return 0;
  const PairScore score = line.reverse->score({{translation, line.text}}).front();
  return score.pieces.empty() ? 0 : score.log_probability / double(score.pieces.size());
}

}  // namespace

ConfidenceSignals confidence_signals(const EncodedLine& line,
                                     const std::vector<SearchResult>& parts,
                                     const TextHypothesis& hypothesis) {
  TokenCounts source, target;
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::span<const TokenId> ids = line.parts[i].source;
    source.add(ids.first(ids.size() - 1));  // without </s>
    target.add(hypothesis_at(parts[i], size_t(hypothesis.number)).ids);
  }
  double probabilities = 0, log_probabilities = 0;
  for (const double one : hypothesis.log_probabilities) {
    probabilities += std::exp(one);
    log_probabilities += one;
  }
  const double steps = std::max(1.0, double(hypothesis.log_probabilities.size()));
  const double source_characters = 1 + double(line.characters),
               source_tokens = 1 + double(source.all);
  ConfidenceSignals signals;
  const auto set = [&](ConfidenceSignal signal, double value) { signals[size_t(signal)] = value; };
  set(ConfidenceSignal::token_probability, probabilities / steps);
  set(ConfidenceSignal::log_probability, log_probabilities / steps);
  set(ConfidenceSignal::length_ratio,
      std::log((1 + double(count_characters(detail::trimmed(hypothesis.text)))) /
               source_characters));
  set(ConfidenceSignal::piece_length, std::log(source_characters / source_tokens));
  set(ConfidenceSignal::length, std::log(source_tokens));
  set(ConfidenceSignal::repetition, target.repeated() - source.repeated());
  set(ConfidenceSignal::unknown_characters,
      std::log1p(double(line.status.unknown_characters.size())));
  set(ConfidenceSignal::reverse, reverse_signal(line, hypothesis.text));
  return signals;
}

}  // namespace heed
