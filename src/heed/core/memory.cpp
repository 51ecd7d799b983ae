#include "heed/core/memory.h"

#include <malloc.h>
#include <sys/resource.h>

#include <fstream>
#include <functional>
#include <sstream>
#include <vector>

#include "heed/core/error.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// The number that begins a file; nothing for "max" or no such file.
std::optional<int64_t> number_in(const fs::path& path) {
  std::ifstream file(path);
  int64_t value = 0;
  return file >> value ? std::optional(value) : std::nullopt;
}

// The number behind a name in a file of lines "NAME NUMBER" or "NAME: NUMBER kB".
std::optional<int64_t> number_of(const fs::path& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string key, unit;
    int64_t value = 0;
    if (!(fields >> key >> value) || (key != name && key != name + ":")) continue;
    return fields >> unit && unit == "kB" ? value * 1024 : value;
  }
  return {};
}

// How a version of control groups calls its files.
struct GroupFiles {
  const char *limit, *usage, *cache;
};
constexpr GroupFiles kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes",
                               "total_inactive_file"};
constexpr GroupFiles kVersion2{"memory.max", "memory.current", "inactive_file"};

// Looks at a group and all above it, up to where they are mounted.
void visit_groups(const fs::path& mount, const std::string& group, const GroupFiles& files,
                  const std::function<void(int64_t)>& left) {
  fs::path path = fs::path(group).relative_path();
  while (true) {
    const fs::path directory = mount / path;
    const auto limit = number_in(directory / files.limit),
               usage = number_in(directory / files.usage);
    // A limit beyond all memory is version 1's way to say that there is none.
    if (limit && usage && *limit < (int64_t{1} << 60))
      left(*limit - *usage + number_of(directory / "memory.stat", files.cache).value_or(0));
    if (path.empty()) return;
    path = path.parent_path();
  }
}

// Calls left(bytes) for every group that limits this process.
void visit_all_groups(const fs::path& root, const std::function<void(int64_t)>& left) {
  const fs::path mount = root / "sys/fs/cgroup";
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {  // "0::/group" or "7:memory:/group"
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) visit_groups(mount, group, kVersion2, left);
    if (("," + controllers + ",").find(",memory,") != line.npos)
      visit_groups(mount / "memory", group, kVersion1, left);
  }
}

// ulimit -v in bytes; nothing where there is none.
std::optional<int64_t> limit_of_addresses() {
  rlimit addresses{};
  if (getrlimit(RLIMIT_AS, &addresses) != 0 || addresses.rlim_cur == RLIM_INFINITY) return {};
  return int64_t(addresses.rlim_cur);
}

}  // namespace

int64_t resident_bytes() {
  return number_of("/proc/self/status", "VmRSS").value_or(0);
}

int64_t peak_resident_bytes() {
  return number_of("/proc/self/status", "VmHWM").value_or(0);
}

void return_freed_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

void use_one_malloc_arena_if_addresses_are_limited() {
#ifdef __GLIBC__
  if (limit_of_addresses()) mallopt(M_ARENA_MAX, 1);
#endif
}

std::optional<MemoryLimit> available_memory(const fs::path& root) {
  std::optional<MemoryLimit> tightest;
  const auto limit = [&](int64_t bytes, const char* source) {
    bytes = std::max<int64_t>(bytes, 0);
    if (!tightest || bytes < tightest->bytes) tightest = {bytes, source};
  };
  if (const auto free = number_of(root / "proc/meminfo", "MemAvailable"))
    limit(*free, "the machine");
  visit_all_groups(root, [&](int64_t left) { limit(left, "its control group"); });
  const auto used = number_of(root / "proc/self/status", "VmSize");
  if (const auto addresses = limit_of_addresses(); addresses && used)
    limit(*addresses - *used, "ulimit -v");
  return tightest;
}

std::string memory_text(int64_t bytes) {
  const double mebibytes = double(bytes) / 1048576;
  if (mebibytes >= 1024) return fmt::format("{:.1f} GiB", mebibytes / 1024);
  return fmt::format("{:.{}f} MiB", mebibytes, mebibytes < 10 ? 1 : 0);
}

}  // namespace heed
