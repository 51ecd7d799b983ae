// Parallel text whose sides have come apart by one line.
#pragma once

#include <cstdint>
#include <vector>

namespace heed::detail {

// What a line and its translation have in common, whatever the languages.
struct LineTraits {
  int64_t characters = 0;
  bool question = false;  // ends with a question mark
  bool number = false;    // has a digit
};

// Where the translations of a block's source lines are: on the same line, or on the one after or
// before it.
enum class LineShift { none, after, before };

// Looks for a shift in one block of pairs after the other: a target whose length, question marks or
// digits go with those of the next or the last source line, and not with its own.
class ShiftDetector {
 public:
  // The next pair. True when the block is full.
  bool add(const LineTraits& source, const LineTraits& target);
  // Of the pairs since the last call; none where they are too few to tell.
  LineShift close_block();
  int64_t pairs() const { return int64_t(source_.size()); }

 private:
  std::vector<LineTraits> source_, target_;
};

}  // namespace heed::detail
