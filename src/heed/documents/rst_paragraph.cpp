#include "heed/documents/rst_paragraph.h"

#include <algorithm>

#include "heed/core/ascii.h"
#include "heed/core/unicode.h"
#include "heed/documents/rst_writer.h"

namespace heed::detail {
namespace {

// More markup than a run of a document may have, which a text would be parted at.
constexpr size_t kMaxSpans = 400;

// Whether a role, ":name:`", has titles that are prose. Others show names of code, unless they have
// several words.
bool has_prose_title(std::string_view role) {
  role.remove_suffix(2);
  role.remove_prefix(role.find_last_of(':') + 1);
  return role == "ref" || role == "doc" || role == "term" || role == "numref" || role == "any" ||
         role == "download";
}

}  // namespace

std::string rst_name(std::string_view text) {
  std::vector<std::string_view> words;
  split_at_whitespace(text, words);
  std::string name;
  for (const std::string_view word : words) name += (name.empty() ? "" : " ") + std::string(word);
  return lowercase(name);
}

RstNames rst_referenced_names(std::string_view document) {
  constexpr size_t kMaxName = 200;  // bytes
  RstNames names;
  for (size_t at = document.find('_'); at != document.npos; at = document.find('_', at + 1)) {
    const char32_t next = at + 1 < document.size() ? char32_t(uint8_t(document[at + 1])) : U' ';
    if (at == 0 || next == U'_' || is_ascii_letter(next) || is_ascii_digit(next)) continue;
    const size_t from = at > kMaxName ? at - kMaxName : 0;
    std::string_view name = document.substr(from, at - from);
    size_t before = name.find_last_of(" \t\r\n([{<'\"/");
    if (name.ends_with('`')) {  // "`name`_"
      name.remove_suffix(1);
      before = name.rfind('`');
    } else if (next == U'>') {  // "`text <name_>`_"
      before = name.rfind('<');
    }
    if (before == name.npos && from > 0) continue;
    name.remove_prefix(before + 1);  // npos + 1 is 0
    if (!name.empty() && name.back() != '_') names.insert(rst_name(rst_unescaped(name)));
  }
  return names;
}

RstParagraph::RstParagraph(std::string_view document, std::vector<Line> lines)
    : lines_(std::move(lines)) {
  for (const Line& line : lines_) {
    if (!text_.empty()) text_ += ' ';
    starts_.push_back(text_.size());
    text_ += document.substr(line.begin, line.end - line.begin);
  }
  spans_ = rst_spans(text_);
  // Addresses are words, which translations repeat.
  std::erase_if(spans_, [](const RstSpan& span) { return span.kind == RstSpan::Kind::address; });
}

size_t RstParagraph::place(size_t at) const {
  const auto line = size_t(std::ranges::upper_bound(starts_, at) - starts_.begin()) - 1;
  return lines_[line].begin + at - starts_[line];
}

std::string_view RstParagraph::part(size_t begin, size_t end) const {
  return std::string_view(text_).substr(begin, end - begin);
}

// The characters that a reader sees.
std::string RstParagraph::visible(const RstSpan& span) const {
  const std::string_view text = part(span.text_begin, span.text_end);
  if (span.kind == RstSpan::Kind::literal) return std::string(text);
  std::string shown = rst_unescaped(text);
  if (span.kind != RstSpan::Kind::role) return shown;
  const std::string_view role = part(span.begin, span.text_begin);
  if (role == ":pep:`") return "PEP " + shown;
  if (role == ":rfc:`") return "RFC " + shown;
  if (shown.starts_with('!')) return shown.substr(1);
  if (shown.starts_with('~')) return shown.substr(shown.find_last_of("~.") + 1);
  return shown;
}

std::string RstParagraph::plain_text() const {
  std::string plain;
  size_t at = 0;
  for (const RstSpan& span : spans_) {
    plain += rst_unescaped(part(at, span.begin));
    plain += visible(span);
    at = span.end;
  }
  return plain + rst_unescaped(part(at, text_.size()));
}

bool RstParagraph::has_words(const RstNames& referenced) const {
  if (spans_.size() > kMaxSpans) return false;
  size_t at = 0;
  for (const RstSpan& span : spans_) {
    if (has_letter(part(at, span.begin)) || (!stays(span, referenced) && has_letter(visible(span))))
      return true;
    at = span.end;
  }
  return has_letter(part(at, text_.size()));
}

size_t RstParagraph::classifier() const {
  auto span = spans_.begin();
  for (size_t at = text_.find(" : "); at != text_.npos; at = text_.find(" : ", at + 1)) {
    while (span != spans_.end() && span->end <= at) ++span;
    if (span == spans_.end() || span->begin > at) return at;
  }
  return text_.size();
}

void RstParagraph::add_to(DocumentBuilder& builder, const RstNames& referenced) const {
  size_t at = 0;
  for (const RstSpan& span : spans_) {
    add_text(builder, at, span.begin);
    add_span(builder, span, referenced);
    at = span.end;
  }
  add_text(builder, at, text_.size());
}

void RstParagraph::add_text(DocumentBuilder& builder, size_t begin, size_t end) const {
  if (begin < end) builder.add_text(rst_unescaped(part(begin, end)), place(begin), place(end));
}

// On one line, also where it was on two.
void RstParagraph::add_item(DocumentBuilder& builder, InlineItem item, size_t begin,
                            size_t end) const {
  DocumentBuilder::append_source(place(begin), place(end), item.tag.parts);
  const auto line_end = std::ranges::upper_bound(starts_, begin);
  if (item.rewritten.empty() && line_end != starts_.end() && *line_end < end)
    builder.append_literal(part(begin, end), item.rewritten);
  builder.add(std::move(item));
}

bool RstParagraph::stays(const RstSpan& span, const RstNames& referenced) const {
  const std::string_view text = part(span.text_begin, span.text_end);
  const bool is_phrase = text.find(' ') != text.npos;
  const bool is_named = !part(span.text_end, span.end).ends_with("__");
  if (is_blank(rst_unescaped(text))) return true;
  switch (span.kind) {
    case RstSpan::Kind::title:
      return !is_phrase && !has_prose_title(part(span.begin, span.text_begin));
    case RstSpan::Kind::link:
      return is_named && referenced.contains(rst_name(rst_unescaped(text)));
    case RstSpan::Kind::phrase:
      // Its name, which is its text, must fit between the brackets behind another text.
      return is_named && (!is_phrase || text.find_first_of("<>:_\\") != text.npos);
    default:
      return !encloses_words(span.kind);
  }
}

void RstParagraph::add_span(DocumentBuilder& builder, const RstSpan& span,
                            const RstNames& referenced) const {
  if (stays(span, referenced)) {
    const bool is_mark = span.kind == RstSpan::Kind::footnote;
    InlineItem item{.kind = is_mark ? InlineItem::Kind::single : InlineItem::Kind::fixed};
    item.tag.shape = kRstWhole;
    if (!is_mark) item.text = visible(span);
    return add_item(builder, std::move(item), span.begin, span.end);
  }
  InlineItem open{.kind = InlineItem::Kind::open, .name = "markup"};
  open.tag.shape = kRstOpen;
  open.tag.tried = rst_unescaped(part(span.text_begin, span.text_end));
  add_item(builder, std::move(open), span.begin, span.text_begin);
  add_text(builder, span.text_begin, span.text_end);
  InlineItem close{.kind = InlineItem::Kind::close, .name = "markup"};
  close.tag.shape = kRstClose;
  const std::string_view end = part(span.text_end, span.end);
  // A reference by its text becomes one by the name in brackets.
  if (span.kind == RstSpan::Kind::phrase && !end.ends_with("__"))
    builder.append_literal(" <" + std::string(part(span.text_begin, span.text_end)) + "_>`__",
                           close.rewritten);
  add_item(builder, std::move(close), span.text_end, span.end);
}

}  // namespace heed::detail
