#include "heed/evaluate/translation_edits.h"

#include <algorithm>
#include <tuple>

namespace heed::detail {
namespace {

// Tercom's: words of a shift, and how far it goes.
constexpr size_t kLongestShift = 10;
constexpr size_t kFarthestShift = 50;
// sacreBLEU's: shifts tried for a sentence. The round that reaches it counts for nothing.
constexpr int64_t kMaxTried = 1000;

// What a shift changes: the words [begin, end), of which those from `middle` come first.
struct Rotation {
  size_t begin, middle, end;

  void apply(std::vector<uint32_t>& words) const {
    const auto at = [&](size_t i) { return words.begin() + std::ptrdiff_t(i); };
    std::rotate(at(begin), at(middle), at(end));
  }
};

Rotation rotation_of(size_t start, size_t length, size_t target, size_t words) {
  if (target < start) return {target, start, start + length};
  if (target > start + length) return {start, start + length, target};
  // A target inside the run moves it by as many words as the target is after its start.
  return {start, start + length, std::min(words, length + target)};
}

bool any_error(std::span<const uint8_t> errors, size_t begin, size_t length) {
  return std::ranges::count(errors.subspan(begin, length), 1) > 0;
}

}  // namespace

// Greater gains are better, then longer runs, then earlier ones, then nearer targets.
bool TranslationEdits::Shift::operator<(const Shift& other) const {
  return std::tie(gain, length, other.start, other.target) <
         std::tie(other.gain, other.length, start, target);
}

int64_t TranslationEdits::count(std::span<const uint32_t> hypothesis,
                                std::span<const uint32_t> reference) {
  if (reference.empty()) return int64_t(hypothesis.size());
  reference_ = reference;
  words_.assign(hypothesis.begin(), hypothesis.end());
  tried_ = 0;
  int64_t shifts = 0;
  distance_ = edits_.compute(words_, reference_);
  for (Shift shift; distance_ > 0 && find_shift(shift); ++shifts) {
    rotation_of(shift.start, shift.length, shift.target, words_.size()).apply(words_);
    distance_ = edits_.compute(words_, reference_);
  }
  return shifts + distance_;
}

bool TranslationEdits::find_shift(Shift& best) {
  edits_.align(alignment_);
  tried_any_ = false;
  for (size_t start = 0; start < words_.size(); ++start) {
    const size_t first = start - std::min(start, kFarthestShift);
    const size_t last = std::min(reference_.size(), start + kFarthestShift + 1);
    for (size_t from = first; from < last; ++from) {
      const size_t longest =
          std::min({kLongestShift, words_.size() - start, reference_.size() - from});
      for (size_t i = 0; i < longest && words_[start + i] == reference_[from + i]; ++i) {
        try_run(start, from, i + 1, best);
        if (tried_ >= kMaxTried) return false;
      }
    }
  }
  return tried_any_ && best.gain > 0;
}

void TranslationEdits::try_run(size_t start, size_t reference_start, size_t length, Shift& best) {
  if (!any_error(alignment_.hypothesis_error, start, length)) return;
  if (!any_error(alignment_.reference_error, reference_start, length)) return;
  const auto inside = [&](int64_t position) {
    return position >= int64_t(start) && position < int64_t(start + length);
  };
  if (inside(alignment_.hypothesis_of[reference_start])) return;
  // Before the word with which its first word is aligned, and after each with which its words are.
  constexpr size_t kNone = ~size_t{0};
  size_t previous = kNone;
  for (size_t i = 0; i <= length; ++i) {
    const size_t position = reference_start + i;  // one after the current word
    const size_t target = position == 0 ? 0 : size_t(alignment_.hypothesis_of[position - 1] + 1);
    if (target == previous) continue;
    previous = target;
    Shift shift{0, length, start, target};
    shift.gain = distance_ - shifted_distance(shift);
    if (!tried_any_ || best < shift) best = shift;
    tried_any_ = true;
    ++tried_;
  }
}

int64_t TranslationEdits::shifted_distance(const Shift& shift) {
  const Rotation rotation = rotation_of(shift.start, shift.length, shift.target, words_.size());
  shifted_ = words_;
  rotation.apply(shifted_);
  return edits_.compare(shifted_, rotation.begin, rotation.end);
}

}  // namespace heed::detail
