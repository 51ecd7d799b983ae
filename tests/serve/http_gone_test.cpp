// Clients that go away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "heed/serve/http/server.h"
#include "serve/kept_exchanges.h"
#include "support/http_client.h"

namespace heed::testing {
namespace {

using namespace std::chrono_literals;

TEST(HttpGoneTest, NoticesAClientThatCloses) {
  KeptExchanges kept;
  RunningServer server(kept.handler());
  for (int way = 0; way < 3; ++way) {
    HttpClient client = server.client();
    client.post("/", "text");
    const Exchange exchange = kept.next();
    if (way == 0) client.close();
    if (way == 1) client.reset();
    if (way == 2) client.end_sending();  // a half-close counts too
    EXPECT_TRUE(kept.becomes_gone(way + 1)) << way;
    std::atomic<bool> late{false};
    exchange->on_gone([&] { late = true; });
    EXPECT_TRUE(becomes_true([&] { return late.load(); }));
    echo(exchange);  // dropped
  }
  EXPECT_TRUE(becomes_true([&] { return server->counts().connections == 0; }));
}

TEST(HttpGoneTest, NoticesAClientThatClosesWithinAStream) {
  KeptExchanges kept;
  RunningServer server(kept.handler());
  HttpClient client = server.client();
  client.get("/");
  const Exchange exchange = kept.next();
  exchange->begin({});
  exchange->write("text");
  EXPECT_TRUE(becomes_true([&] { return exchange->unsent() == 0; }));
  client.close();
  EXPECT_TRUE(kept.becomes_gone());
}

TEST(HttpGoneTest, NoticesAClientThatHasPipelinedMuch) {
  KeptExchanges kept;
  HttpLimits limits;
  limits.header_bytes = 1000;
  RunningServer server(kept.handler(), with_limits(limits));
  HttpClient client = server.client();
  for (int i = 0; i < 500; ++i) client.get("/");
  const Exchange exchange = kept.next();
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(kept.gone(), 0);
  client.close();
  EXPECT_TRUE(kept.becomes_gone());
  EXPECT_TRUE(becomes_true([&] { return server->counts().connections == 0; }));
}

TEST(HttpGoneTest, CallsNothingAfterTheAnswer) {
  KeptExchanges kept;
  RunningServer server(kept.handler());
  HttpClient client = server.client();
  client.get("/");
  const Exchange exchange = kept.next();
  echo(exchange);
  EXPECT_EQ(client.reply().status, 200);
  exchange->on_gone([] { ADD_FAILURE() << "gone after the answer"; });
  client.close();
  EXPECT_TRUE(becomes_true([&] { return server->counts().connections == 0; }));
  EXPECT_EQ(kept.gone(), 0);
}

TEST(HttpGoneTest, ReleasesAnExchangeThatItsFunctionHolds) {
  std::weak_ptr<HttpExchange> seen;
  RunningServer server([&](const Exchange& exchange) {
    exchange->on_gone([exchange] {});
    seen = exchange;
    echo(exchange);
  });
  HttpClient client = server.client();
  client.get("/");
  EXPECT_EQ(client.reply().status, 200);
  server.stop();
  EXPECT_TRUE(seen.expired());
}

TEST(HttpGoneTest, ReleasesAnExchangeAfterTheAnswer) {
  KeptExchanges kept;
  RunningServer server(kept.handler());
  HttpClient client = server.client();
  client.get("/");
  Exchange exchange = kept.next();
  echo(exchange);
  EXPECT_EQ(client.reply().status, 200);
  // The next request is answered after the first answer is complete on the server's thread.
  client.get("/");
  echo(kept.next());
  EXPECT_EQ(client.reply().status, 200);
  exchange->on_gone([exchange] {});
  const std::weak_ptr<HttpExchange> seen = exchange;
  exchange.reset();
  EXPECT_TRUE(becomes_true([&] { return seen.expired(); }));
}

TEST(HttpGoneTest, SendsACompleteAnswerAfterAHalfClose) {
  const std::string body(8 << 20, 'x');
  RunningServer server([&](const Exchange& exchange) {
    exchange->respond({200, "image/png", body});
  });
  HttpClient client(server.address(), 4096);
  client.get("/");
  EXPECT_TRUE(becomes_true([&] { return server->counts().requests == 1; }));
  std::this_thread::sleep_for(20ms);
  client.end_sending();
  const HttpReply reply = client.reply();
  EXPECT_TRUE(reply.complete);
  EXPECT_EQ(reply.body.size(), body.size());
}

}  // namespace
}  // namespace heed::testing
