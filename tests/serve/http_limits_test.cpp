// Bounds on what clients make the server hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <ctime>
#include <mutex>

#include "heed/core/memory.h"
#include "heed/serve/http/server.h"
#include "serve/kept_exchanges.h"
#include "support/http_client.h"
#include "support/sanitized.h"

namespace heed::testing {
namespace {

using namespace std::chrono_literals;

TEST(HttpLimitsTest, ClosesTheLongestIdleConnectionForANewOne) {
  HttpLimits limits;
  limits.connections = 3;
  RunningServer server(echo, with_limits(limits));
  std::vector<HttpClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(server.client());
    clients.back().get("/");
    EXPECT_EQ(clients.back().reply().status, 200);
  }
  clients[0].get("/");  // now the second is the longest idle
  EXPECT_EQ(clients[0].reply().status, 200);
  HttpClient next = server.client();
  next.get("/");
  EXPECT_EQ(next.reply().status, 200);
  EXPECT_TRUE(clients[1].is_closed());
  clients[0].get("/");
  EXPECT_EQ(clients[0].reply().status, 200);
  EXPECT_EQ(server->counts().connections, 3);
  EXPECT_EQ(server->counts().refused, 0);
}

TEST(HttpLimitsTest, RefusesAConnectionWhereAllAreBusy) {
  HttpLimits limits;
  limits.connections = 2;
  KeptExchanges kept;
  RunningServer server(kept.handler(), with_limits(limits));
  HttpClient first = server.client(), second = server.client();
  first.get("/");
  second.get("/");
  const Exchange exchange = kept.next(), other = kept.next();
  HttpClient third = server.client();
  third.get("/");
  const HttpReply reply = third.reply();
  EXPECT_EQ(reply.status, 503);
  EXPECT_NE(reply.header("Retry-After"), "");
  EXPECT_TRUE(third.is_closed());
  EXPECT_EQ(server->counts().refused, 1);
  echo(exchange);
  echo(other);
  EXPECT_EQ(first.reply().status, 200);
  EXPECT_EQ(second.reply().status, 200);
}

// The fault: one client could take all connections.
TEST(HttpLimitsTest, AClientHasOnlySoManyConnections) {
  HttpLimits limits;
  limits.client_connections = 2;
  KeptExchanges kept;
  RunningServer server(kept.handler(), with_limits(limits));
  HttpClient first = server.client(), second = server.client();
  first.get("/");
  second.get("/");
  const Exchange exchange = kept.next(), other = kept.next();
  HttpClient third = server.client();
  third.get("/");
  const HttpReply reply = third.reply();
  EXPECT_EQ(reply.status, 429);
  EXPECT_NE(reply.header("Retry-After"), "");
  EXPECT_TRUE(third.is_closed());
  EXPECT_EQ(server->counts().refused, 1);
  echo(exchange);
  EXPECT_EQ(first.reply().status, 200);
  HttpClient fourth = server.client();  // takes the place of the first, which is idle
  fourth.get("/");
  echo(kept.next());
  EXPECT_EQ(fourth.reply().status, 200);
  EXPECT_TRUE(first.is_closed());
  echo(other);
  EXPECT_EQ(second.reply().status, 200);
}

// A proxy has as many connections as it needs; the requests of each client count.
TEST(HttpLimitsTest, TheClientsOfAProxyHaveLimitsOfTheirOwn) {
  HttpServerOptions options;
  options.limits.client_connections = 1;
  options.trusted_proxies = {"127.0.0.1"};
  KeptExchanges kept;
  RunningServer server(kept.handler(), options);
  const auto ask = [&](HttpClient& client, const std::string& address) {
    client.send(fmt::format("GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: {}\r\n\r\n", address));
  };
  HttpClient first = server.client(), second = server.client(), other = server.client();
  ask(first, "2001:db8::1");
  const Exchange exchange = kept.next();
  ask(second, "2001:db8::2");  // of the same network
  const HttpReply reply = second.reply();
  EXPECT_EQ(reply.status, 429);
  EXPECT_NE(reply.header("Retry-After"), "");
  ask(other, "10.0.0.1");
  echo(kept.next());
  EXPECT_EQ(other.reply().status, 200);
  echo(exchange);
  EXPECT_EQ(first.reply().status, 200);
  ask(second, "2001:db8::2");
  echo(kept.next());
  EXPECT_EQ(second.reply().status, 200) << "the connection is kept, and the place is free";
}

TEST(HttpLimitsTest, ServesThroughAFloodOfConnections) {
  HttpLimits limits;
  limits.connections = 200;
  RunningServer server(echo, with_limits(limits));
  std::vector<HttpClient> flood;
  for (int i = 0; i < 2000; ++i) {
    flood.push_back(server.client());
    ASSERT_TRUE(flood.back().connected());
  }
  EXPECT_TRUE(becomes_true([&] { return server->counts().accepted == 2000; }));
  EXPECT_LE(server->counts().connections, 200 + 48);
  HttpClient client = server.client();
  client.get("/");
  EXPECT_EQ(client.reply().status, 200);
}

TEST(HttpLimitsTest, RefusesAFloodOfBusyConnections) {
  HttpLimits limits;
  limits.connections = 100;
  std::vector<Exchange> kept;  // on the server's thread
  RunningServer server([&](Exchange exchange) { kept.push_back(std::move(exchange)); },
                       with_limits(limits));
  std::vector<HttpClient> flood;
  for (int i = 0; i < 100; ++i) {
    flood.push_back(server.client());
    flood.back().get("/");
  }
  ASSERT_TRUE(becomes_true([&] { return server->counts().requests == 100; }));
  for (int i = 0; i < 1000; ++i) {
    flood.push_back(server.client());
    flood.back().send("GET / HTTP/1.1\r\n");
  }
  EXPECT_TRUE(becomes_true([&] { return server->counts().refused == 1000; }));
  // Those that get an answer, and the one that is just being closed without one.
  EXPECT_LE(server->counts().connections, 100 + 48 + 1);
  for (HttpClient& client : flood) client.close();
  EXPECT_TRUE(becomes_true([&] { return server->counts().connections == 0; }));
  EXPECT_TRUE(server.client().get("/"));
  EXPECT_TRUE(becomes_true([&] { return server->counts().requests == 101; }));
}

TEST(HttpLimitsTest, BoundsTheBodiesOfAllRequests) {
  HttpLimits limits;
  limits.request_bytes = 1400;
  KeptExchanges kept;
  RunningServer server(kept.handler(), with_limits(limits));
  HttpClient first = server.client(), second = server.client();
  first.post("/", std::string(700, 'a'));
  Exchange exchange = kept.next();
  EXPECT_EQ(server->counts().held_bytes, 700);
  second.post("/", std::string(700, 'a'));
  const HttpReply reply = second.reply();
  EXPECT_EQ(reply.status, 503);
  EXPECT_NE(reply.header("Retry-After"), "");
  EXPECT_EQ(server->counts().held_bytes, 700);
  echo(exchange);
  exchange.reset();
  EXPECT_EQ(first.reply().status, 200);
  EXPECT_TRUE(becomes_true([&] { return server->counts().held_bytes == 0; }));
  first.post("/", std::string(700, 'a'));
  echo(kept.next());
  EXPECT_EQ(first.reply().status, 200);
}

TEST(HttpLimitsTest, ReleasesTheBodiesOfRefusedRequests) {
  if (is_sanitized()) GTEST_SKIP() << "a sanitizer keeps freed memory";
  HttpLimits limits;
  limits.request_bytes = 5 << 19;
  KeptExchanges kept;
  RunningServer server(kept.handler(), with_limits(limits));
  const std::string begin = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n";
  HttpClient slow = server.client();
  slow.send(begin + std::string(900'000, 'a'));
  ASSERT_TRUE(becomes_true([&] { return server->counts().held_bytes > 800'000; }));
  const int64_t before = resident_bytes();
  // Their connections stay open for a while, in which the client may read the answer.
  std::vector<HttpClient> refused;
  for (int i = 0; i < 100; ++i) {
    refused.push_back(server.client());
    refused.back().send(begin + std::string(900'000, 'a'));
    EXPECT_EQ(refused.back().reply().status, 503);
  }
  EXPECT_LT(resident_bytes() - before, 30 << 20);
}

TEST(HttpLimitsTest, BoundsWhatHandlersHold) {
  HttpLimits limits;
  limits.request_bytes = 1000;
  KeptExchanges kept;
  RunningServer server(kept.handler(), with_limits(limits));
  HttpClient first = server.client(), second = server.client();
  first.get("/");
  Exchange exchange = kept.next();
  second.get("/");
  Exchange other = kept.next();
  EXPECT_THROW(exchange->hold(501), HttpError) << "half of all";
  exchange->hold(500);
  EXPECT_THROW(other->hold(251), HttpError) << "half of what is left";
  other->hold(250);
  EXPECT_EQ(server->counts().held_bytes, 750);
  EXPECT_THROW(exchange->hold(501), HttpError);
  exchange->hold(300);
  other->hold(350);
  EXPECT_EQ(server->counts().held_bytes, 650);
  for (Exchange* one : {&exchange, &other}) {
    echo(*one);
    one->reset();
  }
  EXPECT_EQ(first.reply().status, 200);
  EXPECT_EQ(second.reply().status, 200);
  EXPECT_TRUE(becomes_true([&] { return server->counts().held_bytes == 0; }));
}

TEST(HttpLimitsTest, CountsAnswersUntilTheyAreSent) {
  constexpr int64_t kBody = 16 << 20;  // more than the system takes
  KeptExchanges kept;
  RunningServer server(kept.handler());
  for (const bool reads : {true, false}) {
    HttpClient client = server.client();
    client.get("/");
    kept.next()->respond({.body = std::string(kBody, 'a')});
    EXPECT_EQ(server->counts().held_bytes, kBody);
    if (reads)
      EXPECT_EQ(client.reply().body.size(), size_t(kBody));
    else
      client.close();
    EXPECT_TRUE(becomes_true([&] { return server->counts().held_bytes == 0; }));
  }
  // Answers without their body, unanswered requests, and streams.
  HttpClient client = server.client();
  client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
  kept.next()->respond({.body = "abc"});
  EXPECT_EQ(client.reply(true).status, 200);
  client.get("/");
  kept.next().reset();
  EXPECT_EQ(client.reply().status, 500);
  for (const char* version : {"1.1", "1.0"}) {
    HttpClient streaming = server.client();
    streaming.send(std::string("GET / HTTP/") + version + "\r\nHost: a\r\n\r\n");
    Exchange exchange = kept.next();
    exchange->begin({.body = "abc"});
    exchange->write("def");
    exchange->end();
    EXPECT_EQ(streaming.reply().body, "abcdef");
  }
  EXPECT_TRUE(becomes_true([&] { return server->counts().held_bytes == 0; }));
}

TEST(HttpLimitsTest, ClosesIdleConnections) {
  HttpLimits limits;
  limits.idle = 50ms;
  RunningServer server(echo, with_limits(limits));
  HttpClient silent = server.client(), used = server.client();
  used.get("/");
  EXPECT_EQ(used.reply().status, 200);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(silent.is_closed());
  EXPECT_TRUE(used.is_closed());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s);
}

TEST(HttpLimitsTest, EndsHeadersThatArriveSlowly) {
  HttpLimits limits;
  limits.headers = 100ms;
  RunningServer server(echo, with_limits(limits));
  HttpClient client = server.client();
  const auto begin = std::chrono::steady_clock::now();
  client.send("GET / HTTP/1.1\r\n");
  // Some bytes at a time do not help.
  std::atomic<bool> ended{false};
  std::thread slow([&] {
    while (!ended && client.send("A: b\r\n")) std::this_thread::sleep_for(10ms);
  });
  EXPECT_EQ(client.reply().status, 408);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s);
  ended = true;
  slow.join();
  EXPECT_TRUE(client.is_closed());
}

TEST(HttpLimitsTest, EndsBodiesThatArriveSlowly) {
  HttpLimits limits;
  limits.body = 100ms;
  RunningServer server(echo, with_limits(limits));
  for (const char* head :
       {"Content-Length: 10\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n5\r\nabc"}) {
    HttpClient client = server.client();
    client.send("POST / HTTP/1.1\r\nHost: a\r\n" + std::string(head));
    EXPECT_EQ(client.reply().status, 408) << head;
    EXPECT_TRUE(client.is_closed());
    EXPECT_EQ(server->counts().held_bytes, 0);
  }
}

TEST(HttpLimitsTest, DropsRequestsThatAreCutOff) {
  std::atomic<int> handled{0};
  RunningServer server([&](const Exchange&) { ++handled; });
  for (const char* bytes : {"GET / HTTP/1.1\r\nHo", "Content-Length: 10\r\n\r\nabc",
                            "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n"}) {
    HttpClient client = server.client();
    client.send(bytes[0] == 'G' ? bytes : "POST / HTTP/1.1\r\nHost: a\r\n" + std::string(bytes));
    client.end_sending();
    EXPECT_EQ(client.rest(), "") << bytes;
  }
  EXPECT_EQ(handled, 0);
}

TEST(HttpLimitsTest, ClosesAStreamThatItsClientDoesNotRead) {
  HttpLimits limits;
  limits.unsent_bytes = 100'000;
  KeptExchanges kept;
  RunningServer server(kept.handler(), with_limits(limits));
  HttpClient client(server.address(), 4096);
  client.get("/");
  const Exchange exchange = kept.next();
  exchange->begin({});
  size_t most = 0;
  for (int i = 0; i < 2000 && kept.gone() == 0; ++i) {
    exchange->write(std::string(10'000, 'x'));
    most = std::max(most, exchange->unsent());
    if (i % 10 == 0) std::this_thread::sleep_for(1ms);
  }
  EXPECT_TRUE(kept.becomes_gone());
  EXPECT_GT(most, 50'000u);
  EXPECT_EQ(exchange->unsent(), 0u);
  EXPECT_EQ(server->counts().connections, 0);
}

TEST(HttpLimitsTest, WaitsForAProducerThatWatchesTheUnsentBytes) {
  HttpLimits limits;
  limits.unsent_bytes = 100'000;
  RunningServer server(
      [](const Exchange& exchange) {
        std::thread([exchange] {
          exchange->begin({});
          for (int i = 0; i < 1000; ++i) {
            while (exchange->unsent() > 50'000) std::this_thread::sleep_for(100us);
            exchange->write(std::string(10'000, 'x'));
          }
          exchange->end();
        }).detach();
      },
      with_limits(limits));
  HttpClient client = server.client();
  client.get("/");
  const HttpReply reply = client.reply();
  EXPECT_TRUE(reply.complete);
  EXPECT_EQ(reply.body.size(), 10'000'000u);
}

TEST(HttpLimitsTest, BoundsStreamsForHttp10) {
  HttpLimits limits;
  limits.unsent_bytes = 1000;
  KeptExchanges kept;
  RunningServer server(kept.handler(), with_limits(limits));
  HttpClient client = server.client();
  client.send("GET / HTTP/1.0\r\n\r\n");
  const Exchange exchange = kept.next();
  exchange->begin({});
  exchange->write(std::string(2000, 'x'));
  EXPECT_EQ(client.reply().status, 500);
  EXPECT_TRUE(kept.becomes_gone());
}

TEST(HttpLimitsTest, EndsAnswersThatAreNotRead) {
  HttpLimits limits;
  limits.write = 100ms;
  std::atomic<int> answered{0};
  RunningServer server(
      [&](const Exchange& exchange) {
        exchange->respond({200, "image/png", std::string(20 << 20, 'x')});
        ++answered;
      },
      with_limits(limits));
  HttpClient client(server.address(), 4096);
  client.get("/");
  EXPECT_TRUE(becomes_true([&] { return answered == 1; }));
  EXPECT_TRUE(becomes_true([&] { return server->counts().connections == 0; }));
  EXPECT_LT(client.rest().size(), size_t{20} << 20);
}

TEST(HttpLimitsTest, BoundsTheUnsentBytesOfAllAnswers) {
  HttpLimits limits;
  limits.request_bytes = 20 << 20;
  const size_t size = 30 << 20;
  RunningServer server(
      [&](const Exchange& exchange) {
        exchange->respond({200, "image/png", std::string(size, 'x')});
      },
      with_limits(limits));
  std::vector<HttpClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back(server.address(), 4096);
    clients.back().get("/");
    ASSERT_TRUE(becomes_true([&] { return server->counts().requests == i + 1; }));
    EXPECT_TRUE(becomes_true([&] { return server->counts().connections == 1; }));
  }
  EXPECT_TRUE(becomes_true([&] { return server->counts().unsent_bytes <= 30 << 20; }));
  EXPECT_GT(server->counts().unsent_bytes, 20 << 20);
  EXPECT_FALSE(clients[0].reply().complete);
  EXPECT_FALSE(clients[1].reply().complete);
  EXPECT_EQ(clients[2].reply().body.size(), size) << "one alone has room";
  EXPECT_TRUE(becomes_true([&] { return server->counts().unsent_bytes == 0; }));
}

TEST(HttpLimitsTest, KeepsAnswersThatAreReadSlowly) {
  HttpLimits limits;
  limits.write = 200ms;
  const std::string body(8 << 20, 'x');
  RunningServer server(
      [&](const Exchange& exchange) {
        exchange->respond({200, "image/png", body});
      },
      with_limits(limits));
  HttpClient client(server.address(), 4096);
  client.get("/");
  std::string got;
  const auto begin = std::chrono::steady_clock::now();
  // Longer than the limit in all, but never without progress.
  char bytes[1 << 16];
  for (ssize_t size = 0; (size = ::recv(client.descriptor(), bytes, sizeof(bytes), 0)) > 0;) {
    got.append(bytes, size_t(size));
    if (std::chrono::steady_clock::now() - begin < 500ms) std::this_thread::sleep_for(20ms);
    if (got.size() > body.size() && got.compare(got.size() - body.size(), got.npos, body) == 0)
      break;
  }
  EXPECT_GT(got.size(), body.size());
}

TEST(HttpLimitsTest, PausesWhereNoDescriptorsAreLeft) {
  if (testing::is_sanitized())
    GTEST_SKIP() << "UBSan checks memory by a pipe, which needs descriptors";
  RunningServer server(echo);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  // The client's own socket gets the last descriptor.
  Descriptor last(::dup(0));
  rlimit few = before;
  few.rlim_cur = rlim_t(last.get()) + 1;
  last.close();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  HttpClient waiting = server.client();
  const bool sent = waiting.connected() && waiting.get("/");
  const std::clock_t begin = std::clock();
  std::this_thread::sleep_for(150ms);
  const double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
  const int64_t accepted = server->counts().accepted;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(sent);
  EXPECT_EQ(accepted, 0);
  EXPECT_LT(seconds, 0.02) << "the server must not spin";
  EXPECT_EQ(waiting.reply().status, 200);
}

TEST(HttpLimitsTest, RaisesTheLimitOfOpenFiles) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = std::min<rlim_t>(256, before.rlim_max);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  raise_open_file_limit(100);
  rlimit now{};
  ::getrlimit(RLIMIT_NOFILE, &now);
  EXPECT_EQ(now.rlim_cur, few.rlim_cur) << "never lowered";
  raise_open_file_limit(300);
  ::getrlimit(RLIMIT_NOFILE, &now);
  EXPECT_EQ(now.rlim_cur, std::min<rlim_t>(300, before.rlim_max));
  ::setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace heed::testing
