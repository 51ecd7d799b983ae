#include "heed/serve/http/activation.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <optional>
#include <string>

#include "heed/core/ascii.h"
#include "heed/core/descriptor.h"
#include "heed/core/error.h"

namespace heed {
namespace {

constexpr int kFirstDescriptor = 3;  // SD_LISTEN_FDS_START
constexpr int kMaxDescriptors = 1024;

std::optional<int> number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  const auto value = whole_number(text, 0, std::numeric_limits<int>::max());
  if (!value) fail("the environment variable {} is '{}': expected a whole number", variable, text);
  return value;
}

void remove_variables() {
  for (const char* variable : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) ::unsetenv(variable);
}

}  // namespace

std::vector<int> inherited_sockets() {
  const auto process = number_in("LISTEN_PID");
  if (!process || *process != ::getpid()) return {};
  const auto count = number_in("LISTEN_FDS");
  remove_variables();
  if (!count) return {};
  if (*count > kMaxDescriptors)
    fail("the environment variable LISTEN_FDS is {}: expected at most {}", *count, kMaxDescriptors);
  std::vector<int> sockets;
  for (int socket = kFirstDescriptor; socket < kFirstDescriptor + *count; ++socket) {
    if (::fcntl(socket, F_SETFD, FD_CLOEXEC) != 0)
      fail("LISTEN_FDS is {}, but the descriptor {} is not open", *count, socket);
    sockets.push_back(socket);
  }
  return sockets;
}

bool notify_service_manager(std::string_view lines) {
  const char* const path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr || *path == '\0') return false;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const size_t size = std::strlen(path);
  if ((path[0] != '/' && path[0] != '@') || size >= sizeof(address.sun_path))
    fail(
        "the environment variable NOTIFY_SOCKET is '{}': expected a path of at most {} bytes, or "
        "'@' and a name",
        path, sizeof(address.sun_path) - 1);
  std::memcpy(address.sun_path, path, size);
  if (path[0] == '@') address.sun_path[0] = '\0';  // an abstract name
  const Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto length = socklen_t(offsetof(sockaddr_un, sun_path) + size);
  if (socket.get() < 0 ||
      ::sendto(socket.get(), lines.data(), lines.size(), MSG_NOSIGNAL,
               reinterpret_cast<const sockaddr*>(&address), length) != ssize_t(lines.size()))
    fail("cannot notify the service manager at {} (NOTIFY_SOCKET): {}", path,
         detail::reason(errno));
  return true;
}

std::string service_reloading() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return fmt::format("RELOADING=1\nMONOTONIC_USEC={}", now.tv_sec * 1'000'000 + now.tv_nsec / 1000);
}

}  // namespace heed
