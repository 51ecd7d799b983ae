// Tags in the strings of programs: "Press <b>OK</b>", "<0>Log in</0>".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heed::detail {

struct MessageTag {
  enum class Kind { start, end, alone } kind = Kind::start;  // alone: "<br/>"
  size_t begin = 0, end = 0;
  std::string name = {};  // as it is written
};

// The parts of a text that look like tags: "<", a name (or number, as some libraries have it),
// perhaps attributes with quoted values, and ">". In order.
std::vector<MessageTag> message_tags(std::string_view text);

// Whether a text has tags, and all are of HTML.
bool has_html_tags(std::string_view text);

}  // namespace heed::detail
