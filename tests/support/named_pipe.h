// Named pipes that tests feed.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>

namespace heed::testing {

inline void make_pipe(const std::filesystem::path& path) {
  std::filesystem::remove(path);
  EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
}

inline void block_broken_pipe_signal() {
  sigset_t broken_pipe;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
}

// Writes these bytes once the pipe has a reader, which may close it early.
inline std::thread feed_pipe(std::filesystem::path path, std::string bytes) {
  return std::thread([path = std::move(path), bytes = std::move(bytes)] {
    block_broken_pipe_signal();
    const int end = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    for (size_t done = 0; done < bytes.size();) {
      const ssize_t written = ::write(end, bytes.data() + done, bytes.size() - done);
      if (written <= 0) break;
      done += size_t(written);
    }
    ::close(end);
  });
}

// Writes lines "y" until the reader closes the pipe. 64 MiB stand for no end.
inline constexpr int64_t kEndless = int64_t{64} << 20;
inline std::thread flood_pipe(std::filesystem::path path, int64_t& written) {
  return std::thread([path = std::move(path), &written] {
    block_broken_pipe_signal();
    std::string lines;
    for (int i = 0; i < 2048; ++i) lines += "y\n";
    const int end = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    ssize_t some = 1;
    for (written = 0; written < kEndless && some > 0; written += std::max<ssize_t>(0, some))
      some = ::write(end, lines.data(), lines.size());
    ::close(end);
  });
}

}  // namespace heed::testing
