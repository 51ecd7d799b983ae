// Lines of reStructuredText that begin something other than a paragraph.
#pragma once

#include <cstddef>
#include <string_view>

namespace heed::detail {

struct RstMarker {
  enum class Kind {
    none,  // text
    bullet,
    enumerator,
    field,
    option,
    doctest,
    line_block,
    grid_table,
    simple_table,
    explicit_markup,  // ".."
    anonymous_target,
    adornment  // above or below a title, or between paragraphs
  } kind = Kind::none;
  size_t bytes = 0;  // of the marker and the spaces behind it
};

// The marker of a line without indentation, and without white space at its end.
RstMarker rst_marker(std::string_view line);

// Whether a line that begins with an enumerator is an item of a list: the line behind it, if that
// is neither blank nor indented, must be the next item.
bool begins_rst_item(std::string_view line, std::string_view next_line);

// Whether a line is one character of punctuation, repeated.
bool is_rst_adornment(std::string_view line);

// The bytes of the name and the colons of a directive, or of a field: ":name:". 0: there is none.
size_t rst_directive_bytes(std::string_view text);
size_t rst_field_bytes(std::string_view line);

// The bytes of the label of a footnote or citation: "[1]". 0: there is none.
size_t rst_label_bytes(std::string_view text);

// Bytes of a simple name: letters and digits, with single characters of "-._+:" between them.
size_t rst_name_bytes(std::string_view text);

// The columns that a title takes at most: a mark that is combined with a letter counts too, since
// docutils counts some.
size_t rst_columns(std::string_view text);

}  // namespace heed::detail
