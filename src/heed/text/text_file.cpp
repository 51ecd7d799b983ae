#include "heed/text/text_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <system_error>
#include <vector>

#include "heed/core/error.h"
#include "heed/core/options.h"
#include "heed/core/utf8.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr size_t kCopyBytes = size_t{1} << 18;
const char* const kStandardInput = "-";

// std::nullopt if there is no such file: its readers report that.
std::optional<struct stat> status_of(const fs::path& path) {
  struct stat status {};
  const bool found =
      path == kStandardInput ? ::fstat(0, &status) == 0 : ::stat(path.c_str(), &status) == 0;
  if (!found) return std::nullopt;
  return status;
}

bool is_terminal(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  return file.get() >= 0 && ::isatty(file.get()) == 1;
}

fs::path temporary_directory() {
  const char* const variable = std::getenv("TMPDIR");
  if (variable == nullptr || *variable == '\0') return "/tmp";
  std::error_code error;
  if (!fs::is_directory(variable, error))
    fail("TMPDIR names no directory ('{}'): expected one for temporary files", variable);
  return variable;
}

// An open file without a name: it is deleted when it is closed, even if the process is killed.
Descriptor make_temporary(const fs::path& directory, const std::string& name) {
  std::string path = (directory / "heed-XXXXXX").string();
  Descriptor file(::mkostemp(path.data(), O_CLOEXEC));
  if (file.get() < 0)
    fail("cannot copy {} to a temporary file in {}: {}", name, directory.string(),
         detail::reason(errno));
  ::unlink(path.c_str());
  return file;
}

// If the system does not say, writing fails when the disk is full.
int64_t free_bytes_of(const fs::path& directory) {
  std::error_code error;
  const fs::space_info space = fs::space(directory, error);
  return error ? std::numeric_limits<int64_t>::max()
               : int64_t(std::min<uintmax_t>(space.available, std::numeric_limits<int64_t>::max()));
}

// The copy of a stream with this name.
class Copy {
 public:
  Copy(std::string name, const CopyOptions& options)
      : options_(options),
        name_(std::move(name)),
        directory_(temporary_directory()),
        file_(make_temporary(directory_, name_)),
        kept_free_(free_bytes() / 10) {}

  void write(std::string_view bytes) {
    unchecked_ += int64_t(bytes.size());
    if (unchecked_ >= kCheckedBytes) check_room();
    append(bytes);
    bytes_ += int64_t(bytes.size());
    report();
  }
  Descriptor take() { return std::move(file_); }

 private:
  using Clock = std::chrono::steady_clock;

  int64_t free_bytes() const {
    return (options_.free_bytes ? options_.free_bytes : free_bytes_of)(directory_);
  }

  // An endless stream would fill the disk for all other programs.
  void check_room() {
    const int64_t left = free_bytes();
    unchecked_ = 0;
    if (left >= kept_free_) return;
    fail(
        "cannot copy all of {} to a temporary file in {} (TMPDIR): after {} MiB less than a tenth "
        "of the space that was free would be left; if the stream has an end, set TMPDIR to a "
        "directory with more room or give a file",
        name_, directory_.string(), bytes_ >> 20);
  }

  void report() {
    const auto now = Clock::now();
    if (!options_.message || now < next_report_) return;
    next_report_ = now + std::chrono::seconds(20);
    options_.message(fmt::format("copying {} to {}: {:.1f} MiB so far", name_, directory_.string(),
                                 double(bytes_) / (1 << 20)));
  }

  void append(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0)
        fail(
            "cannot copy {} to a temporary file in {}: {}; set TMPDIR to a directory with more "
            "room",
            name_, directory_.string(), detail::reason(errno));
      bytes.remove_prefix(size_t(written));
    }
  }

  static constexpr int64_t kCheckedBytes = 1 << 20;

  const CopyOptions& options_;
  const std::string name_;
  const fs::path directory_;
  Descriptor file_;
  const int64_t kept_free_;
  int64_t bytes_ = 0;
  int64_t unchecked_ = 0;  // bytes since the free space was asked for
  Clock::time_point next_report_ = Clock::now() + options_.quiet;
};

// The bytes unchanged, which may be gzip, or the first lines.
std::shared_ptr<const Descriptor> copy_stream(int from, const std::string& name,
                                              const CopyOptions& options) {
  Copy copy(name, options);
  if (options.max_lines > 0) {
    LineReader reader(from, name);
    std::string line;
    while (reader.line_number() < options.max_lines && reader.next(line)) copy.write(line + "\n");
    return std::make_shared<const Descriptor>(copy.take());
  }
  std::vector<char> buffer(kCopyBytes);
  for (;;) {
    const ssize_t got = ::read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot read {}: {}", name, detail::reason(errno));
    if (got == 0) return std::make_shared<const Descriptor>(copy.take());
    copy.write({buffer.data(), size_t(got)});
  }
}

// A column's number, from 1; 0 for any other text.
int64_t column_number(const std::string& text) {
  int64_t number = 0;
  return from_text(text, {.minimum = 1, .maximum = 1e6}, number) ? number : 0;
}

}  // namespace

TextFile::TextFile(fs::path path, const CopyOptions& copying)
    : path_(std::move(path)), name_(path_ == kStandardInput ? "standard input" : path_.string()) {
  const auto status = status_of(path_);
  if (path_ == kStandardInput) {
    if (status && S_ISREG(status->st_mode)) {
      descriptor_ = std::make_shared<const Descriptor>(::fcntl(0, F_DUPFD_CLOEXEC, 0));
      begin_ = ::lseek(0, 0, SEEK_CUR);
    } else {
      descriptor_ = copy_stream(0, name_, copying);
    }
  } else if (is_stream(path_)) {
    const Descriptor from(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    if (from.get() < 0) fail("cannot open {}: {}", name_, detail::reason(errno));
    descriptor_ = copy_stream(from.get(), name_, copying);
  }
}

TextFile TextFile::column(int64_t number) const {
  TextFile one = *this;
  one.column_ = number;
  return one;
}

TextFile TextFile::converted(LineConversion conversion) const {
  TextFile one = *this;
  one.conversion_ = std::move(conversion);
  return one;
}

std::string TextFile::title() const {
  return column_ == 0 ? name_ : fmt::format("{} (column {})", name_, column_);
}

LineReader TextFile::lines() const {
  LineReader reader = descriptor_ ? LineReader(descriptor_, begin_, name_) : LineReader(path_);
  reader.select_column(column_);
  reader.convert(conversion_);
  return reader;
}

bool is_stream(const fs::path& path) {
  if (path == kStandardInput) return true;
  const auto status = status_of(path);
  return status && (S_ISFIFO(status->st_mode) || S_ISSOCK(status->st_mode) ||
                    (S_ISCHR(status->st_mode) && is_terminal(path)));
}

void expect_distinct_streams(const std::vector<NamedInput>& inputs) {
  std::map<std::pair<dev_t, ino_t>, std::string> flags;  // of each stream
  for (const auto& [flag, name] : inputs) {
    if (name.empty() || !is_stream(name)) continue;
    const auto status = status_of(name);
    const std::pair file(status ? status->st_dev : 0, status ? status->st_ino : 0);
    const auto [other, is_new] = flags.emplace(file, flag);
    if (!is_new)
      fail_usage("{} and {} both read {}, which can be read only once: give each a file of its own",
                 other->second, flag, name == kStandardInput ? "standard input" : name);
  }
}

void TsvOptions::check(const std::vector<std::string>& other_tsv) const {
  const bool sound = columns.size() == 2 && column_number(columns[0]) > 0 &&
                     column_number(columns[1]) > 0 &&
                     column_number(columns[0]) != column_number(columns[1]);
  if (!sound)
    fail_usage(
        "--columns: expected two different whole numbers from 1, such as 1 2 (source first), got "
        "'{}'",
        excerpt(fmt::format("{}", fmt::join(columns, " "))));
  if (tsv.empty() && other_tsv.empty() && columns != TsvOptions().columns)
    fail_usage("--columns {} changes nothing: no tab-separated text is given",
               fmt::join(columns, " "));
}

std::pair<TextFiles, TextFiles> TsvOptions::open(const std::vector<std::string>& names,
                                                 const CopyOptions& copying) const {
  std::pair<TextFiles, TextFiles> sides;
  for (const std::string& name : names) {
    const TextFile file(name, copying);
    sides.first.push_back(file.column(column_number(columns[0])));
    sides.second.push_back(file.column(column_number(columns[1])));
  }
  return sides;
}

std::pair<TextFiles, TextFiles> open_sides(const std::vector<std::string>& source,
                                           const std::vector<std::string>& target,
                                           const TsvOptions& tabular, const CopyOptions& copying) {
  if (!tabular.tsv.empty()) return tabular.open(tabular.tsv, copying);
  std::pair<TextFiles, TextFiles> sides;
  for (const std::string& name : source) sides.first.emplace_back(name, copying);
  for (const std::string& name : target) sides.second.emplace_back(name, copying);
  return sides;
}

}  // namespace heed
