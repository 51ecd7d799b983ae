#include <algorithm>
#include <map>

#include "heed/core/ascii.h"
#include "heed/core/error.h"
#include "heed/core/utf8.h"
#include "heed/serve/http/message.h"

namespace heed {
namespace {

// Maximum of the headers of a field.
constexpr size_t kMaxFieldHeaders = 16, kMaxFieldHeaderBytes = 4096;

// The characters of boundaries, and of names and values without quotation marks.
bool is_token(std::string_view text) {
  static constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~:/?=,()";
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_ascii_letter(c) || is_ascii_digit(c) || kOthers.find(c) != kOthers.npos;
  });
}

// A value and its parameters: "form-data; name=\"q\"".
struct HeaderValue {
  std::string value;                              // in lower case
  std::map<std::string, std::string> parameters;  // names in lower case
};

// Removes and returns the text before `end`, and `end`; Error with this text where there is none.
std::string_view take_until(std::string_view& text, std::string_view end,
                            const std::string& error) {
  const size_t at = text.find(end);
  if (at == text.npos) fail("{}", error);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at + end.size());
  return taken;
}

// Removes and returns the text before ';', which remains.
std::string_view take_word(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find(';'));
  text.remove_prefix(word.size());
  return trim_blanks(word);
}

HeaderValue parse_value(std::string_view text, const std::string& header) {
  HeaderValue parsed{lower_ascii(take_word(text)), {}};
  while (!text.empty()) {
    text = trim_blanks(text.substr(1));  // after ';'
    if (text.empty()) break;
    const std::string name = lower_ascii(take_until(text, "=", header + ": expected name=value"));
    if (!is_token(name)) fail("{}: expected name=value", header);
    if (parsed.parameters.count(name) > 0)
      fail("{}: the parameter {} is repeated", header, excerpt(name));
    std::string_view value;
    if (text.starts_with('"')) {
      text.remove_prefix(1);
      value = take_until(text, "\"", header + ": a quotation mark has no counterpart");
      if (value.find('\\') != value.npos) fail("{}: a backslash in a quoted value", header);
    } else {
      value = take_word(text);
      if (!is_token(value)) fail("{}: a parameter has no value, or needs quotation marks", header);
    }
    parsed.parameters[name] = value;
    text = trim_blanks(text);
    if (!text.empty() && text[0] != ';') fail("{}: expected ';' between parameters", header);
  }
  return parsed;
}

std::string boundary_of(std::string_view content_type) {
  constexpr size_t kMaxBytes = 70;
  std::string boundary = parse_value(content_type, "Content-Type").parameters["boundary"];
  if (boundary.size() > kMaxBytes || !is_token(boundary))
    fail("Content-Type: expected a boundary of 1 to {} characters", kMaxBytes);
  return boundary;
}

std::string name_of(HeaderValue disposition) {
  std::string& name = disposition.parameters["name"];
  if (disposition.value != "form-data" || name.empty())
    fail("Content-Disposition: expected form-data with a name");
  if (disposition.parameters.count("filename") + disposition.parameters.count("filename*") > 0)
    fail("the form's field {} is a file: expected a text", excerpt(name));
  return name;
}

void check_type(const HeaderValue& type) {
  const auto charset = type.parameters.find("charset");
  const std::string given =
      charset == type.parameters.end() ? "utf-8" : lower_ascii(charset->second);
  if (type.value != "text/plain" || (given != "utf-8" && given != "us-ascii"))
    fail("Content-Type of a field: expected text/plain in UTF-8, got {} in {}", excerpt(type.value),
         excerpt(given));
}

void read_header(std::string_view line, std::string& name) {
  const size_t colon = line.find(':');
  const bool plain =
      find_invalid_utf8(line) == std::nullopt && std::ranges::none_of(line, [](char c) {
        return (c >= 0 && c < ' ' && c != '\t') || c == 0x7f;
      });
  if (colon == line.npos || !plain || !is_token(line.substr(0, colon)))
    fail("a header of a field of the form is damaged");
  const std::string header = lower_ascii(line.substr(0, colon));
  const std::string_view text = line.substr(colon + 1);
  if (header == "content-disposition") {
    if (!name.empty()) fail("a field of the form has two names");
    name = name_of(parse_value(text, "Content-Disposition"));
  } else if (header == "content-type") {
    check_type(parse_value(text, "Content-Type of a field"));
  } else if (header == "content-transfer-encoding") {
    const std::string encoding = lower_ascii(trim_blanks(text));
    if (encoding != "7bit" && encoding != "8bit" && encoding != "binary")
      fail("Content-Transfer-Encoding of a field: expected 8bit, got '{}'", excerpt(encoding));
  }
}

// Removes the headers of a field and returns its name.
std::string take_headers(std::string_view& rest) {
  std::string name;
  size_t bytes = 0;
  for (size_t count = 0;; ++count) {
    const std::string_view line =
        take_until(rest, "\r\n", "the headers of a field of the form have no end");
    if (line.empty()) break;
    bytes += line.size();
    if (count == kMaxFieldHeaders || bytes > kMaxFieldHeaderBytes)
      fail("a field of the form has more than {} headers or {} bytes of them", kMaxFieldHeaders,
           kMaxFieldHeaderBytes);
    read_header(line, name);
  }
  if (name.empty()) fail("a field of the form has no name");
  return name;
}

// Whether another field follows a boundary, whose line is removed; after the last one, nothing may
// follow.
bool has_next(std::string_view& rest) {
  if (rest.starts_with("--")) {
    if (rest != "--" && rest != "--\r\n") fail("bytes follow the end of the form");
    return false;
  }
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  if (!rest.starts_with("\r\n")) fail("a boundary does not end its line, or is part of a field");
  rest.remove_prefix(2);
  return true;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> parse_multipart(std::string_view content_type,
                                                                 std::string_view body,
                                                                 size_t most) {
  const std::string boundary = "--" + boundary_of(content_type);
  if (!body.starts_with(boundary))
    fail("the body does not begin with the boundary of Content-Type");
  body.remove_prefix(boundary.size());
  std::vector<std::pair<std::string, std::string>> fields;
  while (has_next(body)) {
    if (fields.size() == most) fail("more than {} fields", most);
    std::string name = take_headers(body);
    const std::string_view value =
        take_until(body, "\r\n" + boundary, "the form has no end: its last boundary is missing");
    if (const auto invalid = find_invalid_utf8(value))
      fail("the form's field {} is not UTF-8 at byte {}", excerpt(name), *invalid + 1);
    fields.emplace_back(std::move(name), value);
  }
  return fields;
}

}  // namespace heed
