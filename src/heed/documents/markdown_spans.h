// The paragraphs, headings and cells of a Markdown document, with what is inside them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heed::detail {

// md4c says in which order spans begin and end, and where text stands. The bytes of the tags are
// found between these.
struct MarkdownEvent {
  enum class Kind { enter, leave, text, html, line_end, line_break } kind = Kind::text;
  enum class Span { emphasis, strong, deleted, code, link, image } span = Span::emphasis;
  bool has_place = false;       // always of a text or HTML; of a tag, once it is found
  size_t begin = 0, end = 0;    // bytes; those of the tags of an address alone are none
  std::string characters = {};  // of a text
  std::string address = {};     // of a link
};

struct MarkdownBlock {
  std::vector<MarkdownEvent> events;
  bool is_cell = false;  // of a table
};

// The characters that a backslash escapes.
constexpr bool is_ascii_punctuation(char c) {
  return c > ' ' && c < 0x7F && !(c >= '0' && c <= '9') &&
         !((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

// The blocks that have text other than code. Blocks of HTML are left out.
std::vector<MarkdownBlock> markdown_blocks(std::string_view markdown);

// Finds the bytes of the tags in a block; false if one is not where it should be. Enclosed text
// that begins with an escape begins with its backslash.
bool find_tags(std::string_view markdown, MarkdownBlock& block);

}  // namespace heed::detail
