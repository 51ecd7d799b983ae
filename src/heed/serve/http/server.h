// An asynchronous HTTP/1.1 server.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "heed/serve/http/exchange.h"

namespace heed {

struct HttpServerOptions {
  // "127.0.0.1:5000", "[::1]:5000", "localhost:5000", "0.0.0.0:0" (any free port).
  std::vector<std::string> listen;
  // Listening sockets that were opened by another process (systemd); closed by the server.
  std::vector<int> sockets;
  // Addresses or networks ("10.0.0.0/8", "::1") of proxies whose X-Forwarded-For is trusted.
  std::vector<std::string> trusted_proxies;
  HttpLimits limits;
};

// Counts since the start of the server, for metrics.
struct HttpCounts {
  int64_t connections = 0;            // open now
  int64_t accepted = 0, refused = 0;  // connections
  int64_t requests = 0;               // whose headers were read
  int64_t held_bytes = 0;             // of HttpLimits::request_bytes, now
  int64_t unsent_bytes = 0;           // of answers that clients have not read yet
};

class HttpServer {
 public:
  // Listens at once. Error, naming the address, if it cannot.
  HttpServer(const HttpServerOptions& options, HttpHandler handler);
  // After run() has returned. Exchanges may live longer: their answers are dropped.
  ~HttpServer();

  // The addresses that it listens on, with the port that was chosen: "127.0.0.1:5000".
  std::vector<std::string> addresses() const;

  // Serves on the calling thread until drain() is complete or stop() is called.
  void run();

  // From any thread, but not from a signal handler: accepts no more connections, answers every
  // request whose headers were read (with "Connection: close"), closes idle connections
  // (new ones if they send no request within a second), and lets run() return when all are closed,
  // or after the timeout.
  void drain(std::chrono::milliseconds timeout);
  // Closes everything at once.
  void stop();

  // Runs `task` on the server's thread. Its exceptions leave run().
  void post(std::function<void()> task);

  HttpCounts counts() const;

 private:
  const std::shared_ptr<detail::ServerCore> core_;
};

// Raises this process's limit of open files (RLIMIT_NOFILE) to `files`, or as far as the system
// allows; never lowers it. A server needs one for each connection and about 64 more.
void raise_open_file_limit(int64_t files);

}  // namespace heed
