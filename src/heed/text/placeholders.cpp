#include "heed/text/placeholders.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "heed/text/text_scanner.h"

namespace heed::detail {
namespace {

constexpr size_t kMaxName = 64;  // bytes inside braces

// One that refers to the same value each time.
Placeholder repeatable(const std::string& text, size_t length) {
  return {text, length, true, text};
}

// A placeholder in braces behind a character that belongs to it.
std::optional<Placeholder> behind(char c, std::optional<Placeholder> found) {
  if (!found) return std::nullopt;
  found->name.insert(0, 1, c);
  found->reference = found->name;
  ++found->length;
  return found;
}

// "-5.2lf" behind a percent sign: false if it is none. A letter that is no conversion of printf, as
// in "%B" for a month, is one where no word begins with it.
bool take_conversion(TextScanner& scanner) {
  scanner.set("-+#0");
  if (!scanner.take('*')) scanner.digits();
  if (scanner.take('.') && !scanner.take('*')) scanner.digits();
  const size_t before_size = scanner.position();
  scanner.set("hlzjtL");
  // "%l" of other programs than printf
  if (scanner.position() > before_size && !is_ascii_letter(scanner.peek()) && scanner.peek() != '@')
    return true;
  const char letter = scanner.peek();
  if (letter == '\0' || !scanner.take(letter)) return false;
  if (is_one_of(letter, "diouxXeEfFgGaAcsSpqn@")) return true;
  return is_ascii_letter(letter) && !is_ascii_letter(scanner.peek());
}

// "{name}", "{0:.2f}", "{{ name }}", "{}".
std::optional<Placeholder> braces(std::string_view text) {
  TextScanner scanner(text);
  scanner.take('{');
  const bool twice = scanner.take('{');
  if (twice) scanner.take(' ');
  const std::string_view name = scanner.take_while(
      [](char c) { return is_ascii_letter(c) || is_ascii_digit(c) || is_one_of(c, "_.:!+-"); });
  const size_t behind_name = scanner.position();
  if (twice) scanner.take(' ');
  if (scanner.take('}') && (!twice || scanner.take('}'))) {
    if (name.size() > kMaxName) return std::nullopt;
    const std::string whole = twice ? fmt::format("{{{{{}}}}}", name) : fmt::format("{{{}}}", name);
    return Placeholder{whole, scanner.position(), !name.empty(), whole};
  }
  scanner.rewind(behind_name);
  if (!scanner.take(',')) return std::nullopt;
  scanner.take(' ');
  const std::string_view kind = scanner.take_while(is_ascii_letter);
  constexpr std::array<std::string_view, 6> kKinds = {"plural", "select", "selectordinal",
                                                      "number", "date",   "time"};
  if (std::find(kKinds.begin(), kKinds.end(), kind) == kKinds.end()) return std::nullopt;
  size_t end = 0;
  for (int depth = 0; end < text.size(); ++end) {
    depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
    if (depth == 0) break;
  }
  const std::string whole = fmt::format("{{{}, {}}}", name, kind);
  return repeatable(whole, std::min(end + 1, text.size()));
}

// A placeholder that begins with a percent sign.
std::optional<Placeholder> percent(std::string_view text) {
  TextScanner scanner(text);
  scanner.take('%');
  if (scanner.take('(')) {
    scanner.take_while(
        [](char c) { return is_ascii_letter(c) || is_ascii_digit(c) || is_one_of(c, "_.-"); });
    if (!scanner.take(')') || !take_conversion(scanner)) return std::nullopt;
    return repeatable(std::string(text.substr(0, scanner.position())), scanner.position());
  }
  if (scanner.peek() == '{') return behind('%', braces(scanner.rest()));
  constexpr size_t kShortestName = 3;  // "%PRODUCTNAME"; "%LE" is a number
  const std::string_view name =
      scanner.take_while([](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; });
  if (name.size() >= kShortestName) {
    scanner.digits();
    return repeatable(std::string(text.substr(0, scanner.position())), scanner.position());
  }
  scanner.rewind(1);
  // A byte of an address
  if (text.size() > 2 && is_ascii_digit(text[1]) && text[2] >= 'A' && text[2] <= 'F')
    return Placeholder{std::string(text.substr(0, 3)), 3, false, std::string(text.substr(0, 3))};
  const bool numbered = !scanner.digits().empty() && scanner.take('$');
  if (!numbered) scanner.rewind(1);
  const size_t begin = scanner.position();
  if (take_conversion(scanner)) {
    const std::string whole(text.substr(0, scanner.position()));
    return Placeholder{"%" + whole.substr(begin), whole.size(), numbered, whole};
  }
  scanner.rewind(1);
  scanner.take('L');
  const std::string_view number = scanner.digits();
  if (number.empty() || number.size() > 2 || number.front() == '0') return std::nullopt;
  return repeatable(std::string(text.substr(0, scanner.position())), scanner.position());
}

// "$(ARG1)".
std::optional<Placeholder> argument(std::string_view text) {
  TextScanner scanner(text.substr(2));
  const std::string_view name = scanner.take_while(
      [](char c) { return is_ascii_letter(c) || is_ascii_digit(c) || c == '_'; });
  if (name.empty() || name.size() > kMaxName || !scanner.take(')')) return std::nullopt;
  return repeatable(fmt::format("$({})", name), name.size() + 3);
}

std::optional<Placeholder> placeholder_at(std::string_view line, size_t at) {
  const char c = line[at];
  if (c == '%' && line.substr(at).starts_with("%%")) return Placeholder{"%%", 2, false, "%%"};
  // Behind a digit it is the sign of a number, unless that is the 0 of "0%o".
  const bool is_behind_zero = at > 0 && line[at - 1] == '0' && line.substr(at).starts_with("%o") &&
                              (at == 1 || !is_ascii_digit(line[at - 2]));
  if (c == '%' && (at == 0 || !is_ascii_digit(line[at - 1]) || is_behind_zero))
    return percent(line.substr(at));
  if (c == '{') return braces(line.substr(at));
  if ((c == '$' || c == '#') && at + 1 < line.size() && line[at + 1] == '{')
    return behind(c, braces(line.substr(at + 1)));
  if (c == '$' && at + 1 < line.size() && line[at + 1] == '(') return argument(line.substr(at));
  return std::nullopt;
}

}  // namespace

std::vector<Placeholder> placeholders_in(std::string_view line) {
  constexpr std::string_view kFirst = "%{$#";
  std::vector<Placeholder> all;
  for (size_t at = line.find_first_of(kFirst); at != line.npos;) {
    auto found = placeholder_at(line, at);
    const size_t length = found ? found->length : 1;
    if (found) {
      found->begin = at;
      all.push_back(std::move(*found));
    }
    at = line.find_first_of(kFirst, at + length);
  }
  // Without others it is not a program that reads "%%".
  const bool has_others = std::ranges::any_of(
      all, [](const Placeholder& one) { return one.name[0] == '%' && one.name != "%%"; });
  if (!has_others) std::erase_if(all, [](const Placeholder& one) { return one.name == "%%"; });
  return all;
}

std::string without_placeholders(std::string_view line) {
  std::string text;
  size_t end = 0;
  for (const Placeholder& found : placeholders_in(line)) {
    text.append(line.substr(end, found.begin - end)).push_back(' ');
    end = found.begin + found.length;
  }
  return text.append(line.substr(end));
}

}  // namespace heed::detail
