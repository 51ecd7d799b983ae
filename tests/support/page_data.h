// Reads the data of pages (pages/page.h) back.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace heed::testing {

struct PageBlock {
  nlohmann::json json;
  std::vector<uint16_t> numbers;
};

inline std::string from_base64(const std::string& text) {
  static const std::string kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char digit : text) {
    if (digit == '=') break;
    bits = bits << 6 | uint32_t(kDigits.find(digit));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += char(bits >> count & 255);
  }
  return bytes;
}

inline PageBlock unpacked(const std::string& base64) {
  const std::string packed = from_base64(base64);
  std::string bytes(64 << 20, '\0');
  uLongf size = bytes.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size,
                       reinterpret_cast<const Bytef*>(packed.data()), packed.size()),
            Z_OK);
  bytes.resize(size);
  const auto byte = [&](size_t i) { return uint32_t(uint8_t(bytes.at(i))); };
  const size_t length = byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
  PageBlock block{nlohmann::json::parse(bytes.substr(4, length)), {}};
  for (size_t i = 4 + length; i < bytes.size(); i += 2)
    block.numbers.push_back(uint16_t(byte(i) | byte(i + 1) << 8));
  return block;
}

// What is between `begin` and the next "</script>".
inline std::string element_of(const std::string& html, const std::string& begin) {
  const size_t at = html.find(begin);
  EXPECT_NE(at, std::string::npos) << begin;
  if (at == std::string::npos) return "";
  const size_t first = at + begin.size();
  return html.substr(first, html.find("</script>", first) - first);
}

inline nlohmann::json data_of(const std::string& html) {
  return nlohmann::json::parse(element_of(html, "<script type=\"application/json\" id=\"data\">"));
}

inline PageBlock block_of(const std::string& html, int64_t number) {
  return unpacked(
      element_of(html, "<script type=\"text/plain\" id=\"block-" + std::to_string(number) + "\">"));
}

}  // namespace heed::testing
