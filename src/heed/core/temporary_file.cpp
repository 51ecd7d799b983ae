#include "heed/core/temporary_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <random>

#include "heed/core/error.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".partial";
constexpr size_t kDigits = 16;

std::string temporary_name(const fs::path& target) {
  std::random_device random;
  const uint64_t number = uint64_t{random()} << 32 | random();
  return fmt::format("{}.{:0{}x}{}", target.string(), number, kDigits, kSuffix);
}

// A name in use, where a signal handler can read it: it may neither lock nor allocate.
struct Slot {
  enum State { unused, changing, file, directory };
  std::atomic<State> state{unused};
  std::array<char, 1024> name{};
};
// A handler has no argument to reach an object through, so this one variable is global.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
std::array<Slot, 64> slots;

// Removes a temporary file that no process has locked.
void remove_if_dead(const fs::path& path) {
  // NFS locks exclusively what is open for writing only.
  const Descriptor file(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0 && detail::is_name_of(path, file.get()))
    ::unlink(path.c_str());
}

// Removes what killed writers of the target left.
void remove_dead(const fs::path& target) {
  const std::string name = target.filename().string();
  std::error_code error;  // a directory that cannot be listed keeps what it holds
  for (fs::directory_iterator entry(detail::parent_directory(target), error), end;
       !error && entry != end; entry.increment(error)) {
    const fs::path& path = entry->path();
    if (target_of_temporary(path.filename().string()) == name) remove_if_dead(path);
  }
}

// Gives a file the permissions of the one that it will replace, if there is one.
void keep_permissions(const fs::path& target, const Descriptor& file) {
  struct stat status {};
  if (::stat(target.c_str(), &status) == 0 && S_ISREG(status.st_mode))
    ::fchmod(file.get(), status.st_mode & 0777);  // a file system without permissions refuses
}

// The path by which an open file can be linked without privileges.
std::string path_of(const Descriptor& file) {
  return fmt::format("/proc/self/fd/{}", file.get());
}

Descriptor open_unnamed(const fs::path& target) {
  Descriptor file(
      ::open(detail::parent_directory(target).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666));
  // Without /proc it could never take a name.
  if (file.get() < 0 || ::access(path_of(file).c_str(), F_OK) != 0) return Descriptor();
  ::flock(file.get(), LOCK_EX | LOCK_NB);
  return file;
}

Descriptor open_named(const fs::path& target, std::optional<detail::RegisteredName>& name) {
  for (;;) {
    name.emplace(temporary_name(target));  // listed before it exists: no moment is left uncovered
    const char* path = name->text().c_str();
    Descriptor file(::open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (file.get() < 0 && errno == EEXIST) continue;
    if (file.get() < 0) detail::fail_to_write(target, errno);
    // Another writer may take it for a dead one before it is locked, and remove it.
    const bool examined = ::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!examined && detail::is_name_of(path, file.get())) return file;
    ::unlink(path);
  }
}

}  // namespace

detail::RegisteredName::RegisteredName(std::string text, RegisteredKind kind)
    : text_(std::move(text)) {
  if (text_.size() >= Slot().name.size()) return;
  for (slot_ = 0; slot_ < slots.size(); ++slot_) {
    auto expected = Slot::unused;
    if (!slots[slot_].state.compare_exchange_strong(expected, Slot::changing)) continue;
    std::copy_n(text_.c_str(), text_.size() + 1, slots[slot_].name.begin());
    slots[slot_].state = kind == RegisteredKind::directory ? Slot::directory : Slot::file;
    return;
  }
}

detail::RegisteredName::~RegisteredName() {
  if (slot_ < slots.size()) slots[slot_].state = Slot::unused;
}

void remove_temporary_files() noexcept {
  // Names may be listed in any order: a directory is empty once those in it are removed.
  for (bool removed = true; removed;) {
    removed = false;
    for (const Slot& slot : slots) {
      if (slot.state == Slot::file) removed |= ::unlink(slot.name.data()) == 0;
      if (slot.state == Slot::directory) removed |= ::rmdir(slot.name.data()) == 0;
    }
  }
}

TemporaryFile::TemporaryFile(fs::path target, Descriptor file,
                             std::optional<detail::RegisteredName> name)
    : target_(std::move(target)), name_(std::move(name)), file_(std::move(file)) {}

TemporaryFile TemporaryFile::make(const fs::path& target) {
  std::optional<TemporaryFile> file = make(target, Kind::unnamed);
  if (!file) file.emplace(*make(target, Kind::named));
  return std::move(*file);
}

std::optional<TemporaryFile> TemporaryFile::make(const fs::path& target, Kind kind) {
  Descriptor file;
  if (kind == Kind::unnamed) {
    file = open_unnamed(target);
    if (file.get() < 0) return std::nullopt;
  }
  remove_dead(target);
  std::optional<detail::RegisteredName> name;
  if (kind == Kind::named) file = open_named(target, name);
  keep_permissions(target, file);
  return TemporaryFile(target, std::move(file), std::move(name));
}

TemporaryFile::~TemporaryFile() {
  if (file_.get() >= 0 && name_) ::unlink(name_->text().c_str());
}

void TemporaryFile::commit() {
  const auto link_as = [&](const std::string& name) {
    if (::linkat(AT_FDCWD, path_of(file_).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0)
      return true;
    if (errno != EEXIST) detail::fail_to_write(target_, errno);
    return false;
  };
  if (!name_) {
    if (link_as(target_.string())) return;
    do {
      name_.emplace(temporary_name(target_));
    } while (!link_as(name_->text()));
  }
  if (::rename(name_->text().c_str(), target_.c_str()) != 0) detail::fail_to_write(target_, errno);
  name_.reset();
}

std::optional<std::string> target_of_temporary(std::string_view name) {
  if (name.size() <= kSuffix.size() + kDigits + 1 || !name.ends_with(kSuffix)) return std::nullopt;
  name.remove_suffix(kSuffix.size());
  const std::string_view digits = name.substr(name.size() - kDigits);
  name.remove_suffix(kDigits);
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (!std::all_of(digits.begin(), digits.end(), is_digit) || name.back() != '.' ||
      name.size() == 1)
    return std::nullopt;
  name.remove_suffix(1);
  return std::string(name);
}

void detail::fail_to_write(const fs::path& path, int error) {
  std::error_code ignored;
  const fs::path directory = detail::parent_directory(path);
  if (error == ENOENT && !fs::exists(directory, ignored))
    fail("cannot write {}: the directory {} is missing (never made, or removed or renamed since)",
         path.string(), directory.string());
  fail("cannot write {}: {}", path.string(), detail::reason(error));
}

}  // namespace heed
