// The directives of docutils and Sphinx, by how their parts are translated.
#pragma once

#include <string_view>

namespace heed::detail {

struct RstDirective {
  // The text behind "::" and below it, before an empty line
  enum class Argument {
    none,    // the beginning of the content
    kept,    // names, values, signatures
    text,    // a title
    version  // one or two versions, and text behind them
  } argument = Argument::kept;
  enum class Content {
    kept,  // code, names, tables of values
    blocks,
    glossary  // of which the terms, to which roles refer, are kept
  } content = Content::blocks;
  int versions = 0;  // of an argument
};

// A directive that is not known has an argument of names and content of blocks: those of objects
// ("py:function") and most extensions are so.
RstDirective rst_directive(std::string_view name);

// Whether an option of any directive is text, and whether that has markup.
bool is_rst_text_option(std::string_view option);
bool is_rst_marked_option(std::string_view directive, std::string_view option);

// Whether a field, ":name:" or ":name argument:", has no prose.
bool is_rst_plain_field(std::string_view name);

}  // namespace heed::detail
