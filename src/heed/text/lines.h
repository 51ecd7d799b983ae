// Text files, plain or gzip, read line by line.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heed/core/descriptor.h"

namespace heed {

// Turns a line of a text into what its reader gives. `name` and `number` are those of the reader,
// for messages.
using LineConversion =
    std::function<void(std::string& line, const std::string& name, int64_t number)>;

// Reads lines with constant memory. Only '\n' ends a line and it is not part of it; every other
// byte is kept as it is, including a '\r' before the '\n' and NUL; a byte order mark of UTF-8 at
// the beginning is no text. A last line needs no '\n'; an empty file has no lines. A file that
// begins like gzip is decompressed, whatever its name, and may have several concatenated members; a
// file whose name ends in .gz must be gzip.
//
// Errors name the file: missing, a directory, no permission, a gzip that is cut short, damaged or
// followed by something else, a line longer than kMaxLineBytes.
class LineReader {
 public:
  static constexpr int64_t kMaxLineBytes = int64_t{64} << 20;

  explicit LineReader(const std::filesystem::path& path);
  // Reads an open descriptor, such as standard input, which is not closed; `name` is for messages.
  LineReader(int descriptor, std::string name);
  // Reads an open regular file from a position, without moving its offset: several readers may
  // share the descriptor.
  LineReader(std::shared_ptr<const Descriptor> descriptor, int64_t position, std::string name);
  ~LineReader();
  LineReader(LineReader&&) noexcept;
  LineReader& operator=(LineReader&&) noexcept;

  // From now on next() gives one column of lines of tab-separated values, counted from 1, or an
  // empty text if a line has fewer; 0: whole lines.
  void select_column(int64_t column) { column_ = column; }

  // From now on next() gives lines as they are after this.
  void convert(LineConversion conversion) { conversion_ = std::move(conversion); }

  // From now on next() fails for a text that begins with a byte order mark of UTF-16 or UTF-32.
  void refuse_utf16() { refuses_utf16_ = true; }

  // From now on next() leaves a byte order mark of UTF-8 in the first line.
  void keep_byte_order_mark() { keeps_mark_ = true; }

  // False at the end of the file; the line is then empty.
  bool next(std::string& line);
  // The selected column, and whether the line that next() read last has it.
  int64_t column() const { return column_; }
  bool has_column() const { return has_column_; }
  // How many columns that line has; 1 if whole lines are read.
  int64_t columns() const { return columns_; }
  // The number of the line that next() gave last, counted from 1.
  int64_t line_number() const { return line_number_; }
  // Whether that line ended with '\n'.
  bool line_ended() const { return line_ended_; }
  // Waits for input, at most `time`. True if next() will not block: a line or the end has been
  // read. With gzip, next() may still wait for the rest of a compressed block.
  bool wait(std::chrono::milliseconds time);
  const std::string& name() const;

 private:
  struct Input;
  bool take_line(std::string& line);
  void take_byte_order_mark(std::string& first_line) const;

  std::unique_ptr<Input> input_;
  std::string begun_;  // of the next line, whose end has not been read
  int64_t column_ = 0, columns_ = 1, line_number_ = 0;
  bool has_column_ = true, line_ended_ = false, refuses_utf16_ = false;
  bool keeps_mark_ = false;
  LineConversion conversion_;  // may be empty
};

// A reader of a file, or of standard input for "-", that refuses UTF-16.
LineReader open_lines(const std::filesystem::path& path);

// All of a text, of at most 1 GiB.
std::string read_text(LineReader reader);

// All lines of a file, or of standard input for "-".
std::vector<std::string> read_lines(const std::filesystem::path& path);

}  // namespace heed
