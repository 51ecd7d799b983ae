#include "heed/decode/sampling.h"

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

bool likelier(const Choice& a, const Choice& b) {
  return a.weight != b.weight ? a.weight > b.weight : a.id < b.id;
}

void keep_likeliest(std::vector<Choice>& choices, int64_t count) {
  if (count >= int64_t(choices.size())) return;
  std::partial_sort(choices.begin(), choices.begin() + count, choices.end(), likelier);
  choices.resize(size_t(count));
}

// Leaves the fewest whose sum reaches `mass`. Sorts no more than it must: a nucleus is often small.
void keep_nucleus(std::vector<Choice>& choices, double mass) {
  double sum = 0;
  size_t sorted = 0;
  for (size_t i = 0; i < choices.size(); ++i) {
    if (i == sorted) {
      sorted = std::min(choices.size(), 4 * sorted + 64);
      std::partial_sort(choices.begin() + ptrdiff_t(i), choices.begin() + ptrdiff_t(sorted),
                        choices.end(), likelier);
    }
    sum += choices[i].weight;
    if (sum >= mass) {
      choices.resize(i + 1);
      return;
    }
  }
}

void normalize(std::vector<Choice>& choices) {
  double sum = 0;
  for (const Choice& choice : choices) sum += choice.weight;
  for (Choice& choice : choices) choice.weight /= sum;
}

}  // namespace

void to_probabilities(std::vector<Choice>& choices, const SamplingOptions& options) {
  check(!choices.empty(), "nothing to draw from");
  if (options.top_k > 0) keep_likeliest(choices, options.top_k);
  const double top = std::min_element(choices.begin(), choices.end(), likelier)->weight;
  for (Choice& choice : choices)
    choice.weight = std::exp((choice.weight - top) / options.temperature);
  normalize(choices);
  if (options.top_p < 1) {
    keep_nucleus(choices, options.top_p);
    normalize(choices);
  }
}

const Choice& draw(const std::vector<Choice>& choices, double uniform) {
  double sum = 0;
  for (const Choice& choice : choices) {
    sum += choice.weight;
    if (uniform < sum) return choice;
  }
  // Rounding may leave the sum a little below 1.
  return *std::find_if(choices.rbegin(), choices.rend(),
                       [](const Choice& choice) { return choice.weight > 0; });
}

}  // namespace heed
