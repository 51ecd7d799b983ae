#include "heed/documents/rst_writer.h"

#include <algorithm>
#include <set>

#include "heed/core/ascii.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/documents/rst_lines.h"
#include "heed/documents/rst_spans.h"
#include "heed/text/protected_spans.h"

namespace heed::detail {
namespace {

constexpr std::string_view kNothing = "\\ ";  // parts what would be read as one

// Text, or markup with the words that it is around.
struct RstElement {
  std::string text = {};
  std::string open = {}, close = {};  // `close` is empty where there are no words inside

  bool is_markup() const { return !open.empty(); }
};

enum class Escapes { needed, all };
enum class RstPlace { alone, before_colons };

std::string_view trimmed(std::string_view text) {
  return without_leading_whitespace(without_trailing_whitespace(text));
}

// Markup is never inside markup, and begins and ends with a character of a word.
class RstElements {
 public:
  static std::vector<RstElement> of(std::span<const TranslatedPiece> pieces) {
    RstElements made;
    for (const TranslatedPiece& piece : pieces) made.add(piece);
    std::vector<RstElement>& elements = made.elements_;
    if (elements.empty()) return {};
    if (RstElement& first = elements.front(); !first.is_markup())
      first.text = without_leading_whitespace(first.text);
    if (RstElement& last = elements.back(); !last.is_markup())
      last.text = without_trailing_whitespace(last.text);
    return with_addresses(elements);
  }

 private:
  // Addresses are elements, which are apart from the letters beside them.
  static std::vector<RstElement> with_addresses(const std::vector<RstElement>& elements) {
    static const ProtectedKinds kKinds({"urls", "emails"});
    std::vector<RstElement> made;
    for (const RstElement& element : elements) {
      size_t at = 0;
      const std::string& text = element.text;
      if (element.is_markup()) {
        made.push_back(element);
        continue;
      }
      for (const ProtectedSpan& span : protected_spans(text, kKinds, {})) {
        std::string address = text.substr(span.begin, span.end - span.begin);
        if (address.find_first_of("\\*`|") != address.npos || address.ends_with('_')) continue;
        if (span.begin > at) made.push_back({.text = text.substr(at, span.begin - at)});
        made.push_back({.open = std::move(address)});
        at = span.end;
      }
      if (at < text.size()) made.push_back({.text = text.substr(at)});
    }
    return made;
  }

  void add(const TranslatedPiece& piece) {
    if (piece.tag == nullptr)
      return is_open_ ? void(open_.text += piece.bytes) : add_text(piece.bytes);
    if (piece.tag->shape == kRstOpen) {
      is_open_ = true;
      open_ = {.open = piece.bytes};
      own_words_ = piece.tag->tried;
    } else if (piece.tag->shape == kRstClose) {
      close(piece.bytes);
    } else {
      (is_open_ ? behind_ : elements_).push_back({.open = piece.bytes});
    }
  }

  void add_text(std::string_view text) {
    if (text.empty()) return;
    const bool is_apart = needs_space_ && is_letter(first_utf8_character(text).value);
    needs_space_ = false;
    if (is_apart) return add_text(" " + std::string(text));
    if (elements_.empty() || elements_.back().is_markup()) elements_.emplace_back();
    elements_.back().text += text;
  }

  // Markup without words cannot be written: it keeps those that it had.
  void close(const std::string& bytes) {
    const std::string inside = std::move(open_.text);
    const std::string_view words = trimmed(inside);
    const size_t first = words.empty() ? 0 : size_t(words.data() - inside.data());
    add_text(std::string_view(inside).substr(0, first));
    open_.text = words.empty() ? trimmed(own_words_) : words;
    const bool is_behind_space = elements_.empty() || (!elements_.back().is_markup() &&
                                                       elements_.back().text.ends_with(' '));
    open_.close = bytes;
    elements_.push_back(std::move(open_));
    is_open_ = false;
    std::ranges::move(behind_, std::back_inserter(elements_));
    behind_.clear();
    needs_space_ = words.empty() && is_behind_space;
    add_text(std::string_view(inside).substr(first + words.size()));
  }

  std::vector<RstElement> elements_, behind_;
  RstElement open_;
  std::string own_words_;
  bool is_open_ = false;
  bool needs_space_ = false;  // before a word
};

char32_t character_at(std::string_view text, size_t at) {
  return at < text.size() ? first_utf8_character(text.substr(at)).value : U' ';
}

// Whether the colon at this place follows a word that docutils knows as the scheme of addresses,
// and is followed by a character of one: "Tag:abc" is a link.
bool ends_scheme(std::string_view text, size_t colon) {
  static constexpr std::string_view kWords[] = {
      "cap",  "cid",    "data", "dict",  "dns",  "fax", "file",  "go",      "im",  "info",
      "ldap", "man",    "mid",  "modem", "news", "nfs", "opera", "phone",   "pop", "printer",
      "res",  "rlogin", "sip",  "ssh",   "tag",  "tel", "tip",   "service", "urn", "uuid"};
  const char32_t next = text.substr(colon + 1).empty() ? U' ' : char32_t(uint8_t(text[colon + 1]));
  if (next <= U' ' || next >= 0x7F || text.substr(colon).starts_with("://")) return false;
  size_t begin = colon;
  while (begin > 0 && is_ascii_letter(char32_t(uint8_t(text[begin - 1])))) --begin;
  return std::ranges::find(kWords, lower_ascii(text.substr(begin, colon - begin))) !=
         std::end(kWords);
}

// Whether a character may be markup where it stands in a text outside of markup.
bool needs_rst_escape(std::string_view text, size_t at) {
  const bool is_apart = (at == 0 || text[at - 1] == ' ') && text.substr(at + 1).starts_with(' ');
  switch (text[at]) {
    case '\\':
    case '`':
      return true;
    case '*':
    case '|':
      return !is_apart;
    case ':':
      return ends_scheme(text, at);
    case '_': {
      const bool is_double = text.substr(at + 1).starts_with('_');
      const char32_t next = character_at(text, at + (is_double ? 2 : 1));
      return !is_letter(next) && !is_number(next) && !is_apart;
    }
    default:
      return false;
  }
}

void append_escaped(std::string_view text, Escapes escapes, std::string& bytes) {
  for (size_t at = 0; at < text.size(); ++at) {
    if (escapes == Escapes::all ? is_ascii_punctuation(text[at]) : needs_rst_escape(text, at))
      bytes += '\\';
    bytes += text[at];
  }
}

// Words inside markup: nothing of them may be its end, or the beginning of its target, or say
// that it is no reference.
void append_enclosed(const RstElement& element, Escapes escapes, std::string& bytes) {
  const std::string_view text = element.text;
  const std::string_view marks = element.close.size() > 2 ? "\\`*<>" : "\\`*";
  for (size_t at = 0; at < text.size(); ++at) {
    const bool is_mark = marks.find(text[at]) != marks.npos || (at == 0 && text[at] == '!');
    if (escapes == Escapes::all ? is_ascii_punctuation(text[at]) : is_mark) bytes += '\\';
    bytes += text[at];
  }
}

// As a line of its own, perhaps with "::" behind it.
std::string written_rst(const std::vector<RstElement>& elements, Escapes escapes, RstPlace place) {
  std::string bytes;
  bool behind_markup = false;
  for (const RstElement& element : elements) {
    const char32_t before = bytes.empty() ? U' ' : last_utf8_character(bytes).value;
    if (element.is_markup()) {
      const bool may_begin = escapes == Escapes::all ? before == U' ' : may_precede_rst(before);
      if (behind_markup || !may_begin) bytes += kNothing;
      bytes += element.open;
      append_enclosed(element, escapes, bytes);
      bytes += element.close;
      behind_markup = true;
      continue;
    }
    std::string text;
    append_escaped(element.text, escapes, text);
    const char32_t first = character_at(text, 0);
    const bool may_follow = escapes == Escapes::all ? first == U' ' : may_follow_rst(first);
    if (behind_markup && !may_follow) bytes += kNothing;
    bytes += text;
    behind_markup = false;
  }
  if (bytes.empty()) return std::string(kNothing) + std::string(kNothing);  // one is an adornment
  const bool is_marked = rst_marker(bytes).kind != RstMarker::Kind::none ||
                         rst_marker(bytes + "::").kind != RstMarker::Kind::none;
  const bool is_escapable = !elements.front().is_markup() && bytes.front() != '\\';
  if (is_marked) bytes.insert(0, is_escapable ? kNothing.substr(0, 1) : kNothing);
  if (place == RstPlace::alone && bytes.ends_with("::"))
    bytes.insert(bytes.size() - 1, "\\");  // or a literal block would follow
  return bytes;
}

// The markup and the characters of a text, comparable.
void append_mark(std::string_view open, std::string_view text, std::string_view close,
                 std::string& shape) {
  shape += kRstOpen;
  for (const std::string_view part : {open, text, close}) {
    shape += part;
    shape += kRstWhole;
  }
}
std::string tidy_shape(std::string_view shape) {
  std::string made;
  for (const char c : shape)
    if (c != ' ' || (!made.empty() && made.back() != ' ')) made += c;
  if (made.ends_with(' ')) made.pop_back();
  return made;
}

// The shape that docutils reads, and the addresses.
std::string read_rst_shape(std::string_view bytes, std::multiset<std::string>& addresses) {
  std::string shape;
  size_t at = 0;
  const auto text = [&](size_t begin, size_t end) {
    return rst_unescaped(bytes.substr(begin, end - begin));
  };
  for (const RstSpan& span : rst_spans(bytes)) {
    shape += text(at, span.begin);
    at = span.end;
    const std::string_view all = bytes.substr(span.begin, span.end - span.begin);
    if (span.kind == RstSpan::Kind::address) {
      addresses.emplace(all);
      shape += all;
    } else if (encloses_words(span.kind)) {
      append_mark(bytes.substr(span.begin, span.text_begin - span.begin),
                  text(span.text_begin, span.text_end),
                  bytes.substr(span.text_end, span.end - span.text_end), shape);
    } else {
      append_mark(all, {}, {}, shape);
    }
  }
  return shape + text(at, bytes.size());
}

// Whether a text is read as what is meant.
bool reads_as_rst(std::string_view bytes, const std::vector<RstElement>& elements) {
  std::multiset<std::string> found, wanted;
  std::string shape;
  for (const RstElement& element : elements) {
    if (!element.is_markup())
      shape += element.text;
    else if (element.close.empty())
      shape += read_rst_shape(element.open, wanted);
    else
      append_mark(element.open, element.text, element.close, shape);
  }
  return tidy_shape(read_rst_shape(bytes, found)) == tidy_shape(shape) &&
         std::ranges::includes(found, wanted);
}

std::string encoded_rst(const std::vector<RstElement>& elements, RstPlace place) {
  std::string bytes = written_rst(elements, Escapes::needed, place);
  return reads_as_rst(bytes, elements) ? bytes : written_rst(elements, Escapes::all, place);
}

void write_rst(std::span<const TranslatedPiece> pieces, std::string& bytes) {
  bytes += encoded_rst(RstElements::of(pieces), RstPlace::alone);
}

void write_rst_term(std::span<const TranslatedPiece> pieces, std::string& bytes) {
  std::vector<RstElement> elements = RstElements::of(pieces);
  std::string term = encoded_rst(elements, RstPlace::alone);
  if (term.find(" : ") != term.npos) term = written_rst(elements, Escapes::all, RstPlace::alone);
  bytes += term;
}

// A colon at the end is that of the text, whose second one stays.
void write_rst_introduction(std::span<const TranslatedPiece> pieces, std::string& bytes) {
  std::vector<RstElement> elements = RstElements::of(pieces);
  if (!elements.empty() && !elements.back().is_markup()) {
    std::string& text = elements.back().text;
    while (!text.empty()) {
      const Utf8Character last = last_utf8_character(text);
      if (last.value != U' ' && last.value != U':' && last.value != 0xFF1A) break;
      text.resize(text.size() - last.bytes);
    }
    if (text.empty()) elements.pop_back();
  }
  bytes += encoded_rst(elements, RstPlace::before_colons) + ":";
}

void write_rst_value(std::string_view text, std::string& bytes) {
  bytes += text;
}

}  // namespace

const TextStyle kRstText{.encode_pieces = write_rst, .parts_at_halves = false};
const TextStyle kRstTerm{.encode_pieces = write_rst_term, .parts_at_halves = false};
const TextStyle kRstIntroduction{.encode_pieces = write_rst_introduction, .parts_at_halves = false};
const TextStyle kRstValue{.encode = write_rst_value};

}  // namespace heed::detail
