#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/serve/http/message.h"
#include "heed/serve/http/response_bytes.h"
#include "support/facts.h"

namespace heed {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

TEST(HttpMessageTest, FindsTheFirstHeaderOfAName) {
  HttpRequest request;
  request.headers = {{"a", "1"}, {"b", "2"}, {"a", "3"}};
  EXPECT_EQ(request.header("a"), "1");
  EXPECT_EQ(request.header("b"), "2");
  EXPECT_EQ(request.header("c"), "");
}

TEST(HttpMessageTest, DecodesPercentEncodings) {
  EXPECT_EQ(percent_decoded("a%20b+c%2B", PlusSign::plus), "a b+c+");
  EXPECT_EQ(percent_decoded("a%20b+c%2b", PlusSign::space), "a b c+");
  EXPECT_EQ(percent_decoded("%E4%BD%A0好", PlusSign::plus), "你好");
  EXPECT_EQ(percent_decoded("", PlusSign::plus), "");
}

TEST(HttpMessageTest, RefusesDamagedPercentEncodings) {
  for (const char* text : {"%", "%4", "a%", "%4g", "%g4", "%%41", "% 41", "%+1", "%-1"})
    EXPECT_THROW(percent_decoded(text, PlusSign::plus), Error) << text;
  for (const char* text : {"%ff", "\xff", "%E4%BD", "%C0%80", "%ED%A0%80"})
    EXPECT_THROW(percent_decoded(text, PlusSign::plus), Error) << text;
}

TEST(HttpMessageTest, CountsTheBytesOfAPercentEncodingFromOne) {
  for (const auto& [text, message] :
       {std::pair("ab%4g", "byte 3: '%'"), {"a%ffb", "byte 2 after"}}) {
    try {
      percent_decoded(text, PlusSign::plus);
      ADD_FAILURE() << text;
    } catch (const Error& e) {
      EXPECT_TRUE(std::string_view(e.what()).starts_with(message)) << e.what();
    }
  }
}

TEST(HttpMessageTest, ReadsQueriesInTheirOrder) {
  EXPECT_THAT(parse_query("b=1&a=%C3%A4+%2B&&c&d=&=e&b=x=y"),
              ElementsAre(Pair("b", "1"), Pair("a", "ä +"), Pair("c", ""), Pair("d", ""),
                          Pair("", "e"), Pair("b", "x=y")));
  EXPECT_THAT(parse_query(""), ElementsAre());
  EXPECT_THAT(parse_query("&"), ElementsAre());
  EXPECT_THROW(parse_query("a=%zz"), Error);
  EXPECT_THROW(parse_query("%ff=1"), Error);
}

TEST(HttpMessageTest, BoundsTheParametersOfAQuery) {
  EXPECT_EQ(parse_query("a&b&c", 3).size(), 3u);
  EXPECT_THROW(parse_query("a&b&c&d", 3), Error);
}

TEST(HttpMessageTest, WritesErrorsAsJson) {
  const HttpResponse response = error_response(HttpError(404, "no \"such\" page \xff"));
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.content_type, "application/json");
  EXPECT_EQ(response.body, "{\"error\":\"no \\\"such\\\" page \uFFFD\"}");
}

TEST(HttpResponseTest, WritesHeads) {
  HttpResponse response;
  response.headers = {{"X-Odd",
                       "a\r\nSet-Cookie: b\x7f"
                       "c"}};
  const std::string head = detail::response_head(response, 5, "close");
  EXPECT_THAT(head, ::testing::StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\nContent-Type: application/json\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\nContent-Length: 5\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_THAT(head, ::testing::ContainsRegex("\r\nDate: [A-Z][a-z][a-z], [0-9][0-9] "));
  EXPECT_THAT(head, HasSubstr("\r\nX-Odd: a  Set-Cookie: b c\r\n"));
  EXPECT_THAT(head, ::testing::EndsWith("\r\n\r\n"));
}

TEST(HttpResponseTest, GivesNoLengthWithoutABody) {
  HttpResponse response;
  response.status = 204;
  const std::string head = detail::response_head(response, 0, "keep-alive");
  EXPECT_THAT(head, Not(HasSubstr("Content-")));
  EXPECT_THAT(head, Not(HasSubstr("Transfer-")));
}

TEST(HttpResponseTest, WritesChunks) {
  EXPECT_EQ(detail::chunk_bytes("0123456789abcdefg"), "11\r\n0123456789abcdefg\r\n");
  EXPECT_EQ(detail::chunk_bytes(""), "");
}

TEST(HttpResponseTest, ReadsAcceptEncoding) {
  for (const char* accepted : {"gzip", "GZIP", "deflate, gzip", "gzip;q=0.001", "x-gzip", "*",
                               "br, *;q=0.1", "gzip ; Q=1.0", "identity;q=0, gzip"})
    EXPECT_TRUE(detail::accepts_gzip(accepted)) << accepted;
  for (const char* refused : {"", "identity", "deflate", "gzip;q=0", "gzip;q=0.000", "*;q=0",
                              "gzip;q=0, *", "gzip;q=x", "gzipped"})
    EXPECT_FALSE(detail::accepts_gzip(refused)) << refused;
}

}  // namespace
}  // namespace heed
