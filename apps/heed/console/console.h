// The output of the program: results to standard output, everything else to standard error.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed {

// Standard output was closed by its reader (`heed ... | head`): the program ends silently.
class BrokenPipe : public std::runtime_error {
 public:
  BrokenPipe() : std::runtime_error("the reader of the output has gone") {}
};

// Buffered writing to a file descriptor. Throws BrokenPipe, or Error naming `name` when the disk is
// full.
class Output {
 public:
  // Does not own `descriptor`.
  Output(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text);
  // Writes the buffer. The destructor does not.
  void flush();

 private:
  int descriptor_;
  std::string name_;
  std::string buffer_;
};

// The output of commands.
class Console {
 public:
  explicit Console(Output& out) : out_(out) {}

  Output& out() { return out_; }
  bool quiet() const { return quiet_; }
  void be_quiet(bool quiet) { quiet_ = quiet; }
  // One line on standard error, unless quiet.
  void note(std::string_view text) const;
  // One line on standard error, always.
  void warn(std::string_view text) const;

 private:
  Output& out_;
  bool quiet_ = false;
};

// Warnings about lines of a text, each with their number: for the end of the text.
class LineWarnings {
 public:
  // Counts a line for each warning that applies to it. The warnings are the same for all lines.
  void add(std::initializer_list<std::pair<const char*, bool>> warnings);
  // "2 of 30 lines: ...", where `all` is "30 lines".
  void print(const Console& console, std::string_view all) const;

 private:
  std::vector<std::pair<const char*, int64_t>> counts_;
};

// The width of a terminal; 80 for any other file.
int64_t terminal_columns(int descriptor);

// A text on one line, as one_line() of heed/pages/terminal_text.h makes it, for an error or a
// warning: words without a space or '/' that are longer than any file name, which only a user's
// input has, end after 200 characters.
std::string message_line(std::string_view text);

}  // namespace heed
