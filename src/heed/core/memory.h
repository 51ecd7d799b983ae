// How much memory this process holds, and how much it may still take.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace heed {

// Physical memory of this process, in bytes: now, and the most it ever held. 0 where the system
// does not say.
int64_t resident_bytes();
int64_t peak_resident_bytes();

// Gives what the process has freed back to the system, where the system can take it.
void return_freed_memory();

// Where addresses are limited (ulimit -v), has all threads share one heap: each would reserve 64
// MiB of addresses for one of its own, how many of them being a matter of timing. For a program to
// call before it starts threads.
void share_heap_where_addresses_are_limited();

struct MemoryLimit {
  int64_t bytes = 0;   // that may still be taken
  std::string source;  // who says so: "the machine", "its control group", "ulimit -v"
};

// The tightest of what the machine has left (MemAvailable), what the limits of the process's
// control groups (v1 and v2) leave, page cache counted as free, and what its limit of addresses
// leaves. Nothing where none of them is known. `root` is where /proc and /sys are looked for.
std::optional<MemoryLimit> available_memory(const std::filesystem::path& root = "/");

// "1.9 GiB", "312 MiB", "0.4 MiB".
std::string memory_text(int64_t bytes);

}  // namespace heed
