#include "heed/evaluate/translation_edits.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace heed::detail {
namespace {

// Tercom's: words of a shift, and how far it goes.
constexpr size_t kLongestShift = 10;
constexpr size_t kFarthestShift = 50;
// sacreBLEU's: shifts tried for a sentence. The round that reaches it counts for nothing.
constexpr int64_t kMaxTried = 1000;

// The words that a shift changes: [begin, end), of which those from `middle` come first.
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

constexpr size_t kBeam = 25;
constexpr int32_t kUnreachable = 1 << 29;

// Columns on either side of the diagonal. Steeper than two beams, rows would not touch.
size_t beam_of(double slope) {
  if (double(kBeam) >= slope / 2) return kBeam;
  return size_t(std::ceil(slope / 2 + double(kBeam)));
}

}  // namespace

int64_t BeamEditDistance::compute(std::span<const uint32_t> hypothesis,
                                  std::span<const uint32_t> reference) {
  const bool same_rows = hypothesis.size() == hypothesis_.size() &&
                         reference.size() == reference_.size() && !rows_.empty();
  hypothesis_ = hypothesis;
  reference_ = reference;
  if (!same_rows) lay_out_rows();
  for (size_t i = 1; i < rows_.size(); ++i) {
    compute_row(hypothesis[i - 1], rows_[i - 1], &cells_[rows_[i - 1].cells], rows_[i],
                &cells_[rows_[i].cells]);
  }
  return cell(hypothesis.size(), reference.size());
}

// The first row is whole; the last one reaches the end of the reference.
void BeamEditDistance::lay_out_rows() {
  const size_t words = hypothesis_.size(), columns = reference_.size() + 1;
  const double slope = words > 0 ? double(reference_.size()) / double(words) : 1;
  const size_t beam = beam_of(slope);
  rows_.assign(1, {0, columns, 0});
  size_t cells = columns;
  for (size_t i = 1; i <= words; ++i) {
    const auto diagonal = size_t(std::floor(double(i) * slope));
    const size_t begin = diagonal - std::min(diagonal, beam);
    const size_t end = i == words ? columns : std::min(columns, diagonal + beam);
    rows_.push_back({begin, end, cells});
    cells += end - begin;
  }
  cells_.resize(cells);
  for (size_t j = 0; j < columns; ++j) cells_[j] = int32_t(j);
}

// d[i][j] = min(d[i-1][j-1] + (0 where the words are equal, else 1), d[i-1][j] + 1, d[i][j-1] + 1).
// Rows begin and end no earlier than the one above, the first one aside, and touch it.
void BeamEditDistance::compute_row(uint32_t word, const Row& above, const int32_t* above_cells,
                                   const Row& row, int32_t* cells) const {
  int32_t left = kUnreachable;
  size_t j = row.begin;
  if (j == 0) {
    left = above_cells[0] + 1;
    cells[j++] = left;
  }
  int32_t diagonal = j > above.begin ? above_cells[j - 1 - above.begin] : kUnreachable;
  for (const size_t end = std::min(row.end, above.end); j < end; ++j) {
    const int32_t replaced = diagonal + (reference_[j - 1] == word ? 0 : 1);
    diagonal = above_cells[j - above.begin];
    left = std::min(std::min(replaced, diagonal + 1), left + 1);
    cells[j - row.begin] = left;
  }
  for (; j < row.end; ++j) {
    left = std::min(diagonal + (reference_[j - 1] == word ? 0 : 1), left + 1);
    diagonal = kUnreachable;
    cells[j - row.begin] = left;
  }
}

int64_t BeamEditDistance::compare(std::span<const uint32_t> changed, size_t begin, size_t end) {
  const int32_t* above = &cells_[rows_[begin].cells];
  for (size_t i = begin + 1; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    const size_t columns = row.end - row.begin;
    if (lower_.size() < columns) lower_.resize(columns);
    compute_row(changed[i - 1], rows_[i - 1], above, row, lower_.data());
    // The words that follow are the same: a row that differs by a constant makes the rest differ
    // by it.
    if (i >= end) {
      const int32_t* known = &cells_[row.cells];
      const int32_t difference = lower_[0] - known[0];
      size_t j = 1;
      while (j < columns && lower_[j] - known[j] == difference) ++j;
      if (j == columns) return cell(hypothesis_.size(), reference_.size()) + difference;
    }
    std::swap(upper_, lower_);
    above = upper_.data();
  }
  return above[reference_.size() - rows_.back().begin];
}

int32_t BeamEditDistance::cell(size_t i, size_t j) const {
  const Row& row = rows_[i];
  return j >= row.begin && j < row.end ? cells_[row.cells + j - row.begin] : kUnreachable;
}

void BeamEditDistance::align(EditAlignment& alignment) const {
  size_t i = hypothesis_.size(), j = reference_.size();
  alignment.hypothesis_of.assign(j, -1);
  alignment.reference_error.assign(j, 1);
  alignment.hypothesis_error.assign(i, 1);
  while (i > 0 || j > 0) {
    const bool both = i > 0 && j > 0;
    const bool equal = both && hypothesis_[i - 1] == reference_[j - 1];
    if (both && cell(i, j) == cell(i - 1, j - 1) + (equal ? 0 : 1)) {
      --i, --j;
      alignment.hypothesis_of[j] = int64_t(i);
      alignment.reference_error[j] = alignment.hypothesis_error[i] = equal ? 0 : 1;
    } else if (i > 0 && (j == 0 || cell(i, j) == cell(i - 1, j) + 1)) {
      --i;
    } else {
      --j;
      alignment.hypothesis_of[j] = int64_t(i) - 1;
    }
  }
}

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
