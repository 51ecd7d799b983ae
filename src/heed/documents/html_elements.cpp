#include "heed/documents/html_elements.h"

#include <algorithm>
#include <array>

namespace heed::detail {

bool is_html_block(std::string_view name) {
  static constexpr auto kBlocks = std::to_array<std::string_view>(
      {"address",  "article",   "aside",      "audio",   "base",     "blockquote", "body",
       "br",       "button",    "canvas",     "caption", "center",   "col",        "colgroup",
       "dd",       "details",   "dialog",     "dir",     "div",      "dl",         "dt",
       "embed",    "fieldset",  "figcaption", "figure",  "footer",   "form",       "frame",
       "frameset", "h1",        "h2",         "h3",      "h4",       "h5",         "h6",
       "head",     "header",    "hgroup",     "hr",      "html",     "iframe",     "legend",
       "li",       "link",      "main",       "menu",    "meta",     "nav",        "noembed",
       "noframes", "noscript",  "object",     "ol",      "optgroup", "option",     "p",
       "param",    "plaintext", "pre",        "script",  "search",   "section",    "select",
       "source",   "style",     "summary",    "table",   "tbody",    "td",         "template",
       "textarea", "tfoot",     "th",         "thead",   "title",    "tr",         "track"});
  static constexpr auto kMore = std::to_array<std::string_view>({"ul", "video", "xmp"});
  return std::ranges::binary_search(kBlocks, name) || std::ranges::binary_search(kMore, name);
}

bool is_html_void(std::string_view name) {
  static constexpr auto kVoid = std::to_array<std::string_view>(
      {"area", "base", "br", "col", "embed", "frame", "hr", "img", "input", "link", "meta", "param",
       "source", "track", "wbr", "~"});
  return std::ranges::binary_search(kVoid, name);
}

bool is_html_element(std::string_view name) {
  static constexpr auto kInline = std::to_array<std::string_view>(
      {"a",    "abbr", "acronym", "b",     "bdi",  "bdo",    "big",     "cite",     "code",
       "data", "del",  "dfn",     "em",    "font", "i",      "ins",     "kbd",      "label",
       "map",  "mark", "math",    "meter", "nobr", "output", "picture", "progress", "q",
       "rp",   "rt",   "ruby",    "s",     "samp", "small",  "span",    "strike",   "strong",
       "sub",  "sup",  "svg",     "time",  "tt",   "u",      "var"});
  return std::ranges::binary_search(kInline, name) || is_html_block(name) || is_html_void(name);
}

}  // namespace heed::detail
