#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/serve/http/message.h"
#include "support/facts.h"
#include "support/folder_test.h"

namespace heed {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr const char* kType = "multipart/form-data; boundary=b";

std::string field(const std::string& headers, const std::string& value) {
  return "--b\r\n" + headers + "\r\n\r\n" + value + "\r\n";
}

std::string field_of(const std::string& name, const std::string& value) {
  return field("Content-Disposition: form-data; name=\"" + name + "\"", value);
}

std::string error_in(const std::string& body, const std::string& type = kType) {
  return error_of([&] { parse_multipart(type, body); });
}

// The whole form of one field with these headers.
std::string error_in_headers(const std::string& headers) {
  return error_in(field(headers, "a") + "--b--\r\n");
}

TEST(MultipartTest, FieldsAreReadInTheirOrder) {
  EXPECT_THAT(parse_multipart(kType, field_of("q", "你好") + field_of("source", "zh") +
                                         field_of("q", "") + "--b--\r\n"),
              ElementsAre(Pair("q", "你好"), Pair("source", "zh"), Pair("q", "")));
  EXPECT_THAT(parse_multipart(kType, "--b--"), ElementsAre());
  EXPECT_THAT(parse_multipart(kType, field_of("q", "a\r\n\r\nb\r\n--\r\n-b\n--b") + "--b--"),
              ElementsAre(Pair("q", "a\r\n\r\nb\r\n--\r\n-b\n--b")));
}

// As curl, Python's requests, .NET's HttpClient and Apache's HttpClient write them.
TEST(MultipartTest, ClientsWriteFieldsDifferently) {
  const std::string long_boundary = "------------------------0a1B2c3D4e5F6g7H";
  EXPECT_THAT(parse_multipart("multipart/form-data; boundary=" + long_boundary,
                              "--" + long_boundary +
                                  "\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\nHi\r\n--" +
                                  long_boundary + "--\r\n"),
              ElementsAre(Pair("q", "Hi")));
  EXPECT_THAT(parse_multipart("Multipart/form-data; charset=utf-8; Boundary=\"b\"",
                              field("content-disposition: form-data; name=q\r\n"
                                    "Content-Type: text/plain; charset=utf-8",
                                    "Hi") +
                                  "--b--\r\n"),
              ElementsAre(Pair("q", "Hi")));
  EXPECT_THAT(parse_multipart(kType,
                              "--b \t\r\nContent-Type: text/plain; charset=UTF-8\r\n"
                              "Content-Transfer-Encoding: 8bit\r\nContent-Length: 2\r\n"
                              "Content-Disposition: form-data ; name=\"q\" ;\r\n\r\nHi\r\n--b--"),
              ElementsAre(Pair("q", "Hi")));
}

TEST(MultipartTest, DamagedBodiesAreRefused) {
  const std::string good = field_of("q", "a");
  for (const std::string& body :
       {std::string(), std::string("q=a"), "preamble\r\n" + good + "--b--", good, good + "--b",
        good + "--b-", good + "--b--x", good + "--b--\r\n\r\n", good + "--bc\r\n",
        std::string("--b\n\n"), std::string("--b\r\n"), std::string("--b\r\n\r\nno name\r\n--b--"),
        good.substr(0, good.size() - 2) + "\n--b--", "\r\n" + good + "--b--"})
    EXPECT_NE(error_in(body), "") << body;
  // Every beginning of a form lacks its end.
  const std::string whole = good + field_of("source", "zh") + "--b--";
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(error_in(whole.substr(0, size)), "") << size;
  EXPECT_EQ(error_in(whole), "");
}

TEST(MultipartTest, BoundariesAreChecked) {
  for (const char* type :
       {"multipart/form-data", "multipart/form-data; boundary=",
        "multipart/form-data; boundary=\"\"", "multipart/form-data; boundary=\"b",
        "multipart/form-data; boundary=b; boundary=b", "multipart/form-data; boundary=\"b\" x",
        "multipart/form-data; boundary", "multipart/form-data; boundary=\"a b\"",
        "multipart/form-data; boundary=\"a\\b\"", "multipart/form-data; =b"})
    EXPECT_NE(error_in("--b--", type), "") << type;
  const std::string longest(70, 'b');
  EXPECT_EQ(error_in("--" + longest + "--", "multipart/form-data; boundary=" + longest), "");
  EXPECT_NE(error_in("--" + longest + "b--", "multipart/form-data; boundary=b" + longest), "");
}

TEST(MultipartTest, FieldsAreTextsWithAName) {
  EXPECT_THAT(error_in_headers("Content-Disposition: form-data; name=\"q\"; filename=\"a.txt\""),
              HasFacts("q file"));
  EXPECT_THAT(error_in_headers("Content-Disposition: form-data; name=q; filename*=UTF-8''a"),
              HasFacts("q file"));
  const std::string name = "Content-Disposition: form-data; name=q\r\n";
  EXPECT_THAT(error_in_headers(name + "Content-Type: application/json"), HasFacts("text/plain"));
  EXPECT_THAT(error_in_headers(name + "Content-Type: text/plain; charset=gbk"),
              HasFacts("UTF-8 gbk"));
  EXPECT_THAT(error_in_headers(name + "Content-Transfer-Encoding: base64"), HasFacts("base64"));
  for (const char* headers :
       {"Content-Type: text/plain", "Content-Disposition: form-data", "Content-Disposition: inline",
        "Content-Disposition: attachment; name=q", "Content-Disposition: form-data; name=",
        "Content-Disposition: form-data; name=\"\"", "Content-Disposition: form-data; name=\"q",
        "Content-Disposition: form-data; name=\"a\\\"b\"",
        "Content-Disposition: form-data; name=q; name=q",
        "Content-Disposition: form-data; name=q\r\nContent-Disposition: form-data; name=p",
        "no colon", ": no name", "a b: c", "Content-Disposition: form-data;\r\n name=q",
        "Content-Disposition: form-data; name=q\x01"})
    EXPECT_NE(error_in_headers(headers), "") << headers;
  EXPECT_THAT(error_in(field_of("q", "a\xff") + "--b--"), HasFacts("q UTF-8 2"));
}

TEST(MultipartTest, CountsAreBounded) {
  std::string many;
  for (int i = 0; i < 3; ++i) many += field_of("q", "a");
  EXPECT_EQ(parse_multipart(kType, many + "--b--", 3).size(), 3U);
  EXPECT_THROW(parse_multipart(kType, many + field_of("q", "a") + "--b--", 3), Error);
  std::string headers = "Content-Disposition: form-data; name=q";
  for (int i = 0; i < 15; ++i) headers += "\r\nX: y";
  EXPECT_EQ(error_in_headers(headers), "");
  EXPECT_THAT(error_in_headers(headers + "\r\nX: y"), HasFacts("16"));
  EXPECT_THAT(error_in_headers("Content-Disposition: form-data; name=" + std::string(5000, 'q')),
              HasFacts("4096"));
  EXPECT_LT(
      error_in_headers("Content-Disposition: form-data; filename=a; name=" + std::string(3000, 'q'))
          .size(),
      400U);
}

}  // namespace
}  // namespace heed
