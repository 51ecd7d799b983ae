// Texts that list something, an entry in each line.
#pragma once

#include <algorithm>
#include <string_view>

#include "heed/core/unicode.h"

namespace heed::detail {

// Calls use(line, number) for each line, counted from 1, without its end; not for blank lines and
// those that begin with #.
template <class Use>
void for_each_entry(std::string_view text, const Use& use) {
  for (size_t number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.starts_with('#') && !is_blank(line)) use(line, number);
  }
}

}  // namespace heed::detail
