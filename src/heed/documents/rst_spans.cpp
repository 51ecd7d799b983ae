#include "heed/documents/rst_spans.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "heed/core/ascii.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/documents/rst_lines.h"

namespace heed::detail {
namespace {

using SpanKind = RstSpan::Kind;

constexpr char kEscape = '\0';  // in place of the backslash of an escape, as in docutils

bool is_name_character(char32_t c) {
  return is_letter(c) || is_number(c);
}

// A text of the same length with the backslash of each escape replaced.
std::string with_marked_escapes(std::string_view text) {
  std::string marked(text);
  for (size_t at = 0; at < marked.size(); ++at)
    if (marked[at] == '\\') marked[at++] = kEscape;
  return marked;
}

// Roles with text that programs read, or that is shown as it is.
bool has_plain_text(std::string_view role) {
  static constexpr std::string_view kRoles[] = {
      "code",   "math",  "raw", "literal",       "samp",      "file",        "kbd",
      "regexp", "abbr",  "sub", "sup",           "subscript", "superscript", "acronym",
      "expr",   "texpr", "eq",  "menuselection", "guilabel",  "command"};
  return std::ranges::find(kRoles, role) != std::end(kRoles);
}

class RstSpanFinder {
 public:
  explicit RstSpanFinder(std::string_view text)
      : marked_(with_marked_escapes(text)), text_(marked_) {
    none_from_.fill(text.size() + 1);
  }

  std::vector<RstSpan> find() {
    while (at_ < text_.size()) {
      const Utf8Character next = first_utf8_character(text_.substr(at_));
      track_name(next.value);
      if (!find_at(next.value)) {
        before_ = next.value;
        at_ += next.bytes;
      }
    }
    add_addresses();
    return std::move(all_);
  }

 private:
  // Keeps where the name that contains this character begins.
  void track_name(char32_t c) {
    if (is_name_character(c)) {
      if (name_ == text_.npos && may_begin()) name_ = at_;
      joiner_ = false;
    } else {
      const bool joins =
          c < 0x80 && c != 0 && std::string_view("-._+:").find(char(c)) != std::string_view::npos;
      if (!joins || joiner_) name_ = text_.npos;
      joiner_ = true;
    }
  }

  bool may_begin() const { return at_ == restart_ || may_precede_rst(before_); }
  bool may_end(size_t at) const {
    return at >= text_.size() || text_[at] == kEscape ||
           may_follow_rst(first_utf8_character(text_.substr(at)).value);
  }
  bool is_space_at(size_t at) const {
    return at < text_.size() && is_whitespace(first_utf8_character(text_.substr(at)).value);
  }
  // Whether markup may end behind this place: not behind white space or an escape.
  bool is_filled_before(size_t at, SpanKind kind) const {
    const bool is_escape = text_[at - 1] == kEscape;
    const bool is_space = is_whitespace(last_utf8_character(text_.substr(0, at)).value);
    if (kind == SpanKind::literal) return !is_space;
    const bool is_escaped = at >= 2 && text_[at - 2] == kEscape;
    if (kind == SpanKind::role && is_escaped) return true;
    return !is_space && !is_escape;
  }

  bool starts(size_t at, std::string_view mark) const { return text_.substr(at).starts_with(mark); }

  // A mark between a bracket and its partner, as in "(*)", is none.
  bool is_quoted(size_t behind) const {
    if (at_ == restart_ || at_ == 0) return false;
    if (behind >= text_.size()) return true;
    static constexpr std::string_view kOpening = "\"'([{<", kClosing = "\"')]}>";
    const char32_t next = first_utf8_character(text_.substr(behind)).value;
    if (before_ >= 0x80) return is_opening_bracket(before_) && is_closing_bracket(next);
    const size_t pair = kOpening.find(char(before_));
    return before_ != 0 && pair != kOpening.npos && next == char32_t(kClosing[pair]);
  }

  // Adds the markup at this place; false: none begins here.
  bool find_at(char32_t c) {
    switch (c) {
      case '*':
        if (!may_begin()) return false;
        return starts(at_, "**") ? find_pair(SpanKind::strong, "**", "**")
                                 : find_pair(SpanKind::emphasis, "*", "*");
      case '|':
        return may_begin() && !starts(at_, "||") && find_pair(SpanKind::substitution, "|", "|");
      case '`':
        if (starts(at_, "``")) return may_begin() && find_pair(SpanKind::literal, "``", "``");
        return find_interpreted();
      case '_':
        if (starts(at_, "_`") && may_begin()) return find_pair(SpanKind::target, "_`", "`");
        return find_reference();
      case '[':
        return may_begin() && find_footnote();
      default:
        return false;
    }
  }

  // Continues behind what is no markup: docutils reads on as at the beginning of a text.
  bool skip(size_t end) {
    before_ = last_utf8_character(text_.substr(0, end)).value;
    at_ = restart_ = end;
    name_ = text_.npos;
    joiner_ = true;
    return true;
  }
  bool add(RstSpan span) {
    spans_.push_back(span);
    return skip(span.end);
  }

  // Where a mark ends what begins before `from`, or npos.
  size_t find_end(SpanKind kind, std::string_view mark, size_t from) {
    if (from >= none_from_[size_t(kind)]) return text_.npos;
    for (size_t at = text_.find(mark, from); at != text_.npos; at = text_.find(mark, at + 1))
      if (end_of_mark(kind, mark, at) > 0 && (at == from || is_filled_before(at, kind))) return at;
    none_from_[size_t(kind)] = from;
    return text_.npos;
  }
  // Behind the mark at this place, with what belongs to it, or 0.
  size_t end_of_mark(SpanKind kind, std::string_view mark, size_t at) const {
    size_t end = at + mark.size();
    if (kind == SpanKind::substitution) {
      for (const std::string_view suffix : {"__", "_", ""})
        if (starts(end, suffix) && may_end(end + suffix.size())) return end + suffix.size();
      return 0;
    }
    if (kind == SpanKind::role) {
      if (starts(end, ":")) {
        const size_t name = rst_name_bytes(text_.substr(end + 1, kMaxName));
        const size_t colon = end + 1 + name;
        if (name > 0 && starts(colon, ":") && may_end(colon + 1)) return colon + 1;
      }
      for (const std::string_view suffix : {"__", "_"})
        if (starts(end, suffix) && may_end(end + suffix.size())) return end + suffix.size();
    }
    return may_end(end) ? end : 0;
  }

  bool find_pair(SpanKind kind, std::string_view open, std::string_view close) {
    const size_t text = at_ + open.size();
    if (is_space_at(text)) return false;
    if (is_quoted(text)) return skip(text);
    const size_t end = find_end(kind, close, text);
    if (end == text_.npos || end == text) return skip(text);
    return add({kind, at_, end_of_mark(kind, close, end), text, end});
  }

  // Where a role before a backquote begins; the place of the backquote if none is.
  size_t role_begin() const {
    size_t found = at_;
    if (at_ < 2 || text_[at_ - 1] != ':') return found;
    bool joiner = true;  // the character behind, in a name, is one that joins
    for (size_t at = at_ - 1; at > restart_ && at + kMaxName > at_;) {
      const Utf8Character c = last_utf8_character(text_.substr(0, at));
      at -= c.bytes;
      if (c.value == ':' && !joiner) {
        const bool is_first = at == restart_;
        if (is_first || (at > 0 && may_precede_rst(last_utf8_character(text_.substr(0, at)).value)))
          found = at;
      }
      if (is_name_character(c.value)) {
        joiner = false;
        continue;
      }
      if (joiner || c.value >= 0x80 || c.value == 0 ||
          std::string_view("-._+:").find(char(c.value)) == std::string_view::npos)
        break;
      joiner = true;
    }
    return found;
  }

  // Interpreted text, or a reference of several words.
  bool find_interpreted() {
    const size_t begin = role_begin(), text = at_ + 1;
    const bool has_role = begin < at_;
    if ((!has_role && !may_begin()) || is_space_at(text)) return false;
    if (!has_role && is_quoted(text)) return skip(text);
    const size_t end = find_end(SpanKind::role, "`", text);
    if (end == text_.npos || end == text) return skip(text);
    const size_t behind = end_of_mark(SpanKind::role, "`", end);
    RstSpan span{SpanKind::role, begin, behind, text, end};
    const bool is_reference = text_[behind - 1] == '_';
    const bool has_suffix = behind > end + 1 && !is_reference;
    if (has_role && (is_reference || has_suffix)) return add(span);  // an error, shown as it is
    if (is_reference)
      set_link(span);
    else if (has_role)
      set_title(span);
    return add(span);
  }

  // The "<" of what a text is about, at the end of the text.
  size_t bracket_of(const RstSpan& span) const {
    if (text_[span.text_end - 1] != '>' || text_[span.text_end - 2] == kEscape) return text_.npos;
    size_t at = span.text_end - 1;
    while (at-- > span.text_begin) {
      const bool is_escaped = at > span.text_begin && text_[at - 1] == kEscape;
      if (text_[at] == '<' && !is_escaped) return at;
      if (text_[at] == '>' && !is_escaped) break;
    }
    return text_.npos;
  }

  void set_link(RstSpan& span) const {
    span.kind = SpanKind::phrase;
    const size_t bracket = bracket_of(span);
    if (bracket == text_.npos || bracket + 2 >= span.text_end || is_space_at(bracket + 1)) return;
    size_t end = bracket;
    while (end > span.text_begin && (text_[end - 1] == ' ' || text_[end - 1] == '\n')) --end;
    if (end == bracket && end > span.text_begin) return;
    span.kind = SpanKind::link;
    if (end > span.text_begin) {
      span.text_end = end;
    } else {
      span.kind = SpanKind::reference;  // the address is its text
      span.text_begin = bracket + 1;
      --span.text_end;
    }
  }

  void set_title(RstSpan& span) const {
    const size_t name_begin = span.begin + 1, name_end = span.text_begin - 2;
    std::string_view role = text_.substr(name_begin, name_end - name_begin);
    role.remove_prefix(role.find_last_of(':') + 1);
    const size_t bracket = bracket_of(span);
    if (has_plain_text(role) || bracket == text_.npos || bracket == span.text_begin) return;
    size_t end = bracket;
    while (end > span.text_begin && text_[end - 1] == ' ') --end;
    if (end == span.text_begin || text_[end - 1] == kEscape) return;
    if (text_[span.text_begin] == '!') return;  // it is no reference
    span.kind = SpanKind::title;
    span.text_end = end;
  }

  bool find_reference() {
    if (name_ == text_.npos || at_ == 0 || !is_name_character(before_)) return false;
    const size_t end = starts(at_, "__") && may_end(at_ + 2) ? at_ + 2 : at_ + 1;
    return may_end(end) && add({SpanKind::reference, name_, end, name_, at_});
  }

  bool find_footnote() {
    const size_t label = text_.substr(at_, 2) == "[]" ? 0 : rst_label_bytes(text_.substr(at_));
    const size_t end = at_ + label;
    if (label == 0 || !starts(end, "_") || !may_end(end + 1)) return false;
    return add({SpanKind::footnote, at_, end + 1, at_ + 1, end - 1});
  }

  // Addresses between the spans, which docutils looks for afterwards.
  void add_addresses() {
    size_t from = 0;
    for (const RstSpan& span : spans_) {
      add_addresses_in(from, span.begin);
      all_.push_back(span);
      from = span.end;
    }
    add_addresses_in(from, text_.size());
  }

  static bool is_one_of(char c, std::string_view characters) {
    return is_ascii_letter(char32_t(uint8_t(c))) || is_ascii_digit(char32_t(uint8_t(c))) ||
           characters.find(c) != characters.npos;
  }
  // Escapes are part of an address.
  static bool is_of_address(char c) {
    return c == kEscape || is_one_of(c, "-_.!~*'()[];/:@&=+$,%?#");
  }
  static bool is_of_mail(char c) { return c == kEscape || is_one_of(c, "-_.!~*'{|}/#?^`&=+$%"); }
  static bool ends_address(char c) { return is_one_of(c, "_~*/=+"); }

  void add_addresses_in(size_t begin, size_t end) {
    const std::string_view text = text_.substr(0, end);
    for (size_t at = text.find_first_of(":@", begin); at < end; at = text.find_first_of(":@", at)) {
      size_t first = at, last = at + 1;
      if (text[at] == ':') {
        while (first > begin && is_ascii_letter(char32_t(uint8_t(text[first - 1])))) --first;
        const std::string scheme = lower_ascii(text.substr(first, std::min<size_t>(at - first, 9)));
        const bool is_scheme = at > first && at - first < 9;
        if (!is_scheme || !(text.substr(last).starts_with("//") || scheme == "mailto"))
          first = text.npos;
        while (first != text.npos && last < end && is_of_address(text[last])) ++last;
      } else {
        while (first > begin && is_of_mail(text[first - 1])) --first;
        while (last < end && is_of_mail(text[last])) ++last;
        if (first == at || last == at + 1) first = text.npos;
      }
      if (first == text.npos || !begins_apart(first, begin)) {
        ++at;
        continue;
      }
      const size_t limit = last;
      while (last > at + 1 && !(ends_address(text[last - 1]) && (last == end || may_end(last))))
        --last;
      // Elsewhere "*" and the like might begin markup.
      if (last > at + 1 && text.substr(first, last - first).find_first_of("*`|") == text.npos)
        all_.push_back({SpanKind::address, first, last, first, last});
      begin = at = std::max(last > at + 1 ? last : limit, at + 1);
    }
  }
  bool begins_apart(size_t at, size_t begin) const {
    return at == begin || may_precede_rst(last_utf8_character(text_.substr(0, at)).value);
  }
  static constexpr size_t kMaxName = 200;  // bytes of the name of a role

  const std::string marked_;
  const std::string_view text_;  // marked_
  std::vector<RstSpan> spans_, all_;
  // The place behind which no mark ends markup of a kind.
  std::array<size_t, size_t(SpanKind::address) + 1> none_from_{};
  size_t at_ = 0;
  size_t restart_ = 0;                    // markup may begin here, whatever is before it
  char32_t before_ = ' ';                 // the character before `at_`
  size_t name_ = std::string_view::npos;  // where the name that is being read begins
  bool joiner_ = true;                    // the character before is not of a word
};

}  // namespace

bool encloses_words(RstSpan::Kind kind) {
  return kind == SpanKind::emphasis || kind == SpanKind::strong || kind == SpanKind::title ||
         kind == SpanKind::link || kind == SpanKind::phrase;
}

std::vector<RstSpan> rst_spans(std::string_view text) {
  return RstSpanFinder(text).find();
}

std::string rst_unescaped(std::string_view text) {
  std::string plain;
  for (size_t at = 0; at < text.size();) {
    if (text[at] != '\\') {
      plain += text[at++];
      continue;
    }
    if (++at == text.size()) break;
    const Utf8Character next = first_utf8_character(text.substr(at));
    if (!is_whitespace(next.value)) plain += text.substr(at, next.bytes);
    at += next.bytes;
  }
  return plain;
}

bool may_precede_rst(char32_t c) {
  if (c < 0x80)
    return is_whitespace(c) ||
           (c > 0 && std::string_view("'\"([{<-/:").find(char(c)) != std::string_view::npos);
  return is_whitespace(c) || (is_punctuation(c) && !is_closing_bracket(c));
}

bool may_follow_rst(char32_t c) {
  if (c < 0x80)
    return is_whitespace(c) ||
           (c > 0 && std::string_view("'\")]}>-/:\\.,;!?").find(char(c)) != std::string_view::npos);
  return is_whitespace(c) || (is_punctuation(c) && !is_opening_bracket(c));
}

}  // namespace heed::detail
