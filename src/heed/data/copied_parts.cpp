#include "heed/data/copied_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "heed/core/ascii.h"

namespace heed::detail {
namespace {

constexpr size_t kMaxName = 64;  // bytes inside braces

bool is_one_of(char c, std::string_view set) {
  return set.find(c) != set.npos;
}

// Reads from the beginning of a text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  template <class Accept>
  std::string_view take_while(Accept accept) {
    const size_t begin = at_;
    while (at_ < text_.size() && accept(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  std::string_view digits() { return take_while(is_ascii_digit); }
  std::string_view set(std::string_view characters) {
    return take_while([&](char c) { return is_one_of(c, characters); });
  }
  size_t position() const { return at_; }
  void rewind(size_t position) { at_ = position; }
  std::string_view rest() const { return text_.substr(at_); }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

struct Placeholder {
  std::string name;  // without its position: "%s" for "%2$s"
  size_t length = 0;
  // Named and numbered ones refer to the same value each time.
  bool may_repeat = false;
  std::string reference;  // what it refers to: "%2$s"
};

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

// "-5.2lf" behind a percent sign, without the letter that begins a word: false if it is none.
bool take_conversion(Scanner& scanner) {
  scanner.set("-+#0");
  if (!scanner.take('*')) scanner.digits();
  if (scanner.take('.') && !scanner.take('*')) scanner.digits();
  scanner.set("hlzjtL");
  if (!is_one_of(scanner.peek(), "diouxXeEfFgGcsSpqn@") || scanner.peek() == '\0') return false;
  return scanner.take(scanner.peek());
}

// "{name}", "{0:.2f}", "{{ name }}", "{}".
std::optional<Placeholder> braces(std::string_view text) {
  Scanner scanner(text);
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
  Scanner scanner(text);
  scanner.take('%');
  if (scanner.take('(')) {
    scanner.take_while(
        [](char c) { return is_ascii_letter(c) || is_ascii_digit(c) || is_one_of(c, "_.-"); });
    if (!scanner.take(')') || !take_conversion(scanner)) return std::nullopt;
    return repeatable(std::string(text.substr(0, scanner.position())), scanner.position());
  }
  if (scanner.peek() == '{') return behind('%', braces(scanner.rest()));
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

std::optional<Placeholder> placeholder_at(std::string_view line, size_t at) {
  const char c = line[at];
  if (c == '%' && (at == 0 || (!is_ascii_digit(line[at - 1]) && line[at - 1] != '%')))
    return percent(line.substr(at));
  if (c == '{') return braces(line.substr(at));
  if ((c == '$' || c == '#') && at + 1 < line.size() && line[at + 1] == '{')
    return behind(c, braces(line.substr(at + 1)));
  return std::nullopt;
}

// Calls use(placeholder, position) for each.
template <class Use>
void for_each_placeholder(std::string_view line, Use use) {
  constexpr std::string_view kFirst = "%{$#";
  for (size_t at = line.find_first_of(kFirst); at != line.npos;) {
    const auto found = placeholder_at(line, at);
    if (found) use(*found, at);
    at = line.find_first_of(kFirst, at + (found ? found->length : 1));
  }
}

Parts placeholders(std::string_view line) {
  Parts names, references;
  for_each_placeholder(line, [&](const Placeholder& found, size_t) {
    if (found.may_repeat) {
      if (has_part(references, found.reference)) return;
      references.push_back(found.reference);
    }
    names.push_back(found.name);
  });
  return names;
}

struct Tag {
  std::string name;  // "b", "/b"
  // Whether it is repeated as it is: a tag, or a name that no one translates ("<A1>", "<os.path>",
  // "<https://...>"). Others may be words: "<Name>" is "<Wert>" in a translation.
  bool certain = false;
};

constexpr std::array<std::string_view, 48> kHtml = {
    "a",     "abbr", "b",  "big", "br", "code", "dd",    "del",  "div",    "dl",     "dt",  "em",
    "font",  "h1",   "h2", "h3",  "h4", "h5",   "h6",    "hr",   "i",      "img",    "ins", "kbd",
    "li",    "ol",   "p",  "pre", "q",  "s",    "small", "span", "strike", "strong", "sub", "sup",
    "table", "td",   "th", "tr",  "tt", "u",    "ul",    "var",  "mark",   "ruby",   "rt",  "bdi"};

std::vector<Tag> tags(std::string_view line) {
  std::vector<Tag> found;
  for (size_t at = line.find('<'); at != line.npos; at = line.find('<', at + 1)) {
    Scanner scanner(line.substr(at + 1));
    const bool closes = scanner.take('/');
    const auto begins_name = [](char c) { return is_ascii_letter(c) || uint8_t(c) >= 0x80; };
    if (!begins_name(scanner.peek())) continue;
    const std::string name = lower_ascii(scanner.take_while(
        [&](char c) { return begins_name(c) || is_ascii_digit(c) || is_one_of(c, ":._-"); }));
    const std::string_view rest = scanner.take_while([](char c) { return c != '<' && c != '>'; });
    if (scanner.peek() != '>' || (!rest.empty() && !is_one_of(rest.front(), " \t/"))) continue;
    const bool identifier = name.find_first_of("0123456789:._") != name.npos;
    const bool certain = closes || identifier || rest.ends_with('/') ||
                         rest.find('=') != rest.npos ||
                         std::find(kHtml.begin(), kHtml.end(), name) != kHtml.end();
    found.push_back({(closes ? "/" : "") + name, certain});
  }
  return found;
}

}  // namespace

bool has_part(const Parts& parts, const std::string& part) {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

bool remove_one(Parts& parts, const std::string& part) {
  const auto found = std::find(parts.begin(), parts.end(), part);
  if (found == parts.end()) return false;
  parts.erase(found);
  return true;
}

Parts without(const Parts& all, const Parts& others) {
  std::vector<std::string> sorted = others;
  std::sort(sorted.begin(), sorted.end());
  std::vector<bool> used(sorted.size());
  Parts rest;
  for (const std::string& part : all) {
    auto at = std::lower_bound(sorted.begin(), sorted.end(), part);
    while (at != sorted.end() && *at == part && used[size_t(at - sorted.begin())]) ++at;
    if (at != sorted.end() && *at == part) {
      used[size_t(at - sorted.begin())] = true;
    } else {
      rest.push_back(part);
    }
  }
  return rest;
}

PartDifference placeholder_difference(std::string_view source, std::string_view target) {
  const Parts left = placeholders(source), right = placeholders(target);
  return {without(left, right), without(right, left)};
}

PartDifference tag_difference(std::string_view source, std::string_view target) {
  const std::vector<Tag> left = tags(source), right = tags(target);
  Parts closing;  // on either side
  for (const auto* side : {&left, &right}) {
    for (const Tag& tag : *side)
      if (tag.name.starts_with('/')) closing.push_back(tag.name);
  }
  Parts certain[2], others[2];
  for (const size_t side : {0, 1})
    for (const Tag& tag : side == 0 ? left : right) {
      const bool known = tag.certain || has_part(closing, "/" + tag.name);
      (known ? certain : others)[side].push_back("<" + tag.name + ">");
    }
  PartDifference difference{without(certain[0], certain[1]), without(certain[1], certain[0])};
  // Words in such brackets may be translated, but do not come or go.
  if (!difference.found() && others[0].size() != others[1].size())
    difference = {without(others[0], others[1]), without(others[1], others[0])};
  return difference;
}

std::string without_placeholders(std::string_view line) {
  std::string text;
  size_t end = 0;
  for_each_placeholder(line, [&](const Placeholder& found, size_t at) {
    text.append(line.substr(end, at - end)).push_back(' ');
    end = at + found.length;
  });
  return text.append(line.substr(end));
}

}  // namespace heed::detail
