// HTML, as browsers read it.
#include <algorithm>
#include <array>
#include <map>

#include "heed/core/ascii.h"
#include "heed/documents/document_builder.h"
#include "heed/documents/html_elements.h"
#include "heed/text/html_characters.h"
#include "heed/text/html_tokens.h"

namespace heed::detail {
namespace {

using TokenKind = HtmlToken::Kind;

void write_html_text(std::string_view text, std::string& html) {
  html += encode_html(text);
}
void write_html_value(std::string_view text, std::string& html) {
  html += encode_html(text, HtmlPlace::attribute);
}
void write_in_single_quotes(std::string_view text, std::string& html) {
  for (const char c : encode_html(text, HtmlPlace::attribute)) {
    if (c == '\'')
      html += "&#39;";
    else
      html += c;
  }
}
void write_with_quotes(std::string_view text, std::string& html) {
  html += '"' + encode_html(text, HtmlPlace::attribute) + '"';
}

constexpr TextStyle kHtmlText{.encode = write_html_text};
constexpr TextStyle kHtmlValue{.encode = write_html_value};
constexpr TextStyle kInSingleQuotes{.encode = write_in_single_quotes};
constexpr TextStyle kUnquotedValue{.encode = write_with_quotes};

const TextStyle& style_of(const HtmlAttribute& attribute) {
  if (attribute.quote == 0) return kUnquotedValue;
  return attribute.quote == '"' ? kHtmlValue : kInSingleQuotes;
}

// Elements of which nothing is translated.
bool is_kept_in_html(std::string_view name) {
  static constexpr auto kKept = std::to_array<std::string_view>(
      {"audio", "canvas", "code", "iframe", "kbd", "math", "object", "pre", "samp", "svg",
       "template", "textarea", "var", "video"});
  return std::ranges::binary_search(kKept, name);
}

// Kept elements whose content is no text of the sentence around them.
bool is_silent_in_html(std::string_view name) {
  static constexpr auto kSilent = std::to_array<std::string_view>({"math", "rp", "rt", "svg"});
  return std::ranges::binary_search(kSilent, name);
}

// Whether the start tag of `name` ends an element `open` that has no end tag.
bool ends_by_start(std::string_view open, std::string_view name) {
  if (open == "p") return is_html_block(name) && name != "br" && name != "button";
  if (open == "dt" || open == "dd") return name == "dt" || name == "dd";
  if (open == "td" || open == "th") return name == "td" || name == "th" || name == "tr";
  if (open == "option") return name == "option" || name == "optgroup";
  return open == name && (open == "li" || open == "tr" || open == "optgroup");
}

// Cuts a document into its parts.
class HtmlReader {
 public:
  explicit HtmlReader(FormattedDocument& document)
      : builder_(document, kHtmlText), html_(builder_.bytes()) {}

  void read() {
    HtmlTokenizer tokenizer(html_);
    for (HtmlToken token; tokenizer.next(token);) tokens_.push_back(std::move(token));
    for (size_t i = 0; i < tokens_.size();) i = read_token(i);
    builder_.end_run();
  }

 private:
  // Reads the token with this number and those that belong to it. Returns the next one.
  size_t read_token(size_t i) {
    const HtmlToken& token = tokens_[i];
    const bool is_title = i > 0 && tokens_[i - 1].name == "title";
    switch (token.kind) {
      case TokenKind::text:
        add_text(token);
        return i + 1;
      case TokenKind::raw:
        if (is_title)
          add_text(token);
        else
          keep(i, i + 1);
        return i + 1;
      case TokenKind::other:
        if (token.unfinished)
          keep(i, i + 1);  // text moved behind it would become part of it
        else
          add_item(InlineItem::Kind::single, i, i + 1);
        return i + 1;
      case TokenKind::end_tag:
        if (is_html_block(token.name))
          keep(i, i + 1);
        else
          add_item(InlineItem::Kind::close, i, i + 1);
        return i + 1;
      case TokenKind::start_tag:
        return read_start_tag(i);
    }
    return i + 1;
  }

  size_t read_start_tag(size_t i) {
    const HtmlToken& token = tokens_[i];
    const bool empty = is_html_void(token.name);
    const bool kept =
        is_kept_in_html(token.name) || is_silent_in_html(token.name) || asks_to_be_kept(token);
    if (kept && !empty) {
      const size_t end = end_of_element(i);
      const HtmlToken& last = tokens_[end - 1];
      // Text moved behind an element without an end would become part of it.
      const bool is_whole = end == i + 1
                                ? token.self_closing
                                : last.kind == TokenKind::end_tag && last.name == token.name;
      const bool has_blocks =
          std::any_of(tokens_.begin() + std::ptrdiff_t(i), tokens_.begin() + std::ptrdiff_t(end),
                      [](const HtmlToken& inside) { return is_html_block(inside.name); });
      if (has_blocks || !is_whole)
        keep(i, end);
      else
        add_item(is_silent_in_html(token.name) ? InlineItem::Kind::single : InlineItem::Kind::fixed,
                 i, end);
      return end;
    }
    if (is_html_block(token.name))
      keep(i, i + 1);
    else
      add_item(empty ? InlineItem::Kind::single : InlineItem::Kind::open, i, i + 1);
    return i + 1;
  }

  bool asks_to_be_kept(const HtmlToken& token) const {
    for (const HtmlAttribute& attribute : token.attributes) {
      if (attribute.name != "translate" && attribute.name != "class") continue;
      const std::string value = lower_ascii(value_of(attribute));
      if (attribute.name == "translate" && value == "no") return true;
      if (attribute.name == "class" && (" " + value + " ").find(" notranslate ") != value.npos)
        return true;
    }
    return false;
  }
  std::string_view value_of(const HtmlAttribute& attribute) const {
    return html_.substr(attribute.begin, attribute.end - attribute.begin);
  }

  // The token behind an element: behind its end tag, or before what ends it without one.
  size_t end_of_element(size_t start) const {
    const std::string& name = tokens_[start].name;
    if (tokens_[start].self_closing && is_silent_in_html(name)) return start + 1;
    std::map<std::string_view, int64_t> open;
    for (size_t i = start + 1; i < tokens_.size(); ++i) {
      const HtmlToken& token = tokens_[i];
      if (token.kind == TokenKind::start_tag) {
        if (open.empty() && ends_by_start(name, token.name)) return i;
        if (!is_html_void(token.name) && !token.self_closing) ++open[token.name];
      } else if (token.kind == TokenKind::end_tag) {
        const auto inner = open.find(token.name);
        if (inner != open.end()) {
          if (--inner->second == 0) open.erase(inner);
        } else if (token.name == name) {
          return i + 1;
        } else if (is_html_block(token.name)) {
          return i;  // of an element around it
        }
      }
    }
    return tokens_.size();
  }

  std::string characters_of(const HtmlToken& token) const {
    return decode_html(html_.substr(token.begin, token.end - token.begin));
  }
  void add_text(const HtmlToken& token) {
    builder_.add_text(characters_of(token), token.begin, token.end);
  }
  void add_item(InlineItem::Kind kind, size_t first, size_t last) {
    InlineItem item{.kind = kind, .name = tokens_[first].name};
    append_kept(first, last, item.tag.parts);
    if (kind == InlineItem::Kind::fixed)
      for (size_t i = first; i < last; ++i)
        if (tokens_[i].kind == TokenKind::text) item.text += characters_of(tokens_[i]);
    builder_.add(std::move(item));
  }

  // Tokens that are no part of a text, with the values of their attributes.
  void keep(size_t first, size_t last) {
    builder_.end_run();
    DocumentParts parts;
    append_kept(first, last, parts);
    builder_.keep(parts);
  }
  void append_kept(size_t first, size_t last, DocumentParts& parts) {
    append_tag(tokens_[first], parts);
    if (last > first + 1)
      DocumentBuilder::append_source(tokens_[first].end, tokens_[last - 1].end, parts);
  }
  // A token, with the texts of its attributes unless its element is kept.
  void append_tag(const HtmlToken& token, DocumentParts& parts) {
    static constexpr auto kTranslated =
        std::to_array<std::string_view>({"alt", "aria-label", "placeholder", "title"});
    size_t at = token.begin;
    if (token.kind == TokenKind::start_tag && !asks_to_be_kept(token)) {
      for (const HtmlAttribute& attribute : token.attributes) {
        if (!std::ranges::binary_search(kTranslated, attribute.name)) continue;
        DocumentBuilder::append_source(at, attribute.begin, parts);
        builder_.append_text(decode_html(value_of(attribute), HtmlPlace::attribute),
                             attribute.begin, attribute.end, style_of(attribute), parts);
        at = attribute.end;
      }
    }
    DocumentBuilder::append_source(at, token.end, parts);
  }

  DocumentBuilder builder_;
  const std::string_view html_;
  std::vector<HtmlToken> tokens_;
};

}  // namespace

void read_html(FormattedDocument& document) {
  HtmlReader(document).read();
}

}  // namespace heed::detail
