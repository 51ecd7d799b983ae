#include "heed/core/files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "heed/core/descriptor.h"
#include "heed/core/error.h"

namespace heed {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;
constexpr int kMaxLinks = 40;  // as the kernel follows them

// Opens a regular file for reading and tells its size.
Descriptor open_regular(const std::filesystem::path& path, int64_t& size) {
  // Not blocking: a pipe without a writer is refused below instead of waited for.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) fail("cannot open {}: {}", path.string(), detail::reason(errno));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0)
    fail("cannot read {}: {}", path.string(), detail::reason(errno));
  if (S_ISDIR(status.st_mode)) fail("{} is a directory; expected a file", path.string());
  if (!S_ISREG(status.st_mode)) fail("{} is no regular file", path.string());
  size = status.st_size;
  return file;
}

// Writes all bytes, however many calls that takes: `write_some` makes one.
template <class WriteSome>
void write_all(std::string_view bytes, const std::filesystem::path& path,
               const WriteSome& write_some) {
  while (!bytes.empty()) {
    const ssize_t written = write_some(bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) detail::fail_to_write(path, written < 0 ? errno : EIO);
    bytes.remove_prefix(size_t(written));
  }
}

void write_at_position(int file, std::string_view bytes, int64_t position,
                       const std::filesystem::path& path) {
  write_all(bytes, path, [&](std::string_view rest) {
    const ssize_t written = ::pwrite(file, rest.data(), rest.size(), position);
    if (written > 0) position += written;
    return written;
  });
}

// A rename puts a file in the place of whatever has the name, of /dev/null too where it may.
void expect_replaceable(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status))
    fail("cannot write {}: it is a directory", path.string());
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    fail("cannot write {}: it is a device, a pipe or a socket; expected a file or a new name",
         path.string());
  }
}

// Makes a rename survive a power cut.
void sync_directory(const std::filesystem::path& path) {
  const Descriptor file(
      ::open(detail::parent_directory(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // EINVAL: a file system that has nothing to sync for directories.
  if (file.get() < 0 || (::fsync(file.get()) != 0 && errno != EINVAL)) {
    fail("cannot sync the directory of {}: {}", path.string(), detail::reason(errno));
  }
}

}  // namespace

std::string read_file(const std::filesystem::path& path, int64_t limit) {
  int64_t size = 0;
  const Descriptor file = open_regular(path, size);
  if (size > limit) {
    fail("{} has {} bytes; expected at most {}", path.string(), size, limit);
  }
  std::string bytes(size_t(size), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot read {}: {}", path.string(), detail::reason(errno));
    if (got == 0) fail("{} became shorter while it was read", path.string());
    done += size_t(got);
  }
  return bytes;
}

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  expect_replaceable(path_);
  // A link stays and what it names is replaced: /dev/stdout is a link too.
  std::error_code error;
  for (int links = 0; std::filesystem::is_symlink(path_, error); ++links) {
    const std::filesystem::path named = std::filesystem::read_symlink(path_, error);
    if (error || links == kMaxLinks)
      fail("cannot write {}: a link that leads nowhere", path_.string());
    path_ = named.is_absolute() ? named : detail::parent_directory(path_) / named;
  }
  file_.emplace(TemporaryFile::make(path_));
}

void AtomicFile::write(std::string_view bytes) {
  check(file_.has_value(), "write to a committed file");
  if (buffer_.size() + bytes.size() > kBufferBytes) flush();
  if (bytes.size() > kBufferBytes) {
    write_at_position(file_->descriptor(), bytes, size_, path_);
  } else {
    buffer_.append(bytes);
  }
  size_ += int64_t(bytes.size());
}

void AtomicFile::write_at(int64_t position, std::string_view bytes) {
  check(file_.has_value(), "write to a committed file");
  check(position >= 0 && position + int64_t(bytes.size()) <= size_, "write_at beyond the end");
  flush();
  write_at_position(file_->descriptor(), bytes, position, path_);
}

void AtomicFile::flush() {
  write_at_position(file_->descriptor(), buffer_, size_ - int64_t(buffer_.size()), path_);
  buffer_.clear();
}

void AtomicFile::commit() {
  check(file_.has_value(), "a file is committed once");
  flush();
  if (::fsync(file_->descriptor()) != 0) detail::fail_to_write(path_, errno);
  file_->commit();
  file_.reset();
  sync_directory(path_);
}

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void append_to_file(const std::filesystem::path& path, std::string_view bytes) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  if (file.get() < 0) detail::fail_to_write(path, errno);
  write_all(bytes, path,
            [&](std::string_view rest) { return ::write(file.get(), rest.data(), rest.size()); });
}

MappedFile::MappedFile(const std::filesystem::path& path) {
  int64_t size = 0;
  const Descriptor file = open_regular(path, size);
  if (size == 0) return;
  void* data = ::mmap(nullptr, size_t(size), PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED) fail("cannot map {}: {}", path.string(), detail::reason(errno));
  data_ = static_cast<const std::byte*>(data);
  size_ = size_t(size);
}

void MappedFile::release_pages(std::span<const std::byte> bytes) const {
  const auto page = uintptr_t(sysconf(_SC_PAGESIZE));
  const size_t skipped = (page - uintptr_t(bytes.data()) % page) % page;
  if (skipped >= bytes.size()) return;
  const auto pages = bytes.subspan(skipped).first((bytes.size() - skipped) / page * page);
  // Advice: that it is not taken changes nothing.
  madvise(const_cast<std::byte*>(pages.data()), pages.size(), MADV_DONTNEED);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace heed
