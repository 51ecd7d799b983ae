#include "heed/serve/http/response_bytes.h"

#include <fmt/chrono.h>

#include <boost/beast/http/status.hpp>
#include <ctime>

#include "heed/core/ascii.h"
#include "heed/text/gzip.h"

namespace heed::detail {
namespace {

constexpr size_t kMinCompressed = 1024;  // below it compression saves little

// "Not Found" for 404.
std::string_view status_reason(int status) {
  if (status == 413) return "Content Too Large";  // as RFC 9110 has it; Beast's is older
  const auto reason =
      boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(unsigned(status)));
  return {reason.data(), reason.size()};
}

// Appends the text with its control characters as spaces: a line end in a value, which may have
// text of a request in it, would end the header.
void append_plain(std::string& head, std::string_view text) {
  for (const char c : text) head += (uint8_t(c) < ' ' && c != '\t') || c == 0x7f ? ' ' : c;
}

void append_header(std::string& head, std::string_view name, std::string_view value) {
  append_plain(head, name);
  head += ": ";
  append_plain(head, value);
  head += "\r\n";
}

bool is_compressible(std::string_view content_type) {
  const std::string type = lower_ascii(trim_blanks(content_type.substr(0, content_type.find(';'))));
  return type.starts_with("text/") || type == "application/json" ||
         type == "application/javascript" || type.ends_with("+json") || type.ends_with("+xml");
}

// Whether the weight of an element such as "gzip;q=0.5" is above 0; not if it is damaged.
bool has_weight(std::string_view parameters) {
  while (!parameters.empty()) {
    const std::string parameter = lower_ascii(take_element(parameters, ';'));
    if (!parameter.starts_with("q=")) continue;
    const std::string_view weight = std::string_view(parameter).substr(2);
    return weight.find_first_not_of("0123456789.") == weight.npos &&
           weight.find_first_of("123456789") != weight.npos &&
           weight.find('.') == weight.rfind('.');
  }
  return true;
}

}  // namespace

bool has_body(int status) {
  return status >= 200 && status != 204 && status != 304;
}

std::string response_head(const HttpResponse& response, std::optional<size_t> length,
                          std::string_view connection) {
  std::string head =
      fmt::format("HTTP/1.1 {} {}\r\n", response.status, status_reason(response.status));
  append_header(head, "Date",
                fmt::format("{:%a, %d %b %Y %H:%M:%S GMT}", fmt::gmtime(std::time(nullptr))));
  if (has_body(response.status)) {
    if (!response.content_type.empty()) append_header(head, "Content-Type", response.content_type);
    if (length)
      append_header(head, "Content-Length", std::to_string(*length));
    else
      append_header(head, "Transfer-Encoding", "chunked");
  }
  for (const HttpHeader& header : response.headers) append_header(head, header.name, header.value);
  append_header(head, "Connection", connection);
  return head + "\r\n";
}

std::string chunk_bytes(std::string_view text) {
  if (text.empty()) return {};
  std::string chunk = fmt::format("{:x}\r\n", text.size());
  chunk.reserve(chunk.size() + text.size() + 2);
  chunk += text;
  chunk += "\r\n";
  return chunk;
}

bool accepts_gzip(std::string_view accept_encoding) {
  bool any = false;
  while (!accept_encoding.empty()) {
    std::string_view element = take_element(accept_encoding, ',');
    const std::string coding = lower_ascii(take_element(element, ';'));
    const bool accepted = has_weight(element);
    if (coding == "gzip" || coding == "x-gzip") return accepted;
    if (coding == "*") any = accepted;
  }
  return any;
}

void compress_response(const HttpRequest& request, HttpResponse& response) {
  if (response.body.size() <= kMinCompressed || !has_body(response.status) ||
      !is_compressible(response.content_type))
    return;
  response.headers.push_back({"Vary", "Accept-Encoding"});
  std::string accepted;
  for (const HttpHeader& header : request.headers)
    if (header.name == "accept-encoding") accepted += header.value + ",";
  if (!accepts_gzip(accepted)) return;
  std::string compressed;
  GzipWriter writer([&](std::string_view bytes) { compressed += bytes; });
  writer.write(response.body);
  writer.finish();
  response.body = std::move(compressed);
  response.headers.push_back({"Content-Encoding", "gzip"});
}

}  // namespace heed::detail
