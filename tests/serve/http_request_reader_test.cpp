#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "heed/core/error.h"
#include "heed/serve/http/request_reader.h"

namespace heed::detail {
namespace {

using namespace std::string_view_literals;
using ReaderState = RequestReader::State;

constexpr HttpLimits small_limits() {
  HttpLimits limits;
  limits.header_bytes = 300;
  limits.body_bytes = 100;
  return limits;
}

ReaderState read_all(RequestReader& reader) {
  for (ReaderState before = ReaderState::complete; before != reader.state();) {
    before = reader.state();
    reader.advance();
  }
  return reader.state();
}

// The status with which a request is refused; 0 if it is complete, -1 if bytes are missing.
int refusal(std::string_view bytes) {
  RequestReader reader(small_limits());
  reader.feed(bytes);
  const ReaderState state = read_all(reader);
  if (state != ReaderState::failed) return state == ReaderState::complete ? 0 : -1;
  EXPECT_STRNE(reader.error().what(), "");
  return reader.error().status;
}

// The same for headers below "GET / HTTP/1.1" and Host.
int refusal_of_headers(const std::string& headers) {
  return refusal("POST / HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n");
}

HttpRequest request_in(std::string_view bytes) {
  RequestReader reader(small_limits());
  reader.feed(bytes);
  EXPECT_EQ(read_all(reader), ReaderState::complete) << reader.error().what();
  return reader.take();
}

TEST(RequestReaderTest, ReadsARequest) {
  const HttpRequest request = request_in(
      "POST /a%20b/%E4%BD%A0?q=%20 HTTP/1.1\r\nHost: a:80\r\nX-Value:  b c \t\r\nEmpty:\r\n"
      "Content-Length: 5\r\n\r\nh\0llo"sv);
  EXPECT_EQ(request.body, "h\0llo"sv);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/a b/你");
  EXPECT_EQ(request.query, "q=%20");
  EXPECT_EQ(request.header("host"), "a:80");
  EXPECT_EQ(request.header("x-value"), "b c");
  EXPECT_EQ(request.headers.size(), 4u);
}

TEST(RequestReaderTest, ReadsTheSameByteByByte) {
  const std::string_view bytes =
      "\r\nPOST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
      "5;name=\"value\"\r\nhello\r\n00A\r\n, world 12\r\n0\r\nTrailer: dropped\r\n\r\n"
      "GET /next HTTP/1.0\r\n\r\n";
  RequestReader reader(small_limits());
  std::vector<HttpRequest> requests;
  for (const char byte : bytes) {
    reader.feed({&byte, 1});
    if (read_all(reader) == ReaderState::complete) requests.push_back(reader.take());
    ASSERT_NE(reader.state(), ReaderState::failed) << reader.error().what();
  }
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0].body, "hello, world 12");
  EXPECT_EQ(requests[0].header("trailer"), "");
  EXPECT_EQ(requests[1].path, "/next");
  EXPECT_FALSE(reader.begun());
}

TEST(RequestReaderTest, KeepsWhatFollowsForTheNextRequest) {
  RequestReader reader(small_limits());
  reader.feed(
      "POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nabGET /2 HTTP/1.1\r\nHost: a\r\n"
      "Connection: close\r\n\r\n");
  EXPECT_EQ(reader.advance(), ReaderState::body);
  EXPECT_EQ(reader.advance(), ReaderState::complete);
  EXPECT_TRUE(reader.keep_alive());
  EXPECT_EQ(reader.take().body, "ab");
  EXPECT_TRUE(reader.begun());
  EXPECT_EQ(read_all(reader), ReaderState::complete);
  EXPECT_FALSE(reader.keep_alive());
  EXPECT_EQ(reader.take().path, "/2");
}

TEST(RequestReaderTest, ReadsTargets) {
  const auto target = [](const std::string& text) {
    const HttpRequest request = request_in("GET " + text + " HTTP/1.1\r\nHost: a\r\n\r\n");
    return request.path + "|" + request.query;
  };
  EXPECT_EQ(target("/"), "/|");
  EXPECT_EQ(target("/a?b?c"), "/a|b?c");
  EXPECT_EQ(target("http://a.b:80/c?d"), "/c|d");
  EXPECT_EQ(target("HTTPS://a.b?d"), "/|d");
  EXPECT_EQ(target("http://a.b"), "/|");
  EXPECT_EQ(target("/../../etc/passwd"), "/../../etc/passwd|");
  EXPECT_EQ(target("/?q=你"), "/|q=你");
}

TEST(RequestReaderTest, RefusesBadTargets) {
  for (const char* target : {"*", "a", "/%", "/%zz", "/%ff", "/%00", "/%0a", "/#a", "/\xff",
                             "ftp://a/", "/a b", "//\x01"})
    EXPECT_EQ(refusal("GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n\r\n"), 400)
        << target;
}

TEST(RequestReaderTest, RefusesMalformedRequests) {
  for (const char* bytes :
       {"GET / HTTP/1.1\nHost: a\n\n\r\n\r\n", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", "G@T / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /\r\nHost: a\r\n\r\n", "GET / http/1.1\r\nHost: a\r\n\r\n", " GET / HTTP/1.1\r\n",
        "\x16\x03\x01\x02", "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
        "GET / HTTP/1.1\rHost: a\r\n\r\n", "\0GET"})
    EXPECT_EQ(refusal(std::string_view(bytes, std::max<size_t>(1, std::strlen(bytes)))), 400)
        << bytes;
}

TEST(RequestReaderTest, RefusesBadHeaders) {
  for (const char* header :
       {"A : b\r\n", "A\r\n", ": b\r\n", "A: b\r\n c\r\n", "A: b\r\n\tc\r\n", "A: b\nC: d\r\n",
        "A: b\rC: d\r\n", "A: b\x01\r\n", "A: b\x7f\r\n", "A b: c\r\n", " A: b\r\n", "\xff: b\r\n"})
    EXPECT_EQ(refusal_of_headers(header), 400) << header;
  EXPECT_EQ(refusal("GET / HTTP/1.1\r\nHost: a\r\nA: b\0c\r\n\r\n"sv), 400);
  EXPECT_EQ(refusal_of_headers("A: \xff\tb\r\n"), 0) << "bytes above 127 are allowed";
}

TEST(RequestReaderTest, RefusesAmbiguousLengths) {
  for (const char* headers :
       {"Content-Length: 1\r\nContent-Length: 1\r\n", "Content-Length: 1\r\nContent-Length: 2\r\n",
        "Content-Length: 1, 1\r\n", "Content-Length: +1\r\n", "Content-Length: -1\r\n",
        "Content-Length: 0x1\r\n", "Content-Length: \r\n", "Content-Length: 1 1\r\n",
        "Content-Length: 99999999999999999999\r\n", "Content-Length: 1,\r\n",
        "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: gzip\r\nContent-Length: 1\r\n",
        "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n"})
    EXPECT_EQ(refusal_of_headers(headers), 400) << headers;
  EXPECT_EQ(refusal("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
}

TEST(RequestReaderTest, RefusesWhatItDoesNotSupport) {
  EXPECT_EQ(refusal_of_headers("Transfer-Encoding: gzip, chunked\r\n"), 501);
  EXPECT_EQ(refusal_of_headers("Transfer-Encoding: xchunked\r\n"), 501);
  EXPECT_EQ(refusal_of_headers("Transfer-Encoding: chunked, identity\r\n"), 501);
  EXPECT_EQ(refusal("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n"), 501);
  EXPECT_EQ(refusal_of_headers("Content-Encoding: gzip\r\n"), 415);
  EXPECT_EQ(refusal_of_headers("Content-Encoding: Identity\r\n"), 0);
  EXPECT_EQ(refusal_of_headers("Expect: 200-ok\r\n"), 417);
  EXPECT_EQ(refusal_of_headers("Expect: 100-Continue\r\nContent-Length: 0\r\n"), 0);
  EXPECT_EQ(refusal("POST / HTTP/1.0\r\n\r\n"), 411);
  EXPECT_EQ(refusal("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 505);
  EXPECT_EQ(refusal("GET / HTTP/0.9\r\n\r\n"), 505);
  EXPECT_EQ(refusal("GET / HTTP/1.2\r\n\r\n"), 505);
}

TEST(RequestReaderTest, BoundsHeaders) {
  EXPECT_EQ(refusal("GET /" + std::string(400, 'a')), 414);
  EXPECT_EQ(refusal("GET /" + std::string(400, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n"), 414);
  EXPECT_EQ(refusal("GET / HTTP/1.1\r\n" + std::string(400, 'a')), 431);
  EXPECT_EQ(refusal_of_headers("A: " + std::string(300, 'a') + "\r\n"), 431);
  EXPECT_EQ(refusal_of_headers("A: " + std::string(200, 'a') + "\r\n"), 0);
  const std::string begin = "GET / HTTP/1.1\r\nHost: a\r\nA: ";
  EXPECT_EQ(refusal(begin + std::string(300 - begin.size() - 4, 'a') + "\r\n\r\n"), 0);
  EXPECT_EQ(refusal(begin + std::string(300 - begin.size() - 3, 'a') + "\r\n\r\n"), 431);
}

TEST(RequestReaderTest, BoundsTheNumberOfHeaders) {
  const auto with_headers = [](int count) {
    RequestReader reader(HttpLimits{});
    std::string head = "GET / HTTP/1.1\r\nHost: a\r\n";
    for (int i = 1; i < count; ++i) head += "a:\r\n";
    reader.feed(head + "\r\n");
    return read_all(reader) == ReaderState::failed ? reader.error().status : 0;
  };
  EXPECT_EQ(with_headers(128), 0);
  EXPECT_EQ(with_headers(129), 431);
}

TEST(RequestReaderTest, CountsAndReleasesTheMemoryOfABody) {
  RequestReader reader(small_limits());
  reader.feed("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 90\r\n\r\n");
  for (int i = 0; i < 8; ++i) {
    reader.feed("0123456789");
    EXPECT_EQ(read_all(reader), ReaderState::body);
  }
  EXPECT_GT(reader.body_bytes(), 80u);  // a string that grows is larger than its text
  reader.abandon();
  EXPECT_EQ(reader.state(), ReaderState::failed);
  EXPECT_EQ(reader.body_bytes(), 0u);

  RequestReader too_long(small_limits());
  const std::string begin = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  too_long.feed(begin + "50\r\n" + std::string(80, 'a') + "\r\n50\r\n");
  EXPECT_EQ(read_all(too_long), ReaderState::failed);
  EXPECT_EQ(too_long.body_bytes(), 0u);
}

TEST(RequestReaderTest, BoundsBodies) {
  EXPECT_EQ(refusal_of_headers("Content-Length: 101\r\n"), 413);
  EXPECT_EQ(refusal_of_headers("Content-Length: 100\r\n"), -1);
  const auto chunked = [](const std::string& body) {
    return refusal("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + body);
  };
  EXPECT_EQ(chunked("64\r\n" + std::string(100, 'a') + "\r\n0\r\n\r\n"), 0);
  EXPECT_EQ(chunked("65\r\naaa"), 413);
  EXPECT_EQ(chunked("32\r\n" + std::string(50, 'a') + "\r\n33\r\n"), 413);
  EXPECT_EQ(chunked("FFFFFFFFFFFFFFFF\r\n"), 413);
  EXPECT_EQ(chunked("1FFFFFFFFFFFFFFFF\r\n"), 400);
  EXPECT_EQ(chunked("1;" + std::string(400, 'a') + "\r\na\r\n0\r\n\r\n"), 400);
  EXPECT_EQ(chunked("1;" + std::string(200, 'a') + "\r\na\r\n0\r\n\r\n"), 0);
  EXPECT_EQ(chunked("1;" + std::string(400, 'a')), 400) << "a line without an end";
  EXPECT_EQ(chunked("0\r\nA: " + std::string(400, 'a')), 400) << "a trailer without an end";
}

TEST(RequestReaderTest, RefusesDamagedChunks) {
  for (const char* body :
       {"\r\n1\r\n", "g\r\naa", "-1\r\na", "0x1\r\na\r\n\r\n", "1\r\nab\r\n0\r\n\r\n", "1\n\na\r\n",
        "1 1\r\na\r\n", "1\r\na0\r\n\r\n", "1;\r\na\r\n"})
    EXPECT_EQ(refusal("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" +
                      std::string(body)),
              400)
        << body;
}

TEST(RequestReaderTest, ReadsAnEmptyChunkedBodyByteByByte) {
  RequestReader reader(small_limits());
  const std::string_view bytes =
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
  for (const char byte : bytes) {
    EXPECT_NE(read_all(reader), ReaderState::complete);
    reader.feed({&byte, 1});
  }
  EXPECT_EQ(read_all(reader), ReaderState::complete);
}

TEST(RequestReaderTest, KnowsWhichConnectionsStayOpen) {
  const auto keeps_alive = [](const std::string& version, const std::string& headers) {
    RequestReader reader(small_limits());
    reader.feed("GET / HTTP/" + version + "\r\nHost: a\r\n" + headers + "\r\n");
    EXPECT_EQ(read_all(reader), ReaderState::complete);
    EXPECT_EQ(reader.is_http_1_0(), version == "1.0");
    return reader.keep_alive();
  };
  EXPECT_TRUE(keeps_alive("1.1", ""));
  EXPECT_FALSE(keeps_alive("1.1", "Connection: Close\r\n"));
  EXPECT_FALSE(keeps_alive("1.1", "Connection: upgrade, close\r\n"));
  EXPECT_FALSE(keeps_alive("1.0", ""));
  EXPECT_TRUE(keeps_alive("1.0", "Connection: keep-alive\r\n"));
}

}  // namespace
}  // namespace heed::detail
