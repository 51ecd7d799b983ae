#include "heed/text/text_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <vector>

#include "heed/core/error.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr size_t kCopyBytes = size_t{1} << 18;
const char* const kStandardInput = "-";

// Nothing where there is no such file: whoever reads it says so.
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

fs::path temporary_folder() {
  const char* const variable = std::getenv("TMPDIR");
  if (variable == nullptr || *variable == '\0') return "/tmp";
  std::error_code error;
  if (!fs::is_directory(variable, error))
    fail("TMPDIR names no folder ('{}'): expected one for temporary files", variable);
  return variable;
}

// An open file that no folder lists: it is gone when it is closed, however the process ends.
Descriptor make_temporary(const fs::path& folder, const std::string& name) {
  std::string path = (folder / "heed-XXXXXX").string();
  Descriptor file(::mkostemp(path.data(), O_CLOEXEC));
  if (file.get() < 0)
    fail("cannot copy {} to a temporary file in {}: {}", name, folder.string(),
         detail::reason(errno));
  ::unlink(path.c_str());
  return file;
}

// The copy of a stream with this name.
class Copy {
 public:
  explicit Copy(std::string name)
      : name_(std::move(name)),
        folder_(temporary_folder()),
        file_(make_temporary(folder_, name_)) {}

  void write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0)
        fail("cannot copy {} to a temporary file in {}: {}; set TMPDIR to a folder with more room",
             name_, folder_.string(), detail::reason(errno));
      bytes.remove_prefix(size_t(written));
    }
  }
  Descriptor take() { return std::move(file_); }

 private:
  std::string name_;
  fs::path folder_;
  Descriptor file_;
};

// The bytes as they are, which may be gzip.
Descriptor copy_bytes(int from, const std::string& name) {
  Copy copy(name);
  std::vector<char> buffer(kCopyBytes);
  for (;;) {
    const ssize_t got = ::read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot read {}: {}", name, detail::reason(errno));
    if (got == 0) return copy.take();
    copy.write({buffer.data(), size_t(got)});
  }
}

Descriptor copy_lines(int from, const std::string& name, int64_t most_lines) {
  Copy copy(name);
  LineReader reader(from, name);
  std::string line;
  while (reader.line_number() < most_lines && reader.next(line)) copy.write(line + "\n");
  return copy.take();
}

std::shared_ptr<const Descriptor> copy_stream(int from, const std::string& name,
                                              int64_t most_lines) {
  return std::make_shared<const Descriptor>(most_lines > 0 ? copy_lines(from, name, most_lines)
                                                           : copy_bytes(from, name));
}

}  // namespace

TextFile::TextFile(fs::path path) : TextFile(std::move(path), 0) {}

TextFile::TextFile(fs::path path, int64_t most_lines)
    : path_(std::move(path)), name_(path_ == kStandardInput ? "standard input" : path_.string()) {
  const auto status = status_of(path_);
  if (path_ == kStandardInput) {
    if (status && S_ISREG(status->st_mode)) {
      descriptor_ = std::make_shared<const Descriptor>(::fcntl(0, F_DUPFD_CLOEXEC, 0));
      begin_ = ::lseek(0, 0, SEEK_CUR);
    } else {
      descriptor_ = copy_stream(0, name_, most_lines);
    }
  } else if (is_stream(path_)) {
    const Descriptor from(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    if (from.get() < 0) fail("cannot open {}: {}", name_, detail::reason(errno));
    descriptor_ = copy_stream(from.get(), name_, most_lines);
  }
}

TextFile TextFile::column(int64_t number) const {
  TextFile one = *this;
  one.column_ = number;
  return one;
}

std::string TextFile::title() const {
  return column_ == 0 ? name_ : fmt::format("{} (column {})", name_, column_);
}

LineReader TextFile::lines() const {
  LineReader reader = descriptor_ ? LineReader(descriptor_, begin_, name_) : LineReader(path_);
  reader.take_column(column_);
  return reader;
}

bool is_stream(const fs::path& path) {
  if (path == kStandardInput) return true;
  const auto status = status_of(path);
  return status && (S_ISFIFO(status->st_mode) || S_ISSOCK(status->st_mode) ||
                    (S_ISCHR(status->st_mode) && is_terminal(path)));
}

void expect_distinct_streams(const std::vector<NamedInput>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto& [flag, name] = inputs[i];
    if (name.empty() || !is_stream(name)) continue;
    const auto status = status_of(name);
    for (size_t k = 0; k < i; ++k) {
      const auto& [other_flag, other_name] = inputs[k];
      if (other_name.empty() || !is_stream(other_name)) continue;
      const auto other = status_of(other_name);
      const bool same = name == other_name || (status && other && status->st_dev == other->st_dev &&
                                               status->st_ino == other->st_ino);
      if (same)
        fail_usage(
            "{} and {} both read {}, which can be read only once: give each a file of its own",
            other_flag, flag, name == kStandardInput ? "standard input" : name);
    }
  }
}

}  // namespace heed
