// The whole server with models of every task: language model, tagger, classifier, parser.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "heed/core/json_text.h"
#include "heed/decode/classifier.h"
#include "heed/decode/language_model.h"
#include "heed/decode/parser.h"
#include "heed/pages/translation_json.h"
#include "serve/server_fixture.h"
#include "support/facts.h"
#include "support/small_task_models.h"

namespace heed {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using testing::get;
using ::testing::HasSubstr;
using testing::HttpReply;
using testing::post;
using testing::RunningTranslationServer;

class ServerTasksTest : public testing::ServerTest {
 protected:
  // Made once; every test has a copy.
  static const testing::TemporaryFolder& models() {
    static const testing::TemporaryFolder folder;
    static const bool made = [] {
      testing::write_small_translator(folder / "model");
      testing::write_small_language_model(folder / "lm");
      testing::write_small_classifier(folder / "tagger", ClassesOf::words);
      testing::write_small_classifier(folder / "classifier", ClassesOf::texts);
      testing::write_small_parser(folder / "parser");
      return true;
    }();
    EXPECT_TRUE(made);
    return folder;
  }
  void SetUp() override {
    std::filesystem::copy(models().path(), folder_, std::filesystem::copy_options::recursive);
  }

  // The server has these directories; "model" is the translator.
  ServeOptions serving(const std::vector<std::string>& names) const {
    ServeOptions some = options();
    some.model.clear();
    for (const std::string& name : names)
      some.model.push_back((name == "model" ? "zh-en=" : "") + (folder_ / name).string());
    return some;
  }
  ServeOptions all() const { return serving({"lm", "tagger", "model", "classifier", "parser"}); }

  static std::vector<std::string> lines() {
    return {"the quick brown fox",
            "",
            "a dog",
            " over  the\tlazy ( dog )",
            "\u4f60 fox",
            std::string(300, 'x'),
            "a dog a dog a dog a dog a dog a dog a dog a dog a dog a dog"};
  }

  // The answer for these results.
  static std::string answer(const std::string& model, const std::vector<ordered_json>& results) {
    ordered_json all = {{"model", model}, {"results", ordered_json::array()}};
    for (const ordered_json& result : results) all["results"].push_back(result);
    return json_text(all);
  }
  std::string generated(const std::vector<std::string>& prompts,
                        const SearchOptions& search) const {
    std::vector<ordered_json> results;
    for (const Translation& t :
         LanguageModel(folder_ / "lm").generator(decode(search)).translate(prompts))
      results.push_back(generation_json(t, search));
    return answer("lm", results);
  }
  std::string parsed(const std::vector<std::string>& sentences, const SearchOptions& search) const {
    std::vector<ordered_json> results;
    for (const Translation& t :
         Parser(folder_ / "parser").parser(decode(search)).translate(sentences))
      results.push_back(tree_json(t, search));
    return answer("parser", results);
  }
  std::string labelled(const std::string& model, const std::vector<std::string>& texts) const {
    std::vector<ordered_json> results;
    const Classifier classifier(folder_ / model, ComputeChoice::fp32);
    for (const ClassifiedLine& line : classifier.classify(texts))
      results.push_back(model == "tagger" ? tags_json(line) : class_json(line));
    return answer(model, results);
  }
  static DecodeOptions decode(const SearchOptions& search) {
    DecodeOptions decode;
    decode.search = search;
    decode.threads = 1;
    return decode;
  }

  static std::string error(const RunningTranslationServer& server, const std::string& path,
                           const json& request) {
    const HttpReply reply = post(server, path, request.dump());
    const json body = json::parse(reply.body);
    return fmt::format("{} {}", reply.status, body.value("error", "no error"));
  }
};

TEST_F(ServerTasksTest, AnswersAreTheJsonOfTheLibrary) {
  const RunningTranslationServer server(all());
  SearchOptions search = options().search;
  const auto body = [&](const char* path, const json& request) {
    const HttpReply reply = post(server, path, request.dump());
    EXPECT_EQ(reply.status, 200) << reply.body;
    return reply.body;
  };
  EXPECT_EQ(body("/v1/generate", {{"prompt", lines()}}), generated(lines(), search));
  EXPECT_EQ(body("/v1/parse", {{"text", lines()}}), parsed(lines(), search));
  EXPECT_EQ(body("/v1/tag", {{"text", lines()}}), labelled("tagger", lines()));
  EXPECT_EQ(body("/v1/classify", {{"text", lines()}}), labelled("classifier", lines()));
  EXPECT_EQ(body("/v1/tag", {{"text", "a dog"}, {"model", "tagger"}}),
            labelled("tagger", {"a dog"}));
  for (const char* path : {"/v1/parse", "/v1/tag", "/v1/classify"})
    EXPECT_EQ(json::parse(body(path, {{"text", json::array()}}))["results"], json::array());

  search.beam.reset();
  search.sample = true;
  search.nbest = 3;
  search.temperature = 1.5;
  search.top_k = 20;
  search.top_p = 0.9;
  search.seed = 7;
  json sampled = {{"sample", true}, {"nbest", 3},   {"temperature", 1.5},
                  {"top_k", 20},    {"top_p", 0.9}, {"seed", 7}};
  sampled["text"] = lines();
  EXPECT_EQ(body("/v1/parse", sampled), parsed(lines(), search));
  sampled.erase("text");
  sampled["prompt"] = lines();
  search.max_length = 30;
  sampled["max_length"] = 30;
  EXPECT_EQ(body("/v1/generate", sampled), generated(lines(), search));
  const std::string metrics = get(server, "/metrics").body;
  for (const char* path : {"/v1/generate", "/v1/tag", "/v1/classify", "/v1/parse"})
    EXPECT_THAT(metrics, HasSubstr(fmt::format("route=\"{}\",status=\"200\"", path)));
}

TEST_F(ServerTasksTest, AnotherPathNamesTheOneThatFits) {
  const RunningTranslationServer server(serving({"lm", "tagger"}));
  EXPECT_THAT(error(server, "/v1/parse", {{"text", "a"}}),
              HasFacts("400 /v1/parse lm /v1/generate tagger /v1/tag"));
  EXPECT_THAT(error(server, "/v1/tag", {{"text", "a"}, {"model", "lm"}}),
              HasFacts("400 lm language model /v1/generate"));
  EXPECT_THAT(error(server, "/v1/tag", {{"text", "a"}, {"model", "ml"}}),
              HasFacts("400 ml tagger"));
  EXPECT_THAT(error(server, "/v1/classify", {{"text", "a"}}), HasFacts("400 tagger /v1/tag"));
  for (const char* path : {"/v1/translate", "/v1/attention"})
    EXPECT_THAT(error(server, path, {{"text", "a"}}), HasFacts("400 lm /v1/generate"));
  EXPECT_THAT(error(server, "/v1/score", {{"source_text", "a"}, {"target_text", "a"}}),
              HasFacts("400 lm /v1/generate"));
  EXPECT_THAT(error(server, "/translate", {{"q", "a"}, {"source", "auto"}, {"target", "en"}}),
              HasFacts("400 lm /v1/generate"));
  EXPECT_THAT(error(server, "/detect", {{"q", "a"}}), HasFacts("400 lm /v1/generate"));
  EXPECT_EQ(get(server, "/languages").body, "[]");
  EXPECT_EQ(json::parse(get(server, "/frontend/settings").body)["language"], nullptr);
}

TEST_F(ServerTasksTest, ModelsAndTheirTasksAreListed) {
  ServeOptions two = all();
  two.model.push_back("other tagger=" + (folder_ / "tagger").string());
  const RunningTranslationServer server(two);
  const json models = json::parse(get(server, "/v1/models").body)["models"];
  std::vector<std::string> listed;
  for (const json& model : models)
    listed.push_back(model["name"].get<std::string>() + " " + model["task"].get<std::string>() +
                     " " + model["path"].get<std::string>());
  EXPECT_THAT(listed, ::testing::ElementsAre("lm language-model /v1/generate", "tagger tag /v1/tag",
                                             "zh-en translation /v1/translate",
                                             "classifier classify /v1/classify",
                                             "parser parse /v1/parse", "other tagger tag /v1/tag"));
  EXPECT_EQ(models[2]["source"], "zh");
  EXPECT_EQ(models[2]["alignments"], true);
  EXPECT_EQ(json::parse(get(server, "/languages").body).size(), 2U);
  EXPECT_THAT(error(server, "/v1/tag", {{"text", "a"}}), HasFacts("400 model tagger other tagger"));
  EXPECT_EQ(json::parse(
                post(server, "/v1/tag", R"({"text": "a", "model": "other tagger"})").body)["model"],
            "other tagger");
  const json document = json::parse(get(server, "/openapi.json").body);
  const json& schemas = document["components"]["schemas"];
  EXPECT_TRUE(schemas["GenerateRequest"]["properties"].contains("extra_length"));
  EXPECT_FALSE(schemas["ParseRequest"]["properties"].contains("extra_length"));
  EXPECT_FALSE(schemas["TagRequest"]["properties"].contains("beam"));
  EXPECT_THAT(error(server, "/v1/parse", {{"text", "a"}, {"extra_length", 3}}),
              HasFacts("400 extra_length beam"));
  EXPECT_THAT(error(server, "/v1/generate", {{"text", "a"}}), HasFacts("400 text prompt"));
  EXPECT_THAT(error(server, "/v1/generate", json::object()), HasFacts("400 prompt"));
  EXPECT_THAT(error(server, "/v1/generate", {{"prompt", "a"}, {"beam", 17}}),
              HasFacts("400 beam 16 17"));
}

TEST_F(ServerTasksTest, NamesAreDifferent) {
  const std::string tagger = (folder_ / "tagger").string(), lm = (folder_ / "lm").string();
  const auto refusal = [&](const std::vector<std::string>& models) {
    return error_of([&] { ServedModels(models, ComputeChoice::automatic); });
  };
  EXPECT_THAT(refusal({tagger, "tagger=" + lm}), HasFacts(tagger + " " + lm + " NAME="));
  EXPECT_THAT(refusal({"=" + lm}), HasFacts("--model name"));
  EXPECT_EQ(refusal({tagger, "zh-en=" + lm}), "");
  EXPECT_THAT(refusal({"zh-en=" + lm, "zh-en=" + (folder_ / "model").string()}), HasFacts("zh-en"));
}

// Alignments are refused before the search, in which they would end the requests of others.
TEST_F(ServerTasksTest, AModelWithoutAttentionHasNoAlignments) {
  testing::write_small_recurrent_translator(folder_ / "recurrent");
  ServeOptions one = options();
  one.model = {"zh-en=" + (folder_ / "recurrent").string()};
  const RunningTranslationServer server(one);
  EXPECT_THAT(error(server, "/v1/translate", {{"text", "a"}, {"alignments", "words"}}),
              HasFacts("400 alignments zh-en attention"));
  EXPECT_EQ(post(server, "/v1/translate", R"({"text": "a fox"})").status, 200);
  EXPECT_EQ(json::parse(get(server, "/v1/models").body)["models"][0]["alignments"], false);
}

TEST_F(ServerTasksTest, LimitsHoldForEveryTask) {
  struct Call {
    const char *path, *field;
  };
  const std::vector<Call> calls = {{"/v1/generate", "prompt"},
                                   {"/v1/tag", "text"},
                                   {"/v1/classify", "text"},
                                   {"/v1/parse", "text"}};
  const json many = std::vector<std::string>(2000, "the quick brown fox jumps over a lazy dog");
  {
    ServeOptions tight = all();
    tight.max_characters = 5;
    tight.timeout = 0.001;
    const RunningTranslationServer server(tight);
    for (const auto& [path, field] : calls)
      EXPECT_THAT(error(server, path, {{field, {"abc", "abc"}}}), HasFacts("400 6 5")) << path;
  }
  {
    ServeOptions impatient = all();
    impatient.timeout = 0.001;
    const RunningTranslationServer server(impatient);
    for (const auto& [path, field] : calls)
      EXPECT_EQ(post(server, path, json{{field, many}}.dump()).status, 504) << path;
  }
  ServeOptions small = all();
  small.max_memory = 1;
  small.max_body = 200'000;
  const RunningTranslationServer server(small);
  for (const auto& [path, field] : calls) {
    EXPECT_EQ(post(server, path, json{{field, many}}.dump()).status, 503) << path;
    EXPECT_EQ(post(server, path, json{{field, std::string(100'000, 'a')}}.dump()).status, 503)
        << path;
    EXPECT_EQ(post(server, path, json{{field, "the fox"}}.dump()).status, 200) << path;
  }
  EXPECT_TRUE(testing::becomes_true([&] {
    return get(server, "/metrics").body.find("heed_request_bytes 0\n") != std::string::npos;
  }));
}

TEST_F(ServerTasksTest, AClientThatLeavesEndsItsRequest) {
  ServeOptions one = all();
  one.threads = 1;
  RunningTranslationServer server(one);
  const json many = std::vector<std::string>(4000, "the quick brown fox jumps over a lazy dog");
  for (const auto& [path, field] : {std::pair{"/v1/generate", "prompt"},
                                    {"/v1/tag", "text"},
                                    {"/v1/classify", "text"},
                                    {"/v1/parse", "text"}}) {
    {
      const testing::HttpClient client = server.client();
      client.send(testing::post_text(path, json{{field, many}}.dump()));
      EXPECT_TRUE(testing::becomes_true([&] {
        return get(server, "/metrics").body.find("heed_running_lines 0\n") == std::string::npos;
      }));
    }
    EXPECT_TRUE(testing::becomes_true([&, route = path] {
      for (const RequestRecord& record : server.log())
        if (record.route == route && record.status == 499) return true;
      return false;
    })) << path;
    EXPECT_TRUE(testing::becomes_true([&] {
      return get(server, "/metrics").body.find("heed_running_lines 0\n") != std::string::npos;
    }));
  }
}

// A long line is labelled in several turns, between which others have theirs.
TEST_F(ServerTasksTest, ALineOfManyPartsIsLabelledInTurns) {
  std::string line;
  for (int i = 0; i < 2000; ++i) line += i % 7 == 3 ? "dog " : "a ";
  const std::vector<std::string> texts = {"the fox", line, "a dog", line};
  const RunningTranslationServer server(serving({"tagger"}));
  EXPECT_EQ(post(server, "/v1/tag", json{{"text", texts}}.dump()).body, labelled("tagger", texts));
}

TEST_F(ServerTasksTest, RequestsOfAllTasksAtATimeGetTheirOwnAnswers) {
  const RunningTranslationServer server(all());
  const SearchOptions search = options().search;
  const std::vector<std::array<std::string, 3>> calls = {
      {"/v1/generate", "prompt", generated(lines(), search)},
      {"/v1/tag", "text", labelled("tagger", lines())},
      {"/v1/classify", "text", labelled("classifier", lines())},
      {"/v1/parse", "text", parsed(lines(), search)}};
  std::atomic<int> wrong = 0;
  std::vector<std::thread> clients;
  for (size_t client = 0; client < 8; ++client)
    clients.emplace_back([&, client] {
      for (size_t i = 0; i < 6; ++i) {
        const auto& [path, field, expected] = calls[(client + i) % calls.size()];
        if (post(server, path, json{{field, lines()}}.dump()).body != expected) ++wrong;
      }
    });
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(ServerTasksTest, ModelsOfEveryTaskAreReplaced) {
  RunningTranslationServer server(all());
  const auto tags = [&] { return post(server, "/v1/tag", json{{"text", lines()}}.dump()).body; };
  const std::string before = tags();
  testing::write_small_classifier(folder_ / "tagger", ClassesOf::words, 9);
  ASSERT_EQ((*server).reload(ServedModels::Which::changed).size(), 1U);
  EXPECT_NE(tags(), before);
  EXPECT_EQ(tags(), labelled("tagger", lines()));
  testing::write_small_classifier(folder_ / "tagger", ClassesOf::texts);
  const auto reloads = (*server).reload(ServedModels::Which::changed);
  ASSERT_EQ(reloads.size(), 1U);
  EXPECT_THAT(reloads[0].error, HasFacts("classifier expected a tagger"));
  EXPECT_EQ(post(server, "/v1/tag", R"({"text": "a"})").status, 200);
  testing::write_small_classifier(folder_ / "tagger", ClassesOf::words);
  EXPECT_EQ((*server).reload(ServedModels::Which::all).size(), 5U);
}

TEST_F(ServerTasksTest, EveryModelCountsInTheMemoryBound) {
  const auto decoding = [&](const std::vector<std::string>& names) {
    RunningTranslationServer server(serving(names));
    return (*server).memory().decoding;
  };
  const int64_t lm = decoding({"lm"}), tagger = decoding({"tagger"});
  EXPECT_GT(lm, 0);
  EXPECT_GT(tagger, 0);
  EXPECT_EQ(decoding({"lm", "tagger"}), lm + tagger);
}

}  // namespace
}  // namespace heed
