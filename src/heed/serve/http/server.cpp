#include "heed/serve/http/server.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <new>
#include <utility>

#include "heed/core/error.h"
#include "heed/serve/http/connection-inl.h"
#include "heed/serve/http/listen_socket.h"

namespace heed {
namespace detail {

namespace {

using boost::system::error_code;

constexpr auto kAcceptPause =
    std::chrono::milliseconds(100);          // after an error that the next accept() would repeat
constexpr int64_t kRefusedConnections = 48;  // that get an answer at the same time

}  // namespace

// One listening socket.
class Listener {
 public:
  Listener(ServerCore& core, ListenSocket socket)
      : core_(core),
        adopted_(socket.adopted),
        acceptor_(core.io, Protocol(family(socket.descriptor.get()), 0), socket.descriptor.get()),
        pause_(core.io) {
    socket.descriptor.release();  // the acceptor closes it
    error_code ignored;
    address = bound_address(acceptor_.local_endpoint(ignored));
    acceptor_.non_blocking(true);
  }

  void accept() {
    acceptor_.async_accept([this](error_code error, Socket socket) {
      if (error == asio::error::operation_aborted || !acceptor_.is_open()) return;
      if (error) return accept_after(error);
      admit(std::move(socket));
      accept();
    });
  }

  void close() {
    pause_.cancel();
    error_code ignored;
    acceptor_.close(ignored);
  }

  // Accepts the connections that wait. Another process continues to accept from a socket that it
  // opened.
  void drain() {
    while (!adopted_ && acceptor_.is_open()) {
      error_code error;
      Socket socket(core_.io);
      acceptor_.accept(socket, error);
      if (error && error != asio::error::connection_aborted) break;
      if (!error) admit(std::move(socket));
    }
    close();
  }

  std::string address;

 private:
  static int family(int descriptor) {
    sockaddr_storage bound{};
    socklen_t size = sizeof(bound);
    ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &size);
    return bound.ss_family;
  }

  void admit(Socket socket) {
    try {
      ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
      core_.admit(std::move(socket));
    } catch (const std::bad_alloc&) {
      // This connection is closed; others may be served.
    }
  }

  // Too few descriptors, or too little memory: a pause lets other connections end. Errors of one
  // connection only concern that one.
  void accept_after(error_code error) {
    if (error == asio::error::connection_aborted || error == boost::system::errc::protocol_error)
      return accept();
    core_.close_longest_idle();
    pause_.expires_after(kAcceptPause);
    pause_.async_wait([this](error_code stopped) {
      if (!stopped && acceptor_.is_open()) accept();
    });
  }

  ServerCore& core_;
  const bool adopted_;
  Acceptor acceptor_;
  Timer pause_;
};

ServerCore::ServerCore(const HttpServerOptions& options, HttpHandler called)
    : limits(options.limits), handler(std::move(called)), proxies(options.trusted_proxies) {}

ServerCore::~ServerCore() = default;

void ServerCore::post(std::function<void()> task) {
  if (phase == Phase::ended) return;
  asio::post(io, [this, task = std::move(task)] {
    if (phase != Phase::ended) task();
  });
}

void ServerCore::admit(Socket socket) {
  ++counts.accepted;
  const auto serving = [&] { return int64_t(connections.all.size()) - connections.refusing; };
  if (serving() >= limits.connections) close_longest_idle();
  const bool full = serving() >= limits.connections;
  const auto connection = std::make_shared<Connection>(*this, std::move(socket));
  const std::string& peer = connection->peer();
  std::shared_ptr<void> slot = full ? nullptr : take_slot(peer);
  if (slot) return connection->start(std::move(slot));
  ++counts.refused;
  if (connections.refusing >= kRefusedConnections) return connection->close();
  connection->refuse(
      full ? temporary_error(503, "the server has too many connections: try again later")
           : too_many_connections());
}

// The connections of a proxy count later, for the clients that it names.
std::shared_ptr<void> ServerCore::take_slot(const std::string& address) {
  if (is_proxy(address)) return std::make_shared<int>();
  std::shared_ptr<void> slot = client_slots.take(address);
  if (!slot && close_longest_idle(parse_ip(address))) slot = client_slots.take(address);
  return slot;
}

bool ServerCore::is_proxy(const std::string& address) const {
  const auto bytes = parse_ip(address);
  return !bytes || proxies.contains(*bytes);
}

HttpError ServerCore::too_many_connections() const {
  return temporary_error(
      429, fmt::format("too many connections of one client: expected at most {} at a time",
                       limits.client_connections));
}

bool ServerCore::close_longest_idle(const std::optional<IpAddress>& address) {
  const std::list<Connection*>& idle = connections.idle;
  const auto longest = std::ranges::find_if(idle, [&](const Connection* one) {
    if (!address) return true;
    const auto peer = parse_ip(one->peer());
    return peer && client_network(*peer) == client_network(*address);
  });
  if (longest == idle.end()) return false;
  (*longest)->close();
  return true;
}

void ServerCore::bound_unsent() {
  while (counts.unsent_bytes > limits.request_bytes / 2 && connections.unsent.size() > 1)
    connections.unsent.front()->close();
}

void ServerCore::closed() {
  if (draining() && connections.all.empty()) io.stop();
}

std::vector<std::shared_ptr<Connection>> ServerCore::held_connections() const {
  std::vector<std::shared_ptr<Connection>> held;
  for (Connection* connection : connections.all)
    if (auto one = connection->weak_from_this().lock()) held.push_back(std::move(one));
  return held;
}

void ServerCore::drain(std::chrono::milliseconds timeout) {
  if (phase == Phase::serving) {
    for (const auto& listener : listeners) listener->drain();
    phase = Phase::draining;
    for (const auto& connection : held_connections()) connection->drain();
  }
  if (connections.all.empty()) return io.stop();
  drain_timer.expires_after(timeout);
  drain_timer.async_wait([this](error_code error) {
    if (!error) stop();
  });
}

void ServerCore::stop() {
  for (const auto& listener : listeners) listener->close();
  for (const auto& connection : held_connections()) connection->close();
  io.stop();
}

}  // namespace detail

HttpServer::HttpServer(const HttpServerOptions& options, HttpHandler handler)
    : core_(std::make_shared<detail::ServerCore>(options, std::move(handler))) {
  if (options.listen.empty() && options.sockets.empty())
    fail_usage("there is no address to listen on: expected HOST:PORT, such as 127.0.0.1:5000");
  const auto add = [&](detail::ListenSocket socket) {
    core_->listeners.push_back(std::make_unique<detail::Listener>(*core_, std::move(socket)));
  };
  for (const int descriptor : options.sockets) add(detail::adopt_socket(descriptor));
  for (const std::string& address : options.listen)
    for (detail::ListenSocket& socket : detail::listen_on(address)) add(std::move(socket));
  for (const auto& listener : core_->listeners) listener->accept();
}

// Exchanges may live longer, and hold the core: their answers are dropped.
HttpServer::~HttpServer() {
  try {
    core_->stop();
    core_->phase = detail::ServerCore::Phase::ended;
    core_->drain_timer.cancel();
    core_->io.restart();
    core_->io.poll();  // destroys what was cancelled
  } catch (const std::exception&) {
    // Out of memory: the rest is released with the core.
  }
  core_->phase = detail::ServerCore::Phase::ended;
  core_->handler = nullptr;
  core_->listeners.clear();
}

std::vector<std::string> HttpServer::addresses() const {
  std::vector<std::string> addresses;
  for (const auto& listener : core_->listeners) addresses.push_back(listener->address);
  return addresses;
}

void HttpServer::run() {
  while (true) {
    try {
      core_->io.run();
      return;
    } catch (const std::bad_alloc&) {
      // The connection that needed memory is closed when its last operation ends; others go on.
    }
  }
}

void HttpServer::drain(std::chrono::milliseconds timeout) {
  core_->post([core = core_.get(), timeout] { core->drain(timeout); });
}

void HttpServer::stop() {
  core_->post([core = core_.get()] { core->stop(); });
}

void HttpServer::post(std::function<void()> task) {
  core_->post(std::move(task));
}

HttpCounts HttpServer::counts() const {
  const detail::LiveCounts& counts = core_->counts;
  return {counts.connections, counts.accepted,       counts.refused,
          counts.requests,    core_->memory->held(), counts.unsent_bytes};
}

void raise_open_file_limit(int64_t files) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = std::min(rlim_t(files), limit.rlim_max);
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = wanted;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace heed
