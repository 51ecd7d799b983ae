#include "heed/evaluate/bleu_tokenizer.h"

#include <array>
#include <utility>

#include "heed/core/error.h"
#include "heed/evaluate/unicode.h"

namespace heed {
namespace {

constexpr std::array<std::pair<std::string_view, BleuTokenizer>, 3> kNames = {{
    {"13a", BleuTokenizer::mteval_13a},
    {"none", BleuTokenizer::none},
    {"char", BleuTokenizer::character},
}};

bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}
bool is_point_or_comma(char byte) {
  return byte == '.' || byte == ',';
}

// ASCII punctuation and symbols that always stand alone: all but apostrophe, comma, hyphen and
// point.
bool stands_alone(char byte) {
  if (byte == '\'' || byte == ',' || byte == '-' || byte == '.') return false;
  return (byte >= '!' && byte <= '/') || (byte >= ':' && byte <= '@') ||
         (byte >= '[' && byte <= '`') || (byte >= '{' && byte <= '~');
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// Takes out the marks of the format that mteval reads. One after the other, for what one yields may
// be what the next replaces.
void remove_markup(std::string& line) {
  replace_all(line, "<skipped>", "");
  replace_all(line, "-\n", "");
  replace_all(line, "\n", " ");
  if (line.find('&') == std::string::npos) return;
  replace_all(line, "&quot;", "\"");
  replace_all(line, "&amp;", "&");
  replace_all(line, "&lt;", "<");
  replace_all(line, "&gt;", ">");
}

// The rules of 13a look at ASCII alone, so bytes will do. Each reads the whole line that the one
// before wrote, and as there, what a rule has matched is not looked at again by the same rule.
std::string separate_symbols(std::string_view line) {
  std::string separated = " ";
  separated.reserve(2 * line.size() + 2);
  for (const char byte : line) {
    if (stands_alone(byte)) {
      separated.append({' ', byte, ' '});
    } else {
      separated.push_back(byte);
    }
  }
  separated.push_back(' ');
  return separated;
}

// A point or comma, unless behind a digit.
std::string separate_after_nondigit(std::string_view line) {
  std::string separated;
  separated.reserve(line.size() + line.size() / 4);
  for (size_t i = 0; i < line.size(); ++i) {
    separated.push_back(line[i]);
    if (!is_digit(line[i]) && i + 1 < line.size() && is_point_or_comma(line[i + 1])) {
      separated.append({' ', line[++i], ' '});
    }
  }
  return separated;
}

// A point or comma, unless before a digit.
std::string separate_before_nondigit(std::string_view line) {
  std::string separated;
  separated.reserve(line.size() + line.size() / 4);
  for (size_t i = 0; i < line.size(); ++i) {
    if (is_point_or_comma(line[i]) && i + 1 < line.size() && !is_digit(line[i + 1])) {
      separated.append({' ', line[i], ' ', line[i + 1]});
      ++i;
    } else {
      separated.push_back(line[i]);
    }
  }
  return separated;
}

// A hyphen behind a digit.
std::string separate_hyphens(std::string_view line) {
  std::string separated;
  separated.reserve(line.size() + line.size() / 4);
  for (size_t i = 0; i < line.size(); ++i) {
    separated.push_back(line[i]);
    if (is_digit(line[i]) && i + 1 < line.size() && line[i + 1] == '-') {
      separated.append({' ', line[++i], ' '});
    }
  }
  return separated;
}

void rewrite_as_13a(std::string& line) {
  line.resize(without_trailing_whitespace(line).size());
  remove_markup(line);
  line = separate_symbols(line);
  line = separate_after_nondigit(line);
  line = separate_before_nondigit(line);
  line = separate_hyphens(line);
}

}  // namespace

std::string_view name(BleuTokenizer tokenizer) {
  for (const auto& [name, candidate] : kNames) {
    if (candidate == tokenizer) return name;
  }
  throw Bug("a tokenizer without a name");
}

BleuTokenizer parse_bleu_tokenizer(std::string_view name) {
  for (const auto& [candidate, tokenizer] : kNames) {
    if (candidate == name) return tokenizer;
  }
  fail_usage("unknown tokenizer '{}': expected 13a, none or char", name);
}

void tokenize(BleuTokenizer tokenizer, std::string& line, std::vector<std::string_view>& tokens) {
  tokens.clear();
  if (tokenizer == BleuTokenizer::character) return split_characters(line, tokens);
  if (tokenizer == BleuTokenizer::mteval_13a) rewrite_as_13a(line);
  split_at_whitespace(line, tokens);
}

}  // namespace heed
