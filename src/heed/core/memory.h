// How much memory this process holds, and how much it may still take.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace heed {

// Physical memory of this process, in bytes: now, and its peak. 0 if the system does not
// report it.
int64_t resident_bytes();
int64_t peak_resident_bytes();

// Returns freed memory to the system (malloc_trim).
void return_freed_memory();

// If the address space is limited (ulimit -v), lets all threads share one malloc arena: otherwise
// threads would reserve 64 MiB of addresses each for arenas of their own, in a number that depends
// on timing. A program calls it before it starts threads.
void use_one_malloc_arena_if_addresses_are_limited();

struct MemoryLimit {
  int64_t bytes = 0;   // that can still be allocated
  std::string source;  // what limits it: "the machine", "its control group", "ulimit -v"
};

// The smallest of the machine's available memory (MemAvailable), what the process's control groups
// (cgroup v1 and v2) leave, page cache counted as free, and what its address-space limit
// (ulimit -v) leaves. std::nullopt if none of them is known. /proc and /sys are read below `root`.
std::optional<MemoryLimit> available_memory(const std::filesystem::path& root = "/");

// "1.9 GiB", "312 MiB", "0.4 MiB".
std::string memory_text(int64_t bytes);

}  // namespace heed
