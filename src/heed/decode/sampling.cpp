#include "heed/decode/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/decode/finite.h"

namespace heed {
namespace {

bool likelier(const Choice& a, const Choice& b) {
  return a.weight != b.weight ? a.weight > b.weight : a.id < b.id;
}

void keep_likeliest(std::vector<Choice>& choices, int64_t count) {
  if (count >= int64_t(choices.size())) return;
  std::nth_element(choices.begin(), choices.begin() + count, choices.end(), likelier);
  choices.resize(size_t(count));
  std::sort(choices.begin(), choices.end(), likelier);
}

double greatest_weight(const std::vector<Choice>& choices) {
  double greatest = choices.front().weight;
  for (const Choice& choice : choices) greatest = std::max(greatest, choice.weight);
  return greatest;
}

// NaN if any logit is NaN. A logit of minus infinity is a token without probability, as long as
// another is finite.
double greatest_logit(const std::vector<Choice>& choices) {
  double greatest = -std::numeric_limits<double>::infinity();
  for (const Choice& choice : choices) {
    if (std::isnan(choice.weight)) return choice.weight;
    greatest = std::max(greatest, choice.weight);
  }
  return greatest;
}

// Leaves the fewest whose sum reaches `mass`. What is above a bar comes before all else, so that it
// alone is sorted, and the bar falls until the mass is reached: a nucleus is often small.
void keep_nucleus(std::vector<Choice>& choices, double mass) {
  double sum = 0, bar = greatest_weight(choices);
  for (auto begin = choices.begin(); begin != choices.end();) {
    bar = bar > 1e-300 ? bar / 16 : 0;
    const auto end = std::partition(begin, choices.end(),
                                    [&](const Choice& choice) { return choice.weight >= bar; });
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

void divide(std::vector<Choice>& choices, double sum) {
  for (Choice& choice : choices) choice.weight /= sum;
}

}  // namespace

void to_probabilities(std::vector<Choice>& choices, const SamplingOptions& options) {
  check(!choices.empty(), "nothing to draw from");
  const double top = greatest_logit(choices);
  expect_finite(top);
  if (options.top_k > 0) keep_likeliest(choices, options.top_k);
  double sum = 0;
  for (Choice& choice : choices)
    sum += choice.weight = std::exp((choice.weight - top) / options.temperature);
  divide(choices, sum);
  if (options.top_p < 1) {
    keep_nucleus(choices, options.top_p);
    sum = 0;
    for (const Choice& choice : choices) sum += choice.weight;
    divide(choices, sum);
  }
}

const Choice& detail::draw(const std::vector<Choice>& choices, double uniform) {
  double sum = 0;
  for (const Choice& choice : choices) {
    sum += choice.weight;
    if (uniform < sum) return choice;
  }
  // Rounding may leave the sum a little below 1.
  const auto last = std::find_if(choices.rbegin(), choices.rend(),
                                 [](const Choice& choice) { return choice.weight > 0; });
  check(last != choices.rend(), "no choice has a probability");
  return *last;
}

}  // namespace heed
