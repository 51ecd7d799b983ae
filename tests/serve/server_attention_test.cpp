// POST /v1/attention: pages of how a text is translated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "serve/server_fixture.h"
#include "support/facts.h"
#include "support/page_data.h"

namespace heed {
namespace {

using nlohmann::json;
using testing::get;
using ::testing::HasSubstr;
using testing::HttpClient;
using testing::HttpReply;
using ::testing::Not;
using testing::post;
using testing::post_text;
using testing::RunningTranslationServer;

class ServerAttentionTest : public testing::ServerTest {
 protected:
  static HttpReply attention(const RunningTranslationServer& server, const json& request,
                             const std::string& headers = "") {
    return post(server, "/v1/attention", request.dump(), headers);
  }
  // What the page has.
  static json page(const RunningTranslationServer& server, const json& request) {
    const HttpReply reply = attention(server, request);
    EXPECT_EQ(reply.status, 200) << reply.body.substr(0, 300);
    return testing::data_of(reply.body);
  }
  // An error's status and text.
  static std::string error(const RunningTranslationServer& server, const json& request) {
    const HttpReply reply = attention(server, request);
    return fmt::format("{} {}", reply.status, json::parse(reply.body)["error"].get<std::string>());
  }
};

TEST_F(ServerAttentionTest, ThePageHasTheTranslationsOfTheSentences) {
  const RunningTranslationServer server(options());
  const json data = page(
      server,
      {{"text", "the fox jumps. A dog.\n\n 老师买了书。"}, {"source", "zh"}, {"target", "en"}});
  EXPECT_EQ(data["unit"], "sentences");
  EXPECT_EQ(data["model"]["name"], "zh-en");
  EXPECT_EQ(data["options"], (json{{"beam", "2"}, {"max_length", "12"}}));
  ASSERT_EQ(data["lines"].size(), 3U);
  EXPECT_EQ(data["total_lines"], 3);
  for (const json& line : data["lines"])
    EXPECT_EQ(line["translation"], expected(line["source"].get<std::string>()));
  EXPECT_EQ(data["lines"][2]["source"], "老师买了书。");
  EXPECT_EQ(data["lines"][2]["line"], 3);

  EXPECT_EQ(page(server, {{"text", "the fox jumps. A dog."}, {"split", "lines"}})["lines"].size(),
            1U);
  EXPECT_TRUE(page(server, {{"text", " \n "}})["lines"].empty());
  EXPECT_TRUE(page(server, {{"text", "the fox"},
                            {"split", "lines"},
                            {"prefix", "a lazy"}})["lines"][0]["translation"]
                  .get<std::string>()
                  .starts_with("a lazy"));
}

TEST_F(ServerAttentionTest, TheOptionsOfTheSearchAndTheLookArePassedOn) {
  const RunningTranslationServer server(options());
  const json data = page(server, {{"text", "the fox"}, {"beam", 6}, {"nbest", 4}});
  EXPECT_EQ(data["options"], (json{{"beam", "6"}, {"max_length", "12"}, {"nbest", "4"}}));
  EXPECT_EQ(data["lines"][0]["hypotheses"].size(), 4U);
  EXPECT_EQ(page(server, {{"text", "the fox"}, {"sample", true}, {"seed", 5}})["options"]["seed"],
            "5");
  const HttpReply chosen =
      attention(server, {{"text", "the fox"}, {"page_language", "zh"}, {"page_theme", "dark"}});
  EXPECT_THAT(chosen.body, HasSubstr(R"(<html lang="en" data-language="zh" data-theme="dark">)"));
  EXPECT_THAT(attention(server, {{"text", "the fox"}}).body, HasSubstr(R"(<html lang="en">)"));
}

// Also where a browser is led to it by a form.
TEST_F(ServerAttentionTest, ThePageHasNoAccessToTheServer) {
  const RunningTranslationServer server(options());
  const HttpReply reply = attention(server, {{"text", "</script><script>alert(1)</script>"}});
  EXPECT_EQ(reply.header("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(reply.header("Content-Security-Policy"), "sandbox allow-scripts");
  EXPECT_EQ(reply.header("Cache-Control"), "no-store");
  EXPECT_THAT(reply.body, Not(HasSubstr("alert(1)</script>")));
  EXPECT_EQ(attention(server, {{"text", "a"}}, "Origin: https://evil.example\r\n").status, 403);
}

// The page of the server shows it in a frame that inherits its policy.
TEST_F(ServerAttentionTest, ThePolicyOfTheServersPageAllowsItsScripts) {
  const RunningTranslationServer server(options());
  const std::string policy = get(server, "/").header("Content-Security-Policy");
  EXPECT_THAT(policy, HasSubstr("script-src 'self' 'sha256-"));
  EXPECT_THAT(policy, HasSubstr("style-src 'self' 'sha256-"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
}

TEST_F(ServerAttentionTest, WhatIsWrongIsSaid) {
  const RunningTranslationServer server(options());
  EXPECT_THAT(error(server, json::object()), HasFacts("400 text"));
  EXPECT_THAT(error(server, {{"text", {"a", "b"}}}), HasFacts("400 text"));
  EXPECT_THAT(error(server, {{"text", "a"}, {"beem", 3}}), HasFacts("400 beem beam"));
  EXPECT_THAT(error(server, {{"text", "a"}, {"beam", 17}}), HasFacts("400 beam 16 17"));
  EXPECT_THAT(error(server, {{"text", "a"}, {"target", "xx"}}), HasFacts("400 xx"));
  EXPECT_THAT(error(server, {{"text", "a"}, {"alignments", "words"}}), HasFacts("400 alignments"));
  EXPECT_THAT(error(server, {{"text", "The fox. A dog."}, {"prefix", "x"}}),
              HasFacts("400 prefix 2"));
  EXPECT_THAT(error(server, {{"text", "a"}, {"page_theme", "red"}}),
              HasFacts("400 page_theme light, dark"));
  EXPECT_THAT(error(server, {{"text", "a"}, {"page_language", "de"}}),
              HasFacts("400 page_language en, zh"));
  EXPECT_EQ(get(server, "/v1/attention").status, 405);
}

TEST_F(ServerAttentionTest, TheLengthOfTheTextIsBounded) {
  ServeOptions tight = options();
  tight.max_attention = 5;
  const RunningTranslationServer server(tight);
  EXPECT_EQ(attention(server, {{"text", "老师买了书"}}).status, 200);
  EXPECT_THAT(error(server, {{"text", "老师买了书书"}}), HasFacts("400 6 5"));
  EXPECT_EQ(json::parse(get(server, "/frontend/settings").body)["attentionLimit"], 5);
  const json document = json::parse(get(server, "/openapi.json").body);
  EXPECT_TRUE(document["paths"].contains("/v1/attention"));
  EXPECT_EQ(
      document["components"]["schemas"]["AttentionRequest"]["properties"]["text"]["maxLength"], 5);
}

TEST_F(ServerAttentionTest, ItCanBeSwitchedOff) {
  ServeOptions without = options();
  without.max_attention = 0;
  RunningTranslationServer server(without);
  EXPECT_EQ(attention(server, {{"text", "a"}}).status, 404);
  EXPECT_EQ(json::parse(get(server, "/frontend/settings").body)["attentionLimit"], 0);
  EXPECT_FALSE(json::parse(get(server, "/openapi.json").body)["paths"].contains("/v1/attention"));
  EXPECT_THAT(get(server, "/").header("Content-Security-Policy"), Not(HasSubstr("sha256")));
  RunningTranslationServer with(options());
  EXPECT_GT((*with).memory().decoding, (*server).memory().decoding);
}

TEST_F(ServerAttentionTest, MemoryIsBounded) {
  ServeOptions some = options();
  some.max_memory = 1;
  some.max_body = 200'000;
  some.max_attention = 100'000;
  const RunningTranslationServer server(some);
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "a ";
  const HttpReply large =
      attention(server, {{"text", text}, {"beam", 16}, {"max_length", 0}, {"split", "lines"}});
  EXPECT_EQ(large.status, 503) << large.body.substr(0, 200);
  EXPECT_NE(large.header("Retry-After"), "");
  EXPECT_EQ(attention(server, {{"text", "the fox"}}).status, 200);
  EXPECT_TRUE(testing::becomes_true([&] {
    return get(server, "/metrics").body.find("heed_request_bytes 0\n") != std::string::npos;
  }));
}

TEST_F(ServerAttentionTest, ALateAnswerIsAnError) {
  ServeOptions impatient = options();
  impatient.timeout = 0.001;
  const RunningTranslationServer server(impatient);
  std::string text;
  for (int i = 0; i < 100; ++i) text += "The fox. ";
  EXPECT_EQ(attention(server, {{"text", text}, {"beam", 16}}).status, 504);
}

// With two threads, one request at a time: the others are asked to come again, and get a place
// once it is free.
TEST_F(ServerAttentionTest, FewAreComputedAtATime) {
  RunningTranslationServer server(options());
  std::string text;
  for (int i = 0; i < 100; ++i) text += "The fox. ";
  std::vector<std::thread> clients;
  std::atomic<int> answered = 0, refused = 0, other = 0;
  for (int client = 0; client < 4; ++client)
    clients.emplace_back([&] {
      for (;;) {
        const HttpReply reply = attention(server, {{"text", text}, {"beam", 4}});
        if (reply.status == 429) {
          EXPECT_EQ(reply.header("Retry-After"), "1");
          ++refused;
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          continue;
        }
        ++(reply.status == 200 ? answered : other);
        return;
      }
    });
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(answered, 4);
  EXPECT_EQ(other, 0);
  EXPECT_GT(refused, 0);
  EXPECT_THAT(get(server, "/metrics").body,
              HasSubstr(R"(heed_requests_total{route="/v1/attention",status="200"} 4)"));
}

// A client that goes away gives its place back.
TEST_F(ServerAttentionTest, APlaceIsFreeOnceItsClientIsGone) {
  RunningTranslationServer server(options());
  std::string text;
  for (int i = 0; i < 100; ++i) text += "The fox. ";
  {
    HttpClient client = server.client();
    client.send(post_text("/v1/attention", json{{"text", text}, {"beam", 16}}.dump()));
  }
  EXPECT_TRUE(testing::becomes_true([&] {
    return attention(server, {{"text", "the fox"}}).status == 200;
  }));
  EXPECT_TRUE(testing::becomes_true([&] {
    for (const RequestRecord& record : server.log())
      if (record.status == 499) return true;
    return false;
  }));
}

// Other requests are answered between the sentences of a page.
TEST_F(ServerAttentionTest, OtherLinesAreTranslatedBetweenItsSentences) {
  ServeOptions one = options();
  one.threads = 1;
  RunningTranslationServer server(one);
  std::string text;
  for (int i = 0; i < 110; ++i) text += "The fox. ";
  std::thread client([&] { EXPECT_EQ(attention(server, {{"text", text}}).status, 200); });
  EXPECT_TRUE(testing::becomes_true([&] {
    return get(server, "/metrics").body.find("heed_running_lines 0") == std::string::npos;
  }));
  EXPECT_EQ(post(server, "/v1/translate", json{{"text", "the fox"}}.dump()).status, 200);
  const std::vector<RequestRecord> log = server.log();
  EXPECT_EQ(std::count_if(log.begin(), log.end(),
                          [](const RequestRecord& r) { return r.route == "/v1/attention"; }),
            0);
  client.join();
}

}  // namespace
}  // namespace heed
