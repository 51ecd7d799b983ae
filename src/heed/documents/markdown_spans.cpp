#include "heed/documents/markdown_spans.h"

#include <md4c.h>

#include <algorithm>
#include <exception>

#include "heed/core/ascii.h"
#include "heed/core/error.h"
#include "heed/text/html_characters.h"

namespace heed::detail {
namespace {

using Event = MarkdownEvent;
using Span = MarkdownEvent::Span;

class MarkdownParser {
 public:
  explicit MarkdownParser(std::string_view markdown) : markdown_(markdown) {}

  std::vector<MarkdownBlock> read() {
    MD_PARSER parser{};
    parser.flags = MD_DIALECT_GITHUB;
    parser.enter_block = [](MD_BLOCKTYPE type, void*, void* self) {
      return handle(self, [&](MarkdownParser& p) { p.change_block(type); });
    };
    parser.leave_block = [](MD_BLOCKTYPE, void*, void* self) {
      return handle(self, [&](MarkdownParser& p) { p.change_block(MD_BLOCK_DOC); });
    };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) {
      return handle(self, [&](MarkdownParser& p) { p.add_span(Event::Kind::enter, type, detail); });
    };
    parser.leave_span = [](MD_SPANTYPE type, void* detail, void* self) {
      return handle(self, [&](MarkdownParser& p) { p.add_span(Event::Kind::leave, type, detail); });
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
      return handle(self, [&](MarkdownParser& p) { p.add_text(type, {text, size}); });
    };
    const int status = md_parse(markdown_.data(), MD_SIZE(markdown_.size()), &parser, this);
    if (failure_) std::rethrow_exception(failure_);
    if (status != 0) throw std::bad_alloc();
    return std::move(blocks_);
  }

 private:
  template <class Handler>
  static int handle(void* self, Handler&& handler) {
    MarkdownParser& parser = *static_cast<MarkdownParser*>(self);
    try {
      handler(parser);
      return 0;
    } catch (...) {
      parser.failure_ = std::current_exception();
      return -1;
    }
  }

  void change_block(MD_BLOCKTYPE type) {
    if (!block_.events.empty()) blocks_.push_back(std::move(block_));
    block_ = {.events = {}, .is_cell = type == MD_BLOCK_TD || type == MD_BLOCK_TH};
    has_text_ = type != MD_BLOCK_CODE && type != MD_BLOCK_HTML;
  }

  void add_span(Event::Kind kind, MD_SPANTYPE type, const void* detail) {
    Event event{.kind = kind};
    switch (type) {
      case MD_SPAN_EM:
        event.span = Span::emphasis;
        break;
      case MD_SPAN_STRONG:
        event.span = Span::strong;
        break;
      case MD_SPAN_DEL:
        event.span = Span::deleted;
        break;
      case MD_SPAN_CODE:
        event.span = Span::code;
        break;
      case MD_SPAN_IMG:
        event.span = Span::image;
        break;
      default: {
        event.span = Span::link;
        const MD_ATTRIBUTE& address = static_cast<const MD_SPAN_A_DETAIL*>(detail)->href;
        event.address.assign(address.text, address.size);
      }
    }
    block_.events.push_back(std::move(event));
  }

  void add_text(MD_TEXTTYPE type, std::string_view text) {
    if (!has_text_) return;
    Event event;
    if (type == MD_TEXT_SOFTBR || type == MD_TEXT_BR) {
      event.kind = type == MD_TEXT_BR ? Event::Kind::line_break : Event::Kind::line_end;
      event.characters = "\n";
    } else {
      const bool is_inside =
          text.data() >= markdown_.data() && text.data() < markdown_.data() + markdown_.size();
      if (!is_inside) return;  // a space for the end of a line in code, or for a NUL
      event.has_place = true;
      event.begin = size_t(text.data() - markdown_.data());
      event.end = event.begin + text.size();
      event.kind = type == MD_TEXT_HTML ? Event::Kind::html : Event::Kind::text;
      event.characters = type == MD_TEXT_ENTITY ? decode_html(text) : std::string(text);
    }
    block_.events.push_back(std::move(event));
  }

  const std::string_view markdown_;
  std::vector<MarkdownBlock> blocks_;
  MarkdownBlock block_;
  bool has_text_ = true;
  std::exception_ptr failure_;
};

bool is_space_or_quote(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '>';
}

// Behind "](address "title")", "][name]" or "]", which begins at `at`; at most `limit`.
class LinkEnd {
 public:
  LinkEnd(std::string_view text, size_t limit) : text_(text.substr(0, limit)) {}

  size_t behind(size_t at) const {
    const size_t next = at + 1;
    if (next < text_.size() && text_[next] == '(')
      if (const size_t end = behind_address(next + 1); end != text_.npos) return end;
    if (next < text_.size() && text_[next] == '[')
      if (const size_t end = behind_bracket(next + 1); end != text_.npos) return end;
    return next;
  }

 private:
  size_t behind_space(size_t at) const {
    while (at < text_.size() && is_space_or_quote(text_[at]) && text_[at] != '>') ++at;
    return at;
  }
  // Behind the character that ends what begins here.
  size_t behind_closing(size_t at, char close) const {
    for (; at < text_.size(); ++at) {
      if (text_[at] == '\\')
        ++at;
      else if (text_[at] == close)
        return at + 1;
    }
    return text_.npos;
  }
  size_t behind_bracket(size_t at) const { return behind_closing(at, ']'); }

  size_t behind_address(size_t at) const {
    at = behind_space(at);
    if (at < text_.size() && text_[at] == '<') {
      at = behind_closing(at + 1, '>');
    } else {
      int open = 0;
      for (; at < text_.size() && uint8_t(text_[at]) > ' '; ++at) {
        if (text_[at] == '\\')
          ++at;
        else if (text_[at] == '(')
          ++open;
        else if (text_[at] == ')' && --open < 0)
          break;
      }
    }
    if (at >= text_.size()) return text_.npos;
    at = behind_space(at);
    if (at < text_.size() && (text_[at] == '"' || text_[at] == '\'' || text_[at] == '('))
      at = behind_closing(at + 1, text_[at] == '(' ? ')' : text_[at]);
    if (at >= text_.size()) return text_.npos;
    at = behind_space(at);
    return at < text_.size() && text_[at] == ')' ? at + 1 : text_.npos;
  }

  const std::string_view text_;
};

class TagFinder {
 public:
  TagFinder(std::string_view markdown, MarkdownBlock& block)
      : text_(markdown), events_(block.events) {}

  bool find() {
    extend_escapes();
    find_starts();
    size_t at = events_.empty() ? 0 : text_.npos;
    std::vector<size_t> open;
    for (size_t i = 0; i < events_.size(); ++i) {
      Event& event = events_[i];
      if (event.has_place) {
        if (event.begin < at && at != text_.npos) return false;
        at = event.end;
        if (event.kind == Event::Kind::enter) open.push_back(i);
      } else if (event.kind == Event::Kind::enter) {
        if (at == text_.npos || !find_start_of_empty(event, at)) return false;
        at = event.end;
        open.push_back(i);
      } else if (event.kind == Event::Kind::leave) {
        if (open.empty() || at == text_.npos || !find_end(event, events_[open.back()], at, i))
          return false;
        at = event.end;
        open.pop_back();
      }
    }
    return open.empty();
  }

 private:
  // The backslash of an escape is part of the text behind it.
  void extend_escapes() {
    size_t last = 0;
    bool in_code = false;
    for (Event& event : events_) {
      if (event.span == Span::code && event.kind == Event::Kind::enter) in_code = true;
      if (event.span == Span::code && event.kind == Event::Kind::leave) in_code = false;
      if (!event.has_place) continue;
      if (event.kind == Event::Kind::text && !in_code && event.begin > last &&
          text_[event.begin - 1] == '\\' && is_ascii_punctuation(text_[event.begin]))
        --event.begin;
      last = event.end;
    }
  }

  // The tags before a text end where it begins, the last one first.
  void find_starts() {
    size_t next = text_.npos;
    for (size_t i = events_.size(); i-- > 0;) {
      Event& event = events_[i];
      if (event.kind == Event::Kind::enter && next != text_.npos)
        next = find_start(event, next) ? event.begin : text_.npos;
      else
        next = event.has_place ? event.begin : text_.npos;
    }
  }

  size_t run_before(size_t end, char c) const {
    size_t begin = end;
    while (begin > 0 && text_[begin - 1] == c) --begin;
    return end - begin;
  }
  bool is_delimiter(char c) const { return c == '*' || c == '_'; }

  bool find_start(Event& event, size_t end) const {
    if (end == 0) return false;
    const char before = text_[end - 1];
    size_t length = 0;
    switch (event.span) {
      case Span::emphasis:
        length = is_delimiter(before) ? 1 : 0;
        break;
      case Span::strong:
        length = is_delimiter(before) && end > 1 && text_[end - 2] == before ? 2 : 0;
        break;
      case Span::deleted:
        length = std::min<size_t>(run_before(end, '~'), 2);
        break;
      case Span::code: {
        size_t behind = end;
        while (behind > 0 && is_space_or_quote(text_[behind - 1])) --behind;
        const size_t ticks = run_before(behind, '`');
        length = ticks > 0 ? ticks + end - behind : 0;
        break;
      }
      case Span::link:
        length = before == '[' || before == '<' ? 1 : 0;  // 0: an address alone
        return place(event, end - length, length);
      case Span::image:
        length = before == '[' && end > 1 && text_[end - 2] == '!' ? 2 : 0;
        break;
    }
    return length > 0 && place(event, end - length, length);
  }

  static bool place(Event& event, size_t begin, size_t length) {
    event.has_place = true;
    event.begin = begin;
    event.end = begin + length;
    return true;
  }

  // A tag without text behind it.
  bool find_start_of_empty(Event& event, size_t at) const {
    if (event.span != Span::link && event.span != Span::image) return false;
    while (at < text_.size() && is_space_or_quote(text_[at])) ++at;
    const std::string_view tag = event.span == Span::link ? "[" : "![";
    return at < text_.size() && text_.substr(at).starts_with(tag) && place(event, at, tag.size());
  }

  bool find_end(Event& event, const Event& start, size_t at, size_t number) const {
    size_t length = 0;
    const auto run_at = [&](size_t begin, char c) {
      return std::min(text_.find_first_not_of(c, begin), text_.size()) - begin;
    };
    switch (event.span) {
      case Span::emphasis:
      case Span::strong:
      case Span::deleted:
        length = start.end - start.begin;
        if (at + length > text_.size() ||
            text_.substr(at, length) != text_.substr(start.begin, length))
          return false;
        break;
      case Span::code: {
        size_t ticks = at;
        while (ticks < text_.size() && is_space_or_quote(text_[ticks])) ++ticks;
        if (ticks >= text_.size() || run_at(ticks, '`') != run_at(start.begin, '`')) return false;
        length = ticks + run_at(ticks, '`') - at;
        break;
      }
      case Span::link:
      case Span::image: {
        if (start.begin == start.end) return place(event, at, 0);
        if (text_[start.begin] == '<') {
          length = 1;
          if (at >= text_.size() || text_[at] != '>') return false;
          break;
        }
        while (at < text_.size() && is_space_or_quote(text_[at])) ++at;
        if (at >= text_.size() || text_[at] != ']') return false;
        size_t limit = text_.size();
        for (size_t i = number + 1; i < events_.size() && limit == text_.size(); ++i)
          if (events_[i].has_place) limit = events_[i].begin;
        length = LinkEnd(text_, limit).behind(at) - at;
        break;
      }
    }
    return length > 0 && place(event, at, length);
  }

  const std::string_view text_;
  std::vector<Event>& events_;
};

}  // namespace

std::vector<MarkdownBlock> markdown_blocks(std::string_view markdown) {
  return MarkdownParser(markdown).read();
}

bool find_tags(std::string_view markdown, MarkdownBlock& block) {
  return TagFinder(markdown, block).find();
}

}  // namespace heed::detail
