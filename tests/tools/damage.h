// Ways to damage a file of any kind: what broken disks, half downloads and enemies do.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string>
#include <vector>

#include "heed/core/rng.h"

namespace heed::testing {

// One damaged copy after the other; the same seed gives the same copies.
class Damage {
 public:
  explicit Damage(uint64_t seed) : random_(seed) {}

  std::string of(const std::string& bytes) {
    std::string copy = bytes;
    const uint64_t kind = random_.below(10);
    if (copy.empty() || kind == 0) return cut(copy);
    if (kind == 1) return insert(copy);
    if (kind == 2) return swap_ranges(copy);
    if (kind == 3) return fill(copy);
    if (kind <= 5) return change_number(copy);
    if (kind == 6) return change_length(copy);
    if (kind == 7) return repeat(copy);
    return flip(copy);
  }

 private:
  // Most of what is checked stands at the beginning of a file.
  size_t place(const std::string& bytes) {
    const size_t reach =
        random_.below(2) == 0 ? std::min<size_t>(bytes.size(), 4096) : bytes.size();
    return reach == 0 ? 0 : random_.below(reach);
  }
  size_t span(const std::string& bytes, size_t begin) {
    return std::min<size_t>(1 + random_.below(200), bytes.size() - begin);
  }

  std::string cut(std::string& copy) {
    copy.resize(copy.empty() ? 3 : random_.below(copy.size()), 'x');
    return copy;
  }
  std::string insert(std::string& copy) {
    std::string more(1 + random_.below(40), '\0');
    for (char& c : more) c = char(random_());
    return copy.insert(random_.below(4) == 0 ? copy.size() : place(copy), more);
  }
  std::string swap_ranges(std::string& copy) {
    size_t first = place(copy), second = place(copy);
    if (first > second) std::swap(first, second);
    const size_t length = std::min(span(copy, second), second - first);
    std::swap_ranges(copy.begin() + long(first), copy.begin() + long(first + length),
                     copy.begin() + long(second));
    return copy;
  }
  std::string fill(std::string& copy) {
    const size_t begin = place(copy);
    std::fill_n(copy.begin() + long(begin), span(copy, begin), random_.below(2) ? '\0' : '\xff');
    return copy;
  }
  // A number in the text becomes another: counts, shapes and offsets that are absurd, or those of a
  // neighbour, so that tensors change places or overlap.
  std::string change_number(std::string& copy) {
    const std::vector<std::pair<size_t, size_t>> numbers = numbers_of(copy);
    if (numbers.empty()) return flip(copy);
    const auto [begin, length] = numbers[random_.below(numbers.size())];
    const auto [other, other_length] = numbers[random_.below(numbers.size())];
    static const std::vector<std::string> absurd = {"0",
                                                    "1",
                                                    "-1",
                                                    "65536",
                                                    "16777216",
                                                    "2147483648",
                                                    "9223372036854775807",
                                                    "18446744073709551615",
                                                    "1e308",
                                                    "4294967297"};
    const std::string number = random_.below(2) == 0 ? copy.substr(other, other_length)
                                                     : absurd[random_.below(absurd.size())];
    copy.replace(begin, length, number);
    if (random_.below(2) == 0) repair_header(copy, int64_t(number.size()) - int64_t(length));
    return copy;
  }
  static std::vector<std::pair<size_t, size_t>> numbers_of(const std::string& bytes) {
    constexpr size_t kReach = 50'000;
    std::vector<std::pair<size_t, size_t>> numbers;
    for (size_t i = 0; i < std::min(bytes.size(), kReach); ++i) {
      size_t end = i;
      while (end < bytes.size() && std::isdigit(static_cast<unsigned char>(bytes[end]))) ++end;
      if (end > i) numbers.emplace_back(i, end - i);
      i = end;
    }
    return numbers;
  }
  // The eight bytes in front of a safetensors header, so that what is inside is looked at.
  static void repair_header(std::string& bytes, int64_t longer) {
    uint64_t length = 0;
    if (bytes.size() < 9 || bytes[8] != '{') return;
    std::memcpy(&length, bytes.data(), sizeof length);
    length += uint64_t(longer);
    std::memcpy(bytes.data(), &length, sizeof length);
  }
  // Binary counts: four or eight bytes that become huge, or off by one.
  std::string change_length(std::string& copy) {
    if (copy.size() < 16) return flip(copy);
    const size_t begin = random_.below(2) == 0 ? 0 : std::min(place(copy), copy.size() - 8);
    uint64_t value = 0;
    std::memcpy(&value, copy.data() + begin, sizeof value);
    const uint64_t others[] = {value + 1, value - 1, value << 32, ~uint64_t{0}, value * 256, 0};
    value = others[random_.below(std::size(others))];
    std::memcpy(copy.data() + begin, &value, random_.below(2) == 0 ? 4 : 8);
    return copy;
  }
  std::string repeat(std::string& copy) {
    const size_t begin = place(copy);
    return copy.insert(begin, copy.substr(begin, span(copy, begin)));
  }
  std::string flip(std::string& copy) {
    for (uint64_t n = 1 + random_.below(4); n > 0; --n)
      copy[place(copy)] ^= char(1u << random_.below(8));
    return copy;
  }

  Random random_;
};

}  // namespace heed::testing
