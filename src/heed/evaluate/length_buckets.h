// Sentences grouped by length, to score short and long ones apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "heed/evaluate/metric.h"

namespace heed {

enum class LengthUnit {
  words,       // runs between whitespace
  characters,  // all but whitespace
};

// "words" or "characters".
std::string_view name(LengthUnit unit);

// Characters for text in writing systems without spaces between words, such as Chinese.
LengthUnit suitable_length_unit(const Lines& lines);

std::vector<int64_t> lengths_of(const Lines& lines, LengthUnit unit);

struct LengthBucket {
  int64_t first = 0;                   // the shortest length
  std::optional<int64_t> last = {};    // the longest; of the last bucket possibly without a limit
  std::vector<size_t> sentences = {};  // numbered from 0; may be empty
};

// At most ten buckets of equal width, 1, 2 or 5 times a power of ten, from 0 on. What is longer
// than 95% of the sentences may be in the last one, which then has no limit.
std::vector<LengthBucket> length_buckets(const std::vector<int64_t>& lengths);

}  // namespace heed
