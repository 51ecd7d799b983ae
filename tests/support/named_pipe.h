// Named pipes that tests feed.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

namespace heed::testing {

inline void make_pipe(const std::filesystem::path& path) {
  std::filesystem::remove(path);
  EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
}

// Writes these bytes once the pipe has a reader, which may close it early.
inline std::thread feed_pipe(std::filesystem::path path, std::string bytes) {
  return std::thread([path = std::move(path), bytes = std::move(bytes)] {
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    const int end = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    for (size_t done = 0; done < bytes.size();) {
      const ssize_t written = ::write(end, bytes.data() + done, bytes.size() - done);
      if (written <= 0) break;
      done += size_t(written);
    }
    ::close(end);
  });
}

}  // namespace heed::testing
