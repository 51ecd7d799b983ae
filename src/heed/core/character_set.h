// A set of Unicode characters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

class CharacterSet {
 public:
  // Surrogates and values above U+10FFFF are left out.
  void add(char32_t character);
  void add(const CharacterSet& other);
  bool contains(char32_t character) const;

  // Its ranges in hexadecimal digits, ascending: "20-7e e9 4e00-9fff".
  std::string ranges() const;
  // The set of such a text; std::nullopt if it is anything else.
  static std::optional<CharacterSet> from_ranges(std::string_view text);

  friend bool operator==(const CharacterSet&, const CharacterSet&) = default;

 private:
  std::vector<uint64_t> words_;  // a bit for each character, up to the greatest one
};

}  // namespace heed
