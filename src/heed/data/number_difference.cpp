// Numbers that differ between a sentence and its translation.
#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>

#include "heed/core/ascii.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/data/copied_parts.h"
#include "heed/text/placeholders.h"

namespace heed::detail {
namespace {

// Up to this value numbers are often written in words.
constexpr int64_t kMaxInWords = 12;

// The numbers of one side.
struct Numbers {
  std::u32string text;              // with ASCII digits, without placeholders
  Parts all;                        // without separators of groups and leading zeros
  std::set<std::string> months;     // those before 月
  std::map<int64_t, int> in_words;  // values of Chinese numerals
};

// Between groups of three digits: 1,000 1.000 1'000 1 000, and of Arabic and Persian ۱٬۰۰۰ ۱،۰۰۰.
bool separates_groups(char32_t c) {
  return c == ',' || c == '.' || c == '\'' || c == 0x2019 || c == ' ' || c == 0xA0 || c == 0x2009 ||
         c == 0x202F || c == 0x066C || c == 0x060C;
}

size_t digits_at(const std::u32string& text, size_t at) {
  size_t end = at;
  while (end < text.size() && is_ascii_digit(text[end])) ++end;
  return end - at;
}

// The end of the number that begins at `at`, with all groups of three that have one separator.
size_t number_end(const std::u32string& text, size_t at) {
  size_t end = at + digits_at(text, at);
  if (end - at > 3 || end >= text.size() || !separates_groups(text[end])) return end;
  const char32_t separator = text[end];
  while (end < text.size() && text[end] == separator && digits_at(text, end + 1) == 3) end += 4;
  return end;
}

std::string digits_of(std::u32string_view number) {
  std::string digits;
  for (const char32_t c : number) {
    if (is_ascii_digit(c)) digits.push_back(char(c));
  }
  const size_t first = digits.find_first_not_of('0');
  return first == digits.npos ? "0" : digits.substr(first);
}

// The value of a digit or unit of Chinese numerals: 0 to 9, 10, 100, ...
std::optional<int64_t> numeral_value(char32_t c) {
  constexpr std::u32string_view kDigits = U"零一二三四五六七八九";
  constexpr std::pair<char32_t, int64_t> kOthers[] = {
      {U'〇', 0},    {U'两', 2},      {U'兩', 2},      {U'十', 10},          {U'百', 100},
      {U'千', 1000}, {U'万', 10'000}, {U'萬', 10'000}, {U'亿', 100'000'000}, {U'億', 100'000'000}};
  if (const size_t at = kDigits.find(c); at != kDigits.npos) return int64_t(at);
  for (const auto& [character, value] : kOthers)
    if (character == c) return value;
  return std::nullopt;
}

// The value of a run of Chinese numerals of at most 18 characters: 三百二十, 二〇二四.
int64_t value_of_numerals(std::u32string_view run) {
  int64_t total = 0, section = 0, digit = 0, plain = 0;
  bool units = false;
  for (const char32_t c : run) {
    const int64_t value = numeral_value(c).value_or(0);
    if (value < 10) {
      digit = value;
      plain = std::min<int64_t>(plain * 10 + value, 1'000'000'000'000);
    } else if (value < 10'000) {
      section += std::max<int64_t>(digit, 1) * value;
      digit = 0;
      units = true;
    } else {
      total += std::max<int64_t>(section + digit, 1) * value;
      section = digit = 0;
      units = true;
    }
  }
  return units ? total + section + digit : plain;
}

// A single 一 is an article more often than a number; 半 is half an hour.
void add_numerals(Numbers& side) {
  const std::u32string& text = side.text;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && end - at < 18 && numeral_value(text[end])) ++end;
    if (text[at] == U'半') ++side.in_words[30];
    if (end == at) {
      ++at;
      continue;
    }
    const std::u32string_view run = std::u32string_view(text).substr(at, end - at);
    if (run != U"一") ++side.in_words[value_of_numerals(run)];
    at = end;
  }
}

Numbers numbers_of(std::string_view line) {
  Numbers side;
  side.text = decode_utf8(without_placeholders(line));
  for (char32_t& c : side.text) {
    if (const auto digit = c < 0x80 ? std::nullopt : decimal_digit(c)) c = char32_t('0' + *digit);
  }
  const std::u32string& text = side.text;
  for (size_t at = 0; at < text.size();) {
    if (!is_ascii_digit(text[at])) {
      ++at;
      continue;
    }
    const size_t end = number_end(text, at);
    side.all.push_back(digits_of(std::u32string_view(text).substr(at, end - at)));
    const size_t behind = end < text.size() && text[end] == ' ' ? end + 1 : end;
    if (behind < text.size() && text[behind] == U'月') side.months.insert(side.all.back());
    at = end;
  }
  add_numerals(side);
  return side;
}

// Large numbers are cut to 18 digits.
int64_t value_of(const std::string& digits) {
  int64_t value = 0;
  for (const char c : digits.substr(0, 18)) value = value * 10 + (c - '0');
  return value;
}

std::string joined(const Parts& numbers) {
  std::string digits;
  for (const std::string& number : numbers) digits += number;
  return digits;
}

std::string without_zeros(std::string digits) {
  std::erase(digits, '0');
  return digits;
}

// Whether one number of the one side is several of the other: 20240503 and 3.5.2024. The order of
// these may be another, since dates have several; zeros before a single digit may be missing.
bool is_cut_otherwise(Parts parts, Parts whole) {
  constexpr size_t kPermutedParts = 5;  // more are tried in the order of the text alone
  if (parts.size() < whole.size()) std::swap(parts, whole);
  if (parts.size() == whole.size()) return false;
  const std::string digits = joined(whole);
  const auto single = size_t(
      std::ranges::count_if(parts, [](const std::string& part) { return part.size() == 1; }));
  const auto is_whole = [&] {
    const std::string other = joined(parts);
    return other.size() <= digits.size() && digits.size() <= other.size() + single &&
           without_zeros(other) == without_zeros(digits);
  };
  if (parts.size() > kPermutedParts) return is_whole();
  std::sort(parts.begin(), parts.end());
  do
    if (is_whole()) return true;
  while (std::next_permutation(parts.begin(), parts.end()));
  return false;
}

std::string lowercase_ascii(std::u32string_view text) {
  std::string lower;
  for (const char32_t c : text) lower.push_back(c < 0x80 ? lower_ascii(char(c)) : '\x80');
  return lower;
}

// Whether the text counts in thousands, millions or the like: "3 million", "2.5m", "30k".
bool has_scale(const Numbers& side) {
  constexpr std::u32string_view kUnits = U"万萬亿億千百兆";
  static const std::regex kScale(
      "(^|[^a-z])(mil|mio|mrd|bil|trill|thousand|tausend|bn)|[0-9][km]([^a-z]|$)");
  return side.text.find_first_of(kUnits) != side.text.npos ||
         std::regex_search(lowercase_ascii(side.text), kScale);
}

// Whether the text has a time of day.
bool has_clock(const Numbers& side) {
  static const std::regex kClock(
      "uhr|o'clock|a\\.m|p\\.m| am| pm|0am|0pm|[0-9][:.h][0-9][0-9]|[0-9][ap]m[\\s\\S]");
  return side.text.find_first_of(U"点點时時") != side.text.npos ||
         std::regex_search(lowercase_ascii(side.text), kClock);
}

class Comparison {
 public:
  Comparison(Numbers source, Numbers target)
      : source_(std::move(source)),
        target_(std::move(target)),
        rest_{without(source_.all, target_.all), without(target_.all, source_.all)} {}

  PartDifference result() {
    if (is_same()) return {};
    if (rest_.source_only.empty() || rest_.target_only.empty()) {
      drop_repeated(rest_.source_only, target_);
      drop_repeated(rest_.target_only, source_);
    }
    drop_written_out(rest_.source_only, source_, target_);
    drop_written_out(rest_.target_only, target_, source_);
    drop_decades(rest_.source_only, rest_.target_only);
    drop_decades(rest_.target_only, rest_.source_only);
    if (is_same() || is_scaled()) return {};
    if (rest_.source_only.empty() || rest_.target_only.empty()) {
      drop_usual_words(rest_.source_only, target_);
      drop_usual_words(rest_.target_only, source_);
    } else if (is_other_clock()) {
      return {};
    }
    return rest_;
  }

 private:
  bool is_same() const {
    return !rest_.found() || is_cut_otherwise(rest_.source_only, rest_.target_only);
  }

  static void drop_repeated(Parts& rest, const Numbers& other) {
    std::erase_if(rest, [&](const std::string& number) { return has_part(other.all, number); });
  }

  // Chinese numerals, and months, which have names elsewhere.
  static void drop_written_out(Parts& rest, const Numbers& own, const Numbers& other) {
    std::map<int64_t, int> words = other.in_words;
    std::erase_if(rest, [&](const std::string& number) {
      const int64_t value = value_of(number);
      const auto found = words.find(value);
      if (found != words.end() && found->second > 0) return --found->second >= 0;
      return value <= kMaxInWords && own.months.count(number) > 0;
    });
  }

  // 1940 for the forties of the 20th century, 1900 for that century.
  static void drop_decades(Parts& years, Parts& others) {
    std::erase_if(years, [&](const std::string& year) {
      if (year.size() != 4 || (year[0] != '1' && year[0] != '2')) return false;
      const std::string decade = year[2] == '0' ? year.substr(3) : year.substr(2);
      const std::string century = std::to_string(std::stoi(year.substr(0, 2)) + 1);
      const bool of_decade = decade != "0" && remove_one(others, decade);
      const bool of_century = (of_decade || decade == "0") && remove_one(others, century);
      return of_decade || of_century;
    });
  }

  // 3 million and 3 000 000.
  bool is_scaled() const {
    if (!has_scale(source_) && !has_scale(target_)) return false;
    // The zeros of a number depend on its unit, and 3.5 is two numbers here.
    const auto digits = [](Parts numbers) {
      for (std::string& number : numbers) number = without_zeros(number);
      std::erase(numbers, "");
      std::sort(numbers.begin(), numbers.end());
      return numbers;
    };
    const Parts left = digits(rest_.source_only), right = digits(rest_.target_only);
    return left == right || is_cut_otherwise(left, right);
  }

  static void drop_usual_words(Parts& rest, const Numbers& other) {
    std::erase_if(rest, [&](const std::string& number) {
      const size_t end = number.find_last_not_of('0');
      const bool round = end == number.npos || end < 2;  // at most two digits before the zeros
      return value_of(number) <= kMaxInWords || (other.all.empty() && round);
    });
  }

  // 5 p.m. and 17:00.
  bool is_other_clock() const {
    if (!has_clock(source_) && !has_clock(target_)) return false;
    const auto hours = [](const Parts& numbers) {
      std::vector<int64_t> values;
      for (const std::string& number : numbers)
        if (number != "0") values.push_back(value_of(number));
      std::sort(values.begin(), values.end());
      return values;
    };
    const std::vector<int64_t> left = hours(rest_.source_only), right = hours(rest_.target_only);
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [](int64_t a, int64_t b) {
                        return a == b || (std::max(a, b) <= 24 && std::abs(a - b) == 12);
                      });
  }

  Numbers source_, target_;
  PartDifference rest_;
};

}  // namespace

PartDifference number_difference(std::string_view source, std::string_view target) {
  return Comparison(numbers_of(source), numbers_of(target)).result();
}

}  // namespace heed::detail
