// The end of a server, and many threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/un.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "heed/core/error.h"
#include "heed/serve/http/server.h"
#include "support/http_client.h"
#include "support/temporary_folder.h"

namespace heed::testing {
namespace {

using namespace std::chrono_literals;

// Answers on several threads, after a moment.
class AnsweringThreads {
 public:
  AnsweringThreads(int count, std::chrono::microseconds delay) : delay_(delay) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { run(); });
  }
  ~AnsweringThreads() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  HttpHandler handler() {
    return [this](std::shared_ptr<HttpExchange> exchange) {
      exchange->on_gone([this] { ++gone_; });
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(exchange));
      changed_.notify_one();
    };
  }
  int gone() const { return gone_; }

 private:
  void run() {
    while (true) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return ended_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const auto exchange = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      std::this_thread::sleep_for(delay_);
      answer(exchange);
    }
  }
  static void answer(const std::shared_ptr<HttpExchange>& exchange) {
    const std::string& path = exchange->request().path;
    if (path == "/none") return;
    if (path != "/stream") return echo(exchange);
    exchange->begin({200, "text/plain", ""});
    for (int i = 0; i < 10; ++i) exchange->write(exchange->request().body);
    exchange->end();
  }

  const std::chrono::microseconds delay_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<HttpExchange>> waiting_;
  bool ended_ = false;
  std::atomic<int> gone_{0};
  std::vector<std::thread> threads_;
};

TEST(HttpDrainTest, AnswersEveryRequestWhoseHeadersWereRead) {
  AnsweringThreads threads(2, 20ms);
  RunningServer server(threads.handler());
  std::vector<HttpClient> clients;
  for (int i = 0; i < 10; ++i) {
    clients.push_back(server.client());
    clients.back().post(i % 2 == 0 ? "/stream" : "/", "text");
  }
  HttpClient in_body = server.client(), in_head = server.client(), idle = server.client();
  in_body.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabc");
  in_head.send("GET / HTTP/1.1\r\nHos");
  idle.get("/");
  EXPECT_EQ(idle.reply().status, 200);
  ASSERT_TRUE(becomes_true([&] { return server->counts().requests == 12; }));
  server->drain(5s);
  EXPECT_TRUE(idle.is_closed());
  EXPECT_TRUE(in_head.is_closed());
  EXPECT_TRUE(becomes_true([&] { return !server.client().connected(); }));
  in_body.send("def");
  EXPECT_EQ(in_body.reply().body, "POST /? 127.0.0.1 abcdef");
  in_body.close();
  for (int i = 0; i < 10; ++i) {
    const HttpReply reply = clients[size_t(i)].reply();
    EXPECT_TRUE(reply.complete);
    EXPECT_EQ(reply.status, 200);
    clients[size_t(i)].close();
  }
  server.join();
  EXPECT_EQ(threads.gone(), 0);
}

TEST(HttpDrainTest, AnswersRequestsThatWaitInTheSocket) {
  // The server's thread is held up while a connection is made and a request is sent.
  std::atomic<bool> blocked{false}, go_on{false};
  RunningServer server(echo);
  HttpClient kept = server.client();
  kept.get("/");
  EXPECT_EQ(kept.reply().status, 200);
  server->post([&] {
    blocked = true;
    while (!go_on) std::this_thread::sleep_for(1ms);
  });
  ASSERT_TRUE(becomes_true([&] { return blocked.load(); }));
  server->drain(5s);
  HttpClient late = server.client();
  late.get("/late");
  kept.get("/kept");
  go_on = true;
  const HttpReply reply = late.reply();
  EXPECT_EQ(reply.body, "GET /late? 127.0.0.1 ");
  EXPECT_EQ(reply.header("Connection"), "close");
  EXPECT_EQ(kept.reply().body, "GET /kept? 127.0.0.1 ");
  late.close();
  kept.close();
  server.join();
}

TEST(HttpDrainTest, AnswersTheFirstRequestOfANewConnection) {
  RunningServer server(echo);
  HttpClient used = server.client(), asks = server.client(), silent = server.client();
  used.get("/");
  EXPECT_EQ(used.reply().status, 200);
  ASSERT_TRUE(becomes_true([&] { return server->counts().connections == 3; }));
  const auto begin = std::chrono::steady_clock::now();
  server->drain(5s);
  EXPECT_TRUE(used.is_closed());
  asks.send("GET / HTTP/1.1\r\n");
  std::this_thread::sleep_for(20ms);
  asks.send("Host: a\r\n\r\n");
  const HttpReply reply = asks.reply();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("Connection"), "close");
  asks.close();
  EXPECT_TRUE(silent.is_closed());
  server.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 4s);
}

TEST(HttpDrainTest, EndsAtItsLimit) {
  std::vector<std::shared_ptr<HttpExchange>> kept;
  std::atomic<int> gone{0};
  RunningServer server([&](std::shared_ptr<HttpExchange> exchange) {
    exchange->on_gone([&] { ++gone; });
    kept.push_back(std::move(exchange));
  });
  HttpClient client = server.client();
  client.get("/");
  ASSERT_TRUE(becomes_true([&] { return server->counts().requests == 1; }));
  server->drain(50ms);
  EXPECT_TRUE(client.is_closed());
  server.join();
  EXPECT_EQ(gone, 1);
}

TEST(HttpDrainTest, EndsAtOnceWithoutConnections) {
  RunningServer server(echo);
  server->drain(5s);
  server.join();
}

TEST(HttpDrainTest, StopsAtOnce) {
  std::vector<std::shared_ptr<HttpExchange>> kept;
  RunningServer server(
      [&](std::shared_ptr<HttpExchange> exchange) { kept.push_back(std::move(exchange)); });
  HttpClient client = server.client();
  client.get("/");
  ASSERT_TRUE(becomes_true([&] { return server->counts().requests == 1; }));
  server.stop();
  EXPECT_TRUE(client.is_closed());
}

TEST(HttpDrainTest, MayBeAskedForBeforeRun) {
  HttpServerOptions options;
  options.listen = {"127.0.0.1:0"};
  HttpServer drained(options, echo), stopped(options, echo);
  drained.drain(5s);
  drained.run();
  stopped.stop();
  stopped.run();
}

TEST(HttpSocketsTest, TakesOverListeningSockets) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "s").string();
  Descriptor listening(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  path.copy(at.sun_path, sizeof(at.sun_path) - 1);
  ASSERT_EQ(::bind(listening.get(), reinterpret_cast<sockaddr*>(&at), sizeof(at)), 0);

  HttpServerOptions options;
  options.sockets = {listening.get()};
  EXPECT_THROW(HttpServer(options, echo), Error) << "it does not listen";
  ASSERT_EQ(::listen(listening.get(), 10), 0);
  options.sockets = {listening.release()};
  RunningServer server(echo, options);
  EXPECT_EQ(server.address(), "unix:" + path);
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  ASSERT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&at), sizeof(at)), 0);
  HttpClient client(std::move(socket));
  client.get("/");
  EXPECT_EQ(client.reply().body, "GET /? unix ");
}

TEST(HttpSocketsTest, RefusesOtherDescriptors) {
  const Descriptor file(::dup(2)), datagrams(::socket(AF_INET, SOCK_DGRAM, 0));
  for (const int descriptor : {file.get(), datagrams.get(), 12345}) {
    HttpServerOptions options;
    options.sockets = {descriptor};
    EXPECT_THROW(HttpServer(options, echo), Error) << descriptor;
  }
}

TEST(HttpStressTest, AnswersManyClientsFromManyThreads) {
  AnsweringThreads threads(3, 50us);
  HttpServerOptions options;
  options.limits.connections = 64;
  RunningServer server(threads.handler(), options);
  std::atomic<int> answered{0}, wrong{0};
  std::vector<std::thread> clients;
  clients.reserve(4);
  for (int c = 0; c < 4; ++c) {
    clients.emplace_back([&, c] {
      for (int i = 0; i < 40; ++i) {
        HttpClient client = server.client();
        const std::string text = std::to_string(c) + "-" + std::to_string(i);
        client.post("/stream", text);
        client.post("/", text);
        client.post("/none", text);
        if (i % 8 == 3) continue;  // closes without reading
        const HttpReply stream = client.reply(), whole = client.reply();
        std::string expected;
        for (int n = 0; n < 10; ++n) expected += text;
        if (stream.body != expected || whole.body != "POST /? 127.0.0.1 " + text ||
            client.reply().status != 500)
          ++wrong;
        ++answered;
      }
    });
  }
  std::atomic<bool> ended{false};
  std::thread watcher([&] {
    while (!ended) {
      EXPECT_LE(server->counts().connections, 64 + 48);
      server->post([] {});
      std::this_thread::sleep_for(1ms);
    }
  });
  for (std::thread& client : clients) client.join();
  ended = true;
  watcher.join();
  EXPECT_EQ(answered, 4 * 35);
  EXPECT_EQ(wrong, 0);
  server->drain(5s);
  server.join();
  EXPECT_EQ(server->counts().connections, 0);
}

TEST(HttpStressTest, LosesNothingWhenItDrainsUnderLoad) {
  AnsweringThreads threads(2, 100us);
  RunningServer server(threads.handler());
  std::atomic<int> lost{0}, answered{0};
  std::vector<std::thread> clients;
  clients.reserve(4);
  for (int c = 0; c < 4; ++c) {
    clients.emplace_back([&] {
      HttpClient client = server.client();
      while (client.connected() && client.post("/", "text")) {
        const HttpReply reply = client.reply();
        if (reply.status == 0) break;  // closed before its headers were read
        if (!reply.complete || reply.status != 200) ++lost;
        ++answered;
        if (reply.header("Connection") == "close") break;
      }
    });
  }
  EXPECT_TRUE(becomes_true([&] { return answered >= 50; }));
  server->drain(5s);
  server.join();
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(lost, 0);
  EXPECT_EQ(threads.gone(), 0);
  EXPECT_EQ(server->counts().requests, answered);
}

}  // namespace
}  // namespace heed::testing
