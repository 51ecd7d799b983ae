#include "heed/evaluate/length_buckets.h"

#include <algorithm>
#include <span>

#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/evaluate/tokenizers.h"

namespace heed {
namespace {

// The smallest of 1, 2, 5, 10, ... of which nine cover this length.
int64_t width_for(int64_t length) {
  int64_t power = 1;
  for (;;) {
    for (const int64_t factor : {1, 2, 5})
      if (length / (factor * power) < 9) return factor * power;
    power *= 10;
  }
}

}  // namespace

std::string_view name(LengthUnit unit) {
  return unit == LengthUnit::words ? "words" : "characters";
}

LengthUnit suitable_length_unit(const Lines& lines) {
  return suitable_bleu_tokenizer(std::span(&lines, 1)) == BleuTokenizer::mteval_13a
             ? LengthUnit::words
             : LengthUnit::characters;
}

std::vector<int64_t> lengths_of(const Lines& lines, LengthUnit unit) {
  std::vector<int64_t> lengths;
  std::vector<std::string_view> pieces;
  for (const std::string& line : lines) {
    const std::string valid = replace_invalid_utf8(line);
    pieces.clear();
    if (unit == LengthUnit::words)
      split_at_whitespace(valid, pieces);
    else
      split_characters(valid, pieces);
    lengths.push_back(int64_t(pieces.size()));
  }
  return lengths;
}

std::vector<LengthBucket> length_buckets(const std::vector<int64_t>& lengths) {
  if (lengths.empty()) return {};
  std::vector<int64_t> sorted = lengths;
  std::sort(sorted.begin(), sorted.end());
  const int64_t most = sorted[(sorted.size() - 1) * 95 / 100];
  const int64_t width = width_for(most);
  // One more than for 95% of the sentences, if there are longer ones.
  const int64_t count = std::min(sorted.back() / width, most / width + 1) + 1;
  std::vector<LengthBucket> buckets;
  for (int64_t i = 0; i < count; ++i) buckets.push_back({i * width, (i + 1) * width - 1});
  if (sorted.back() > *buckets.back().last) buckets.back().last.reset();
  for (size_t i = 0; i < lengths.size(); ++i)
    buckets[size_t(std::min(lengths[i] / width, count - 1))].sentences.push_back(i);
  return buckets;
}

}  // namespace heed
