#include "heed/run/text_size.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "heed/core/scripts.h"
#include "heed/core/utf8.h"

namespace heed {
namespace {

constexpr int64_t kSampledPairs = 20'000;

// Adds the characters of the line to `all`.
LineSize size_of(std::string_view line, std::set<char32_t>& all) {
  LineSize size;
  while (!line.empty()) {
    const Utf8Character character = first_utf8_character(line);
    line.remove_prefix(character.bytes);
    ++(is_unspaced(character.value) ? size.unspaced : size.others);
    all.insert(character.value);
  }
  return size;
}

}  // namespace

TextSize size_of(const ParallelText& text) {
  TextSize size;
  size.pairs = text.pairs() - text.faults().count();
  const int64_t stride = std::max<int64_t>(1, size.pairs / kSampledPairs);
  std::set<char32_t> all;
  PairReader reader(text);
  std::string source, target;
  for (int64_t i = 0; reader.next(source, target); ++i)
    if (i % stride == 0) size.sample.push_back({size_of(source, all), size_of(target, all)});
  check(!size.sample.empty(), "an open text has a pair");
  size.distinct = int64_t(all.size());
  size.distinct_unspaced = std::ranges::count_if(all, [](char32_t c) { return is_unspaced(c); });
  return size;
}

double expected_tokens(const LineSize& line, const TextSize& text, int64_t ids) {
  constexpr double kUnspacedInToken = 1.35;
  // Characters in a token of text with spaces: more for each doubling of the vocabulary.
  constexpr double kIds = 4000, kInToken = 3.7, kMoreInToken = 0.45;
  const double pieces = double(std::max<int64_t>(ids - text.distinct_unspaced, 500));
  const double in_token = std::clamp(kInToken + kMoreInToken * std::log2(pieces / kIds), 1.0, 6.0);
  return 1 + double(line.unspaced) / kUnspacedInToken + double(line.others) / in_token;
}

double expected_characters(const TextSize& text) {
  double sum = 0;
  for (const TextSize::Pair& pair : text.sample)
    sum += double(pair.source.characters() + pair.target.characters());
  return sum / double(text.sample.size()) * double(text.pairs);
}

MeanTokens mean_tokens(const TextSize& text, int64_t ids) {
  MeanTokens mean;
  for (const TextSize::Pair& pair : text.sample) {
    mean.source += expected_tokens(pair.source, text, ids);
    mean.target += expected_tokens(pair.target, text, ids);
  }
  mean.source /= double(text.sample.size());
  mean.target /= double(text.sample.size());
  return mean;
}

}  // namespace heed
