#include "files/text_files.h"

#include <unistd.h>

#include <filesystem>

#include "heed/core/counted.h"
#include "heed/core/descriptor.h"
#include "heed/core/error.h"
#include "heed/model/directory.h"
#include "heed/text/parallel_text.h"
#include "heed/text/text_encoding.h"
#include "heed/text/tokenizer.h"

namespace heed {
namespace {

std::string warning_of(const TextFaults& faults, size_t lines, std::string_view encoding) {
  return fmt::format("{}; {} of {} of the file: broken bytes are read as U+FFFD{}", faults.first,
                     faults.count(), detail::counted(int64_t(lines), "line"),
                     encoding.empty()
                         ? ""
                         : fmt::format("; it looks like {0}: convert it with iconv -f {0} -t UTF-8 "
                                       "FILE",
                                       encoding));
}

}  // namespace

std::vector<std::string> EqualTexts::read(const std::string& path) {
  LineReader reader = open_lines(path);
  std::vector<std::string> lines;
  TextFaults faults;
  detail::EncodingSample sample;
  for (std::string line; (!size_ || lines.size() <= *size_) && reader.next(line);
       lines.push_back(line)) {
    const LineFault fault = fault_of(reader, line);
    faults.add(reader, line, fault);
    sample.add_line(line);
    if (fault == LineFault::invalid_utf8) sample.add_invalid_line(line);
    if (strict_ && faults.count() > 0) fail("{}; convert the file to UTF-8", faults.first);
  }
  if (faults.count() > 0) console_.warn(warning_of(faults, lines.size(), sample.encoding()));
  if (!size_) {
    first_ = path;
    size_ = lines.size();
  }
  if (lines.size() > *size_) fail_unequal_lines(first_, *size_, path);
  if (lines.size() < *size_)
    fail("{} has {} and {} has {}: line i of both must belong to the same sentence", first_,
         detail::counted(int64_t(*size_), "line"), path,
         detail::counted(int64_t(lines.size()), "line"));
  return lines;
}

CopyOptions reported_copying(const Console& console) {
  return {.message = [&console](const std::string& text) { console.note(text); }};
}

void fail_unequal_lines(const std::string& shorter, size_t lines, const std::string& longer) {
  fail("{} has {} and {} has more: line i of both must belong to the same sentence", shorter,
       detail::counted(int64_t(lines), "line"), longer);
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

std::vector<std::string> files_read(const std::string& model,
                                    const std::vector<NamedInput>& texts) {
  expect_distinct_streams(texts);
  std::vector<std::string> files;
  const auto add = [&](const char* name) {
    files.push_back((std::filesystem::path(model) / name).string());
  };
  if (!model.empty()) {
    for (const char* name : model_files()) add(name);
    for (const char* name : tokenizer_files()) add(name);
  }
  for (const auto& [flag, name] : texts) files.push_back(name);
  return files;
}

}  // namespace heed
