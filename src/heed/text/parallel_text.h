// Parallel text files, checked once before anything is made of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "heed/text/lines.h"

namespace heed {

// What a text file holds.
struct TextSurvey {
  int64_t lines = 0;
  uint64_t fingerprint = 0;  // of the lines, compressed or not
};
// Reads a whole file. Error: bytes that are not UTF-8 (with file, line and byte), and LineReader's.
TextSurvey survey(const std::filesystem::path& path);

// Pairs of text files, line by line translations of each other; file k of one side belongs to
// file k of the other. Building one reads them all once, so that every defect is told at the
// start: a file that cannot be read, sides of different length (Error with both counts), bytes
// that are not UTF-8 (Error with file, line and byte), no lines at all.
class ParallelText {
 public:
  using Paths = std::vector<std::filesystem::path>;
  ParallelText(Paths source, Paths target);

  const Paths& source() const { return source_; }
  const Paths& target() const { return target_; }
  // All lines of one side.
  int64_t pairs() const { return pairs_; }
  // Of what the lines say, compressed or not.
  uint64_t fingerprint() const { return fingerprint_; }

 private:
  Paths source_, target_;
  int64_t pairs_ = 0;
  uint64_t fingerprint_ = 0;
};

// Reads both sides of a ParallelText, line by line through all files.
class PairReader {
 public:
  explicit PairReader(const ParallelText& text) : text_(text) {}
  // False at the end of the last files.
  bool next(std::string& source, std::string& target);

 private:
  const ParallelText& text_;
  size_t file_ = 0;
  std::optional<LineReader> source_, target_;
};

}  // namespace heed
