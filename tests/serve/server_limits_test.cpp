// The limits of the whole server: characters, memory and time of requests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "serve/server_fixture.h"
#include "support/facts.h"

namespace heed {
namespace {

using nlohmann::json;
using testing::get;
using ::testing::HasSubstr;
using testing::HttpReply;
using testing::post;
using testing::RunningTranslationServer;
using testing::v1;

class ServerLimitsTest : public testing::ServerTest {};

TEST_F(ServerLimitsTest, ScoresAreComputedInTurnsUntilTheDeadline) {
  std::vector<std::string> sources, targets;
  for (int i = 0; i < 60; ++i) {
    sources.push_back("the quick fox " + std::string(size_t(i), 'a'));
    targets.push_back("a lazy dog " + std::string(size_t(60 - i), 'o'));
  }
  const json request = {{"source_text", sources}, {"target_text", targets}};
  {
    const RunningTranslationServer server(options());
    const HttpReply reply = post(server, "/v1/score", request.dump());
    EXPECT_EQ(reply.status, 200) << reply.body;
    const json scores = json::parse(reply.body)["scores"];
    ASSERT_EQ(scores.size(), sources.size());
    const Model model(folder_ / "model");
    for (size_t i = 0; i < scores.size(); i += 7)
      EXPECT_EQ(scores[i]["log_probability"], model.score(sources[i], targets[i]).log_probability);
    const json none = {{"source_text", json::array()}, {"target_text", json::array()}};
    EXPECT_EQ(json::parse(post(server, "/v1/score", none.dump()).body)["scores"].size(), 0U);
  }
  ServeOptions impatient = options();
  impatient.timeout = 0.001;
  const RunningTranslationServer server(impatient);
  EXPECT_EQ(post(server, "/v1/score", request.dump()).status, 504);
}

TEST_F(ServerLimitsTest, LimitsOfARequest) {
  ServeOptions tight = options();
  tight.max_characters = 5;
  tight.max_body = 1024;
  const RunningTranslationServer server(tight);
  EXPECT_EQ(v1(server, {{"text", "老师买了书"}})["source"], "zh");
  EXPECT_THAT(v1(server, {{"text", "老师买了书书"}}, 400)["error"].get<std::string>(),
              HasFacts("6 5"));
  EXPECT_EQ(post(server, "/v1/translate", std::string(1025, 'a')).status, 413);
}

TEST_F(ServerLimitsTest, MemoryIsBounded) {
  ServeOptions some = options();
  some.max_memory = 1;
  EXPECT_THROW(RunningTranslationServer{some}, UsageError) << "a body of 1 MiB";
  some.max_body = 200'000;
  RunningTranslationServer server(some);
  EXPECT_EQ((*server).memory().requests, 1 << 20);
  const auto becomes_free = [&] {
    return testing::becomes_true([&] {
      return get(server, "/metrics").body.find("heed_request_bytes 0\n") != std::string::npos;
    });
  };
  // More empty texts than fit, more lines, and lines that do, but not their translations.
  EXPECT_EQ(
      post(server, "/v1/translate", json{{"text", std::vector<std::string>(60'000)}}.dump()).status,
      503);
  std::string lines;
  for (int i = 0; i < 20'000; ++i) lines += "a\n";
  const HttpReply many = post(server, "/v1/translate", json{{"text", lines}}.dump());
  EXPECT_EQ(many.status, 503) << many.body;
  EXPECT_NE(many.header("Retry-After"), "");
  std::string sentences;
  for (int i = 0; i < 100; ++i) sentences += "the lazy dog and the quick fox\n";
  const json large = {{"text", sentences},
                      {"beam", 16},
                      {"nbest", 16},
                      {"max_length", 12},
                      {"alignments", "weights"}};
  EXPECT_EQ(post(server, "/v1/translate", large.dump()).status, 503);
  EXPECT_TRUE(becomes_free());
  json streamed = large;
  streamed["stream"] = true;
  EXPECT_THAT(post(server, "/v1/translate", streamed.dump()).body, HasSubstr("event: error"));
  EXPECT_TRUE(becomes_free());
  // A line whose attention weights do not fit, and one whose do, but not as JSON.
  json long_line = {{"split", "lines"},     {"beam", 16},       {"nbest", 16},
                    {"max_length", 12},     {"min_length", 11}, {"text", std::string(16'000, 'a')},
                    {"alignments", "words"}};
  EXPECT_EQ(post(server, "/v1/translate", long_line.dump()).status, 503);
  long_line["text"] = std::string(200, 'a');
  const HttpReply fits = post(server, "/v1/translate", long_line.dump());
  EXPECT_EQ(fits.status, 200) << fits.body;
  long_line["alignments"] = "weights";
  EXPECT_EQ(post(server, "/v1/translate", long_line.dump()).status, 503);
  EXPECT_TRUE(becomes_free());
  EXPECT_EQ(post(server, "/v1/score",
                 json{{"source_text", std::string(50'000, 'a')},
                      {"target_text", std::string(50'000, 'a')}}
                     .dump())
                .status,
            503);
  EXPECT_EQ(post(server, "/v1/translate", json{{"text", "the fox"}}.dump()).status, 200);
  EXPECT_TRUE(becomes_free());
}

TEST_F(ServerLimitsTest, ALateAnswerIsAnError) {
  ServeOptions impatient = options();
  impatient.timeout = 0.001;
  impatient.search.max_length = 0;
  const RunningTranslationServer server(impatient);
  const json many = std::vector<std::string>(2000, "the quick brown fox jumps over a lazy dog");
  const HttpReply reply = post(server, "/v1/translate", json{{"text", many}, {"beam", 16}}.dump());
  EXPECT_EQ(reply.status, 504) << reply.body.substr(0, 200);
}

}  // namespace
}  // namespace heed
