// Parts of a sentence that its translation repeats: placeholders, tags and numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/core/ascii.h"

namespace heed::detail {

using Parts = std::vector<std::string>;

bool has_part(const Parts& parts, const std::string& part);
// Removes one such part; false if there is none.
bool remove_one(Parts& parts, const std::string& part);
// The parts of `all` without those of `others`, each of which removes one, in order.
Parts without(const Parts& all, const Parts& others);

// Parts that one side alone has, in order.
struct PartDifference {
  Parts source_only, target_only;

  bool found() const { return !source_only.empty() || !target_only.empty(); }
};

// Placeholders (text/placeholders.h); those of ICU are compared without their branches. Named and
// numbered ones may be repeated, and may be in another order.
PartDifference placeholder_difference(std::string_view source, std::string_view target);

// Tags of HTML and XML by their names, without attributes. "<name>" is a tag if it closes, has an
// attribute or is a common one of HTML: "<all files>" is text.
PartDifference tag_difference(std::string_view source, std::string_view target);

// Numbers in digits of any script, outside placeholders. Localized forms are equal: separators
// (1,000 and 1.000), the order of a date, leading zeros, Chinese numerals, millions in words, hours
// of a clock of 12, decades. A number up to 12 that one side alone has, or a round one in a line
// without others, may be in words on the other.
PartDifference number_difference(std::string_view source, std::string_view target);

// Whether a byte can begin one of these parts.
constexpr bool begins_copied_part(char32_t c) {
  return is_ascii_digit(c) || c == '%' || c == '{' || c == '<' || c == '$';
}

}  // namespace heed::detail
