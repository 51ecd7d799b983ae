#include "heed/data/line_shift.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <utility>

namespace heed::detail {
namespace {

// Fewer pairs say too little. With 500 a shift shows in lengths, question marks or digits of
// almost all real text, and sound text does not come near the limits (docs/data.md).
constexpr size_t kBlock = 500, kMinBlock = 100;
// The least correlation of sources with the targets of other lines for a shift, and by how much it
// must exceed the correlation with their own target.
constexpr double kRelated = 0.35, kBetter = 0.25;
// The least number of lines of each side with a mark for it to be used.
constexpr int64_t kMinMarks = 5;

using Values = std::vector<double>;

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / double(values.size());
}

// Pearson's correlation; 0 if a side is constant.
double correlation(std::span<const double> x, std::span<const double> y) {
  const double x_mean = mean(x), y_mean = mean(y);
  double xx = 0, yy = 0, xy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double a = x[i] - x_mean, b = y[i] - y_mean;
    xx += a * a;
    yy += b * b;
    xy += a * b;
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

// The correlation with the targets that are `lines` after (before, if negative) the sources.
double correlation_at(int lines, std::span<const double> x, std::span<const double> y) {
  const size_t pairs = x.size() - size_t(std::abs(lines));
  return lines >= 0 ? correlation(x.first(pairs), y.last(pairs))
                    : correlation(x.last(pairs), y.first(pairs));
}

int shift_of(const Values& source, const Values& target) {
  const double here = correlation_at(0, source, target);
  double best = std::max(kRelated, here + kBetter);
  if (best > 1) return 0;
  int shift = 0;
  // By distance, so that of equally good shifts the nearest is found.
  for (int distance = 1; distance <= ShiftDetector::kMaxLines; ++distance) {
    if (size_t(distance) + kMinBlock / 2 > source.size()) break;
    for (const int lines : {distance, -distance}) {
      const double found = correlation_at(lines, source, target);
      if (found <= best) continue;
      best = found;
      shift = lines;
    }
  }
  return shift;
}

bool says_something(const Values& marks) {
  const auto count = std::count(marks.begin(), marks.end(), 1.0);
  return count >= kMinMarks;
}

}  // namespace

bool ShiftDetector::add(const LineTraits& source, const LineTraits& target) {
  source_.push_back(source);
  target_.push_back(target);
  return source_.size() == kBlock;
}

int ShiftDetector::close_block() {
  const std::vector<LineTraits> source = std::exchange(source_, {});
  const std::vector<LineTraits> target = std::exchange(target_, {});
  if (source.size() < kMinBlock) return 0;
  const auto values = [](const std::vector<LineTraits>& lines, const auto& value) {
    Values all;
    all.reserve(lines.size());
    for (const LineTraits& line : lines) all.push_back(value(line));
    return all;
  };
  const auto length = [](const LineTraits& line) {
    return std::log(double(std::max<int64_t>(1, line.characters)));
  };
  int shift = shift_of(values(source, length), values(target, length));
  for (const auto mark : {&LineTraits::question, &LineTraits::number}) {
    if (shift != 0) return shift;
    const auto has_mark = [mark](const LineTraits& line) { return line.*mark ? 1.0 : 0.0; };
    const Values left = values(source, has_mark), right = values(target, has_mark);
    if (says_something(left) && says_something(right)) shift = shift_of(left, right);
  }
  return shift;
}

}  // namespace heed::detail
