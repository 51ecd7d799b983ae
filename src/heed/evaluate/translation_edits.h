// The number of edits of TER (Snover et al., 2006): the fewest insertions, deletions, substitutions
// and shifts of runs of words that a greedy search finds. The search and its limits are Tercom's,
// as in sacreBLEU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace heed::detail {

// The word alignment of a minimal sequence of edits.
struct EditAlignment {
  // For every reference word, the index of the hypothesis word that it is aligned to or, for an
  // inserted word, of the one before it; -1 if there is none.
  std::vector<int64_t> hypothesis_of;
  // 1 where a word is substituted, deleted or inserted.
  std::vector<uint8_t> reference_error, hypothesis_error;
};

// Edit distances within a beam around the diagonal, as sacreBLEU's TER computes them: distances of
// one reference from hypotheses that are permutations of the same words. Row i of the
// matrix belongs to the first i words of the hypothesis, column j to the first j of the reference;
// a row is computed within about 25 columns around the diagonal, so time and memory are linear in
// the sum of the lengths. The beam depends on the lengths alone, so rows that hypotheses share are
// computed once.
class BeamEditDistance {
 public:
  // Computes the matrix of a pair, both of which must outlive the following calls, unchanged.
  int64_t compute(std::span<const uint32_t> hypothesis, std::span<const uint32_t> reference);

  // The distance of a hypothesis that differs from the computed one only in the words [begin, end).
  // The matrix does not change.
  int64_t compare(std::span<const uint32_t> changed, size_t begin, size_t end);

  // The alignment of the matrix. Ties: substitution before deletion (of a word of the hypothesis)
  // before insertion, from the end.
  void align(EditAlignment& alignment) const;

 private:
  // Columns [begin, end) of a row, and their position in cells_.
  struct Row {
    size_t begin, end, cells;
  };

  void lay_out_rows();
  void compute_row(uint32_t word, const Row& above, const int32_t* above_cells, const Row& row,
                   int32_t* cells) const;
  // kUnreachable if the cell is outside its row.
  int32_t cell(size_t i, size_t j) const;

  std::span<const uint32_t> hypothesis_, reference_;
  std::vector<Row> rows_;
  std::vector<int32_t> cells_;
  std::vector<int32_t> upper_, lower_;  // rows of a changed hypothesis
};

// Reuses its memory from pair to pair. A word is any number.
class TranslationEdits {
 public:
  // The number of edits that turn the hypothesis into the reference.
  int64_t count(std::span<const uint32_t> hypothesis, std::span<const uint32_t> reference);

 private:
  // Moves words [start, start + length) of the hypothesis before `target`.
  struct Shift {
    int64_t gain = 0;  // decrease of the distance
    size_t length = 0, start = 0, target = 0;
    bool operator<(const Shift& other) const;
  };

  // Finds the best shift; false at the end of the search: no shift helps, or too many were tried.
  bool find_shift(Shift& best);
  // Tries to move a run to where the same words are in the reference.
  void try_run(size_t start, size_t reference_start, size_t length, Shift& best);
  int64_t shifted_distance(const Shift& shift);

  std::span<const uint32_t> reference_;
  std::vector<uint32_t> words_;  // the hypothesis with the shifts so far
  int64_t distance_ = 0;         // of words_
  int64_t tried_ = 0;            // number of shifts tried in this search
  bool tried_any_ = false;       // in this round
  BeamEditDistance edits_;
  EditAlignment alignment_;
  std::vector<uint32_t> shifted_;
};

}  // namespace heed::detail
