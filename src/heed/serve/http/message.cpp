#include "heed/serve/http/message.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "heed/core/error.h"
#include "heed/core/utf8.h"

namespace heed {
namespace {

int hexadecimal(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

}  // namespace

std::string_view HttpRequest::header(std::string_view name) const {
  for (const HttpHeader& header : headers)
    if (header.name == name) return header.value;
  return {};
}

std::string percent_decoded(std::string_view text, PlusSign plus) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '+' && plus == PlusSign::space) {
      decoded += ' ';
    } else if (text[at] != '%') {
      decoded += text[at];
    } else {
      const int high = at + 2 < text.size() ? hexadecimal(text[at + 1]) : -1;
      const int low = high >= 0 ? hexadecimal(text[at + 2]) : -1;
      if (low < 0) fail("byte {}: '%' is not followed by two hexadecimal digits", at);
      decoded += char(high * 16 + low);
      at += 2;
    }
  }
  if (const auto invalid = find_invalid_utf8(decoded))
    fail("byte {} after percent-decoding is not UTF-8", *invalid);
  return decoded;
}

std::vector<std::pair<std::string, std::string>> parse_query(std::string_view text, size_t most) {
  std::vector<std::pair<std::string, std::string>> pairs;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(pair.size() + 1, text.size()));
    if (pair.empty()) continue;
    if (pairs.size() == most) fail("more than {} parameters", most);
    const std::string_view name = pair.substr(0, pair.find('='));
    const std::string_view value = pair.substr(std::min(name.size() + 1, pair.size()));
    pairs.emplace_back(percent_decoded(name, PlusSign::space),
                       percent_decoded(value, PlusSign::space));
  }
  return pairs;
}

std::string_view status_reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Unknown";
  }
}

HttpResponse error_response(int status, std::string_view sentence) {
  HttpResponse response;
  response.status = status;
  response.body = nlohmann::json{{"error", sentence}}.dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace);
  return response;
}

}  // namespace heed
