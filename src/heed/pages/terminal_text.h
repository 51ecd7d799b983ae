// Text for terminals, and formatting of numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace heed {

// A text on one line of a terminal: control characters become spaces, bytes that are not UTF-8
// U+FFFD, and characters that would end the line or turn it around are named, as <U+202E>.
std::string one_line(std::string_view text);

// Breaks `text` at spaces into lines of at most `width` columns, each after the first indented by
// `indent` spaces; `column` is where the first line begins.
std::string wrap(const std::string& text, size_t column, size_t indent, size_t width = 80);

// Each of these characters replaced by a text: for formats in which they mean something.
std::string replaced(std::string_view text,
                     std::initializer_list<std::pair<char, std::string_view>> by);

// The text with each name between these marks, "${HOME}", replaced by what `text_of` gives for it:
// in one pass, so that no replacement is taken for a mark.
std::string filled(std::string_view text, std::string_view open, std::string_view close,
                   const std::function<std::string(std::string_view name)>& text_of);

// 18944000 as "18,944,000".
std::string grouped(int64_t value);
// "1 pair", "1,000 pairs". `noun` is one whose plural ends in -s.
std::string grouped(int64_t value, std::string_view noun);

// The share of `part` in `whole`: "0.04%", "12%", "0%". Of nothing: "0%".
std::string percent(int64_t part, int64_t whole);

// Seconds as "1:05" or "2:03:09".
std::string clock_text(double seconds);

// Null for nothing, and for infinity and NaN, which JSON cannot express.
nlohmann::ordered_json json_number(const std::optional<double>& value);

}  // namespace heed
