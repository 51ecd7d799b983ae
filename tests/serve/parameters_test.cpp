#include "heed/serve/api/parameters.h"

#include <gtest/gtest.h>

#include "heed/serve/api/api.h"
#include "support/facts.h"
#include "support/folder_test.h"

namespace heed {
namespace {

// As the OpenAPI document describes a request.
const nlohmann::ordered_json& schema() {
  static const nlohmann::ordered_json schema = {{"properties",
                                                 {{"q", {{"type", "string"}}},
                                                  {"n", {{"minimum", 0}, {"maximum", 10}}},
                                                  {"m", {{"minimum", 0}, {"maximum", 10}}},
                                                  {"c", {{"enum", {"one", "two", nullptr}}}}}}};
  return schema;
}

Parameters parameters_of(const std::string& type, const std::string& body,
                         const std::string& query = "") {
  HttpRequest request;
  request.method = "POST";
  request.path = "/";
  request.query = query;
  if (!type.empty()) request.headers.push_back({"content-type", type});
  request.body = body;
  return Parameters::of(request, schema());
}

TEST(ParametersTest, AreReadFromJsonFormsAndQueries) {
  const Parameters all[] = {
      parameters_of("application/json", R"({"q": "你好 a&b", "n": 3, "yes": true})"),
      parameters_of("Application/JSON ; charset=utf-8",
                    R"({"q": "你好 a&b", "n": 3, "yes": true})"),
      parameters_of("application/x-www-form-urlencoded", "q=%E4%BD%A0%E5%A5%BD+a%26b&n=3&yes=true"),
      parameters_of("Multipart/Form-Data; boundary=\"b\"",
                    "--b\r\nContent-Disposition: form-data; name=q\r\n\r\n你好 a&b\r\n"
                    "--b\r\nContent-Disposition: form-data; name=n\r\n\r\n3\r\n"
                    "--b\r\nContent-Disposition: form-data; name=yes\r\n\r\ntrue\r\n--b--"),
      parameters_of("", "", "q=%E4%BD%A0%E5%A5%BD%20a%26b&n=3&yes=1")};
  for (const Parameters& parameters : all) {
    EXPECT_EQ(parameters.text("q"), "你好 a&b");
    EXPECT_EQ(parameters.integer("n"), 3);
    EXPECT_TRUE(parameters.flag("yes"));
    EXPECT_FALSE(parameters.flag("no"));
    EXPECT_FALSE(parameters.integer("m"));
    EXPECT_EQ(parameters.text("none"), "");
    EXPECT_FALSE(parameters.has("none"));
  }
}

TEST(ParametersTest, TextsComeAloneOrAsAnArray) {
  const auto one = parameters_of("application/json", R"({"q": "a"})").texts("q");
  EXPECT_EQ(one->texts, std::vector<std::string>{"a"});
  EXPECT_FALSE(one->array);
  const auto several = parameters_of("application/json", R"({"q": ["a"]})").texts("q");
  EXPECT_EQ(several->texts, std::vector<std::string>{"a"});
  EXPECT_TRUE(several->array);
  const auto repeated = parameters_of("", "", "q=a&q=b").texts("q");
  EXPECT_EQ(repeated->texts, (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(parameters_of("", "", "q=a").texts("p"));
}

std::string multipart(const std::string& value) {
  return "--b\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\n" + value + "\r\n--b--\r\n";
}

TEST(ParametersTest, AnArrayOfTextsInAFormIsSeveral) {
  const Parameters all[] = {
      parameters_of("application/x-www-form-urlencoded", R"(q=["谢谢你们。",+"他在家。"])"),
      parameters_of("multipart/form-data; boundary=b", multipart(R"(["谢谢你们。","他在家。"])")),
      parameters_of("", "", R"(q=%20["谢谢你们。","他在家。"]%0A)")};
  for (const Parameters& parameters : all) {
    const auto texts = parameters.texts("q");
    EXPECT_TRUE(texts->array);
    EXPECT_EQ(texts->texts, (std::vector<std::string>{"谢谢你们。", "他在家。"}));
  }
  for (const std::string text : {"[citation needed]", "[1]", "[\"a\", 2]", "[\"a\"", "[\"a\"] b",
                                 "{\"a\": \"b\"}", "[[\"a\"]]", "\"a\""}) {
    const auto texts = parameters_of("multipart/form-data; boundary=b", multipart(text)).texts("q");
    EXPECT_FALSE(texts->array) << text;
    EXPECT_EQ(texts->texts, std::vector<std::string>{text});
  }
  const auto json = parameters_of("application/json", R"({"q": "[\"a\", \"b\"]"})").texts("q");
  EXPECT_EQ(json->texts, std::vector<std::string>{R"(["a", "b"])"}) << "JSON says what it means";
  std::string many = R"(["")";
  for (int i = 0; i < 65536; ++i) many += R"(,"")";
  EXPECT_THAT(error_of([&] { parameters_of("", "", "q=" + many + "]").texts("q"); }),
              HasFacts("q 65536 65537"));
  const std::string deep = std::string(1000, '[') + std::string(1000, ']');
  EXPECT_EQ(parameters_of("", "", "q=" + deep).texts("q")->texts[0], deep);
}

TEST(ParametersTest, WhatIsWrongIsNamed) {
  const auto error = [](auto read) { return error_of(read); };
  const auto json = [](const char* body) { return parameters_of("application/json", body); };
  EXPECT_THAT(error([&] { json("{"); }), HasFacts("body JSON"));
  EXPECT_THAT(error([&] { json("[1]"); }), HasFacts("object"));
  EXPECT_THAT(error([&] { json("{\"q\": \"\xff\"}"); }), HasFacts("JSON"));
  EXPECT_THAT(error([&] { json(R"({"q": 1})").text("q"); }), HasFacts("q text"));
  EXPECT_THAT(error([&] { json(R"({"q": ["a", 1]})").texts("q"); }), HasFacts("q array"));
  EXPECT_THAT(error([&] { json(R"({"q": {}})").texts("q"); }), HasFacts("q"));
  std::string many = R"({"q": ["")";
  for (int i = 0; i < 65536; ++i) many += R"(,"")";
  EXPECT_THAT(error([&] { json((many + "]}").c_str()).texts("q"); }), HasFacts("q 65536 65537"));
  EXPECT_THAT(error([&] { json(R"({"n": 11})").integer("n"); }), HasFacts("n 0 10 11"));
  EXPECT_THAT(error([&] { json(R"({"n": 1.5})").integer("n"); }), HasFacts("n 1.5"));
  EXPECT_THAT(error([&] { json(R"({"n": 18446744073709551615})").integer("n"); }),
              HasFacts("n 10"));
  EXPECT_THAT(error([&] { json(R"({"n": "3x"})").integer("n"); }), HasFacts("n 3x"));
  EXPECT_THAT(error([&] { json(R"({"f": "perhaps"})").flag("f"); }), HasFacts("f true false"));
  EXPECT_EQ(json(R"({"c": "Two"})").choice("c"), "two");
  EXPECT_EQ(json(R"({"c": null})").choice("c"), "");
  EXPECT_EQ(error([&] { json(R"({"c": "three"})").choice("c"); }), "c: expected one of one, two");
  EXPECT_THAT(error([&] { json(R"({"c": "one", "d": 1})").refuse_others(); }),
              HasFacts("d q n m c"));
  EXPECT_THAT(error([&] { parameters_of("text/plain", "a"); }), HasFacts("Content-Type"));
  EXPECT_THAT(error([&] { parameters_of("", "", "q=%zz"); }), HasFacts("hexadecimal"));
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "[";
  EXPECT_THAT(error([&] { json(deep.c_str()); }), HasFacts("nested"));
}

TEST(ApiErrorTest, OptionsHaveTheNamesOfTheApi) {
  const auto body = [](const std::exception_ptr& error) { return error_response(error).body; };
  EXPECT_EQ(body(std::make_exception_ptr(UsageError("--length-penalty: a--b -- x --beam 4"))),
            R"({"error":"length_penalty: a--b -- x beam 4"})");
  EXPECT_EQ(error_response(std::make_exception_ptr(UsageError("x"))).status, 400);
  EXPECT_EQ(error_response(std::make_exception_ptr(std::logic_error("secret"))).status, 500);
  EXPECT_EQ(body(std::make_exception_ptr(std::logic_error("secret"))),
            R"({"error":"internal error"})");
  EXPECT_EQ(error_response(std::make_exception_ptr(HttpError(404, "x"))).status, 404);
}

}  // namespace
}  // namespace heed
