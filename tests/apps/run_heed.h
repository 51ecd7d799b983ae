// Runs the built program as a user would.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heed::testing {

struct RunResult {
  int status = -1;  // the exit status; 128 + the signal's number if one ended it
  std::string out, err;
  int64_t peak_memory = 0;  // the most bytes of memory that it held
};

// Where standard output goes.
enum class OutputTo { file, full_disk, closed_pipe };

// What the machine grants the program.
struct Conditions {
  OutputTo output = OutputTo::file;
  bool as_nobody = false;                 // without root's rights, where the test has them
  int64_t memory = 0;                     // bytes of addresses at most (ulimit -v); 0: no limit
  std::string preload = {};               // a library that stands before all others
  std::filesystem::path input_file = {};  // standard input, in place of `input`
  int64_t file_size = 0;                  // bytes of a file at most (ulimit -f); 0: no limit
};

// Runs `heed ARGUMENTS...` in `directory` with `input` on standard input.
RunResult run_heed(const std::vector<std::string>& arguments,
                   const std::filesystem::path& directory = ".", const std::string& input = "",
                   const Conditions& conditions = {});

// The lines of what it printed.
std::vector<std::string> lines_of(const std::string& text);

// The program while it runs: fed and read line by line.
class RunningHeed {
 public:
  RunningHeed(const std::vector<std::string>& arguments, const std::filesystem::path& directory,
              const std::string& preload = {});
  // Ends it by SIGKILL if it still runs.
  ~RunningHeed();
  RunningHeed(const RunningHeed&) = delete;
  RunningHeed& operator=(const RunningHeed&) = delete;

  void write(const std::string& text) const;
  // The next line of standard output or standard error; empty at its end.
  std::string read_output_line() const { return read_line(output_); }
  std::string read_error_line() const { return read_line(error_); }
  void send(int signal) const;
  // Closes its standard input and waits. The status as in RunResult.
  int wait();

 private:
  static std::string read_line(int descriptor);

  int child_ = -1, input_ = -1, output_ = -1, error_ = -1;
};

// Reads messages until one begins with `start`, and returns it; fails the test at their end.
std::string await_message(const RunningHeed& heed, const std::string& start);

// The program as the first process of a terminal of its own, all of its standard streams there.
class HeedInTerminal {
 public:
  enum class Hangup { as_usual, ignored };  // ignored: as by nohup

  HeedInTerminal(const std::vector<std::string>& arguments, const std::filesystem::path& directory,
                 Hangup hangup = Hangup::as_usual);
  // Ends it by SIGKILL if it still runs.
  ~HeedInTerminal();
  HeedInTerminal(const HeedInTerminal&) = delete;
  HeedInTerminal& operator=(const HeedInTerminal&) = delete;

  // Reads what it prints until `text` has come; returns all that was read by this call.
  std::string read_until(const std::string& text);
  // Ends the terminal, as a window that is closed.
  void close_terminal();
  void send(int signal) const;
  // The status as in RunResult.
  int wait();

 private:
  int child_ = -1, terminal_ = -1;
};

}  // namespace heed::testing
