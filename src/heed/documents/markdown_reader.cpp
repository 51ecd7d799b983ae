// Markdown, as GitHub reads it.
#include <algorithm>

#include "heed/core/ascii.h"
#include "heed/documents/document_builder.h"
#include "heed/documents/html_elements.h"
#include "heed/documents/markdown_spans.h"
#include "heed/text/html_characters.h"
#include "heed/text/html_tokens.h"

namespace heed::detail {
namespace {

using Span = MarkdownEvent::Span;
using EventKind = MarkdownEvent::Kind;

bool is_letter_or_digit(std::string_view text, size_t at) {
  const auto c = char32_t(uint8_t(text[at]));
  return is_ascii_letter(c) || is_ascii_digit(c);
}
bool is_blank_at(std::string_view text, size_t at) {
  return at >= text.size() || text[at] == ' ';
}

// Whether the character would begin a heading, a list or the like at the beginning of a line.
bool begins_block(std::string_view text, size_t at) {
  const char c = text[at];
  if (c == '.' || c == ')')
    return at > 0 && at < 10 && is_digits(text.substr(0, at)) && is_blank_at(text, at + 1);
  return at == 0 && (c == '>' || (std::string_view("#+-=").find(c) != std::string_view::npos &&
                                  (is_blank_at(text, 1) || text[1] == c)));
}

// Whether a character may be mark-up where it stands.
bool may_be_markup(std::string_view text, size_t at) {
  const char c = text[at], next = at + 1 < text.size() ? text[at + 1] : ' ';
  switch (c) {
    case '\\':
    case '[':
    case ']':
      return true;
    case '*':
      return !(at > 0 && text[at - 1] == ' ' && next == ' ' && at + 1 < text.size());
    case '_':
      return !(at > 0 && at + 1 < text.size() && is_letter_or_digit(text, at - 1) &&
               is_letter_or_digit(text, at + 1));
    case '~':
      return next == '~' || (at > 0 && text[at - 1] == '~');
    case '<':
      return is_ascii_letter(char32_t(uint8_t(next))) || next == '/' || next == '!' || next == '?';
    case '&': {
      const size_t end = text.find_first_of("; ", at);
      return end != text.npos && text[end] == ';';
    }
    default:
      return begins_block(text, at);
  }
}

// Writes a text with a backslash before the characters of which this is true.
template <class NeedsEscape>
void write_with_escapes(std::string_view text, std::string& markdown, NeedsEscape needs_escape) {
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '`') {
      markdown += "&#96;";  // which a backslash does not keep from ending code
      continue;
    }
    if (needs_escape(at)) markdown += '\\';
    markdown += text[at];
  }
}
void write_markdown(std::string_view text, std::string& markdown) {
  write_with_escapes(text, markdown, [&](size_t at) { return may_be_markup(text, at); });
}
void write_cell(std::string_view text, std::string& markdown) {
  write_with_escapes(text, markdown,
                     [&](size_t at) { return text[at] == '|' || may_be_markup(text, at); });
}
void write_escaped(std::string_view text, std::string& markdown) {
  write_with_escapes(text, markdown, [&](size_t at) { return is_ascii_punctuation(text[at]); });
}

// Characters that no text has are the tags of a shape.
std::string shape_of(const MarkdownEvent& event) {
  return {event.kind == EventKind::enter ? '\1' : '\2', char('0' + int(event.span))};
}
constexpr std::string_view kShapeOfFixed = "\3", kShapeOfImage = "\4", kShapeOfHtml = "\5";

// A shape with single spaces, and none at its ends and around the ends of lines.
std::string tidy(std::string_view shape) {
  std::string made;
  for (const char c : shape) {
    const bool is_space = c == ' ' || c == '\n';
    if (is_space && (made.empty() || made.back() == ' ' || made.back() == kShapeOfHtml[0]))
      continue;
    if (c == kShapeOfHtml[0] && made.ends_with(' ')) made.pop_back();
    made += is_space ? ' ' : c;
  }
  if (made.ends_with(' ')) made.pop_back();
  return made;
}

bool reads_as_markdown(std::string_view markdown, std::string_view wanted) {
  std::string shape;
  std::vector<MarkdownBlock> blocks = markdown_blocks(markdown);
  if (blocks.size() != 1 || !find_tags(markdown, blocks.front())) return false;
  const std::vector<MarkdownEvent>& events = blocks.front().events;
  for (size_t i = 0; i < events.size(); ++i) {
    const MarkdownEvent& event = events[i];
    if (event.kind == EventKind::text || event.kind == EventKind::line_end) {
      shape += event.characters;
    } else if (event.kind == EventKind::html || event.kind == EventKind::line_break) {
      shape += kShapeOfHtml;
    } else if (event.span == Span::code || event.span == Span::image) {
      shape += event.span == Span::code ? kShapeOfFixed : kShapeOfImage;
      while (events[i].kind != EventKind::leave || events[i].span != event.span) ++i;
    } else {
      shape += shape_of(event);
    }
  }
  return tidy(shape) == tidy(wanted);
}

// The end of a cell may be taken for a part of an address.
bool reads_as_cell(std::string_view markdown, std::string_view wanted) {
  return reads_as_markdown(std::string(markdown) + "|", std::string(wanted) + "|");
}

constexpr TextStyle kMarkdownText{.encode = write_markdown,
                                  .reads_as = reads_as_markdown,
                                  .encode_plain = write_escaped,
                                  .parts_at_halves = false};
constexpr TextStyle kMarkdownCell{.encode = write_cell,
                                  .reads_as = reads_as_cell,
                                  .encode_plain = write_escaped,
                                  .parts_at_halves = false};
constexpr TextStyle kMarkdownAlt{.encode = write_escaped};

// The bytes of the YAML between two lines of dashes that some documents begin with.
size_t front_matter_bytes(std::string_view markdown) {
  const size_t mark = markdown.starts_with("\uFEFF") ? 3 : 0;
  if (!markdown.substr(mark).starts_with("---\n") && !markdown.substr(mark).starts_with("---\r\n"))
    return mark;
  for (size_t at = markdown.find('\n'); at < markdown.size(); at = markdown.find('\n', at + 1)) {
    const std::string_view line = markdown.substr(at + 1, 4);
    if (line.starts_with("---") && (line.size() == 3 || line[3] == '\n' || line[3] == '\r'))
      return at + 4;
  }
  return mark;
}

class MarkdownReader {
 public:
  // `skipped` bytes at the beginning are not read.
  MarkdownReader(FormattedDocument& document, size_t skipped)
      : builder_(document, kMarkdownText),
        markdown_(builder_.bytes().substr(skipped)),
        skipped_(skipped) {}

  void read() {
    for (MarkdownBlock& block : markdown_blocks(markdown_)) {
      if (!find_tags(markdown_, block)) continue;
      const auto first = std::ranges::find(block.events, true, &MarkdownEvent::has_place);
      if (first == block.events.end()) continue;
      builder_.set_style(block.is_cell ? kMarkdownCell : kMarkdownText);
      builder_.keep_until(skipped_ + first->begin);
      at_ = text_begin_ = first->begin;
      const std::vector<MarkdownEvent>& events = block.events;
      for (size_t i = 0; i < events.size();) i = read_event(events, i);
      flush(at_);
      builder_.end_run();
      builder_.skip_to(skipped_ + at_);
    }
    builder_.keep_until(builder_.bytes().size());
  }

 private:
  using Events = std::vector<MarkdownEvent>;

  void append_source(size_t begin, size_t end, DocumentParts& parts) const {
    DocumentBuilder::append_source(skipped_ + begin, skipped_ + end, parts);
  }

  // Returns the number of the event behind those that were read.
  size_t read_event(const Events& events, size_t i) {
    const MarkdownEvent& event = events[i];
    switch (event.kind) {
      case EventKind::text:
        add_characters(event);
        return i + 1;
      case EventKind::line_end:
        characters_ += ' ';
        return i + 1;
      case EventKind::line_break: {
        flush(at_);
        size_t next = i + 1;
        while (next < events.size() && !events[next].has_place) ++next;
        const size_t behind = next < events.size() ? events[next].begin : at_;
        keep_between(at_, behind, "<br>");
        return i + 1;
      }
      case EventKind::html:
        return add_html(events, i);
      case EventKind::enter:
        if (event.span == Span::code || (event.span == Span::link && markdown_[event.begin] != '['))
          return add_fixed(events, i);
        if (event.span == Span::image) return add_image(events, i);
        open_.push_back(event.end);
        add_tag(event);
        return i + 1;
      case EventKind::leave:
        add_tag(event);
        open_.pop_back();
        return i + 1;
    }
    return i + 1;
  }

  // Keeps bytes that part texts; inside a tag they are one themselves, perhaps with a plain form,
  // so that the tag stays whole.
  void keep_between(size_t begin, size_t end, const std::string& plain = {}) {
    if (!open_.empty()) {
      DocumentTag tag;
      if (!plain.empty()) tag = html_tag(plain);
      tag.tried = plain.empty() ? std::string(markdown_.substr(begin, end - begin)) : "  \n";
      tag.shape = kShapeOfHtml;
      return add_item({.kind = InlineItem::Kind::single, .tag = std::move(tag)}, begin, end);
    }
    flush(begin);
    builder_.keep(skipped_ + begin, skipped_ + end);
    at_ = text_begin_ = end;
  }

  // A footnote's mark, "[^1]", which md4c does not know, is no word.
  void add_characters(const MarkdownEvent& event) {
    const bool is_plain = event.end - event.begin == event.characters.size();
    size_t from = 0;
    for (size_t mark = event.characters.find("[^"); is_plain && mark != event.characters.npos;
         mark = event.characters.find("[^", std::max(mark + 1, from))) {
      const size_t end = event.characters.find_first_of("] ", mark);
      if (end == event.characters.npos || event.characters[end] == ' ') continue;
      characters_ += event.characters.substr(from, mark - from);
      add_item({.kind = InlineItem::Kind::single,
                .tag = {.tried = "`x`", .shape = std::string(kShapeOfFixed)}},
               event.begin + mark, event.begin + end + 1);
      from = end + 1;
    }
    characters_ += event.characters.substr(from);
    at_ = event.end;
  }

  void flush(size_t end) {
    if (text_begin_ < end)
      builder_.add_text(std::move(characters_), skipped_ + text_begin_, skipped_ + end);
    characters_.clear();
    text_begin_ = end;
  }

  void add_item(InlineItem item, size_t begin, size_t end) {
    flush(begin);
    if (item.tag.parts.empty()) append_source(begin, end, item.tag.parts);
    builder_.add(std::move(item));
    at_ = text_begin_ = end;
  }

  DocumentTag html_tag(const std::string& html) {
    DocumentTag tag;
    builder_.append_literal(html, tag.plain);
    return tag;
  }

  static std::string html_link(const MarkdownEvent& event) {
    return "<a href=\"" + encode_html(decode_html(event.address), HtmlPlace::attribute) + "\">";
  }

  void add_tag(const MarkdownEvent& event) {
    static constexpr std::string_view kNames[] = {"em", "strong", "del", "code", "a", "img"};
    const bool is_start = event.kind == EventKind::enter;
    const std::string name(kNames[size_t(event.span)]);
    std::string html = is_start ? "<" + name + ">" : "</" + name + ">";
    std::string tried(markdown_.substr(event.begin, event.end - event.begin));
    if (event.span == Span::link) {
      if (is_start) html = html_link(event);
      tried = is_start ? "[" : "](u)";
    }
    DocumentTag tag = html_tag(html);
    tag.tried = std::move(tried);
    tag.shape = shape_of(event);
    InlineItem item{.kind = is_start ? InlineItem::Kind::open : InlineItem::Kind::close,
                    .tag = std::move(tag),
                    .name = name};
    // The name of such a link is its text, which changes.
    if (!is_start && event.span == Span::link && is_named_by_text(event))
      builder_.append_literal("][" + label(open_.back(), event.begin) + "]", item.rewritten);
    add_item(std::move(item), event.begin, event.end);
  }

  // Whether a link or image, whose end this is, has its text for its name.
  bool is_named_by_text(const MarkdownEvent& event) const {
    const std::string_view end = markdown_.substr(event.begin, event.end - event.begin);
    return end == "]" || end == "][]";
  }
  // The text of a link as a name on one line.
  std::string label(size_t begin, size_t end) const {
    std::string name;
    for (size_t at = begin; at < end; ++at) {
      name += markdown_[at] == '\n' ? ' ' : markdown_[at];
      while (markdown_[at] == '\n' && at + 1 < end &&
             std::string_view(" \t>").find(markdown_[at + 1]) != std::string_view::npos)
        ++at;
    }
    return name;
  }

  static size_t end_of_span(const Events& events, size_t i) {
    size_t open = 0;
    for (size_t last = i;; ++last) {
      if (events[last].kind == EventKind::enter) ++open;
      if (events[last].kind == EventKind::leave && --open == 0) return last;
    }
  }

  // Code, and addresses.
  size_t add_fixed(const Events& events, size_t i) {
    const size_t last = end_of_span(events, i);
    std::string text;
    for (size_t inside = i; inside < last; ++inside) text += events[inside].characters;
    const bool is_code = events[i].span == Span::code;
    std::string html = is_code ? "<code>" : html_link(events[i]);
    write_escaped(text, html);
    DocumentTag tag = html_tag(html + (is_code ? "</code>" : "</a>"));
    tag.tried =
        is_code ? "`x`" : markdown_.substr(events[i].begin, events[last].end - events[i].begin);
    tag.shape = is_code ? kShapeOfFixed : shape_of(events[i]) + text + shape_of(events[last]);
    add_item({.kind = InlineItem::Kind::fixed, .tag = std::move(tag), .text = text},
             events[i].begin, events[last].end);
    return last + 1;
  }

  // The text of an image is one of its own.
  size_t add_image(const Events& events, size_t i) {
    const size_t last = end_of_span(events, i);
    DocumentTag tag{.tried = "![x](u)", .shape = std::string(kShapeOfImage)};
    std::string text;
    bool is_plain = last > i + 1;
    for (size_t inside = i + 1; inside < last; ++inside) {
      text += events[inside].characters;
      is_plain = is_plain && events[inside].kind == EventKind::text;
    }
    if (is_plain && !is_named_by_text(events[last])) {
      const size_t begin = events[i].end, end = events[last].begin;
      append_source(events[i].begin, begin, tag.parts);
      builder_.append_text(text, skipped_ + begin, skipped_ + end, kMarkdownAlt, tag.parts);
      append_source(end, events[last].end, tag.parts);
    }
    add_item({.kind = InlineItem::Kind::single, .tag = std::move(tag)}, events[i].begin,
             events[last].end);
    return last + 1;
  }

  // HTML between words. What would begin a block of HTML at the beginning of a line, such as a
  // comment, stays where it is.
  size_t add_html(const Events& events, size_t i) {
    size_t last = i + 1;
    while (last < events.size() && events[last].kind == EventKind::html) ++last;
    const size_t begin = events[i].begin, end = events[last - 1].end;
    const std::string_view html = markdown_.substr(begin, end - begin);
    HtmlTokenizer tokenizer(html);
    for (HtmlToken token; tokenizer.next(token);) {
      const bool is_start = token.kind == HtmlToken::Kind::start_tag;
      if ((!is_start && token.kind != HtmlToken::Kind::end_tag) || is_html_block(token.name)) {
        keep_between(begin + token.begin, begin + token.end);
        continue;
      }
      InlineItem item{
          .kind = is_start ? InlineItem::Kind::open : InlineItem::Kind::close,
          .tag = {.tried = std::string(html.substr(token.begin, token.end - token.begin)),
                  .shape = std::string(kShapeOfHtml)},
          .name = "html " + token.name};
      if (is_start && is_html_void(token.name)) item.kind = InlineItem::Kind::single;
      add_item(std::move(item), begin + token.begin, begin + token.end);
    }
    return last;
  }

  DocumentBuilder builder_;
  const std::string_view markdown_;
  const size_t skipped_;
  std::vector<size_t> open_;        // where the text of each open tag begins
  std::string characters_;          // of the text that is being read
  size_t text_begin_ = 0, at_ = 0;  // its first byte, and the one behind what was read
};

}  // namespace

void read_markdown(FormattedDocument& document) {
  const size_t skipped = front_matter_bytes(DocumentBuilder(document, kMarkdownText).bytes());
  MarkdownReader(document, skipped).read();
}

}  // namespace heed::detail
