#include "heed/evaluate/beam_edit_distance.h"

#include <algorithm>
#include <cmath>

namespace heed::detail {
namespace {

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

}  // namespace heed::detail
