// Detects parallel text that is misaligned by some lines.
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

// Looks for a shift block by block: source lines whose length, question marks and digits match
// those of targets some lines further on or back better than those of their own.
class ShiftDetector {
 public:
  // The largest shift that is looked for.
  static constexpr int kMaxLines = 50;

  // The next pair. True when the block is full.
  bool add(const LineTraits& source, const LineTraits& target);
  // By how many lines the targets of the pairs since the last call come after their sources;
  // negative: before; 0: none, or too few pairs to tell.
  int close_block();
  int64_t pairs() const { return int64_t(source_.size()); }

 private:
  std::vector<LineTraits> source_, target_;
};

}  // namespace heed::detail
