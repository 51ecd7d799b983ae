#include "heed/decode/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/model/finite.h"

namespace heed {
namespace {

bool likelier(const TokenWeight& a, const TokenWeight& b) {
  return a.weight != b.weight ? a.weight > b.weight : a.id < b.id;
}

void keep_likeliest(std::vector<TokenWeight>& choices, int64_t count) {
  if (count >= int64_t(choices.size())) return;
  std::nth_element(choices.begin(), choices.begin() + count, choices.end(), likelier);
  choices.resize(size_t(count));
  std::sort(choices.begin(), choices.end(), likelier);
}

// NaN if any logit is NaN. A logit of minus infinity is a token without probability, as long as
// another is finite.
double greatest_logit(const std::vector<TokenWeight>& choices) {
  double greatest = -std::numeric_limits<double>::infinity();
  for (const TokenWeight& choice : choices) {
    if (std::isnan(choice.weight)) return choice.weight;
    greatest = std::max(greatest, choice.weight);
  }
  return greatest;
}

// Keeps the fewest tokens whose sum reaches `mass`. A nucleus is often small, so only the tokens
// above a threshold are sorted, and the threshold is lowered until the mass is reached.
void keep_nucleus(std::vector<TokenWeight>& choices, double mass) {
  double sum = 0, threshold = std::ranges::max(choices, {}, &TokenWeight::weight).weight;
  for (auto begin = choices.begin(); begin != choices.end();) {
    threshold = threshold > 1e-300 ? threshold / 16 : 0;
    const auto end = std::partition(begin, choices.end(), [&](const TokenWeight& choice) {
      return choice.weight >= threshold;
    });
    std::sort(begin, end, likelier);
    for (; begin != end; ++begin) {
      sum += begin->weight;
      if (sum >= mass) {
        choices.erase(begin + 1, choices.end());
        return;
      }
    }
  }
}

void divide(std::vector<TokenWeight>& choices, double sum) {
  for (TokenWeight& choice : choices) choice.weight /= sum;
}

}  // namespace

void to_probabilities(std::vector<TokenWeight>& choices, const SamplingOptions& options) {
  check(!choices.empty(), "no tokens to sample from");
  const double top = greatest_logit(choices);
  expect_finite(top);
  if (options.top_k > 0) keep_likeliest(choices, options.top_k);
  double sum = 0;
  for (TokenWeight& choice : choices)
    sum += choice.weight = std::exp((choice.weight - top) / options.temperature);
  divide(choices, sum);
  if (options.top_p < 1) {
    keep_nucleus(choices, options.top_p);
    sum = 0;
    for (const TokenWeight& choice : choices) sum += choice.weight;
    divide(choices, sum);
  }
}

const TokenWeight& detail::draw(const std::vector<TokenWeight>& choices, double uniform) {
  double sum = 0;
  for (const TokenWeight& choice : choices) {
    sum += choice.weight;
    if (uniform < sum) return choice;
  }
  // Due to rounding the sum may be a little below 1.
  const auto last = std::find_if(choices.rbegin(), choices.rend(),
                                 [](const TokenWeight& choice) { return choice.weight > 0; });
  check(last != choices.rend(), "no token has a probability");
  return *last;
}

}  // namespace heed
