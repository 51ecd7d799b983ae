#include "heed/tasks/alignment_text.h"

#include <algorithm>

namespace heed {
namespace {

constexpr int64_t kMeasuredPairs = 500;
constexpr double kMeasuredTokens = 0.003;  // of the trained tokens
constexpr double kTokenPairs = 0.4;        // of the lexicon, for each trained token
constexpr int64_t kLongest = 128;          // tokens of a side; longer pairs are left out

// The cost of a pair with so many tokens on its sides.
double tokens_of(double source, double target) {
  return (source + target) / 2;
}

double token_pairs_of(double source, double target) {
  return source * target;
}

// Evenly spaced pairs of a text: as many as `budget` pays for at the cost of a mean pair, at most
// `most`. A pair that costs more than is left ends the choice.
template <class Cost>
std::vector<TokenPair> spaced_pairs(const Corpus& corpus, int64_t most, double budget,
                                    const Cost& cost) {
  constexpr double kPairs = 1e9;
  const auto size = double(corpus.size());
  const double mean =
      cost(double(corpus.source_tokens()) / size, double(corpus.target_tokens()) / size);
  const int64_t count = std::min({most, corpus.size(), int64_t(std::min(budget / mean, kPairs))});
  std::vector<TokenPair> pairs;
  for (int64_t i = 0; i < count; ++i) {
    const auto pair = int64_t(double(i) * size / double(count));
    Example ids = corpus.example(pair);
    if (int64_t(std::max(ids.source.size(), ids.target.size())) > kLongest) continue;
    budget -= cost(double(ids.source.size()), double(ids.target.size()));
    if (budget < 0) break;
    pairs.push_back({std::move(ids.source), std::move(ids.target)});
  }
  return pairs;
}

}  // namespace

AlignmentText alignment_text(const Corpus& training, const Corpus* validation,
                             double trained_tokens) {
  return {.lexical = spaced_pairs(training, training.size(),
                                  std::min(kTokenPairs * trained_tokens, WordLinks::kMaxTokenPairs),
                                  token_pairs_of),
          .measured = spaced_pairs(validation ? *validation : training, kMeasuredPairs,
                                   kMeasuredTokens * trained_tokens, tokens_of)};
}

std::vector<TokenPair> pairs_to_align(const Corpus& corpus, double token_pairs) {
  return spaced_pairs(corpus, corpus.size(), token_pairs, token_pairs_of);
}

}  // namespace heed
