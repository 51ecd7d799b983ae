// The state that the connections and the listening sockets of one server share. Only the server's
// thread accesses it, except where a comment says otherwise.
#pragma once

#include <atomic>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "heed/serve/http/client_address.h"
#include "heed/serve/http/held_bytes.h"
#include "heed/serve/http/request_reader.h"
#include "heed/serve/http/server.h"

namespace heed::detail {

namespace asio = boost::asio;
// TCP and local sockets alike.
using Protocol = asio::generic::stream_protocol;
// With io_context's executor, not Asio's polymorphic one.
using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<Protocol, Executor>;
using Acceptor = asio::basic_socket_acceptor<Protocol, Executor>;
using Clock = std::chrono::steady_clock;
using Timer = asio::basic_waitable_timer<Clock, asio::wait_traits<Clock>, Executor>;

class Connection;
class Listener;

// HttpCounts, which any thread may read.
struct LiveCounts {
  std::atomic<int64_t> connections{0}, accepted{0}, refused{0}, requests{0}, unsent_bytes{0};
};

struct OpenConnections {
  std::unordered_set<Connection*> all;
  std::list<Connection*> idle;    // between requests; the longest idle first
  std::list<Connection*> unsent;  // with bytes that the system does not take; the oldest first
  int64_t refusing = 0;           // those that only get an error: 503 or 429
};

struct ServerCore : std::enable_shared_from_this<ServerCore> {
  ServerCore(const HttpServerOptions& options, HttpHandler called);
  ~ServerCore();

  // From any thread. Tasks that come after the server's end are dropped.
  void post(std::function<void()> task);

  // A new connection; one too many is answered with status 503, one too many of its client with
  // 429.
  void admit(Socket socket);
  // A slot for a connection from this address; null if its client has too many that are not idle.
  std::shared_ptr<void> take_slot(const std::string& address);
  // Whether others may be behind this address: it is a trusted proxy, or a local socket.
  bool is_proxy(const std::string& address) const;
  HttpError too_many_connections() const;
  // Closes the connection that has waited longest for its next request, among those of the address
  // if one is given. False if none waits.
  bool close_longest_idle(const std::optional<IpAddress>& address = std::nullopt);
  // Closes connections whose answers their clients have not read, the oldest first, until these
  // take at most half of HttpLimits::request_bytes.
  void bound_unsent();
  // Called when a connection has closed.
  void closed();

  void drain(std::chrono::milliseconds timeout);
  void stop();
  bool draining() const { return phase == Phase::draining; }
  // Held, since closing one erases it from the set.
  std::vector<std::shared_ptr<Connection>> held_connections() const;

  const HttpLimits limits;
  HttpHandler handler;
  const TrustedProxies proxies;
  ClientConnectionSlots client_slots{limits.client_connections};
  // From any thread:
  const std::shared_ptr<RequestMemory> memory =
      std::make_shared<RequestMemory>(limits.request_bytes);
  LiveCounts counts;
  enum class Phase { serving, draining, ended };
  std::atomic<Phase> phase{Phase::serving};

  OpenConnections connections;
  std::vector<char> scratch = std::vector<char>(64 << 10);  // received bytes, for a moment
  // Its destructor ends the connections, which access the members above.
  asio::io_context io{1};
  std::vector<std::unique_ptr<Listener>> listeners;
  Timer drain_timer{io};
};

}  // namespace heed::detail
