// Who is answered: the keys of clients, and requests that find the queue full.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "serve/server_fixture.h"
#include "support/facts.h"

namespace heed {
namespace {

using nlohmann::json;
using testing::get;
using testing::HttpClient;
using testing::HttpReply;
using testing::post;
using testing::post_text;
using testing::RunningTranslationServer;
using testing::ServerTest;

// Keeps a queue of one request full for as long as it lives.
class FullQueue {
 public:
  FullQueue(const RunningTranslationServer& server, const std::string& headers)
      : client_(server.client()) {
    json texts = json::array();
    for (int i = 0; i < 2000; ++i) texts.push_back("the lazy dog");
    client_.send(post_text("/v1/translate", json{{"text", texts}, {"beam", 16}}.dump(), headers));
    testing::becomes_true([&] {
      return get(server, "/metrics").body.find("heed_running_lines 0\n") == std::string::npos;
    });
  }

 private:
  HttpClient client_;
};

TEST_F(ServerTest, AFullQueueRefusesBeforeARequestIsRead) {
  ServeOptions small = options();
  small.max_waiting = 1;
  small.threads = 1;
  RunningTranslationServer server(small);
  const FullQueue full(server, "");
  for (const char* path : {"/translate", "/v1/translate", "/v1/score"}) {
    const HttpReply reply = post(server, path, "{not JSON");
    EXPECT_EQ(reply.status, 429) << path;
    EXPECT_GE(std::stoi(reply.header("Retry-After")), 1);
  }
  EXPECT_EQ(post(server, "/detect", R"({"q": "a"})").status, 200) << "does not wait in the queue";
}

TEST_F(ServerTest, WhatAFullQueueRefusesIsNotCountedForItsKey) {
  ServeOptions with_keys = options();
  with_keys.max_waiting = 1;
  with_keys.threads = 1;
  with_keys.api_keys =
      write("keys",
            "alice 2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b requests=2\n")
          .string();
  RunningTranslationServer server(with_keys);
  const std::string secret = "Authorization: Bearer secret\r\n";
  const std::string body = R"({"text": "fox"})";
  {
    const FullQueue full(server, secret);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(post(server, "/v1/translate", body, secret).status, 429);
    EXPECT_EQ(post(server, "/v1/translate", body).status, 401) << "the key comes first";
  }
  EXPECT_TRUE(testing::becomes_true([&] {
    return get(server, "/metrics").body.find("heed_waiting_lines 0\n") != std::string::npos;
  }));
  EXPECT_EQ(post(server, "/v1/translate", body, secret).status, 200);
  EXPECT_EQ(post(server, "/v1/translate", body, secret).status, 429) << "the third";
}

TEST_F(ServerTest, KeysAreAskedForAndCounted) {
  ServeOptions with_keys = options();
  // printf %s secret | sha256sum
  with_keys.api_keys =
      write("keys",
            "alice 2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b requests=3\n")
          .string();
  RunningTranslationServer server(with_keys);
  const std::string body = R"({"q": "a", "source": "zh", "target": "en"})";
  EXPECT_EQ(post(server, "/translate", body).status, 401);
  EXPECT_EQ(post(server, "/translate", body, "Authorization: Bearer wrong\r\n").status, 403);
  EXPECT_EQ(post(server, "/translate", body, "Authorization: Bearer secret\r\n").status, 200);
  EXPECT_EQ(post(server, "/detect", R"({"q": "a"})", "Authorization: bearer  secret\r\n").status,
            200);
  const std::string in_body = R"({"q": "a", "source": "zh", "target": "en", "api_key": "secret"})";
  EXPECT_EQ(post(server, "/translate", in_body).status, 200);
  const HttpReply fourth = post(server, "/translate", in_body);
  EXPECT_EQ(fourth.status, 429);
  EXPECT_NE(fourth.header("Retry-After"), "");
  EXPECT_EQ(get(server, "/languages").status, 200);
  EXPECT_EQ(json::parse(get(server, "/frontend/settings").body)["keyRequired"], true);
  for (const RequestRecord& record : server.log())
    EXPECT_EQ(record.client.find("secret"), std::string::npos);

  write("keys", "nothing\n");
  EXPECT_THAT(error_of([&] { (*server).reload_keys(); }), HasFacts("keys:1"));
  EXPECT_EQ(post(server, "/detect", R"({"q": "a", "api_key": "secret"})").status, 429);
  // printf %s other | sha256sum
  write("keys", "bob d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa\n");
  (*server).reload_keys();
  EXPECT_EQ(post(server, "/detect", R"({"q": "a", "api_key": "secret"})").status, 403);
  EXPECT_EQ(post(server, "/detect", R"({"q": "a", "api_key": "other"})").status, 200);
}

}  // namespace
}  // namespace heed
