// Detects parallel text that is misaligned by one line.
#pragma once

#include <cstdint>
#include <vector>

namespace heed::detail {

// Properties that a line usually shares with its translation in any language.
struct LineTraits {
  int64_t characters = 0;
  bool question = false;  // ends with a question mark
  bool number = false;    // has a digit
};

// Where the translations of the source lines of a block are: on their own line, the next or the
// previous one.
enum class LineShift { none, target_is_next, target_is_previous };

// Looks for a shift block by block: source lines whose length, question marks and digits match
// those of the next or the previous target better than those of their own.
class ShiftDetector {
 public:
  // The next pair. True when the block is full.
  bool add(const LineTraits& source, const LineTraits& target);
  // The shift of the pairs since the last call; none if they are too few to tell.
  LineShift close_block();
  int64_t pairs() const { return int64_t(source_.size()); }

 private:
  std::vector<LineTraits> source_, target_;
};

}  // namespace heed::detail
