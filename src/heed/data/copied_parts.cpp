#include "heed/data/copied_parts.h"

#include <algorithm>
#include <array>

#include "heed/core/ascii.h"
#include "heed/text/placeholders.h"
#include "heed/text/text_scanner.h"

namespace heed::detail {
namespace {

Parts placeholders(std::string_view line) {
  Parts names, references;
  for (const Placeholder& found : placeholders_in(line)) {
    if (found.may_repeat) {
      if (has_part(references, found.reference)) continue;
      references.push_back(found.reference);
    }
    names.push_back(found.name);
  }
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
    TextScanner scanner(line.substr(at + 1));
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

}  // namespace heed::detail
