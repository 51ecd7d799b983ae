#include "heed/serve/http/message.h"

#include <algorithm>

#include "heed/core/ascii.h"
#include "heed/core/json_text.h"
#include "heed/core/utf8.h"

namespace heed {
namespace {

int hexadecimal(char digit) {
  if (is_ascii_digit(digit)) return digit - '0';
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
      if (low < 0) fail("byte {}: '%' is not followed by two hexadecimal digits", at + 1);
      decoded += char(high * 16 + low);
      at += 2;
    }
  }
  if (const auto invalid = find_invalid_utf8(decoded))
    fail("byte {} after percent-decoding is not UTF-8", *invalid + 1);
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

HttpError temporary_error(int status, const std::string& text) {
  return {status, text, {{"Retry-After", "1"}}};
}

HttpError no_memory_error() {
  return temporary_error(503, "the server has no memory left for this request: try again later");
}

HttpResponse error_response(const HttpError& error) {
  return {.status = error.status,
          .body = json_text({{"error", error.what()}}),
          .headers = error.headers};
}

}  // namespace heed
