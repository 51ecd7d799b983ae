#include "heed/serve/http/listen_socket.h"

#include <fcntl.h>
#include <netdb.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <cerrno>
#include <cstring>
#include <memory>
#include <sstream>

#include "heed/core/ascii.h"
#include "heed/core/error.h"
#include "heed/serve/http/client_address.h"

namespace heed::detail {
namespace {

namespace asio = boost::asio;

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
  if (!reason.empty()) reason[0] = lower_ascii(reason[0]);
  fail("cannot listen on {}: {}{}", address, reason, advice);
}

template <class Specific>
Specific endpoint_as(const Endpoint& endpoint) {
  Specific specific;
  std::memcpy(specific.data(), endpoint.data(), endpoint.size());
  specific.resize(endpoint.size());
  return specific;
}

// A socket that listens; without one, errno says why.
Descriptor listen_at(const addrinfo& at) {
  Descriptor socket(
      ::socket(at.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, at.ai_protocol));
  if (socket.get() < 0) return socket;
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  // "0.0.0.0:5000" and "[::]:5000" can then be given together.
  if (at.ai_family == AF_INET6)
    ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
  const bool listens =
      ::bind(socket.get(), at.ai_addr, at.ai_addrlen) == 0 && ::listen(socket.get(), kBacklog) == 0;
  return listens ? std::move(socket) : Descriptor();
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
    Descriptor socket = listen_at(*at);
    // "localhost" may have an address of IPv6 on a machine without IPv6: one that works is enough.
    if (socket.get() < 0) {
      last_error = errno;
      if (last_error == EADDRINUSE) fail_to_listen(address, last_error);
      continue;
    }
    sockets.push_back({std::move(socket)});
    if (parts.port == "0") break;  // a free port is chosen once
  }
  if (sockets.empty()) fail_to_listen(address, last_error);
  return sockets;
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
  return {Descriptor(descriptor), true};
}

std::string bound_address(const Endpoint& endpoint) {
  switch (endpoint.protocol().family()) {
    case AF_UNIX: {
      std::string path = endpoint_as<asio::local::stream_protocol::endpoint>(endpoint).path();
      if (path.starts_with('\0')) path[0] = '@';  // an abstract name
      return "unix:" + path;
    }
    case AF_INET:
    case AF_INET6: {
      std::ostringstream text;
      text << endpoint_as<asio::ip::tcp::endpoint>(endpoint);
      return text.str();
    }
    default:
      return "unknown";
  }
}

std::string peer_address(const Endpoint& endpoint) {
  const int family = endpoint.protocol().family();
  if (family == AF_UNSPEC) return "unknown";
  if (family == AF_UNIX) return "unix";
  const auto address = endpoint_as<asio::ip::tcp::endpoint>(endpoint).address();
  // Without the zone of an address of IPv6.
  return address.is_v4() ? address.to_string() : ip_text(IpAddress(address.to_v6().to_bytes()));
}

}  // namespace heed::detail
