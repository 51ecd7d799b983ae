// The blocks of reStructuredText, as docutils and Sphinx read them. What is malformed for them is
// read as they go on after their message.
#include <algorithm>

#include "heed/core/unicode.h"
#include "heed/documents/document_builder.h"
#include "heed/documents/rst_directives.h"
#include "heed/documents/rst_layout.h"
#include "heed/documents/rst_lines.h"
#include "heed/documents/rst_paragraph.h"
#include "heed/documents/rst_writer.h"

namespace heed::detail {
namespace {

using Marker = RstMarker::Kind;
using Until = RstLayout::Until;

class RstReader {
 public:
  explicit RstReader(FormattedDocument& document)
      : builder_(document, kRstText),
        bytes_(builder_.bytes()),
        lines_(bytes_),
        referenced_(rst_referenced_names(bytes_)) {
    for (size_t line = 0; line < lines_.size(); ++line) add_target(lines_.text(line));
  }

  // Blocks inside blocks wait for their turn, without recursion: they may be nested deeply. Every
  // line has bytes of indentation for each block around it, so this takes linear time.
  void read() {
    push({.last = lines_.size()});
    while (!waiting_.empty()) {
      const RstBlock block = waiting_.back();
      waiting_.pop_back();
      read_block(block);
    }
    builder_.keep_until(bytes_.size());
  }

 private:
  using Lines = std::vector<RstParagraph::Line>;

  // Remembers the name of a target: ".. _name:".
  void add_target(std::string_view line) {
    if (!line.starts_with(".. _")) return;
    std::string_view name = line.substr(4);
    name = name.substr(0, name.find(": "));
    if (name.ends_with(':')) name.remove_suffix(1);
    if (name.size() > 1 && name.starts_with('`') && name.ends_with('`'))
      name = name.substr(1, name.size() - 2);
    targets_.insert(rst_name(rst_unescaped(name)));
  }

  void push(const RstBlock& block) {
    if (block.first < block.last) waiting_.push_back(block);
  }
  // Leaves the rest of a block, from this line, and before it others inside the block to wait.
  size_t wait(RstBlock rest, size_t line, std::initializer_list<RstBlock> inner) {
    rest.first = line;
    rest.at = RstBlock::kIndented;
    push(rest);
    for (auto one = std::rbegin(inner); one != std::rend(inner); ++one) push(*one);
    return rest.last;
  }

  void read_block(RstBlock block) {
    while (block.first < block.last) {
      if (block.at == RstBlock::kIndented) {
        block.first = lines_.next_text(block.first);
        if (block.first >= block.last) return;
        const RstLine& line = lines_[block.first];
        block.at = line.begin;
        block.at_column = line.column;
        if (line.column > block.column) {  // a quotation
          const auto [end, column] =
              lines_.indented_below(block.first - 1, block.last, block.column);
          wait(block, end, {{.first = block.first, .last = end, .column = column}});
          return;
        }
      }
      block.first = block.is_glossary ? block.first + 1 : read_element(block);
      block.at = RstBlock::kIndented;
    }
  }

  // Reads what begins with the first line of a block. Returns the line behind it, or the end of the
  // block if its rest waits.
  size_t read_element(const RstBlock& block) {
    const size_t line = block.first;
    const std::string_view text = lines_.text_from(block.at, line);
    const RstMarker marker = rst_marker(text);
    switch (marker.kind) {
      case Marker::bullet:
        return read_item(block, marker.bytes);
      case Marker::enumerator:
        return is_item(block) ? read_item(block, marker.bytes) : read_text(block);
      case Marker::field:
        if (is_rst_plain_field(text.substr(1, rst_field_bytes(text) - 2)))
          return lines_.indented_below(line, block.last, block.column).end;
        return read_body(block, marker.bytes);
      case Marker::option:
        return read_body(block, marker.bytes);
      case Marker::line_block:
        return read_line_block(block);
      case Marker::simple_table:
        return end_of_simple_table(block);
      case Marker::explicit_markup:
        return read_explicit(block, marker.bytes);
      case Marker::anonymous_target:
        return lines_.indented_below(line, block.last, block.column, Until::blank).end;
      case Marker::adornment:
        return read_overline(block);
      case Marker::doctest:
      case Marker::grid_table:
        return lines_.next_blank(line, block.last);
      case Marker::none:
        return read_text(block);
    }
    return line + 1;
  }

  bool is_item(const RstBlock& block) const {
    const size_t next = block.first + 1;
    const bool is_below = lines_.has_text(next, block.last) && lines_[next].column <= block.column;
    return begins_rst_item(lines_.text_from(block.at, block.first),
                           is_below ? lines_.text(next) : std::string_view());
  }

  // An item of a list, with further lines that begin below its text.
  size_t read_item(const RstBlock& block, size_t marker_bytes) {
    const size_t line = block.first, text = block.at + marker_bytes;
    if (text >= lines_[line].end) return read_body(block, marker_bytes);
    const size_t at_column = lines_.column_of(text, block.at, block.at_column);
    const size_t column = block.column + at_column - block.at_column;
    const size_t end = lines_.indented_below(line, block.last, column - 1).end;
    return wait(block, end,
                {{.first = line,
                  .last = end,
                  .column = column,
                  .at = text,
                  .at_column = at_column,
                  .is_item = true}});
  }

  // Blocks behind a marker, with further lines that are indented in whatever way.
  size_t read_body(const RstBlock& block, size_t marker_bytes) {
    const auto [end, column] = lines_.indented_below(block.first, block.last, block.column);
    return wait(block, end, {block_behind(block, block.at + marker_bytes, end, column)});
  }
  // Lines from the byte `at` of the first line of a block.
  RstBlock block_behind(const RstBlock& block, size_t at, size_t end, size_t column) const {
    if (at >= lines_[block.first].end)
      return {.first = block.first + 1, .last = end, .column = column};
    return {.first = block.first,
            .last = end,
            .column = column,
            .at = at,
            .at_column = lines_.column_of(at, block.at, block.at_column)};
  }

  // Texts behind bars, each with the lines below that are indented.
  size_t read_line_block(const RstBlock& block) {
    size_t line = block.first, at = block.at;
    while (rst_marker(lines_.text_from(at, line)).kind == Marker::line_block) {
      Lines text;
      add_line(at + rst_marker(lines_.text_from(at, line)).bytes, line, text);
      for (++line; lines_.has_text(line, block.last) && lines_[line].column > block.column; ++line)
        add_line(lines_[line].begin, line, text);
      add_text(text, kRstText);
      if (!lines_.has_text(line, block.last)) break;
      at = lines_[line].begin;
    }
    return line;
  }

  size_t end_of_simple_table(const RstBlock& block) const {
    int borders = 0;
    for (size_t line = block.first + 1; line < block.last; ++line) {
      const std::string_view text = lines_.text(line);
      if (!text.starts_with('=') || text.find_first_not_of("= ") != text.npos) continue;
      if (++borders == 2 || !lines_.has_text(line + 1, block.last)) return line + 1;
    }
    return lines_.next_blank(block.first, block.last);
  }

  // A line of punctuation: above a title, between paragraphs, or the beginning of a paragraph.
  size_t read_overline(const RstBlock& block) {
    constexpr size_t kLong = 4;  // characters; a shorter one may be text
    const size_t line = block.first, title = line + 1, below = line + 2;
    const std::string_view adornment = lines_.text_from(block.at, line);
    if (lines_.has_text(title, block.last) && below < block.last &&
        lines_.text(below) == adornment) {
      add_title(title, lines_[title].begin, {block.at, lines_[line].end},
                lines_[title].column - block.column);
      return below + 1;
    }
    return adornment.size() < kLong ? read_text(block) : line + 1;
  }

  // A title, a definition or a paragraph.
  size_t read_text(const RstBlock& block) {
    const size_t line = block.first, next = line + 1;
    if (!lines_.has_text(next, block.last)) return read_paragraph(block);
    if (lines_[next].column > block.column) return read_definition(block);
    const std::string_view below = lines_.text(next), text = lines_.text_from(block.at, line);
    if (!is_rst_adornment(below) || (below.size() < 4 && below.size() < rst_columns(text)))
      return read_paragraph(block);
    add_title(line, block.at, {}, 0);
    return next + 1;
  }

  // A title with a line below, and one above or none.
  void add_title(size_t line, size_t at, RstParagraph::Line overline, size_t inset) {
    const RstParagraph title(bytes_, {{at, lines_[line].end}});
    if (!title.has_words(referenced_)) return;
    const RstLine& underline = lines_[line + 1];
    const size_t begin = overline.end > 0 ? overline.begin : at, text = builder_.texts();
    builder_.set_style(kRstText);
    builder_.keep_until(begin);
    add_name(title.plain_text(), begin, text);
    if (overline.end > 0) {
      builder_.keep_adornment(overline.begin, overline.end, text, inset);
      builder_.skip_to(overline.end);
    }
    builder_.keep_until(at);
    title.add_to(builder_, referenced_);
    builder_.end_run();
    builder_.skip_to(lines_[line].end);
    builder_.keep_until(underline.begin);
    builder_.keep_adornment(underline.begin, underline.end, text, inset);
    builder_.skip_to(underline.end);
  }

  // A title is the target of references by its text: one that changes needs a target.
  void add_name(const std::string& title, size_t begin, size_t text) {
    const std::string name = rst_name(title);
    const bool is_first_of_line = begin == 0 || bytes_[begin - 1] == '\n';
    if (!is_first_of_line || !referenced_.contains(name) || targets_.contains(name) ||
        name.find_first_of("`\\") != name.npos)
      return;
    targets_.insert(name);
    builder_.keep_addition(".. _`" + name + "`:\n\n", text);
  }

  size_t read_definition(const RstBlock& block) {
    const auto [end, column] = lines_.indented_below(block.first, block.last, block.column);
    // Code whose empty line was forgotten
    if (lines_.text_from(block.at, block.first).ends_with("::")) return end;
    RstParagraph::Line term{block.at, lines_[block.first].end};
    term.end = term.begin + RstParagraph(bytes_, {term}).classifier();
    add_text({term}, kRstTerm);
    return wait(block, end, {{.first = block.first + 1, .last = end, .column = column}});
  }

  size_t read_paragraph(const RstBlock& block) {
    size_t line = block.first;
    Lines text;
    add_line(block.at, line, text);
    for (++line; lines_.has_text(line, block.last) && lines_[line].column <= block.column; ++line)
      add_line(lines_[line].begin, line, text);
    const bool is_introduction = ends_in_colons(lines_.text(line - 1));
    const TextStyle& style = is_introduction ? take_colons(text) : kRstText;
    const size_t texts = builder_.texts();
    add_text(text, style, indentation_before(block, line));
    // Below one line of text "::" might be that of a title, and what is indented a definition.
    const bool is_apart = !text.empty() && text.back().end <= lines_[line - 1].begin;
    if (builder_.texts() > texts) {
      if (is_apart) add_blank_line(text.back().end, texts);
      if (lines_.has_text(line, block.last)) add_blank_line(lines_[line - 1].end, texts);
    }
    return is_introduction ? end_of_literal(line, block) : line;
  }

  // At the end of a line, where a text changes.
  void add_blank_line(size_t at, size_t text) {
    builder_.keep_until(at);
    builder_.keep_addition("\n", text);
  }

  // Further lines behind a marker say where all of them begin. Where a paragraph that becomes one
  // line has the only ones that begin there, it goes below the marker.
  std::string indentation_before(const RstBlock& block, size_t end) const {
    const bool is_behind_marker = block.at != lines_[block.first].begin && !block.is_item;
    const size_t next = lines_.next_text(end);
    if (!is_behind_marker || end == block.first + 1 || next >= block.last) return {};
    const size_t deeper = lines_.indented_below(next - 1, block.last, block.column).end;
    return lines_.next_text(deeper) >= block.last ? "\n" + std::string(block.column, ' ') : "";
  }

  // Whether a text ends in "::", of which no backslash takes the meaning.
  static bool ends_in_colons(std::string_view text) {
    if (!text.ends_with("::")) return false;
    text.remove_suffix(2);
    const size_t backslashes = text.size() - (text.find_last_not_of('\\') + 1);  // npos + 1 is 0
    return backslashes % 2 == 0;
  }
  // Takes "::" from the end of a text, or its second colon where it is shown as ":".
  const TextStyle& take_colons(Lines& text) const {
    RstParagraph::Line& last = text.back();
    --last.end;
    const size_t words = bytes_.substr(0, last.end - 1).find_last_not_of(" \t") + 1;
    if (words + 1 == last.end && last.begin < words) return kRstIntroduction;
    last.end = std::max(last.begin, words);
    if (last.begin == last.end) text.pop_back();
    return kRstText;
  }

  // Behind the code below a text that ends in "::": indented lines, or such as begin with the same
  // character of punctuation.
  size_t end_of_literal(size_t line, const RstBlock& block) const {
    const size_t first = lines_.next_text(line);
    if (first >= block.last) return line;
    if (lines_[first].column > block.column)
      return lines_.indented_below(first - 1, block.last, block.column).end;
    const char mark = lines_.text(first).front();
    if (!is_ascii_punctuation(mark)) return line;
    size_t end = first;
    while (lines_.has_text(end, block.last) && lines_.text(end).starts_with(mark)) ++end;
    return end;
  }

  size_t read_explicit(const RstBlock& block, size_t marker_bytes) {
    const size_t line = block.first, at = block.at + marker_bytes;
    const std::string_view text = lines_.text_from(at, line);
    if (text.empty() && !lines_.has_text(line + 1, block.last)) return line + 1;  // a comment
    const size_t label = rst_label_bytes(text), behind = text.find_first_not_of(" \t", label);
    if (label > 0 && (label == text.size() || behind > label))
      return read_body(block, marker_bytes + std::min(behind, text.size()));
    if (text.starts_with('_'))
      return lines_.indented_below(line, block.last, block.column, Until::blank).end;
    if (rst_directive_bytes(text) > 0) return read_directive(block, at);
    return lines_.indented_below(line, block.last, block.column).end;
  }

  // A directive whose name is at this byte.
  size_t read_directive(const RstBlock& block, size_t at) {
    const size_t line = block.first;
    const std::string_view text = lines_.text_from(at, line);
    const std::string_view name = text.substr(0, rst_name_bytes(text));
    const RstDirective directive = rst_directive(name);
    const size_t colons = rst_directive_bytes(text);
    const size_t argument = at + std::min(text.find_first_not_of(" \t", colons), text.size());
    const auto [end, column] = lines_.indented_below(line, block.last, block.column);
    const bool has_argument = argument < lines_[line].end;
    const size_t below = lines_.next_blank(line + 1, end);
    size_t options = line + 1;
    while (options < below && rst_marker(lines_.text(options)).kind != Marker::field) ++options;
    RstBlock head = block_behind(block, argument, options, column);
    if (has_argument && directive.argument != RstDirective::Argument::none) {
      if (directive.argument != RstDirective::Argument::kept)
        add_text(argument_text(line, argument, options, directive.versions), kRstText);
      head.last = head.first;
    }
    if (directive.content == RstDirective::Content::kept) head.last = head.first;
    if (head.first >= head.last)
      read_options(name, options, below, column);
    else if (options == below)
      head.last = end;  // with the code that a text may introduce
    if (directive.content == RstDirective::Content::kept) return end;
    RstBlock body{.first = std::max(below, head.last), .last = end, .column = column};
    body.is_glossary = directive.content == RstDirective::Content::glossary;
    head.is_glossary = body.is_glossary;
    return wait(block, end, {head, body});
  }

  // The lines of an argument, without the versions that it begins with.
  Lines argument_text(size_t line, size_t at, size_t end, int versions) const {
    std::string_view first = lines_.text_from(at, line);
    for (int i = 0; i < versions; ++i) {
      first.remove_prefix(std::min(first.find_first_of(" \t"), first.size()));
      first.remove_prefix(std::min(first.find_first_not_of(" \t"), first.size()));
    }
    Lines text;
    add_line(lines_[line].end - first.size(), line, text);
    for (++line; line < end; ++line) add_line(lines_[line].begin, line, text);
    return text;
  }

  // The options of a directive, ":name: value".
  void read_options(std::string_view directive, size_t line, size_t end, size_t column) {
    while (line < end) {
      const std::string_view text = lines_.text(line);
      const RstMarker marker = rst_marker(text);
      const size_t name = marker.kind == Marker::field ? rst_field_bytes(text) : 0;
      const std::string_view option = name > 0 ? text.substr(1, name - 2) : std::string_view();
      Lines value;
      if (name > 0) add_line(lines_[line].begin + marker.bytes, line, value);
      for (++line; line < end && lines_[line].column > column; ++line)
        add_line(lines_[line].begin, line, value);
      if (value.empty() || !is_rst_text_option(option)) continue;
      if (is_rst_marked_option(directive, option))
        add_text(value, kRstText);
      else
        add_value(value.front().begin, value.back().end);
    }
  }
  void add_value(size_t begin, size_t end) {
    builder_.keep_until(begin);
    DocumentParts parts;
    builder_.append_text(bytes_.substr(begin, end - begin), begin, end, kRstValue, parts);
    builder_.keep(parts);
    builder_.skip_to(end);
  }

  void add_line(size_t at, size_t line, Lines& text) const {
    if (at < lines_[line].end) text.push_back({at, lines_[line].end});
  }

  // `before` is written where the text changes.
  void add_text(const Lines& lines, const TextStyle& style, const std::string& before = {}) {
    if (lines.empty()) return;
    const RstParagraph text(bytes_, lines);
    if (!text.has_words(referenced_)) return;
    builder_.keep_until(lines.front().begin);
    if (!before.empty()) builder_.keep_addition(before, builder_.texts());
    builder_.set_style(style);
    text.add_to(builder_, referenced_);
    builder_.end_run();
    builder_.skip_to(lines.back().end);
  }

  DocumentBuilder builder_;
  const std::string_view bytes_;
  const RstLayout lines_;
  const RstNames referenced_;
  RstNames targets_;               // of the document, and those that titles get
  std::vector<RstBlock> waiting_;  // the next one last
};

}  // namespace

void read_rst(FormattedDocument& document) {
  RstReader(document).read();
}

}  // namespace heed::detail
