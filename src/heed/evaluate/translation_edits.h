// The number of edits of TER (Snover et al., 2006): the fewest insertions, deletions, substitutions
// and shifts of runs of words that a greedy search finds. The search and its limits are Tercom's,
// as in sacreBLEU.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/evaluate/beam_edit_distance.h"

namespace heed::detail {

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
