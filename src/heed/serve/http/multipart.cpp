#include <algorithm>

#include "heed/core/error.h"
#include "heed/core/utf8.h"
#include "heed/serve/http/header_text.h"
#include "heed/serve/http/message.h"

namespace heed {
namespace {

// Of the headers of a field.
constexpr size_t kMaxFieldHeaders = 16, kMaxFieldHeaderBytes = 4096;

// The characters of boundaries, and of names and values without quotation marks.
bool is_token(std::string_view text) {
  static constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~:/?=,()";
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kOthers.find(c) != kOthers.npos;
  });
}

// "form-data; name=\"q\"": a value and its parameters.
struct HeaderValue {
  std::string value;                                            // in lower case
  std::vector<std::pair<std::string, std::string>> parameters;  // names in lower case

  const std::string* find(std::string_view name) const {
    for (const auto& [known, parameter] : parameters)
      if (known == name) return &parameter;
    return nullptr;
  }
};

// Removes and returns a parameter's value from the beginning of a text.
std::string take_parameter(std::string_view& text, std::string_view header) {
  if (!text.starts_with('"')) {
    const std::string_view value = detail::trimmed(text.substr(0, text.find(';')));
    text.remove_prefix(std::min(text.find(';'), text.size()));
    if (!is_token(value)) fail("{}: a parameter has no value, or needs quotation marks", header);
    return std::string(value);
  }
  const size_t end = text.find('"', 1);
  if (end == text.npos) fail("{}: a quotation mark has no counterpart", header);
  const std::string_view value = text.substr(1, end - 1);
  if (value.find('\\') != value.npos) fail("{}: a backslash in a quoted value", header);
  text.remove_prefix(end + 1);
  return std::string(value);
}

HeaderValue parse_value(std::string_view text, std::string_view header) {
  HeaderValue value;
  value.value = detail::lower_ascii(detail::trimmed(text.substr(0, text.find(';'))));
  text.remove_prefix(std::min(text.find(';'), text.size()));
  while (!text.empty()) {
    text = detail::trimmed(text.substr(1));  // after ';'
    if (text.empty()) break;
    const size_t equals = text.find('=');
    const std::string name = detail::lower_ascii(text.substr(0, equals));
    if (equals == text.npos || !is_token(name)) fail("{}: expected name=value", header);
    if (value.find(name)) fail("{}: the parameter {} is repeated", header, excerpt(name));
    text.remove_prefix(equals + 1);
    value.parameters.emplace_back(name, take_parameter(text, header));
    text = detail::trimmed(text);
    if (!text.empty() && text[0] != ';') fail("{}: expected ';' between parameters", header);
  }
  return value;
}

std::string boundary_of(std::string_view content_type) {
  constexpr size_t kLongest = 70;
  const HeaderValue type = parse_value(content_type, "Content-Type");
  const std::string* boundary = type.find("boundary");
  if (!boundary || boundary->size() > kLongest || !is_token(*boundary))
    fail("Content-Type: expected a boundary of 1 to {} characters", kLongest);
  return *boundary;
}

// Reads a body from its beginning to its end.
class MultipartReader {
 public:
  MultipartReader(std::string_view body, const std::string& boundary)
      : rest_(body), delimiter_("\r\n--" + boundary) {
    const std::string_view first = std::string_view(delimiter_).substr(2);
    if (!rest_.starts_with(first))
      fail("the body does not begin with the boundary of Content-Type");
    rest_.remove_prefix(first.size());
  }

  // Whether another field follows; after the last one, nothing may follow.
  bool has_next() {
    if (rest_.starts_with("--")) {
      rest_.remove_prefix(2);
      if (!rest_.empty() && rest_ != "\r\n") fail("bytes follow the end of the form");
      return false;
    }
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
    if (!rest_.starts_with("\r\n")) fail("a boundary does not end its line, or is part of a field");
    rest_.remove_prefix(2);
    return true;
  }

  std::pair<std::string, std::string> next() {
    std::string name = take_headers();
    const size_t end = rest_.find(delimiter_);
    if (end == rest_.npos) fail("the form has no end: its last boundary is missing");
    const std::string_view value = rest_.substr(0, end);
    rest_.remove_prefix(end + delimiter_.size());
    if (const auto invalid = find_invalid_utf8(value))
      fail("the form's field {} is not UTF-8 at byte {}", excerpt(name), *invalid + 1);
    return {std::move(name), std::string(value)};
  }

 private:
  // Returns the name of the field.
  std::string take_headers() {
    std::string name;
    size_t bytes = 0;
    for (size_t count = 0;; ++count) {
      const size_t end = rest_.find("\r\n");
      if (end == rest_.npos) fail("the headers of a field of the form have no end");
      const std::string_view line = rest_.substr(0, end);
      rest_.remove_prefix(end + 2);
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

  static void read_header(std::string_view line, std::string& name) {
    const size_t colon = line.find(':');
    const bool plain = find_invalid_utf8(line) == std::nullopt &&
                       std::none_of(line.begin(), line.end(), [](char c) {
                         return (c >= 0 && c < ' ' && c != '\t') || c == 0x7f;
                       });
    if (colon == line.npos || !plain || !is_token(line.substr(0, colon)))
      fail("a header of a field of the form is damaged");
    const std::string header = detail::lower_ascii(line.substr(0, colon));
    const std::string_view text = line.substr(colon + 1);
    if (header == "content-disposition") {
      if (!name.empty()) fail("a field of the form has two names");
      name = name_of(parse_value(text, "Content-Disposition"));
    } else if (header == "content-type") {
      check_type(parse_value(text, "Content-Type of a field"));
    } else if (header == "content-transfer-encoding") {
      const std::string encoding = detail::lower_ascii(detail::trimmed(text));
      if (encoding != "7bit" && encoding != "8bit" && encoding != "binary")
        fail("Content-Transfer-Encoding of a field: expected 8bit, got '{}'", excerpt(encoding));
    }
  }

  static std::string name_of(const HeaderValue& disposition) {
    const std::string* name = disposition.find("name");
    if (disposition.value != "form-data" || !name || name->empty())
      fail("Content-Disposition: expected form-data with a name");
    if (disposition.find("filename") || disposition.find("filename*"))
      fail("the form's field {} is a file: expected a text", excerpt(*name));
    return *name;
  }

  static void check_type(const HeaderValue& type) {
    const std::string* charset = type.find("charset");
    const std::string given = charset ? detail::lower_ascii(*charset) : "utf-8";
    if (type.value != "text/plain" || (given != "utf-8" && given != "us-ascii"))
      fail("Content-Type of a field: expected text/plain in UTF-8, got {} in {}",
           excerpt(type.value), excerpt(given));
  }

  std::string_view rest_;
  const std::string delimiter_;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> parse_multipart(std::string_view content_type,
                                                                 std::string_view body,
                                                                 size_t most) {
  std::vector<std::pair<std::string, std::string>> fields;
  MultipartReader reader(body, boundary_of(content_type));
  while (reader.has_next()) {
    if (fields.size() == most) fail("more than {} fields", most);
    fields.push_back(reader.next());
  }
  return fields;
}

}  // namespace heed
