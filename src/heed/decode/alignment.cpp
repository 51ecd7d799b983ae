#include "heed/decode/alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

constexpr std::string_view kEnd = "</s>";

// Groups of consecutive source pieces whose units overlap.
struct Segments {
  std::vector<UnitRange> units;  // of each segment
  std::vector<int64_t> of;       // the segment of each piece; -1 without units

  explicit Segments(const std::vector<UnitRange>& pieces) {
    for (const UnitRange& range : pieces) {
      if (range.empty()) {
        of.push_back(-1);
        continue;
      }
      if (units.empty() || range.begin >= units.back().end)
        units.push_back(range);
      else
        units.back().end = std::max(units.back().end, range.end);
      of.push_back(int64_t(units.size()) - 1);
    }
  }
};

// Sums of the weights of one target unit over segments.
class SegmentSums {
 public:
  void add(const AttentionRow& row, const Segments& from) {
    for (size_t i = 0; i < row.weights.size(); ++i) {
      const int64_t segment = from.of[row.offset + i];
      if (segment < 0) continue;
      if (sums_.empty()) first_ = segment;
      check(segment >= first_, "rows of weights out of the order of their source tokens");
      sums_.resize(std::max(sums_.size(), size_t(segment - first_) + 1));
      sums_[size_t(segment - first_)] += double(row.weights[i]);
    }
  }
  // The segment of the greatest sum, the first of equals; -1 without any segment.
  int64_t best() const {
    if (sums_.empty()) return -1;
    return first_ + (std::max_element(sums_.begin(), sums_.end()) - sums_.begin());
  }

 private:
  int64_t first_ = 0;
  std::vector<double> sums_;
};

}  // namespace

void detail::append(AttentionWeights& all, AttentionWeights part, size_t before) {
  for (AttentionRow& row : part) {
    row.offset += before;
    all.push_back(std::move(row));
  }
}

std::vector<std::vector<double>> rounded(const AttentionWeights& weights) {
  std::vector<std::vector<double>> rows;
  rows.reserve(weights.size());
  for (const AttentionRow& row : weights) {
    std::vector<double>& numbers = rows.emplace_back();
    numbers.reserve(row.weights.size());
    for (const float weight : row.weights)
      numbers.push_back(std::round(double(weight) * 1e4) / 1e4);
  }
  return rows;
}

std::vector<UnitRange> token_units(const std::vector<std::string>& pieces) {
  std::vector<UnitRange> units;
  units.reserve(pieces.size());
  int64_t count = 0;
  for (const std::string& piece : pieces) {
    const int64_t begin = count;
    if (piece != kEnd) ++count;
    units.push_back({begin, count});
  }
  return units;
}

std::vector<AlignedPair> aligned_pairs(const std::vector<UnitRange>& source,
                                       const std::vector<UnitRange>& target,
                                       const AttentionWeights& weights) {
  const Segments from(source);
  check(weights.size() == target.size(), "rows of weights and target pieces differ in number");
  std::vector<AlignedPair> pairs;
  size_t next = 0;  // the first target piece of the unit
  for (int64_t unit = 0;; ++unit) {
    while (next < target.size() && target[next].end <= unit) ++next;
    if (next == target.size()) return pairs;
    SegmentSums sums;
    for (size_t t = next; t < target.size() && target[t].begin <= unit; ++t)
      if (target[t].end > unit) sums.add(weights[t], from);
    if (sums.best() < 0) continue;
    const UnitRange& looked_at = from.units[size_t(sums.best())];
    for (int64_t i = looked_at.begin; i < looked_at.end; ++i) pairs.push_back({i, unit});
  }
}

std::string pharaoh_text(const std::vector<AlignedPair>& pairs) {
  std::string text;
  for (const AlignedPair& pair : pairs)
    text += fmt::format("{}{}-{}", text.empty() ? "" : " ", pair.source, pair.target);
  return text;
}

}  // namespace heed
