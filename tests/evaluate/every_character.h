// Every character of Unicode, and a hash to compare what becomes of them with what Python says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heed/core/utf8.h"

namespace heed {

// The version whose characters the expected hashes know, where they depend on it: that of utf8proc
// in Debian 12, of Python 3.12, and of the module regex 2022.10.31, which sacreBLEU asks.
inline constexpr std::string_view kGoldenUnicode = "15.0.0";

inline std::vector<char32_t> all_characters() {
  std::vector<char32_t> characters;
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c < 0xD800 || c > 0xDFFF) characters.push_back(c);
  }
  return characters;
}

// FNV-1a.
inline uint64_t hash(std::string_view text) {
  uint64_t value = 0xCBF29CE484222325u;
  for (const char byte : text) value = (value ^ static_cast<uint8_t>(byte)) * 0x100000001B3u;
  return value;
}

// The hash of what a tokenizer makes of lines that hold each character below U+20000, in which are
// all that tokenizers know. tokenize(line, tokens) cuts a line. In Python, with m a metric of
// sacreBLEU and the characters without surrogates:
// "".join(m._preprocess_segment(f"a{c}b1{c}2 {c}") + "\n" for c in characters).
template <class Tokenize>
uint64_t hash_of_tokens(Tokenize&& tokenize) {
  std::string all;
  for (const char32_t character : all_characters()) {
    if (character >= 0x20000) break;
    const std::string c = encode_utf8(std::u32string(1, character));
    std::string line = "a" + c + "b1" + c + "2 " + c;
    std::vector<std::string_view> tokens;
    tokenize(line, tokens);
    for (size_t i = 0; i < tokens.size(); ++i) all.append(i > 0 ? " " : "").append(tokens[i]);
    all += '\n';
  }
  return hash(all);
}

}  // namespace heed
