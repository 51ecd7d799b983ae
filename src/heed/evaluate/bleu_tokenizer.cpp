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

// Objects rather than functions, so that the rules below are compiled with them inside.
constexpr auto is_digit = [](char byte) { return byte >= '0' && byte <= '9'; };
constexpr auto is_no_digit = [](char byte) { return !is_digit(byte); };
constexpr auto is_hyphen = [](char byte) { return byte == '-'; };
constexpr auto is_point_or_comma = [](char byte) { return byte == '.' || byte == ','; };

// What always stands alone: the rules below see to the other four.
bool stands_alone(char byte) {
  return is_ascii_punctuation(byte) && byte != '\'' && byte != ',' && byte != '-' && byte != '.';
}

// In one pass: time grows with the text, however often `from` stands in it.
void replace_all(std::string& text, std::string_view from, std::string_view to) {
  size_t found = text.find(from);
  if (found == std::string::npos) return;
  std::string replaced;
  replaced.reserve(text.size());
  size_t begin = 0;
  for (; found != std::string::npos; found = text.find(from, begin)) {
    replaced.append(text, begin, found - begin).append(to);
    begin = found + from.size();
  }
  text = replaced.append(text, begin);
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
// `begin` is where that ends in each of them; what stands between matches is copied whole.
std::string separate_symbols(std::string_view line) {
  std::string separated = {' '};
  separated.reserve(2 * line.size() + 2);
  size_t begin = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (!stands_alone(line[i])) continue;
    separated.append(line, begin, i - begin).append({' ', line[i], ' '});
    begin = i + 1;
  }
  separated.append(line, begin).push_back(' ');
  return separated;
}

// Every byte that is a mark and stands behind one that is `before`.
template <class Before, class Mark>
std::string separate_behind(std::string_view line, Before before, Mark mark) {
  std::string separated;
  separated.reserve(line.size() + line.size() / 4);
  size_t begin = 0;
  for (size_t i = 1; i < line.size(); ++i) {
    if (!mark(line[i]) || i == begin || !before(line[i - 1])) continue;
    separated.append(line, begin, i - begin).append({' ', line[i], ' '});
    begin = i + 1;
  }
  return separated.append(line, begin);
}

// A point or comma, unless before a digit.
std::string separate_before_nondigit(std::string_view line) {
  std::string separated;
  separated.reserve(line.size() + line.size() / 4);
  size_t begin = 0;
  for (size_t i = 0; i + 1 < line.size(); ++i) {
    if (!is_point_or_comma(line[i]) || is_digit(line[i + 1])) continue;
    separated.append(line, begin, i - begin).append({' ', line[i], ' ', line[i + 1]});
    begin = ++i + 1;
  }
  return separated.append(line, begin);
}

void rewrite_as_13a(std::string& line) {
  line.resize(without_trailing_whitespace(line).size());
  remove_markup(line);
  line = separate_symbols(line);
  line = separate_behind(line, is_no_digit, is_point_or_comma);
  line = separate_before_nondigit(line);
  line = separate_behind(line, is_digit, is_hyphen);
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
