// Parallel text files, checked once before anything is made of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heed/text/lines.h"
#include "heed/text/text_file.h"
#include "heed/text/tsv_options.h"

namespace heed {

// Why a line cannot be used.
enum class LineFault { none, not_utf8, missing_column };
// Of the line that a reader gave last.
LineFault fault_of(const LineReader& reader, const std::string& line);

// Lines or pairs that cannot be used.
struct TextFaults {
  int64_t not_utf8 = 0;
  int64_t missing_column = 0;  // tab-separated text with fewer columns
  std::string first;           // the first one's file, line and fault; empty where there is none
  // What the text seems to be encoded in and how to convert it; empty where that is not known.
  std::string conversion;

  int64_t count() const { return not_utf8 + missing_column; }
  // Counts the line that a reader gave last, where it has a fault.
  void add(const LineReader& reader, const std::string& line, LineFault fault);
};

// What a text file holds.
struct TextSurvey {
  int64_t lines = 0;
  TextFaults faults;
};
// Reads a whole file.
TextSurvey survey(const TextFile& file);

// What to do about a line that cannot be used.
enum class BrokenLines { drop, refuse };

// Pairs of text files, line by line translations of each other; file k of one side belongs to
// file k of the other. Building one reads them all once, so that every defect is told at the
// start: a file that cannot be read, sides of different length (Error with both counts), no lines
// at all. Pairs with a line that is not UTF-8 or lacks its column are counted and left out; with
// BrokenLines::refuse, or where no valid pair remains, they are an Error with file, line and byte.
class ParallelText {
 public:
  ParallelText(TextFiles source, TextFiles target, BrokenLines broken = BrokenLines::drop);

  const TextFiles& source() const { return source_; }
  const TextFiles& target() const { return target_; }
  // All lines of one side, those left out included.
  int64_t pairs() const { return pairs_; }
  // Pairs that are left out, each counted once.
  const TextFaults& faults() const { return faults_; }
  // Of what the lines say, compressed or not.
  uint64_t fingerprint() const { return fingerprint_; }

 private:
  TextFiles source_, target_;
  int64_t pairs_ = 0;
  TextFaults faults_;
  uint64_t fingerprint_ = 0;
};

// Reads both sides of a ParallelText, line by line through all files.
class PairReader {
 public:
  explicit PairReader(const ParallelText& text) : text_(text) {}
  // The next pair that can be used; false at the end of the last files.
  bool next(std::string& source, std::string& target);
  // Where the pair that next() gave last stands: 0 is the first line of the first file, later files
  // go on.
  int64_t line() const { return lines_ - 1; }

 private:
  bool next_lines(std::string& source, std::string& target);

  const ParallelText& text_;
  size_t file_ = 0;
  int64_t lines_ = 0;
  std::optional<LineReader> source_, target_;
};

}  // namespace heed
