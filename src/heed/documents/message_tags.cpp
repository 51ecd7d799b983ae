#include "heed/documents/message_tags.h"

#include "heed/core/ascii.h"
#include "heed/documents/html_elements.h"

namespace heed::detail {
namespace {

bool is_of_name(char c) {
  return is_ascii_letter(char32_t(uint8_t(c))) || is_ascii_digit(char32_t(uint8_t(c))) ||
         c == '-' || c == '_' || c == ':' || c == '.';
}

size_t behind_space(std::string_view text, size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n')) ++at;
  return at;
}

size_t behind_name(std::string_view text, size_t at) {
  while (at < text.size() && is_of_name(text[at])) ++at;
  return at;
}

// Behind the attributes that begin here, or npos where something else stands.
size_t behind_attributes(std::string_view text, size_t at) {
  for (;;) {
    const size_t name = behind_space(text, at);
    const size_t end = behind_name(text, name);
    if (end == name) return name;
    if (name == at) return text.npos;  // white space is missing
    at = end;
    const size_t equals = behind_space(text, at);
    if (equals >= text.size() || text[equals] != '=') continue;
    const size_t value = behind_space(text, equals + 1);
    if (value >= text.size()) return text.npos;
    if (text[value] == '"' || text[value] == '\'') {
      at = text.find(text[value], value + 1);
      if (at == text.npos) return at;
      ++at;
    } else {
      at = text.find_first_of(" \t\n\"'<>=`", value);
      if (at == text.npos || at == value) return text.npos;
    }
  }
}

}  // namespace

std::vector<MessageTag> message_tags(std::string_view text) {
  std::vector<MessageTag> tags;
  for (size_t at = text.find('<'); at != text.npos; at = text.find('<', at)) {
    const size_t begin = at++;
    const bool is_end = at < text.size() && text[at] == '/';
    const size_t name = at + (is_end ? 1 : 0);
    const size_t behind = behind_name(text, name);
    if (behind == name || !(is_ascii_letter(char32_t(uint8_t(text[name]))) ||
                            is_ascii_digit(char32_t(uint8_t(text[name])))))
      continue;
    size_t end = is_end ? behind_space(text, behind) : behind_attributes(text, behind);
    if (end >= text.size()) continue;
    MessageTag tag{is_end ? MessageTag::Kind::end : MessageTag::Kind::start, begin, 0,
                   std::string(text.substr(name, behind - name))};
    if (!is_end && text[end] == '/') tag.kind = MessageTag::Kind::alone, ++end;
    if (end >= text.size() || text[end] != '>') continue;
    tag.end = at = end + 1;
    tags.push_back(std::move(tag));
  }
  return tags;
}

bool has_html_tags(std::string_view text) {
  const std::vector<MessageTag> tags = message_tags(text);
  for (const MessageTag& tag : tags)
    if (!is_html_element(lower_ascii(tag.name))) return false;
  return !tags.empty();
}

}  // namespace heed::detail
