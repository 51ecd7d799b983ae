#include "files/text_files.h"

#include <unistd.h>

#include <filesystem>
#include <limits>

#include "heed/core/counted.h"
#include "heed/core/descriptor.h"
#include "heed/core/error.h"
#include "heed/model/directory.h"
#include "heed/text/parallel_text.h"
#include "heed/text/text_encoding.h"
#include "heed/text/tokenizer.h"

namespace heed {

namespace {

std::vector<std::string> read_at_most(size_t most, const std::string& path, LineRules rules,
                                      const Console& console) {
  LineReader reader = open_lines(path);
  std::vector<std::string> lines;
  TextFaults faults;
  detail::EncodingSample sample;
  for (std::string line; lines.size() < most && reader.next(line); lines.push_back(line)) {
    const LineFault fault = fault_of(reader, line);
    faults.add(reader, line, fault);
    sample.add_line(line);
    if (fault == LineFault::invalid_utf8) sample.add_invalid_line(line);
    if (rules.strict && faults.count() > 0) fail("{}; convert the file to UTF-8", faults.first);
  }
  if (faults.count() == 0) return lines;
  const std::string_view encoding = sample.encoding();
  console.warn(fmt::format(
      "{}; {} of {} of the file: broken bytes are read as U+FFFD{}", faults.first, faults.count(),
      detail::counted(int64_t(lines.size()), "line"),
      encoding.empty() ? ""
                       : fmt::format("; it looks like {0}: convert it with iconv -f {0} -t UTF-8 "
                                     "FILE",
                                     encoding)));
  return lines;
}

}  // namespace

std::vector<std::string> read_text(const std::string& path, LineRules rules,
                                   const Console& console) {
  return read_at_most(std::numeric_limits<size_t>::max(), path, rules, console);
}

std::vector<std::string> read_text(const std::string& path, const TextLength& other,
                                   LineRules rules, const Console& console) {
  std::vector<std::string> lines = read_at_most(other.lines + 1, path, rules, console);
  if (lines.size() > other.lines) fail_unequal_lines(other, path);
  if (lines.size() < other.lines)
    fail("{} has {} and {} has {}: line i of both must belong to the same sentence", other.path,
         detail::counted(int64_t(other.lines), "line"), path,
         detail::counted(int64_t(lines.size()), "line"));
  return lines;
}

CopyOptions told_copying(const Console& console) {
  return {.message = [&console](const std::string& text) { console.note(text); }};
}

void fail_unequal_lines(const TextLength& shorter, const std::string& longer_path) {
  fail("{} has {} and {} has more: line i of both must belong to the same sentence", shorter.path,
       detail::counted(int64_t(shorter.lines), "line"), longer_path);
}

void expect_another_file(const std::string& flag, const std::string& output,
                         const std::vector<std::string>& inputs) {
  std::error_code error;  // a name that is missing or empty is no file's
  // A device or a pipe loses nothing: /dev/null, a terminal.
  if (output == "-" || !std::filesystem::is_regular_file(output, error)) return;
  for (const std::string& input : inputs) {
    const bool same = input == "-" ? detail::is_name_of(output, STDIN_FILENO)
                                   : std::filesystem::equivalent(output, input, error);
    if (same)
      fail_usage("{} {} is {}, expected another file: what is read would be lost", flag, output,
                 input == "-" ? "standard input" : input + " itself");
  }
}

std::vector<std::string> files_of_model(const std::string& directory) {
  std::vector<std::string> files;
  if (directory.empty()) return files;
  const auto add = [&](const char* name) {
    files.push_back((std::filesystem::path(directory) / name).string());
  };
  for (const char* name : model_files()) add(name);
  for (const char* name : tokenizer_files()) add(name);
  return files;
}

}  // namespace heed
