#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <array>

#include "heed/serve/http/server.h"
#include "support/facts.h"
#include "support/http_client.h"

namespace heed::testing {
namespace {

using ::testing::HasSubstr;

std::string inflated(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string text(1 << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = uInt(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = uInt(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

TEST(HttpServerTest, AnswersRequestsOfOneConnection) {
  RunningServer server(echo);
  HttpClient client = server.client();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client.get("/a%20b?c=" + std::to_string(i)));
    const HttpReply reply = client.reply();
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.header("Content-Type"), "text/plain");
    EXPECT_EQ(reply.header("Connection"), "keep-alive");
    EXPECT_EQ(reply.body, "GET /a b?c=" + std::to_string(i) + " 127.0.0.1 ");
  }
  client.post("/p", "hello");
  EXPECT_EQ(client.reply().body, "POST /p? 127.0.0.1 hello");
  const HttpCounts counts = server->counts();
  EXPECT_EQ(counts.connections, 1);
  EXPECT_EQ(counts.accepted, 1);
  EXPECT_EQ(counts.refused, 0);
  EXPECT_EQ(counts.requests, 4);
  client.close();
  EXPECT_TRUE(becomes_true([&] { return server->counts().connections == 0; }));
}

TEST(HttpServerTest, ClosesWhereTheClientAsksForIt) {
  RunningServer server(echo);
  HttpClient client = server.client();
  client.get("/", "Connection: close\r\n");
  const HttpReply reply = client.reply();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("Connection"), "close");
  EXPECT_TRUE(client.is_closed());

  HttpClient old = server.client();
  old.send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(old.reply().status, 200);
  EXPECT_TRUE(old.is_closed());
  HttpClient kept = server.client();
  for (int i = 0; i < 2; ++i) {
    kept.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(kept.reply().header("Connection"), "keep-alive");
  }
}

TEST(HttpServerTest, AnswersPipelinedRequestsInOrder) {
  // Every second one is answered by another thread, later.
  std::vector<std::thread> threads;
  RunningServer server([&](const std::shared_ptr<HttpExchange>& exchange) {
    if (exchange->request().query.back() % 2 == 0) return echo(exchange);
    threads.emplace_back([exchange] { echo(exchange); });
  });
  HttpClient client = server.client();
  std::string all;
  for (int i = 0; i < 100; ++i)
    all += "POST /?" + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc";
  std::thread sender([&] { client.send(all); });
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(client.reply().body, "POST /?" + std::to_string(i) + " 127.0.0.1 abc");
  sender.join();
  server.stop();
  for (std::thread& thread : threads) thread.join();
}

TEST(HttpServerTest, ReadsChunkedBodies) {
  RunningServer server(echo);
  HttpClient client = server.client();
  client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  client.send("2;x=y\r\nde\r\n");
  client.send("0\r\nT: x\r\n\r\n");
  EXPECT_EQ(client.reply().body, "POST /? 127.0.0.1 abcde");
}

TEST(HttpServerTest, TellsClientsToContinue) {
  RunningServer server(echo);
  HttpClient client = server.client();
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: ";
  client.send(head + "3\r\n\r\n");
  EXPECT_EQ(client.reply().status, 100);
  client.send("abc");
  EXPECT_EQ(client.reply().body, "POST /? 127.0.0.1 abc");
  client.send(head + "2000000000\r\n\r\n");
  EXPECT_EQ(client.reply().status, 413) << "without reading the body";
  EXPECT_TRUE(client.is_closed());
}

TEST(HttpServerTest, AnswersHeadAsGetWithoutABody) {
  RunningServer server(echo);
  HttpClient client = server.client();
  client.send("HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n");
  const HttpReply reply = client.reply(true);
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("Content-Length"),
            std::to_string(std::string("GET /x? 127.0.0.1 ").size()));
  client.get("/y");
  EXPECT_EQ(client.reply().body, "GET /y? 127.0.0.1 ");
}

TEST(HttpServerTest, CompressesLongText) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "line " + std::to_string(i) + "\n";
  RunningServer server([&](const std::shared_ptr<HttpExchange>& exchange) {
    const std::string& path = exchange->request().path;
    HttpResponse response;
    response.content_type = path == "/png" ? "image/png" : "application/json; charset=utf-8";
    response.body = path == "/short" ? "short" : text;
    exchange->respond(std::move(response));
  });
  HttpClient client = server.client();
  client.get("/long", "Accept-Encoding: br\r\nAccept-Encoding: gzip;q=0.5\r\n");
  const HttpReply reply = client.reply();
  EXPECT_EQ(reply.header("Content-Encoding"), "gzip");
  EXPECT_EQ(reply.header("Vary"), "Accept-Encoding");
  EXPECT_LT(reply.body.size(), text.size() / 2);
  EXPECT_EQ(inflated(reply.body), text);

  client.send("HEAD /long HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n");
  EXPECT_EQ(client.reply(true).header("Content-Length"), std::to_string(reply.body.size()));
  client.get("/long", "Accept-Encoding: gzip;q=0\r\n");
  const HttpReply plain = client.reply();
  EXPECT_EQ(plain.body, text);
  EXPECT_EQ(plain.header("Vary"), "Accept-Encoding");
  for (const char* path : {"/short", "/png"}) {
    client.get(path, "Accept-Encoding: gzip\r\n");
    const HttpReply other = client.reply();
    EXPECT_EQ(other.header("Content-Encoding"), "") << path;
    EXPECT_EQ(other.header("Vary"), "") << path;
  }
}

TEST(HttpServerTest, AnswersErrorsOfHttpAsJsonAndCloses) {
  HttpServerOptions options;
  options.limits.header_bytes = 1000;
  RunningServer server(echo, options);
  const std::string begin = "POST / HTTP/1.1\r\nHost: a\r\n";
  for (const auto& [bytes, status] : std::vector<std::pair<std::string, int>>{
           {"GET\r\n\r\n", 400},
           {"\x16\x03\x01\x02\x03", 400},
           {begin + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
           {begin + "Content-Length: 99999999\r\n\r\n" + std::string(100'000, 'x'), 413},
           {"GET /" + std::string(2000, 'a'), 414},
           {begin + "Content-Encoding: gzip\r\n\r\n", 415},
           {begin + "Expect: nothing\r\n\r\n", 417},
           {begin + "A: " + std::string(2000, 'a'), 431},
           {begin + "Transfer-Encoding: gzip\r\n\r\n", 501},
           {begin + "Transfer-Encoding: chunked\r\n\r\nx\r\n\r\n", 400},
           {"GET / HTTP/3.0\r\n\r\n", 505}}) {
    HttpClient client = server.client();
    client.send(bytes);
    const HttpReply reply = client.reply();
    EXPECT_EQ(reply.status, status) << bytes.substr(0, 80);
    EXPECT_THAT(reply.body, ::testing::StartsWith("{\"error\":\""));
    EXPECT_TRUE(reply.complete);
    EXPECT_EQ(reply.header("Connection"), "close");
    EXPECT_TRUE(client.is_closed());
  }
  EXPECT_TRUE(becomes_true([&] { return server->counts().connections == 0; }));
}

TEST(HttpServerTest, LetsTheClientReadARefusalWhileItSends) {
  RunningServer server(echo);
  HttpClient client = server.client();
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8000000\r\n\r\n");
  const std::string piece(100'000, 'x');
  bool sent = true;
  for (int i = 0; i < 80 && sent; ++i) sent = client.send(piece);
  EXPECT_TRUE(sent);
  EXPECT_EQ(client.reply().status, 413);
}

TEST(HttpServerTest, AnswersAHandlerThatFails) {
  RunningServer server([](const std::shared_ptr<HttpExchange>& exchange) {
    if (exchange->request().path == "/throws") throw std::runtime_error("no");
  });
  HttpClient client = server.client();
  for (const char* path : {"/throws", "/forgets"}) {
    client.get(path);
    const HttpReply reply = client.reply();
    EXPECT_EQ(reply.status, 500);
    EXPECT_EQ(reply.header("Connection"), "keep-alive");
  }
}

TEST(HttpServerTest, AnswersOnce) {
  RunningServer server([](const std::shared_ptr<HttpExchange>& exchange) {
    exchange->write("before begin()");
    exchange->end();
    echo(exchange);
    echo(exchange);
    exchange->begin({});
  });
  HttpClient client = server.client();
  for (int i = 0; i < 2; ++i) {
    client.get("/" + std::to_string(i));
    EXPECT_EQ(client.reply().body, "GET /" + std::to_string(i) + "? 127.0.0.1 ");
  }
}

TEST(HttpServerTest, StreamsInChunks) {
  RunningServer server([](const std::shared_ptr<HttpExchange>& exchange) {
    std::thread([exchange] {
      exchange->begin({200, "text/event-stream", "first,"});
      for (int i = 0; i < 100; ++i) exchange->write(std::to_string(i) + ",");
      exchange->write("");
      exchange->end();
    }).detach();
  });
  std::string expected = "first,";
  for (int i = 0; i < 100; ++i) expected += std::to_string(i) + ",";
  HttpClient client = server.client();
  for (int i = 0; i < 2; ++i) {
    client.get("/");
    const HttpReply reply = client.reply();
    EXPECT_EQ(reply.header("Transfer-Encoding"), "chunked");
    EXPECT_TRUE(reply.complete);
    EXPECT_EQ(reply.body, expected);
  }
  client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.reply(true).header("Transfer-Encoding"), "chunked");
  client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const HttpReply whole = client.reply();
  EXPECT_EQ(whole.header("Content-Length"), std::to_string(expected.size()));
  EXPECT_EQ(whole.body, expected);
}

TEST(HttpServerTest, ShowsThatAStreamIsIncomplete) {
  RunningServer server([](const std::shared_ptr<HttpExchange>& exchange) {
    exchange->begin({200, "text/plain", "some"});
    exchange->write(" text");
  });
  HttpClient client = server.client();
  client.get("/");
  const HttpReply reply = client.reply();
  EXPECT_EQ(reply.body, "some text");
  EXPECT_FALSE(reply.complete);
  HttpClient old = server.client();
  old.send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(old.reply().status, 500);
}

TEST(HttpServerTest, NamesItsAddresses) {
  HttpServerOptions options;
  options.listen = {"127.0.0.1:0", "localhost:0"};
  HttpServer server(options, echo);
  ASSERT_GE(server.addresses().size(), 2u);
  EXPECT_THAT(server.addresses()[0], ::testing::MatchesRegex("127\\.0\\.0\\.1:[1-9][0-9]*"));
  options.listen = {server.addresses()[0]};
  try {
    HttpServer second(options, echo);
    ADD_FAILURE() << "listens where another server does";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(options.listen[0] + ": address already in use; "));
  }
}

TEST(HttpServerTest, RefusesWhatIsNoAddress) {
  for (const char* address : {"", "127.0.0.1", ":5000", "127.0.0.1:", "127.0.0.1:65536",
                              "127.0.0.1:-1", "127.0.0.1:x", "::1:5000", "[::1]"}) {
    HttpServerOptions options;
    options.listen = {address};
    EXPECT_THROW(HttpServer(options, echo), UsageError) << address;
  }
  EXPECT_THROW(HttpServer({}, echo), UsageError);
  HttpServerOptions options;
  options.listen = {"192.0.2.1:0"};
  try {
    HttpServer server(options, echo);
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasFacts("192.0.2.1"));
  }
}

TEST(HttpServerTest, ListensOnIpv6) {
  HttpServerOptions options;
  options.listen = {"[::1]:0"};
  std::unique_ptr<HttpServer> server;
  try {
    server = std::make_unique<HttpServer>(options, echo);
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  std::thread thread([&] { server->run(); });
  const std::string address = server->addresses()[0];
  ASSERT_EQ(address.substr(0, 6), "[::1]:");
  sockaddr_in6 to{};
  to.sin6_family = AF_INET6;
  to.sin6_port = htons(uint16_t(std::stoi(address.substr(6))));
  to.sin6_addr = in6addr_loopback;
  Descriptor socket(::socket(AF_INET6, SOCK_STREAM, 0));
  ASSERT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&to), sizeof(to)), 0);
  HttpClient client(std::move(socket));
  client.get("/");
  EXPECT_EQ(client.reply().body, "GET /? ::1 ");
  server->stop();
  thread.join();
}

TEST(HttpServerTest, NamesTheClientBehindATrustedProxy) {
  HttpServerOptions options;
  options.trusted_proxies = {"127.0.0.0/8"};
  RunningServer server(echo, options);
  HttpClient client = server.client();
  client.get("/", "X-Forwarded-For: 198.51.100.1, 192.0.2.1\r\nX-Forwarded-For: 127.0.0.2\r\n");
  EXPECT_EQ(client.reply().body, "GET /? 192.0.2.1 ");
}

TEST(HttpServerTest, RunsTasksOnItsThread) {
  RunningServer server(echo);
  std::atomic<int> posted{0};
  std::atomic<bool> same{true};
  std::thread::id thread;
  server->post([&] { thread = std::this_thread::get_id(); });
  for (int i = 0; i < 10; ++i)
    server->post([&] {
      if (std::this_thread::get_id() != thread) same = false;
      ++posted;
    });
  EXPECT_TRUE(becomes_true([&] { return posted == 10; }));
  server.stop();
  EXPECT_TRUE(same);
  EXPECT_NE(thread, std::this_thread::get_id());
}

TEST(HttpServerTest, LeavesExchangesThatOutliveIt) {
  std::shared_ptr<HttpExchange> kept;
  std::atomic<bool> gone{false}, late{false};
  {
    RunningServer server([&](std::shared_ptr<HttpExchange> exchange) {
      exchange->on_gone([&] { gone = true; });
      kept = std::move(exchange);
    });
    HttpClient client = server.client();
    client.post("/", "body");
    ASSERT_TRUE(becomes_true([&] { return server->counts().requests == 1; }));
    server->post([] {});
  }
  ASSERT_TRUE(kept);
  EXPECT_TRUE(gone);
  EXPECT_EQ(kept->request().body, "body");
  kept->on_gone([&] { late = true; });
  kept->begin({});
  kept->write("chunk");
  EXPECT_EQ(kept->unsent(), 0u);
  kept.reset();
  EXPECT_FALSE(late);
}

}  // namespace
}  // namespace heed::testing
