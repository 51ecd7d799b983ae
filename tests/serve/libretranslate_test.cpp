// LibreTranslate's API as its clients use it, with models for several languages.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "serve/server_fixture.h"
#include "support/facts.h"

namespace heed {
namespace {

using nlohmann::json;
using testing::get;
using testing::HttpReply;
using testing::post;
using testing::RunningTranslationServer;
using testing::ServerTest;

const std::string kForm = "application/x-www-form-urlencoded";

// Chinese and German to English, each by a model of its own.
class LibreTranslateTest : public ServerTest {
 protected:
  void SetUp() override {
    ServerTest::SetUp();
    testing::write_small_translator(folder_ / "german");
    SequenceModel model = testing::random_model(testing::character_tokenizers(folder_ / "german"));
    testing::draw_as_goldens(model, 9);
    save_model(folder_ / "german", model);
  }

  ServeOptions two_models() const {
    ServeOptions two = options();
    two.model.push_back("de-en=" + (folder_ / "german").string());
    return two;
  }

  std::string german(const std::string& line) const {
    const Model model(folder_ / "german");
    DecodeOptions decode;
    decode.search = options().search;
    decode.threads = 1;
    const std::vector<std::string> lines = {line};
    return model.translator(decode).translate(lines).front().hypotheses.front().text;
  }

  static json answer(const RunningTranslationServer& server, const json& request,
                     int status = 200) {
    const HttpReply reply = post(server, "/translate", request.dump());
    EXPECT_EQ(reply.status, status) << reply.body;
    return json::parse(reply.body);
  }
  static std::string error(const RunningTranslationServer& server, const json& request) {
    return answer(server, request, 400)["error"];
  }
  static std::string translated(const RunningTranslationServer& server, const std::string& body,
                                const std::string& type) {
    const HttpReply reply = post(server, "/translate", body, "", type);
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body)["translatedText"].dump();
  }
};

json automatic(const json& q, const std::string& target = "en") {
  return {{"q", q}, {"source", "auto"}, {"target", target}};
}

constexpr const char* kChinese = "老师买了三本书。";
constexpr const char* kGerman = "Mein Freund geht heute zur Schule.";
constexpr const char* kEnglish = "Thank you for your invitation.";
constexpr const char* kFrench = "Les enfants jouent dans le jardin.";

TEST_F(LibreTranslateTest, EachTextHasItsLanguageAndModel) {
  const RunningTranslationServer server(two_models());
  const json both = answer(server, automatic({kChinese, kGerman, kEnglish, "123", kGerman}));
  EXPECT_EQ(both["translatedText"],
            json({expected(kChinese), german(kGerman), kEnglish, "123", german(kGerman)}));
  ASSERT_EQ(both["detectedLanguage"].size(), 5U);
  std::vector<std::string> codes;
  for (const json& language : both["detectedLanguage"]) codes.push_back(language["language"]);
  EXPECT_EQ(codes, (std::vector<std::string>{"zh", "de", "en", "en", "de"}));
  EXPECT_GT(both["detectedLanguage"][0]["confidence"], 50);
  EXPECT_EQ(both["detectedLanguage"][3]["confidence"], 0);
  EXPECT_NE(expected(kGerman), german(kGerman)) << "the models differ";

  const json one = answer(server, automatic(kGerman));
  EXPECT_EQ(one["translatedText"], german(kGerman));
  EXPECT_EQ(one["detectedLanguage"]["language"], "de");
  EXPECT_EQ(answer(server, automatic(json::array()))["detectedLanguage"], json::array());
}

TEST_F(LibreTranslateTest, TextInTheTargetLanguageComesBack) {
  const RunningTranslationServer server(options());
  const json english = answer(server, automatic(kEnglish));
  EXPECT_EQ(english["translatedText"], kEnglish);
  EXPECT_EQ(english["detectedLanguage"]["language"], "en");
  EXPECT_GT(english["detectedLanguage"]["confidence"], 50);
  for (const char* text : {"", "123", "😀", "❤️ !?", " \n"}) {
    const json same = answer(server, automatic(text));
    EXPECT_EQ(same["translatedText"], text);
    EXPECT_EQ(same["detectedLanguage"], json({{"confidence", 0}, {"language", "en"}})) << text;
  }
  json request = automatic("The fox. A dog.\n");
  request["alternatives"] = 3;
  request["format"] = "html";
  EXPECT_EQ(answer(server, request)["translatedText"], "The fox. A dog.\n");
  EXPECT_EQ(answer(server, request)["alternatives"], json::array());
  // A name within Chinese, which has more letters than that.
  EXPECT_EQ(
      answer(
          server,
          automatic("我用 iPhone 15 Pro Max 和 MacBook Pro 工作"))["detectedLanguage"]["language"],
      "zh");
}

TEST_F(LibreTranslateTest, ALanguageThatIsNotServedIsNamed) {
  const RunningTranslationServer server(two_models());
  EXPECT_THAT(error(server, automatic(kFrench)), HasFacts("fr French zh de"));
  EXPECT_THAT(error(server, automatic("Діти граються в саду щодня після обіду.")),
              HasFacts("uk Ukrainian"));
  EXPECT_THAT(error(server, automatic({kChinese, kFrench})), HasFacts("fr 2"));
  json many = std::vector<std::string>(100, kGerman);
  many.push_back(kFrench);
  EXPECT_THAT(error(server, automatic(many)), HasFacts("fr text 101"));
  const json v1 = json::parse(
      post(server, "/v1/translate", json{{"text", kFrench}, {"source", "auto"}}.dump()).body);
  EXPECT_THAT(v1["error"].get<std::string>(), HasFacts("fr French"));
}

TEST_F(LibreTranslateTest, ManyTextsAreDetectedInTurns) {
  const RunningTranslationServer server(two_models());
  std::vector<std::string> texts, want;
  const std::string german_text = german("ein Hund und eine Katze"), chinese = expected("老师");
  for (int i = 0; i < 150; ++i) {
    texts.push_back(i % 3 == 0 ? "ein Hund und eine Katze" : "老师");
    want.push_back(i % 3 == 0 ? german_text : chinese);
  }
  EXPECT_EQ(answer(server, automatic(texts))["translatedText"], json(want));
}

TEST_F(LibreTranslateTest, V1DetectsEachTextToo) {
  const RunningTranslationServer server(two_models());
  const auto v1 = [&](const json& request) {
    const HttpReply reply = post(server, "/v1/translate", request.dump());
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body);
  };
  json request = {{"text", {kChinese, kGerman, kEnglish}}, {"source", "auto"}, {"target", "en"}};
  const json all = v1(request);
  EXPECT_EQ(all["source"], "auto");
  EXPECT_EQ(all["target"], "en");
  EXPECT_EQ(all["translations"][0]["text"], expected(kChinese));
  EXPECT_EQ(all["translations"][1]["text"], german(kGerman));
  EXPECT_EQ(all["translations"][1]["detected"]["language"], "de");
  EXPECT_EQ(all["translations"][2]["text"], kEnglish);
  EXPECT_EQ(all["translations"][2]["sentences"], json::array());
  EXPECT_EQ(all["translations"][2]["after"], kEnglish);
  request["stream"] = true;
  const std::string events = post(server, "/v1/translate", request.dump()).body;
  EXPECT_THAT(events, ::testing::HasSubstr("event: done\ndata: " + all.dump().substr(0, 8)));
  const json one = v1({{"text", kGerman}});
  EXPECT_EQ(one["source"], "de");
  EXPECT_EQ(one["translations"][0]["text"], german(kGerman));
  EXPECT_FALSE(v1({{"text", kGerman}, {"source", "de"}})["translations"][0].contains("detected"));
  // What needs one model.
  const auto score = [&](const json& sources) {
    const json body = {{"source_text", sources}, {"target_text", sources}};
    const HttpReply reply = post(server, "/v1/score", body.dump());
    return std::to_string(reply.status) + " " + json::parse(reply.body).value("error", "");
  };
  EXPECT_EQ(score({kGerman, kGerman}), "200 ");
  EXPECT_THAT(score({kGerman, kChinese}), HasFacts("400 source de zh"));
  EXPECT_THAT(score({kEnglish}), HasFacts("400 source en"));
}

TEST_F(LibreTranslateTest, AlternativesDoNotChangeTheTranslation) {
  ServeOptions wide = options();
  wide.search.beam = 3;
  for (const bool sample : {false, true}) {
    if (sample) wide.search.beam.reset();
    wide.search.sample = sample;
    const RunningTranslationServer server(wide);
    for (const char* text :
         {"the fox jumps over a dog", "老师买了书。 quick brown", "lazy dog, the"}) {
      json request = {{"q", {text, "brown"}}, {"source", "zh"}, {"target", "en"}};
      const json best = answer(server, request)["translatedText"];
      for (const int alternatives : {1, 2, 3, 5, 15}) {
        request["alternatives"] = alternatives;
        const json all = answer(server, request);
        EXPECT_EQ(all["translatedText"], best) << alternatives;
        EXPECT_LE(all["alternatives"][0].size(), size_t(alternatives));
        EXPECT_GE(all["alternatives"][0].size(), sample ? 0U : 1U);
        std::set<std::string> different = {best[0]};
        for (const json& other : all["alternatives"][0])
          EXPECT_TRUE(different.insert(other.get<std::string>()).second) << other;
      }
    }
  }
}

// The beam of the model itself has one translation, also where a client wants others.
TEST_F(LibreTranslateTest, AlternativesDoNotChangeTheTranslationOfTheModelsOwnSearch) {
  const std::string line = "the fox jumps over a dog";
  const auto best = [&](const ServeOptions& served, int alternatives) {
    const RunningTranslationServer server(served);
    const json all = answer(
        server, {{"q", line}, {"source", "zh"}, {"target", "en"}, {"alternatives", alternatives}});
    EXPECT_EQ(all.contains("alternatives"), alternatives > 0);
    if (alternatives > 0) EXPECT_FALSE(all["alternatives"].empty());
    return all["translatedText"].get<std::string>();
  };
  ServeOptions served = options();
  served.search.beam.reset();
  store_search_defaults(folder_ / "model", {.beam = 1, .length_penalty = 0});
  SearchOptions greedy = served.search;
  greedy.beam = 1;
  const std::string expected_text = expected({line}, greedy).front().hypotheses[0].text;
  for (const int alternatives : {0, 1, 3}) EXPECT_EQ(best(served, alternatives), expected_text);
}

TEST_F(LibreTranslateTest, CodesOfClientsAreAliases) {
  ServeOptions served = two_models();
  served.model.push_back("zh-Hant:en-GB=" + (folder_ / "german").string());
  served.model.push_back("en:pt-BR=" + (folder_ / "model").string());
  const RunningTranslationServer server(served);
  const auto by = [&](const char* source, const char* target) {
    return answer(server,
                  {{"q", "the fox"}, {"source", source}, {"target", target}})["translatedText"]
        .get<std::string>();
  };
  const std::string of_chinese = expected("the fox"), of_other = german("the fox");
  for (const char* source : {"zh", "zh-Hans", "zh-CN", "zh_CN", "ZH", "cmn", "zho"}) {
    EXPECT_EQ(by(source, "en"), of_chinese) << source;
    EXPECT_EQ(by(source, "en-US"), of_chinese) << source;
  }
  for (const char* source : {"zt", "zh-TW", "zh-Hant", "zh_hant_HK"})
    for (const char* target : {"en", "en-US", "EN_gb", "eng"})
      EXPECT_EQ(by(source, target), of_other) << source << target;
  EXPECT_EQ(by("DE", "en"), of_other);
  EXPECT_EQ(by("en", "pb"), of_chinese);
  EXPECT_EQ(by("en-US", "pt"), of_chinese);
  // Another script, and another language.
  EXPECT_EQ(error(server, {{"q", "a"}, {"source", "en"}, {"target", "zh"}}), "zh is not supported");
  EXPECT_EQ(error(server, {{"q", "a"}, {"source", "yue"}, {"target", "en"}}),
            "yue is not supported");
  EXPECT_THAT(error(server, {{"q", "a"}, {"source", "de"}, {"target", "pt"}}), HasFacts("de pt"));
  const std::string longer(100'000, 'x');
  EXPECT_LT(error(server, {{"q", "a"}, {"source", longer}, {"target", "en"}}).size(), 300U);
  EXPECT_LT(error(server, {{"q", "a"}, {"source", "zh"}, {"target", longer}}).size(), 300U);
  EXPECT_LT(
      error(server, {{"q", "a"}, {"source", "zh"}, {"target", "en"}, {"format", longer}}).size(),
      300U);
  EXPECT_LT(
      error(server, {{"q", "a"}, {"source", "zh"}, {"target", "en"}, {"alternatives", longer}})
          .size(),
      300U);
}

TEST_F(LibreTranslateTest, AScriptThatIsServedByNameOnly) {
  ServeOptions hans = options();
  hans.model = {"zh-Hans:en=" + (folder_ / "model").string()};
  const RunningTranslationServer server(hans);
  EXPECT_EQ(error(server, {{"q", "a"}, {"source", "zh-TW"}, {"target", "en"}}),
            "zh-TW is not supported");
  EXPECT_THAT(error(server, automatic("這是一本關於歷史的書。")), HasFacts("zh-Hant zh-Hans"));
  EXPECT_EQ(answer(server, automatic("这是一本关于历史的书。"))["detectedLanguage"]["language"],
            "zh-Hans");
}

TEST_F(LibreTranslateTest, AModelOfOneLanguageIsForThoseThatNameIt) {
  ServeOptions both = options();
  both.model = {"zh-zh=" + (folder_ / "german").string(), "de-zh=" + (folder_ / "model").string()};
  const RunningTranslationServer server(both);
  EXPECT_EQ(answer(server, {{"q", "书"}, {"source", "zh"}, {"target", "zh"}})["translatedText"],
            german("书"));
  const json same = answer(server, automatic("老师买了三本书。", "zh"));
  EXPECT_EQ(same["translatedText"], "老师买了三本书。");
  EXPECT_EQ(same["detectedLanguage"]["language"], "zh");
  EXPECT_EQ(answer(server, automatic(kGerman, "zh"))["translatedText"], expected(kGerman));

  both.model.pop_back();
  const RunningTranslationServer alone(both);
  EXPECT_THAT(error(alone, automatic("老师买了三本书。", "zh")), HasFacts("zh"));
  EXPECT_EQ(json::parse(post(alone, "/v1/translate", R"({"text": "书"})").body)["source"], "zh");
}

TEST_F(LibreTranslateTest, FormsOfEveryKind) {
  const RunningTranslationServer server(options());
  const std::string one = json(expected("老师。")).dump(),
                    both = json({expected("老师。"), expected("书。")}).dump();
  EXPECT_EQ(translated(server, R"(q=["老师。","书。"]&source=zh&target=en)", kForm), both);
  EXPECT_EQ(translated(server, "q=老师。&q=书。&source=zh&target=en", kForm), both);
  std::string body;
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
           {"q", "老师。"}, {"source", "zh"}, {"target", "en"}, {"format", "text"}})
    body += "--x\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n";
  const std::string type = "multipart/form-data; boundary=x";
  EXPECT_EQ(translated(server, body + "--x--\r\n", type), one);
  EXPECT_EQ(post(server, "/translate", body, "", type).status, 400) << "without an end";
  EXPECT_EQ(post(server, "/translate", body, "", "multipart/mixed; boundary=x").status, 415);
  const HttpReply detected =
      post(server, "/detect",
           "--x\r\nContent-Disposition: form-data; name=q\r\n\r\n老师。\r\n--x--", "", type);
  EXPECT_EQ(json::parse(detected.body)[0]["language"], "zh");
}

TEST_F(LibreTranslateTest, HtmlKeepsItsTags) {
  const RunningTranslationServer server(options());
  json request = {{"q", "老师买了书。"}, {"source", "zh"}, {"target", "en"}};
  const json text = answer(server, request)["translatedText"];
  request["format"] = "html";
  EXPECT_EQ(answer(server, request)["translatedText"], text);
  request["q"] = {"<p>老师买了书。</p><br>", "<img src=x>", "", "a < b &amp; c",
                  "老师<b>买了</b>书。<i>老师</i>，<code>x</code>买了书。"};
  request["alternatives"] = 2;
  const json all = answer(server, request);
  EXPECT_EQ(all["translatedText"][0], "<p>" + text.get<std::string>() + "</p><br>");
  EXPECT_EQ(all["translatedText"][1], "<img src=x>");
  EXPECT_EQ(all["translatedText"][2], "");
  EXPECT_EQ(all["translatedText"][3].get<std::string>().find('<'), std::string::npos);
  const auto tags = all["translatedText"][4].get<std::string>();
  for (const char* tag : {"<b>", "</b>", "<i>", "</i>", "<code>x</code>"})
    EXPECT_EQ(tags.find(tag), tags.rfind(tag)) << tags;
  EXPECT_NE(tags.find("<code>x</code>"), tags.npos) << tags;
  EXPECT_LT(tags.find("<b>"), tags.find("</b>")) << tags;
  EXPECT_EQ(all["alternatives"][0], json::array());
  request["source"] = "auto";
  request["q"] = "<b>老师</b>买了书";
  EXPECT_EQ(answer(server, request)["detectedLanguage"]["language"], "zh");
  request["q"] = "<b class='x'>" + std::string(kEnglish) + "</b>";
  EXPECT_EQ(answer(server, request)["translatedText"], request["q"]) << "it is English";
  request["format"] = "docx";
  EXPECT_THAT(error(server, request), HasFacts("docx text, html po xliff"));
  request["format"] = "xml";
  request["q"] = "<a>\n<b></a>";
  EXPECT_THAT(error(server, request), HasFacts("XML line 2 mismatched"));
  request["source"] = "zh";
  request["q"] = "<a><b>老师买了书。</b></a>";
  EXPECT_EQ(answer(server, request)["translatedText"],
            "<a><b>" + text.get<std::string>() + "</b></a>");
}

TEST_F(LibreTranslateTest, DetectionKnowsTargetsToo) {
  const RunningTranslationServer server(options());
  const auto detected = [&](const std::string& text) {
    return json::parse(post(server, "/detect", json{{"q", text}}.dump()).body);
  };
  EXPECT_EQ(detected(kEnglish)[0]["language"], "en");
  EXPECT_EQ(detected(kFrench)[0]["language"], "fr");
  EXPECT_EQ(detected("123"), json::parse(R"([{"confidence": 0, "language": "zh"}])"));
}

// What LibreTranslate's own tests of its API (libretranslate/tests/test_api) ask.
TEST_F(LibreTranslateTest, ItsOwnTestsPass) {
  ServeOptions spanish = options();
  spanish.model = {"en-es=" + (folder_ / "model").string()};
  const RunningTranslationServer server(spanish);
  const auto post_form = [&](const char* path, const std::string& body) {
    return post(server, path, body, "", kForm);
  };
  const auto error_of_form = [&](const std::string& body) {
    const HttpReply reply = post_form("/translate", body);
    return fmt::format("{} {}", reply.status, json::parse(reply.body)["error"].get<std::string>());
  };
  const json detected = json::parse(post_form("/detect", "q=Hello").body);
  ASSERT_GE(detected.size(), 1U);
  EXPECT_TRUE(detected[0].contains("confidence") && detected[0].contains("language"));
  const HttpReply nothing = post(server, "/detect", "");
  EXPECT_EQ(nothing.status, 400);
  EXPECT_TRUE(json::parse(nothing.body).contains("error"));
  const json languages = json::parse(get(server, "/languages").body);
  ASSERT_GE(languages.size(), 1U);
  EXPECT_TRUE(languages[0].contains("code") && languages[0].contains("name"));
  EXPECT_EQ(json::parse(get(server, "/health").body), json({{"status", "ok"}}));
  EXPECT_EQ(get(server, "/frontend/settings").status, 200);
  EXPECT_EQ(get(server, "/spec").status, 200);
  EXPECT_EQ(get(server, "/detect").status, 405);
  for (const char* path : {"/languages", "/health", "/spec"})
    EXPECT_EQ(post(server, path, "").status, 405) << path;
  const HttpReply one = post_form("/translate", "q=Hello&source=en&target=es&format=text");
  EXPECT_EQ(one.status, 200);
  EXPECT_TRUE(json::parse(one.body).contains("translatedText"));
  const json batch = answer(
      server, {{"q", {"Hello", "World"}}, {"source", "en"}, {"target", "es"}, {"format", "text"}});
  EXPECT_EQ(batch["translatedText"].size(), 2U);
  EXPECT_EQ(error_of_form("q=Hello&source=en&target=zz&format=text"), "400 zz is not supported");
  EXPECT_EQ(error_of_form("source=en&target=es&format=text"),
            "400 Invalid request: missing q parameter");
}

TEST_F(LibreTranslateTest, LanguagesThatAreOnlyTargetsAreListed) {
  const RunningTranslationServer server(two_models());
  EXPECT_EQ(json::parse(get(server, "/languages").body),
            json::parse(R"([{"code": "zh", "name": "Chinese", "targets": ["en"]},
                            {"code": "de", "name": "German", "targets": ["en"]},
                            {"code": "en", "name": "English", "targets": []}])"));
}

TEST_F(LibreTranslateTest, TheDescriptionHoldsBelowAProxysPath) {
  const RunningTranslationServer server(options());
  const json document = json::parse(get(server, "/openapi.json").body);
  EXPECT_EQ(document["servers"], json::parse(R"([{"url": "."}])"));
  EXPECT_EQ(json::parse(get(server, "/spec").body), document);
  EXPECT_TRUE(document["paths"]["/translate"]["post"]["requestBody"]["content"].contains(
      "multipart/form-data"));
}

}  // namespace
}  // namespace heed
