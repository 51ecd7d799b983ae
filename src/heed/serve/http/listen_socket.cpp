#include "heed/serve/http/listen_socket.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>

#include "heed/core/error.h"
#include "heed/serve/http/client_address.h"
#include "heed/serve/http/header_text.h"

namespace heed::detail {
namespace {

constexpr int kBacklog = 4096;  // the system's limit is usually smaller

struct HostAndPort {
  std::string host, port;
};

HostAndPort host_and_port(const std::string& address) {
  const size_t colon = address.rfind(':');
  const auto refuse = [&] {
    fail_usage("cannot listen on '{}': expected HOST:PORT, such as 127.0.0.1:5000 or [::1]:5000",
               address);
  };
  if (colon == address.npos || colon == 0) refuse();
  HostAndPort result{address.substr(0, colon), address.substr(colon + 1)};
  if (!whole_number(result.port, 0, 65535))
    fail_usage("cannot listen on '{}': the port '{}' is not a number from 0 to 65535", address,
               result.port);
  if (result.host.front() == '[' && result.host.back() == ']' && result.host.size() > 2)
    result.host = result.host.substr(1, result.host.size() - 2);
  else if (result.host.find_first_of(":[]") != result.host.npos)
    refuse();
  return result;
}

[[noreturn]] void fail_to_listen(const std::string& address, int error) {
  const char* advice = "";
  if (error == EADDRINUSE) advice = "; stop the program that uses it, or choose another port";
  if (error == EACCES) advice = "; ports below 1024 need a privilege, choose a higher one";
  if (error == EADDRNOTAVAIL) advice = "; this machine does not have that address";
  std::string reason = detail::reason(error);
  if (!reason.empty() && reason[0] >= 'A' && reason[0] <= 'Z') reason[0] += 'a' - 'A';
  fail("cannot listen on {}: {}{}", address, reason, advice);
}

// "127.0.0.1:5000" of a socket that is bound.
std::string bound_address(int descriptor) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return "unknown";
  if (address.ss_family == AF_UNIX) {
    const auto* local = reinterpret_cast<const sockaddr_un*>(&address);
    const size_t begin = offsetof(sockaddr_un, sun_path);
    std::string path(local->sun_path, size > begin ? size - begin : 0);
    if (!path.empty() && path[0] == '\0') path[0] = '@';  // an abstract name
    while (!path.empty() && path.back() == '\0') path.pop_back();
    return "unix:" + path;
  }
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (::getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, host.data(), host.size(),
                    port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return "unknown";
  return address.ss_family == AF_INET6 ? fmt::format("[{}]:{}", host.data(), port.data())
                                       : fmt::format("{}:{}", host.data(), port.data());
}

// An errno, or 0 and a socket that listens.
struct Attempt {
  int error = 0;
  Descriptor socket;
};

Attempt listen_at(const addrinfo& at) {
  Descriptor socket(
      ::socket(at.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, at.ai_protocol));
  if (socket.get() < 0) return {errno, Descriptor()};
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  // "0.0.0.0:5000" and "[::]:5000" can then be given together.
  if (at.ai_family == AF_INET6)
    ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
  if (::bind(socket.get(), at.ai_addr, at.ai_addrlen) != 0 || ::listen(socket.get(), kBacklog) != 0)
    return {errno, Descriptor()};
  return {0, std::move(socket)};
}

}  // namespace

std::vector<ListenSocket> listen_on(const std::string& address) {
  const HostAndPort parts = host_and_port(address);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(parts.host.c_str(), parts.port.c_str(), &hints, &found);
  if (error != 0) fail("cannot listen on {}: {}", address, ::gai_strerror(error));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> release(found, ::freeaddrinfo);
  std::vector<ListenSocket> sockets;
  int last_error = 0;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    Attempt attempt = listen_at(*at);
    if (attempt.error == EADDRINUSE) fail_to_listen(address, attempt.error);
    // "localhost" may have an address of IPv6 on a machine without IPv6: one that works is enough.
    if (attempt.error != 0) {
      last_error = attempt.error;
      continue;
    }
    std::string bound = bound_address(attempt.socket.get());
    sockets.push_back({std::move(attempt.socket), std::move(bound)});
    if (parts.port == "0") break;  // a free port is chosen once
  }
  if (sockets.empty()) fail_to_listen(address, last_error);
  return sockets;
}

std::string peer_address(int descriptor) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (::getpeername(descriptor, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return "unknown";
  if (address.ss_family == AF_INET6) {
    IpAddress::bytes_type bytes;
    std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr, 16);
    return ip_text(IpAddress(bytes));
  }
  if (address.ss_family != AF_INET) return "unix";
  const auto& local = reinterpret_cast<const sockaddr_in&>(address);
  return boost::asio::ip::address_v4(ntohl(local.sin_addr.s_addr)).to_string();
}

ListenSocket adopt_socket(int descriptor) {
  int type = 0, listening = 0;
  socklen_t size = sizeof(int);
  if (::getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) != 0)
    fail("the inherited descriptor {} is not a socket: {}", descriptor, reason(errno));
  size = sizeof(int);
  if (type != SOCK_STREAM ||
      ::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) != 0 || listening == 0)
    fail(
        "the inherited descriptor {} is not a listening stream socket: use ListenStream= in the "
        "systemd socket unit, without Accept=yes",
        descriptor);
  ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK);
  std::string address = bound_address(descriptor);
  return {Descriptor(descriptor), std::move(address), true};
}

}  // namespace heed::detail
