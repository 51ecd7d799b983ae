#include "text_files.h"

#include <filesystem>

#include "heed/core/error.h"
#include "heed/text/parallel_text.h"

namespace heed {

std::vector<std::string> read_text(const std::string& path, LineRules rules,
                                   const Console& console) {
  LineReader reader = open_lines(path);
  std::vector<std::string> lines;
  TextFaults faults;
  for (std::string line; reader.next(line); lines.push_back(line)) {
    faults.add(reader, line, fault_of(reader, line));
    if (rules.strict && faults.count() > 0) fail("{}; convert the file to UTF-8", faults.first);
  }
  if (faults.count() > 0)
    console.warn(fmt::format("{}; {} of {} lines of the file: broken bytes are read as U+FFFD",
                             faults.first, faults.count(), lines.size()));
  return lines;
}

void expect_as_many_lines(const std::string& first_path, size_t first_lines,
                          const std::string& path, size_t lines) {
  if (lines == first_lines) return;
  fail("{} has {} lines and {} has {}: line i of both must belong to the same sentence", first_path,
       first_lines, path, lines);
}

void expect_another_file(const std::string& flag, const std::string& output,
                         const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code error;  // a name that is missing or empty is no file's
    // A device or a pipe loses nothing: /dev/null, a terminal.
    if (std::filesystem::equivalent(output, input, error) &&
        std::filesystem::is_regular_file(output, error))
      fail_usage("{} {} is {} itself, expected another file: what is read would be lost", flag,
                 output, input);
  }
}

}  // namespace heed
