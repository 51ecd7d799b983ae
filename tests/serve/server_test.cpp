// The whole server: requests over sockets, answered by a small model.
#include "heed/serve/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "serve/server_fixture.h"
#include "support/facts.h"

namespace heed {
namespace {

using nlohmann::json;
using testing::get;
using ::testing::HasSubstr;
using testing::HttpClient;
using testing::HttpReply;
using testing::post;
using testing::post_text;
using testing::RunningTranslationServer;
using testing::ServerTest;
using testing::v1;

json translate(const RunningTranslationServer& server, const json& request) {
  const HttpReply reply = post(server, "/translate", request.dump());
  EXPECT_EQ(reply.status, 200) << reply.body;
  return json::parse(reply.body);
}

TEST_F(ServerTest, LibreTranslatesApi) {
  const RunningTranslationServer server(options());
  const std::string one = "老师买了书。", two = "the fox jumps";
  const json languages = {{"source", "zh"}, {"target", "en"}};
  const auto with = [&](json q) {
    json request = languages;
    request["q"] = std::move(q);
    return request;
  };
  EXPECT_EQ(translate(server, with(one))["translatedText"], expected(one));
  EXPECT_EQ(translate(server, with({one, two}))["translatedText"],
            (json{expected(one), expected(two)}));
  EXPECT_EQ(translate(server, with(json::array()))["translatedText"], json::array());
  EXPECT_EQ(translate(server, with(""))["translatedText"], "");

  json request = with(one);
  request["api_key"] = "ignored";
  request["format"] = "text";
  request["alternatives"] = 2;
  const json answer = translate(server, request);
  EXPECT_LE(answer["alternatives"].size(), 2U);
  for (const json& other : answer["alternatives"]) EXPECT_NE(other, answer["translatedText"]);

  request = with(one);
  request["source"] = "auto";
  EXPECT_EQ(translate(server, request)["detectedLanguage"]["language"], "zh");

  const HttpReply form = post(server, "/translate", "q=the+fox&source=zh&target=en", "",
                              "application/x-www-form-urlencoded");
  EXPECT_EQ(json::parse(form.body)["translatedText"], expected("the fox"));
  HttpClient client = server.client();
  client.send(
      "POST /translate?q=the%20fox&source=zh&target=en HTTP/1.1\r\nHost: localhost\r\n"
      "Content-Length: 0\r\n\r\n");
  EXPECT_EQ(json::parse(client.reply().body)["translatedText"], expected("the fox"));

  EXPECT_EQ(json::parse(get(server, "/languages").body),
            json::parse(R"([{"code": "zh", "name": "Chinese", "targets": ["en"]},
                            {"code": "en", "name": "English", "targets": []}])"));
  EXPECT_EQ(json::parse(get(server, "/frontend/settings").body)["language"]["target"]["name"],
            "English");
  EXPECT_EQ(json::parse(post(server, "/detect", R"({"q": "你好"})").body)[0]["language"], "zh");
}

TEST_F(ServerTest, WhatIsWrongIsSaid) {
  const RunningTranslationServer server(options());
  const auto error = [&](const std::string& path, const std::string& body) {
    const HttpReply reply = post(server, path, body);
    return fmt::format("{} {}", reply.status, json::parse(reply.body)["error"].get<std::string>());
  };
  EXPECT_THAT(error("/translate", R"({"source": "zh", "target": "en"})"), HasFacts("400 q"));
  EXPECT_THAT(error("/translate", R"({"q": "a", "target": "en"})"), HasFacts("400 source"));
  EXPECT_THAT(error("/translate", R"({"q": "a", "source": "zh", "target": "xx"})"),
              HasFacts("400 xx"));
  EXPECT_THAT(error("/translate", R"({"q": "a", "source": "en", "target": "en"})"),
              HasFacts("400 en"));
  EXPECT_THAT(
      error("/translate", R"({"q": "<p>", "source": "zh", "target": "en", "format": "docx"})"),
      HasFacts("400 docx"));
  EXPECT_THAT(
      error("/translate", R"({"q": "a", "source": "zh", "target": "en", "alternatives": 99})"),
      HasFacts("400 alternatives 15 99"));
  EXPECT_THAT(error("/v1/translate", R"({"text": "a", "beem": 3})"), HasFacts("400 beem beam"));
  EXPECT_THAT(error("/v1/translate", R"({"text": "a", "beam": 0})"), HasFacts("400 beam 1"));
  EXPECT_THAT(error("/v1/translate", R"({"text": "a", "beam": 17})"), HasFacts("400 beam 16 17"));
  EXPECT_THAT(error("/v1/translate", R"({"text": "a", "beam": []})"), HasFacts("400 beam one"));
  EXPECT_THAT(error("/v1/translate", R"({"text": "a", "beam": [3]})"), HasFacts("400 beam 3"));
  EXPECT_THAT(error("/v1/translate", R"({"text": "a", "nbest": 3})"), HasFacts("400 nbest 2 3"));
  EXPECT_THAT(error("/v1/translate", R"({"text": "a", "temperature": 2})"),
              HasFacts("400 temperature sample"));
  EXPECT_THAT(error("/v1/translate", R"({"text": "a", "alignments": "x"})"),
              HasFacts("400 alignments words"));
  EXPECT_THAT(error("/v1/translate", R"({"text": ["a", "b"], "prefix": "x"})"),
              HasFacts("400 prefix"));
  EXPECT_THAT(error("/v1/translate", R"({"text": "a", "terms": "fox"})"),
              HasFacts("400 terms line 1 columns"));
  EXPECT_THAT(error("/v1/translate", R"({"text": "a", "terms": "fox\tcow", "sample": true})"),
              HasFacts("400 terms sample"));
  EXPECT_THAT(error("/v1/translate", "{"), HasFacts("400 JSON"));
  EXPECT_THAT(error("/v1/score", R"({"source_text": "a", "target_text": ["a", "b"]})"),
              HasFacts("400 1 2"));
  EXPECT_THAT(error("/v1/score", R"({"source_text": "a", "target_text": "b", "sauce": "zh"})"),
              HasFacts("400 sauce source"));
  EXPECT_THAT(error("/nothing", "{}"), HasFacts("404"));
  EXPECT_THAT(error("/languages", "{}"), HasFacts("405 GET"));
  EXPECT_EQ(get(server, "/translate").status, 405);
  EXPECT_EQ(get(server, "/languages", "evil.example").status, 403);
}

TEST_F(ServerTest, TheSearchOfTheModelIsThatOfRequestsThatNameNone) {
  store_search_defaults(folder_ / "model", {.beam = 1, .length_penalty = 2});
  ServeOptions served = options();
  served.search.beam.reset();
  const std::string line = "the quick brown fox";
  const auto score = [&](const RunningTranslationServer& server, json request) {
    request["text"] = line;
    return v1(server, request)["translations"][0]["sentences"][0]["score"].get<double>();
  };
  const auto wanted = [&](int64_t beam, double length_penalty) {
    SearchOptions search = served.search;
    search.beam = beam;
    search.length_penalty = length_penalty;
    return expected({line}, search).front().hypotheses[0].score;
  };
  const RunningTranslationServer server(served);
  EXPECT_EQ(score(server, json::object()), wanted(1, 2));
  EXPECT_EQ(score(server, {{"beam", 6}}), wanted(6, 2));
  EXPECT_EQ(score(server, {{"length_penalty", 0.5}}), wanted(1, 0.5));
  // A beam for which the server has no room is not used.
  store_search_defaults(folder_ / "model", {.beam = 100, .length_penalty = 2});
  const RunningTranslationServer other(served);
  EXPECT_EQ(score(other, json::object()), wanted(4, 2));
  // The server's options come before the model's.
  served.search.beam = 3;
  served.search.length_penalty = 1;
  const RunningTranslationServer set(served);
  EXPECT_EQ(score(set, json::object()), wanted(3, 1));
}

TEST_F(ServerTest, EveryOptionOfTheSearch) {
  const RunningTranslationServer server(options());
  const std::string line = "the quick brown fox";
  const auto check_search = [&](const json& named, SearchOptions search) {
    json request = named;
    request["text"] = line;
    const json sentence = v1(server, request)["translations"][0]["sentences"][0];
    const Translation want = expected({line}, search).front();
    EXPECT_EQ(sentence["translation"], want.hypotheses[0].text) << named;
    EXPECT_EQ(sentence["score"], want.hypotheses[0].score) << named;
    EXPECT_EQ(sentence["pieces"], json(want.hypotheses[0].pieces)) << named;
    EXPECT_EQ(sentence["status"], want.status.text()) << named;
    if (search.nbest == 1) return;
    ASSERT_EQ(sentence["nbest"].size(), want.hypotheses.size());
    for (size_t i = 0; i < want.hypotheses.size(); ++i)
      EXPECT_EQ(sentence["nbest"][i]["translation"], want.hypotheses[i].text) << named;
  };
  SearchOptions search = options().search;
  check_search({}, search);
  check_search({{"beam", nullptr}, {"length_penalty", nullptr}, {"prefix", nullptr}}, search);
  search.beam = 1;
  check_search({{"beam", 1}}, search);
  search.beam = 6;
  search.nbest = 4;
  search.beam_groups = 3;
  search.length_penalty = 1.5;
  check_search({{"beam", 6}, {"nbest", 4}, {"beam_groups", 3}, {"length_penalty", 1.5}}, search);
  search = options().search;
  search.beam.reset();
  search.sample = true;
  search.nbest = 3;
  search.temperature = 0.7;
  search.seed = 5;
  check_search({{"sample", true}, {"nbest", 3}, {"temperature", 0.7}, {"seed", 5}}, search);
  // As a form gives it.
  check_search({{"sample", "true"}, {"nbest", "3"}, {"temperature", "0.7"}, {"seed", "5"}}, search);
}

TEST_F(ServerTest, ProbabilitiesAlignmentsAndScores) {
  const RunningTranslationServer server(options());
  const std::string line = "the fox";
  json sentence = v1(server, {{"text", line},
                              {"probabilities", true},
                              {"alignments", "weights"}})["translations"][0]["sentences"][0];
  const size_t pieces = sentence["pieces"].size();
  ASSERT_EQ(sentence["attention"].size(), pieces);
  EXPECT_EQ(sentence["attention"][0].size(), sentence["source_pieces"].size());
  double sum = 0;
  for (const json& value : sentence["log_probabilities"]) sum += value.get<double>();
  sentence =
      v1(server, {{"text", line}, {"alignments", "words"}})["translations"][0]["sentences"][0];
  for (const json& pair : sentence["alignment"]) {
    ASSERT_EQ(pair.size(), 2U);
    EXPECT_LT(pair[0].get<int>(), 2);
  }
  const std::string translation = sentence["translation"];
  const HttpReply reply =
      post(server, "/v1/score", json{{"source_text", line}, {"target_text", translation}}.dump());
  const Model model(folder_ / "model");
  EXPECT_EQ(json::parse(reply.body)["scores"][0]["log_probability"],
            model.score(line, translation).log_probability);
  EXPECT_LT(sum, 0);
}

TEST_F(ServerTest, DocumentsKeepTheirWhiteSpace) {
  const RunningTranslationServer server(options());
  const std::string text = "the fox jumps. A dog.\n\n  老师买了书。\n";
  const json answer = v1(server, {{"text", text}});
  std::string source, whole;
  for (const json& sentence : answer["translations"][0]["sentences"]) {
    source += sentence["before"].get<std::string>() + sentence["source"].get<std::string>();
    EXPECT_EQ(sentence["translation"], expected(sentence["source"].get<std::string>()));
  }
  source += answer["translations"][0]["after"].get<std::string>();
  EXPECT_EQ(source, text);
  EXPECT_THAT(answer["translations"][0]["text"].get<std::string>(), HasSubstr("\n\n  "));
  EXPECT_EQ(v1(server, {{"text", " \n "}})["translations"][0]["text"], " \n ");
}

TEST_F(ServerTest, APrefixIsForced) {
  const RunningTranslationServer server(options());
  const json answer = v1(server, {{"text", "the fox"}, {"split", "lines"}, {"prefix", "a lazy"}});
  EXPECT_TRUE(answer["translations"][0]["text"].get<std::string>().starts_with("a lazy"));
}

TEST_F(ServerTest, TermsArrive) {
  const RunningTranslationServer server(options());
  const json answer = v1(server, {{"text", {"the fox", "a dog"}}, {"terms", "fox\tred cow\n"}});
  const json& texts = answer["translations"];
  ASSERT_EQ(texts.size(), 2U);
  EXPECT_EQ(texts[0]["sentences"][0]["terms"][0]["target"], "red cow");
  EXPECT_THAT(texts[0]["text"].get<std::string>(), HasSubstr("red cow"));
  EXPECT_FALSE(texts[1]["sentences"][0].contains("terms"));
}

// The events of a stream: names and data.
std::vector<std::pair<std::string, json>> events_of(const std::string& body) {
  std::vector<std::pair<std::string, json>> events;
  std::istringstream lines(body);
  for (std::string line, name; std::getline(lines, line);) {
    if (line.starts_with("event: ")) name = line.substr(7);
    if (line.starts_with("data: ")) events.emplace_back(name, json::parse(line.substr(6)));
  }
  return events;
}

// What a client has that appends what it gets: of each hypothesis of each sentence of each text.
struct Appended {
  std::string text;
  json pieces = json::array();
};
using AppendedAnswer = std::map<std::array<int, 3>, Appended>;

// Appends the tokens of a stream, and compares them with each sentence when it comes.
AppendedAnswer append_tokens(const std::vector<std::pair<std::string, json>>& events,
                             const json& whole) {
  AppendedAnswer all;
  const auto expect_same = [](const Appended& appended, const json& hypothesis) {
    EXPECT_EQ(appended.text, hypothesis["translation"]);
    EXPECT_EQ(appended.pieces, hypothesis["pieces"]);
  };
  for (const auto& [name, data] : events) {
    if (name == "token") {
      Appended& one = all[{data["text"], data["sentence"], data["hypothesis"]}];
      if (data.contains("piece")) one.pieces.push_back(data["piece"]);
      one.text += data["delta"].get<std::string>();
      EXPECT_EQ(data.contains("translation"), data["delta"] != "");
      EXPECT_EQ(data.value("translation", one.text), one.text);
    }
    if (name != "sentence") continue;
    const int text = data["text"], sentence = data["sentence"];
    const json& expected = whole["translations"][size_t(text)]["sentences"][size_t(sentence)];
    const json numbers = data.value("hypotheses", json{0});
    expect_same(all[{text, sentence, numbers[0]}], expected);
    for (size_t i = 0; data.contains("hypotheses") && data.contains("nbest") && i < numbers.size();
         ++i)
      expect_same(all[{text, sentence, numbers[i]}], expected["nbest"][i]);
  }
  return all;
}

TEST_F(ServerTest, StreamsTokensAndSentences) {
  const RunningTranslationServer server(options());
  json request = {{"text", {"the fox. A dog.", "lazy"}}, {"beam", 1}};
  const json whole = v1(server, request);
  request["stream"] = true;
  const HttpReply reply = post(server, "/v1/translate", request.dump());
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("Content-Type"), "text/event-stream");
  const auto events = events_of(reply.body);
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.back().first, "done");
  EXPECT_EQ(events.back().second, whole);
  EXPECT_EQ(append_tokens(events, whole).size(), 3U);
  size_t tokens = 0, sentences = 0;
  for (const auto& [name, data] : events) {
    tokens += name == "token";
    sentences += name == "sentence";
  }
  EXPECT_EQ(sentences, 3U);
  EXPECT_GT(tokens, 20U) << "one by one";
}

// The fault: a forced prefix, parts of long lines and samples whose order by score changes.
TEST_F(ServerTest, WhatAStreamAppendsIsTheTranslation) {
  const RunningTranslationServer server(options());
  const std::string long_line =
      "the quick fox, a lazy dog over the brown fox. 老师买了三本书。 a b";
  const std::vector<json> requests = {
      {{"text", "the fox"}, {"beam", 1}, {"prefix", "the dog"}},
      {{"text", long_line}, {"beam", 1}, {"split", "lines"}, {"max_length", 20}},
      {{"text", long_line}, {"split", "lines"}, {"prefix", "a"}, {"nbest", 2}},
      {{"text", long_line}, {"terms", "fox\tcow\na\tred dog\n"}},
      {{"text", {long_line, "", " \n the fox. A dog?\n"}}, {"beam", 8}, {"beam_groups", 2}},
      {{"text", {"the fox. A dog.", "lazy"}}, {"sample", true}, {"nbest", 4}, {"temperature", 1.5}},
      {{"text", long_line}, {"split", "lines"}, {"sample", true}, {"nbest", 3}, {"prefix", "o "}},
  };
  for (json request : requests) {
    const json whole = v1(server, request);
    request["stream"] = true;
    const auto events = events_of(post(server, "/v1/translate", request.dump()).body);
    ASSERT_FALSE(events.empty());
    EXPECT_EQ(events.back().first, "done") << request;
    EXPECT_EQ(events.back().second, whole);
    append_tokens(events, whole);
  }
}

TEST_F(ServerTest, AnswersUnderLoadAreThoseOfTheLibrary) {
  const RunningTranslationServer server(options());
  const std::vector<std::string> lines = {"the fox", "a lazy dog", "老师买了三本书。", "brown",
                                          "quick quick quick fox over a dog"};
  const std::vector<Translation> want = expected(lines, options().search);
  std::vector<std::thread> clients;
  std::atomic<int> wrong = 0;
  for (int client = 0; client < 8; ++client)
    clients.emplace_back([&, client] {
      HttpClient connection = server.client();
      for (size_t i = 0; i < 20; ++i) {
        const size_t line = (i + size_t(client)) % lines.size();
        const std::string body =
            json{{"q", lines[line]}, {"source", "zh"}, {"target", "en"}}.dump();
        connection.send(
            fmt::format("POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                        "application/json\r\nContent-Length: {}\r\n\r\n{}",
                        body.size(), body));
        const HttpReply reply = connection.reply();
        if (reply.status != 200 ||
            json::parse(reply.body)["translatedText"] != want[line].hypotheses[0].text)
          ++wrong;
      }
    });
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(ServerTest, ModelsAreReplacedWhileRequestsRun) {
  RunningTranslationServer server(options());
  std::atomic<bool> end = false;
  std::atomic<int> failed = 0, answered = 0;
  std::thread client([&] {
    while (!end) {
      const HttpReply reply =
          post(server, "/translate", R"({"q": "the fox", "source": "zh", "target": "en"})");
      reply.status == 200 ? ++answered : ++failed;
    }
  });
  for (int i = 0; i < 10; ++i) {
    std::vector<ModelReload> reloads;
    // None while requests use the model before the present one.
    ASSERT_TRUE(testing::becomes_true([&] {
      reloads = (*server).reload(ServedModels::Which::all);
      return !reloads.empty();
    }));
    ASSERT_EQ(reloads.size(), 1U);
    EXPECT_EQ(reloads[0].error, "");
  }
  end = true;
  client.join();
  EXPECT_EQ(failed, 0);
  EXPECT_GT(answered, 0);
}

TEST_F(ServerTest, DrainingAnswersWhatWasBegun) {
  auto server = std::make_unique<Server>(
      [&] {
        ServeOptions some = options();
        some.listen = {"127.0.0.1:0"};
        some.threads = 1;
        return some;
      }(),
      nullptr);
  const std::string address = server->addresses().front();
  std::thread thread([&] { server->run(); });
  HttpClient client(address);
  const std::string body = json{{"text", std::vector<std::string>(200, "the fox")}}.dump();
  client.send(
      fmt::format("POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                  "application/json\r\nContent-Length: {}\r\n\r\n{}",
                  body.size(), body));
  HttpClient first(address);
  first.get("/health");
  EXPECT_EQ(first.reply().status, 403) << "the host is not localhost";
  server->drain(std::chrono::seconds(30));
  EXPECT_EQ(client.reply().status, 200);
  thread.join();
}

TEST_F(ServerTest, ThePageAndTheDocument) {
  RunningTranslationServer server(options());
  const HttpReply page = get(server, "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.header("Content-Type"), HasSubstr("text/html"));
  EXPECT_THAT(page.header("Content-Security-Policy"), HasSubstr("default-src 'none'"));
  HttpClient client = server.client();
  client.send("GET / HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: " + page.header("ETag") +
              "\r\n\r\n");
  EXPECT_EQ(client.reply().status, 304);
  EXPECT_THAT(get(server, "/base.css").header("Content-Type"), HasSubstr("text/css"));
  const json document = json::parse(get(server, "/openapi.json").body);
  EXPECT_EQ(document["openapi"], "3.1.0");
  EXPECT_TRUE(document["components"]["schemas"]["TranslateRequest"]["properties"].contains("beam"));
  EXPECT_EQ(document["components"]["schemas"]["ScoreRequest"]["additionalProperties"], false);
  EXPECT_EQ(get(server, "/health").status, 200);
  EXPECT_EQ(get(server, "/ready").status, 200);
  translate(server, {{"q", "the fox"}, {"source", "zh"}, {"target", "en"}});
  const std::string metrics = get(server, "/metrics").body;
  EXPECT_THAT(metrics, HasSubstr(R"(heed_requests_total{route="/translate",status="200"} 1)"));
  EXPECT_THAT(metrics, HasSubstr("heed_request_seconds_bucket"));
  EXPECT_THAT(metrics, HasSubstr("heed_resident_bytes"));
  EXPECT_THAT(metrics, HasSubstr("heed_decoding_step_sentences_bucket{le=\"1\"} "));
  EXPECT_THAT(metrics, HasSubstr("heed_decoding_step_sentences_bucket{le=\"+Inf\"} "));
  for (const RequestRecord& record : server.log()) EXPECT_EQ(record.client, "127.0.0.1");
}

}  // namespace
}  // namespace heed
