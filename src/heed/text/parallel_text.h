// Parallel text files, or text of one side, read and checked as a whole when they are opened.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heed/text/lines.h"
#include "heed/text/text_file.h"

namespace heed {

// Why a line cannot be used.
enum class LineFault { none, invalid_utf8, missing_column };
// The fault of the line that a reader gave last.
LineFault fault_of(const LineReader& reader, const std::string& line);

// Lines or pairs that cannot be used.
struct TextFaults {
  int64_t invalid_utf8 = 0;
  int64_t missing_column = 0;  // tab-separated text with fewer columns
  std::string first;           // file, line and fault of the first one; empty if there is none
  // Rows of tab-separated text with more columns than most rows of their file. They are used, but
  // what follows their last usual column may be text that a tab cut off.
  int64_t extra_columns = 0;
  std::string first_extra;  // file, line and fault of the first one; empty if there is none
  // The likely encoding of the text and how to convert it; empty if unknown.
  std::string conversion;

  // Lines that cannot be used.
  int64_t count() const { return invalid_utf8 + missing_column; }
  // Counts the line that a reader gave last, if it has a fault.
  void add(const LineReader& reader, const std::string& line, LineFault fault);
};

namespace detail {

// Finds rows with more columns than the others, of which the text after the last usual column is
// not read: "eins zwei<TAB>een twee<TAB>drie" among rows of two columns. Rows of kMaxColumns and
// more count as equal.
class ColumnCounts {
 public:
  static constexpr int64_t kMaxColumns = 64;

  // Rows are added in order.
  void add(int64_t columns, int64_t line);
  // The most frequent number of columns; the smaller one of two that are equally frequent.
  int64_t usual() const;
  // The rows with more than usual().
  struct Rows {
    int64_t count = 0, first_line = 0;
  };
  Rows wider() const;

 private:
  std::array<Rows, kMaxColumns> by_columns_{};  // with 1 column, with 2, ...
};

}  // namespace detail

// The number of lines of a text file, and its faults.
struct TextSurvey {
  int64_t lines = 0;
  TextFaults faults;
};
// Reads a whole file.
TextSurvey survey(const TextFile& file);

// The treatment of lines that cannot be used: skip their pairs, or throw an Error.
enum class InvalidLines { drop, refuse };

// Text files that are line by line translations of each other: file k of one side belongs to file k
// of the other. The constructor reads them all once, so that every defect is reported at the start:
// a file that cannot be read, sides of different length (Error with both counts), no lines. Pairs
// with a line that is not UTF-8 or lacks its column are counted and skipped; with
// InvalidLines::refuse, or if no valid pair remains, they are an Error with file, line and byte.
// Rows with extra columns are counted; with InvalidLines::refuse they are an Error too.
//
// A language model learns from text without sources: every source is an empty line.
class ParallelText {
 public:
  ParallelText(TextFiles source, TextFiles target, InvalidLines invalid = InvalidLines::drop);
  static ParallelText without_source(TextFiles target, InvalidLines invalid = InvalidLines::drop);

  bool has_source() const { return !source_.empty(); }
  const TextFiles& source() const { return source_; }
  const TextFiles& target() const { return target_; }
  // The number of lines of one side, including skipped ones.
  int64_t pairs() const { return pairs_; }
  // The same number after each file, so that the last is pairs().
  const std::vector<int64_t>& ends() const { return ends_; }
  // The pairs that are skipped, each counted once.
  const TextFaults& faults() const { return faults_; }
  // The name of an example in messages: "pair" or "line".
  const char* unit() const { return has_source() ? "pair" : "line"; }
  // Hash of the lines of each file, whatever its name and whether or not it is compressed. Training
  // states of every version have it.
  uint64_t fingerprint() const { return fingerprint_; }

 private:
  ParallelText() = default;
  void survey_files(InvalidLines invalid);
  void survey_pairs(size_t file);
  void survey_lines(size_t file);

  TextFiles source_, target_;
  int64_t pairs_ = 0;
  std::vector<int64_t> ends_;
  TextFaults faults_;
  std::vector<uint64_t> hashes_;  // of the lines of each file
  uint64_t fingerprint_ = 0;
};

// Reads both sides of a ParallelText, line by line through all files.
class PairReader {
 public:
  explicit PairReader(const ParallelText& text) : text_(text) {}
  // The next pair that can be used; false at the end of the last files.
  bool next(std::string& source, std::string& target);
  // The number of the last pair: 0 is the first line of the first file, and later files continue.
  int64_t line() const { return lines_ - 1; }

 private:
  const ParallelText& text_;
  size_t file_ = 0;
  int64_t lines_ = 0;
  std::optional<LineReader> source_, target_;
};

}  // namespace heed
