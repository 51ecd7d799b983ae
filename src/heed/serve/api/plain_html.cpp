#include "heed/serve/api/plain_html.h"

#include <algorithm>

#include "heed/core/ascii.h"
#include "heed/pages/terminal_text.h"

namespace heed {
namespace {

bool is_reference_name(char c) {
  return is_ascii_letter(c) || is_ascii_digit(c);
}

// Whether the text after '<' makes it a tag.
bool begins_tag(std::string_view rest) {
  return !rest.empty() &&
         (is_ascii_letter(rest[0]) || rest[0] == '/' || rest[0] == '!' || rest[0] == '?');
}

// Whether the text after '&' makes it a reference: "amp;", "#39;", "#x27;". Browsers read some
// names without ';' too, also where letters follow.
bool begins_reference(std::string_view rest) {
  static constexpr std::string_view kWithoutSemicolon[] = {"amp",  "lt",   "gt", "quot",
                                                           "nbsp", "copy", "reg"};
  if (rest.starts_with('#')) return rest.size() > 1 && (is_reference_name(rest[1]));
  const auto end = size_t(std::ranges::find_if_not(rest, is_reference_name) - rest.begin());
  if (end > 0 && end < rest.size() && rest[end] == ';') return true;
  return std::ranges::any_of(kWithoutSemicolon,
                             [&](std::string_view name) { return rest.starts_with(name); });
}

}  // namespace

std::optional<size_t> find_markup(std::string_view html) {
  for (size_t at = html.find_first_of("<&"); at != html.npos;
       at = html.find_first_of("<&", at + 1)) {
    const std::string_view rest = html.substr(at + 1);
    if (html[at] == '<' ? begins_tag(rest) : begins_reference(rest)) return at;
  }
  return {};
}

std::string escape_html(std::string_view text) {
  return replaced(text, {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}});
}

}  // namespace heed
