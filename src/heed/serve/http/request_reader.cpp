#include "heed/serve/http/request_reader.h"

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <utility>

#include "heed/core/ascii.h"
#include "heed/core/error.h"

namespace heed::detail {
namespace {

namespace beast_http = boost::beast::http;
using ParseError = beast_http::error;
using boost::beast::error_code;
using BeastView = boost::beast::string_view;

// Short headers take many times their size in memory.
constexpr size_t kMaxHeaders = 128;
// The error where the buffer is full within a body: besides the body itself it can only hold an
// incomplete line.
constexpr char kLongLines[] =
    "a line between the chunks of the body, or its trailers, are too long";

std::string_view std_view(BeastView text) {
  return {text.data(), text.size()};
}

// Whether a head has neither continued lines nor control characters, among them CR and LF alone,
// which Beast would accept but implementations read differently. `head` ends with an empty line.
bool has_only_plain_lines(std::string_view head) {
  for (size_t at = 0; at < head.size(); ++at) {
    const auto c = uint8_t(head[at]);
    if (c == '\r') {
      if (at + 1 == head.size() || head[at + 1] != '\n') return false;
    } else if (c == '\n') {
      if (at == 0 || head[at - 1] != '\r') return false;
      if (at + 1 < head.size() && (head[at + 1] == ' ' || head[at + 1] == '\t')) return false;
    } else if ((c < ' ' && c != '\t') || c == 0x7f) {
      return false;
    }
  }
  return true;
}

// "HTTP/2.0" and the like at the end of the first line: valid, but not spoken here.
bool asks_other_version(std::string_view head) {
  const std::string_view line = head.substr(0, head.find('\r'));
  const size_t space = line.rfind(' ');
  if (space == line.npos) return false;
  const std::string_view version = line.substr(space + 1);
  return version.size() == 8 && version.substr(0, 5) == "HTTP/" && is_ascii_digit(version[5]) &&
         version[6] == '.' && is_ascii_digit(version[7]) && version != "HTTP/1.0" &&
         version != "HTTP/1.1";
}

bool is_method_with_body(std::string_view method) {
  return method == "POST" || method == "PUT" || method == "PATCH";
}

// A host and an optional port. Their names are not checked: nothing here depends on them.
bool is_host(std::string_view host) {
  return host.find_first_of(" \t,/\\@?#\"<>") == host.npos;
}

// Throws the answer to what Beast refuses.
[[noreturn]] void refuse(error_code code, std::string_view head) {
  if (code == ParseError::body_limit) throw HttpError(413, "the body of the request is too long");
  if (code == ParseError::header_limit) throw HttpError(431, "the headers are too long");
  if (code == ParseError::bad_version && asks_other_version(head))
    throw HttpError(505, "this server speaks HTTP/1.1");
  if (code == ParseError::bad_content_length) fail("Content-Length is not one whole number");
  if (code == ParseError::bad_transfer_encoding)
    fail("Transfer-Encoding appears twice or together with Content-Length");
  if (code == ParseError::bad_chunk || code == ParseError::bad_chunk_extension ||
      code == ParseError::bad_line_ending)
    fail("the chunks of the body are damaged");
  fail("the request is not valid HTTP ({})", code.message());
}

}  // namespace

// Passes what Beast reads to the request.
class RequestReader::Parser final : public beast_http::basic_parser<true> {
 public:
  explicit Parser(HttpRequest& request) : request_(request) {}

  std::string target;
  int version = 11;

 private:
  void on_request_impl(beast_http::verb, BeastView method, BeastView text, int number,
                       error_code&) override {
    request_.method = std_view(method);
    target = std_view(text);
    version = number;
  }
  void on_response_impl(int, BeastView, int, error_code&) override {}
  // Trailers are dropped: they could contradict the headers, which have been checked.
  void on_field_impl(beast_http::field, BeastView name, BeastView value, error_code&) override {
    if (!header_read_)
      request_.headers.push_back({lower_ascii(std_view(name)), std::string(std_view(value))});
  }
  void on_header_impl(error_code&) override { header_read_ = true; }
  void on_body_init_impl(const boost::optional<uint64_t>&, error_code&) override {}
  size_t on_body_impl(BeastView bytes, error_code&) override {
    request_.body += std_view(bytes);
    return bytes.size();
  }
  void on_chunk_header_impl(uint64_t, BeastView, error_code&) override {}
  size_t on_chunk_body_impl(uint64_t, BeastView bytes, error_code&) override {
    request_.body += std_view(bytes);
    return bytes.size();
  }
  void on_finish_impl(error_code&) override {}

  HttpRequest& request_;
  bool header_read_ = false;
};

namespace {

// The checks of a head that need only its fields.
void check_head(const HttpRequest& request, int version) {
  const auto count = [&](std::string_view name) {
    return std::ranges::count(request.headers, name, &HttpHeader::name);
  };
  if (request.headers.size() > kMaxHeaders)
    throw HttpError(431, fmt::format("a request may have {} headers at most", kMaxHeaders));
  if (request.method == "CONNECT") throw HttpError(501, "the method CONNECT is not supported");
  const auto hosts = count("host");
  if (hosts > 1 || (hosts == 0 && version == 11) || !is_host(request.header("host")))
    fail("a request needs one Host header");
  const auto codings = count("transfer-encoding"), lengths = count("content-length");
  if (codings > 0) {
    if (codings > 1 || lengths > 0 || version == 10)
      fail("Transfer-Encoding must appear once, without Content-Length, in HTTP/1.1");
    if (lower_ascii(request.header("transfer-encoding")) != "chunked")
      throw HttpError(501, "the only Transfer-Encoding that is supported is chunked");
  }
  if (lengths > 1 || (lengths == 1 && !is_digits(request.header("content-length"))))
    fail("Content-Length is not one whole number");
  if (version == 10 && lengths == 0 && is_method_with_body(request.method))
    throw HttpError(411, "a request with a body needs Content-Length");
  const std::string coding = lower_ascii(request.header("content-encoding"));
  if (count("content-encoding") > 1 || (!coding.empty() && coding != "identity"))
    throw HttpError(
        415, "compressed requests are not supported: send the body without Content-Encoding");
  const std::string expectation = lower_ascii(request.header("expect"));
  if (version == 11 && !expectation.empty() && expectation != "100-continue")
    throw HttpError(417, "the only Expect that is supported is 100-continue");
}

// Splits the request target into path and query. Error if its path is not valid.
void read_target(std::string_view target, HttpRequest& request) {
  // A proxy's form: http://host/path
  const std::string scheme = lower_ascii(target.substr(0, 8));
  if (scheme.substr(0, 7) == "http://" || scheme == "https://") {
    target.remove_prefix(target.find("//") + 2);
    const size_t end = target.find_first_of("/?");
    target = end == target.npos ? std::string_view{} : target.substr(end);
    if (target.empty() || target[0] == '?') {
      request.path = "/";
      request.query = target.substr(target.empty() ? 0 : 1);
      return;
    }
  }
  if (target.empty() || target[0] != '/') fail("the request target must begin with '/'");
  if (target.find('#') != target.npos) fail("the request target has a fragment ('#')");
  const size_t question = target.find('?');
  try {
    request.path = percent_decoded(target.substr(0, question), PlusSign::plus);
  } catch (const Error& error) {
    fail("the path of the request is damaged: {}", error.what());
  }
  for (const char c : request.path)
    if (uint8_t(c) < ' ' || c == 0x7f) fail("the path of the request has a control character");
  if (question != target.npos) request.query = target.substr(question + 1);
}

}  // namespace

RequestReader::RequestReader(const HttpLimits& limits)
    : header_bytes_(limits.header_bytes), body_limit_(limits.body_bytes) {}

RequestReader::~RequestReader() = default;

void RequestReader::abandon() {
  state_ = State::failed;
  parser_.reset();
  // Assigning empty ones would keep their memory.
  std::exchange(request_, {});
  std::exchange(buffer_, {});
}

RequestReader::State RequestReader::advance() {
  try {
    if (state_ == State::head)
      read_head();
    else if (state_ == State::body)
      read_body();
  } catch (const HttpError& error) {
    error_ = error;
    abandon();
  } catch (const Error& error) {
    error_ = {400, error.what()};
    abandon();
  }
  return state_;
}

void RequestReader::read_head() {
  // Some clients send an empty line after a body.
  size_t empty_lines = 0;
  while (buffer_.compare(empty_lines, 2, "\r\n") == 0) empty_lines += 2;
  if (empty_lines > 0) {
    buffer_.erase(0, empty_lines);
    searched_ = 0;
  }
  if (buffer_.empty() || buffer_ == "\r") return;
  // TLS and binary protocols are seen at their first byte.
  if (uint8_t(buffer_[0]) <= ' ' || uint8_t(buffer_[0]) >= 0x7f)
    fail("this is not an HTTP request; is it HTTPS? This server speaks plain HTTP");
  const size_t end = buffer_.find("\r\n\r\n", searched_);
  const size_t size = end == buffer_.npos ? buffer_.size() : end + 4;
  if (int64_t(size) > header_bytes_) {
    if (buffer_.find('\n') >= size_t(header_bytes_))
      throw HttpError(414, "the request line is too long");
    throw HttpError(431, "the headers are too long");
  }
  if (end == buffer_.npos) {
    searched_ = buffer_.size() < 3 ? 0 : buffer_.size() - 3;
    return;
  }
  searched_ = 0;
  const std::string head = buffer_.substr(0, size);
  buffer_.erase(0, size);
  if (!has_only_plain_lines(head)) fail("the headers have a control character or a continued line");
  request_ = {};
  parser_ = std::make_unique<Parser>(request_);
  parser_->header_limit(uint32_t(std::max<int64_t>(header_bytes_, int64_t(size)) + 1));
  parser_->body_limit(uint64_t(body_limit_));
  parser_->eager(false);
  error_code code;
  const size_t used = parser_->put(boost::asio::buffer(head), code);
  if (code) refuse(code, head);
  if (used != head.size() || !parser_->is_header_done()) fail("the request is not valid HTTP");
  version_ = parser_->version;
  check_head(request_, version_);
  read_target(parser_->target, request_);
  keep_alive_ = parser_->keep_alive();
  expects_continue_ = version_ == 11 && !parser_->is_done() && !request_.header("expect").empty();
  state_ = State::body;
}

void RequestReader::read_body() {
  // The shortest end of a chunked body, "0\r\n\r\n". Beast asserts that it gets as many bytes.
  const size_t least = parser_->chunked() ? 5 : 1;
  size_t used = 0;
  while (!parser_->is_done() && buffer_.size() - used >= least) {
    const size_t before = request_.body.size();
    error_code code;
    const size_t more =
        parser_->put(boost::asio::buffer(buffer_.data() + used, buffer_.size() - used), code);
    used += more;
    const size_t framing = more - (request_.body.size() - before);
    if (int64_t(framing) > header_bytes_) fail(kLongLines);
    if (code == ParseError::need_more) break;
    if (code) refuse(code, {});
  }
  buffer_.erase(0, used);
  // The bytes of a body arrive in large pieces, and many connections may wait between requests.
  if (int64_t(buffer_.capacity()) > 2 * header_bytes_) buffer_.shrink_to_fit();
  if (parser_->is_done()) {
    parser_.reset();
    state_ = State::complete;
  } else if (int64_t(buffer_.size()) > header_bytes_) {
    fail(kLongLines);
  }
}

HttpRequest RequestReader::take() {
  check(state_ == State::complete, "a request that is not complete was taken");
  state_ = State::head;
  return std::exchange(request_, {});
}

}  // namespace heed::detail
