#include "heed/documents/rst_directives.h"

#include <algorithm>
#include <string>

#include "heed/core/ascii.h"

namespace heed::detail {
namespace {

template <size_t count>
bool is_one_of(std::string_view name, const std::string_view (&names)[count]) {
  return std::ranges::find(names, name) != std::end(names);
}

bool has_plain_content(std::string_view name) {
  // Code and data
  static constexpr std::string_view kCode[] = {"code",
                                               "code-block",
                                               "sourcecode",
                                               "literalinclude",
                                               "include",
                                               "raw",
                                               "math",
                                               "doctest",
                                               "testcode",
                                               "testoutput",
                                               "testsetup",
                                               "testcleanup",
                                               "ipython",
                                               "prompt",
                                               "parsed-literal",
                                               "productionlist",
                                               "grammar-snippet",
                                               "csv-table",
                                               "highlight",
                                               "highlightlang",
                                               "graphviz",
                                               "digraph",
                                               "graph",
                                               "mermaid",
                                               "uml",
                                               "plantuml",
                                               "plot",
                                               "tikz",
                                               "command-output",
                                               "program-output",
                                               "jinja",
                                               "runblock",
                                               "execute_code",
                                               "pyreverse",
                                               "ditaa",
                                               "blockdiag",
                                               "seqdiag",
                                               "actdiag",
                                               "nwdiag"};
  // Names, and what is not shown
  static constexpr std::string_view kNames[] = {"toctree",
                                                "autosummary",
                                                "index",
                                                "module",
                                                "currentmodule",
                                                "meta",
                                                "role",
                                                "default-role",
                                                "default-domain",
                                                "tabularcolumns",
                                                "unicode",
                                                "date",
                                                "replace",
                                                "inheritance-diagram",
                                                "contents",
                                                "sectnum",
                                                "section-numbering",
                                                "target-notes",
                                                "title",
                                                "bibliography",
                                                "comment"};
  return is_one_of(name, kCode) || is_one_of(name, kNames);
}

bool has_title(std::string_view name) {
  return is_one_of(
      name, {"admonition", "topic", "sidebar", "rubric", "centered", "list-table", "table",
             "csv-table", "dropdown", "tab-item", "tab", "card", "grid-item-card", "details"});
}

bool is_admonition(std::string_view name) {
  return is_one_of(name, {"note", "warning", "tip", "hint", "important", "danger", "error",
                          "caution", "attention", "seealso", "todo", "epigraph", "highlights",
                          "pull-quote", "compound", "header", "footer", "impl-detail", "hlist"});
}

}  // namespace

RstDirective rst_directive(std::string_view name) {
  using Argument = RstDirective::Argument;
  using Content = RstDirective::Content;
  std::string key = lower_ascii(name);
  key.erase(0, key.find_last_of(':') + 1);
  RstDirective made;
  if (has_plain_content(key)) made.content = Content::kept;
  if (key == "glossary") made.content = Content::glossary;
  if (has_title(key)) made.argument = Argument::text;
  if (is_admonition(key)) made.argument = Argument::none;
  if (is_one_of(key, {"versionadded", "versionchanged", "deprecated", "versionremoved"}))
    made = {Argument::version, Content::blocks, 1};
  if (key == "deprecated-removed") made = {Argument::version, Content::blocks, 2};
  return made;
}

bool is_rst_text_option(std::string_view option) {
  return option == "alt" || option == "caption";
}

bool is_rst_marked_option(std::string_view directive, std::string_view option) {
  return option == "caption" && directive != "toctree";
}

bool is_rst_plain_field(std::string_view name) {
  const std::string key = lower_ascii(name.substr(0, name.find(' ')));
  return is_one_of(key, {"author", "authors", "contact", "address", "date", "version", "revision",
                         "type", "rtype", "vartype", "kwtype", "paramtype", "file", "platform"});
}

}  // namespace heed::detail
