// Placeholders in text: where a program puts a value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::detail {

struct Placeholder {
  std::string name;  // without its position: "%s" for "%2$s"
  size_t length = 0;
  // Named and numbered ones refer to the same value each time.
  bool may_repeat = false;
  std::string reference;  // what it refers to: "%2$s"
  size_t begin = 0;       // its first byte
};

// Those of printf ("%s", "%1$d"), Python ("%(name)s", "{0:.2f}", "{}"), Qt ("%1", "%n"), templates
// ("{{name}}", "${name}", "%{name}"), names ("$(ARG1)", "%LINE") and ICU ("{count, plural, ...}",
// whose name and reference are without its branches), in order. A percent sign after a digit is one
// of text, and so is "%%" in a line without others that begin so.
std::vector<Placeholder> placeholders_in(std::string_view line);

// The line with a space in the place of each.
std::string without_placeholders(std::string_view line);

}  // namespace heed::detail
