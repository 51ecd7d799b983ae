// Singular and plural in messages.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace heed::detail {

// "1 line", "2 lines". `noun` is one whose plural ends in -s.
inline std::string counted(int64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

}  // namespace heed::detail
