// A client of HTTP on raw sockets, which can also do what no client should.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "heed/core/descriptor.h"
#include "heed/serve/http/server.h"

namespace heed::testing {

// An answer as it came.
struct HttpReply {
  int status = 0;  // 0: the connection ended before the end of the headers
  std::string head;
  std::string body;       // without the framing of chunks
  bool complete = false;  // the body ended as its framing says

  // The value of a header, given in the case that the server writes.
  std::string header(const std::string& name) const {
    const size_t at = head.find("\r\n" + name + ": ");
    if (at == head.npos) return {};
    const size_t begin = at + name.size() + 4;
    return head.substr(begin, head.find("\r\n", begin) - begin);
  }
};

class HttpClient {
 public:
  // Connects to "127.0.0.1:PORT". A small buffer makes a client that reads slowly felt early.
  explicit HttpClient(const std::string& address, int receive_buffer = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const size_t colon = address.rfind(':');
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(uint16_t(std::stoi(address.substr(colon + 1))));
    inet_pton(AF_INET, address.substr(0, colon).c_str(), &to.sin_addr);
    if (receive_buffer > 0)
      ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
    connected_ = ::connect(socket_.get(), reinterpret_cast<sockaddr*>(&to), sizeof(to)) == 0;
  }
  // Takes over a socket that is connected.
  explicit HttpClient(Descriptor socket) : socket_(std::move(socket)), connected_(true) {}

  bool connected() const { return connected_; }
  int descriptor() const { return socket_.get(); }

  // Sends everything; false if the server has closed the connection.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(size_t(sent));
    }
    return true;
  }
  bool get(const std::string& path, const std::string& headers = "") const {
    return send("GET " + path + " HTTP/1.1\r\nHost: test\r\n" + headers + "\r\n");
  }
  bool post(const std::string& path, const std::string& body) const {
    return send("POST " + path + " HTTP/1.1\r\nHost: test\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  void end_sending() const { ::shutdown(socket_.get(), SHUT_WR); }
  // Closes with a reset, as the system does for a process that was killed.
  void reset() {
    const linger now{1, 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    socket_.close();
  }
  void close() { socket_.close(); }

  // The next answer; `head_only` after HEAD. Waits at most 5 seconds for each piece.
  HttpReply reply(bool head_only = false) {
    HttpReply reply;
    size_t end = std::string::npos;
    while ((end = received_.find("\r\n\r\n")) == std::string::npos)
      if (!receive()) return reply;
    reply.head = received_.substr(0, end + 2);
    received_.erase(0, end + 4);
    reply.status = reply.head.size() > 12 ? std::atoi(reply.head.c_str() + 9) : 0;
    const bool empty =
        head_only || reply.status / 100 == 1 || reply.status == 204 || reply.status == 304;
    if (empty)
      reply.complete = true;
    else if (reply.header("Transfer-Encoding") == "chunked")
      reply.complete = read_chunks(reply.body);
    else
      reply.complete =
          read_exactly(size_t(std::atoll(reply.header("Content-Length").c_str())), reply.body);
    return reply;
  }

  // Whether the server closes the connection (in order, or by a reset) without sending more.
  bool is_closed() { return received_.empty() && !receive(); }
  // What the server sends until it closes the connection.
  std::string rest() {
    while (receive()) {
    }
    return std::move(received_);
  }

 private:
  bool receive() {
    pollfd look{socket_.get(), POLLIN, 0};
    if (::poll(&look, 1, 60'000) != 1) {
      ADD_FAILURE() << "the server sends nothing, and does not close the connection";
      return false;
    }
    char bytes[65536];
    const ssize_t size = ::recv(socket_.get(), bytes, sizeof(bytes), 0);
    if (size <= 0) return false;
    received_.append(bytes, size_t(size));
    return true;
  }
  bool read_exactly(size_t size, std::string& body) {
    bool there = true;
    while (received_.size() < size && (there = receive())) {
    }
    const size_t got = std::min(size, received_.size());
    body += received_.substr(0, got);
    received_.erase(0, got);
    return there;
  }
  bool read_chunks(std::string& body) {
    while (true) {
      size_t end = std::string::npos;
      while ((end = received_.find("\r\n")) == std::string::npos)
        if (!receive()) return false;
      const size_t size = std::stoul(received_.substr(0, end), nullptr, 16);
      received_.erase(0, end + 2);
      if (!read_exactly(size, body)) return false;
      std::string line_end;
      if (!read_exactly(2, line_end) || line_end != "\r\n") return false;
      if (size == 0) return true;
    }
  }

  Descriptor socket_;
  bool connected_ = false;
  std::string received_;
};

// A server on a free port of this machine, which runs on a thread of its own.
class RunningServer {
 public:
  explicit RunningServer(HttpHandler handler, HttpServerOptions options = {}) {
    if (options.listen.empty() && options.sockets.empty()) options.listen = {"127.0.0.1:0"};
    server_ = std::make_unique<HttpServer>(options, std::move(handler));
    address_ = server_->addresses().front();
    thread_ = std::thread([this] { server_->run(); });
  }
  ~RunningServer() { stop(); }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  HttpServer* operator->() const { return server_.get(); }
  const std::string& address() const { return address_; }
  HttpClient client() const { return HttpClient(address_); }

  void stop() {
    if (!thread_.joinable()) return;
    server_->stop();
    thread_.join();
  }
  // Waits until run() has returned, after drain().
  void join() { thread_.join(); }

 private:
  std::unique_ptr<HttpServer> server_;
  std::string address_;
  std::thread thread_;
};

// Waits for what another thread is about to do.
inline bool becomes_true(const std::function<bool()>& condition,
                         std::chrono::milliseconds at_most = std::chrono::seconds(5)) {
  const auto end = std::chrono::steady_clock::now() + at_most;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// Answers with what the request was: "METHOD PATH?QUERY CLIENT BODY".
inline void echo(const std::shared_ptr<HttpExchange>& exchange) {
  const HttpRequest& request = exchange->request();
  HttpResponse response;
  response.content_type = "text/plain";
  response.body = request.method + " " + request.path + "?" + request.query + " " + request.client +
                  " " + request.body;
  exchange->respond(std::move(response));
}

}  // namespace heed::testing
