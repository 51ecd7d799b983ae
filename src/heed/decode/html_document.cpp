#include "heed/decode/html_document.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>

#include "heed/core/ascii.h"
#include "heed/core/error.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/text/html_characters.h"
#include "heed/text/html_tokens.h"

namespace heed {
namespace {

using Kind = HtmlToken::Kind;

constexpr std::string_view kSpace = " \t\n\f\r";

template <size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::ranges::binary_search(names, name);
}

// The elements that do not end a sentence. Of elements that HTML does not know, browsers make such
// ones too.
bool is_block(std::string_view name) {
  static constexpr auto kBlocks = std::to_array<std::string_view>(
      {"address",  "article",   "aside",      "audio",   "base",     "blockquote", "body",
       "br",       "button",    "canvas",     "caption", "center",   "col",        "colgroup",
       "dd",       "details",   "dialog",     "dir",     "div",      "dl",         "dt",
       "embed",    "fieldset",  "figcaption", "figure",  "footer",   "form",       "frame",
       "frameset", "h1",        "h2",         "h3",      "h4",       "h5",         "h6",
       "head",     "header",    "hgroup",     "hr",      "html",     "iframe",     "legend",
       "li",       "link",      "main",       "menu",    "meta",     "nav",        "noembed",
       "noframes", "noscript",  "object",     "ol",      "optgroup", "option",     "p",
       "param",    "plaintext", "pre",        "script",  "search",   "section",    "select",
       "source",   "style",     "summary",    "table",   "tbody",    "td",         "template",
       "textarea", "tfoot",     "th",         "thead",   "title",    "tr",         "track"});
  static constexpr auto kMore = std::to_array<std::string_view>({"ul", "video", "xmp"});
  return is_one_of(name, kBlocks) || is_one_of(name, kMore);
}

// Elements without content.
bool is_void(std::string_view name) {
  static constexpr auto kVoid = std::to_array<std::string_view>(
      {"area", "base", "br", "col", "embed", "frame", "hr", "img", "input", "link", "meta", "param",
       "source", "track", "wbr", "~"});
  return is_one_of(name, kVoid);
}

// Elements of which nothing is translated.
bool is_kept(std::string_view name) {
  static constexpr auto kKept = std::to_array<std::string_view>(
      {"audio", "canvas", "code", "iframe", "kbd", "math", "object", "pre", "samp", "svg",
       "template", "textarea", "var", "video"});
  return is_one_of(name, kKept);
}

// Kept elements whose content is no text of the sentence around them.
bool is_silent(std::string_view name) {
  static constexpr auto kSilent = std::to_array<std::string_view>({"math", "rp", "rt", "svg"});
  return is_one_of(name, kSilent);
}

// Whether the start tag of `name` ends an element `open` that has no end tag.
bool ends_by_start(std::string_view open, std::string_view name) {
  if (open == "p") return is_block(name) && name != "br" && name != "button";
  if (open == "dt" || open == "dd") return name == "dt" || name == "dd";
  if (open == "td" || open == "th") return name == "td" || name == "th" || name == "tr";
  if (open == "option") return name == "option" || name == "optgroup";
  return open == name && (open == "li" || open == "tr" || open == "optgroup");
}

bool has_letter(std::string_view text) {
  while (!text.empty()) {
    const Utf8Character next = first_utf8_character(text);
    if (is_letter(next.value)) return true;
    text.remove_prefix(next.bytes);
  }
  return false;
}

// Appends text as browsers show it: white space is one space, and none at the beginning.
void append_collapsed(std::string_view characters, std::string& text) {
  for (const char c : characters) {
    if (kSpace.find(c) == kSpace.npos)
      text += c;
    else if (!text.empty() && text.back() != ' ')
      text += ' ';
  }
}

}  // namespace

// Cuts a document into its parts.
class HtmlReader {
 public:
  explicit HtmlReader(HtmlDocument& document) : document_(document), html_(document.html_) {}

  void read() {
    HtmlTokenizer tokenizer(html_);
    for (HtmlToken token; tokenizer.next(token);) tokens_.push_back(std::move(token));
    for (size_t i = 0; i < tokens_.size();) i = read_token(i);
    end_run();
  }

 private:
  // A token, or several that stay together, of a run of text.
  struct Item {
    enum class Kind { text, open, close, single, fixed } kind = Kind::text;
    size_t begin = 0, end = 0;        // bytes
    size_t first = 0, last = 0;       // tokens [first, last)
    std::string text = {};            // decoded; of a fixed item what a model sees of it
    std::optional<size_t> pair = {};  // of an open or close item: the other one
    bool splits = false;              // an open or close item without another one
  };
  using Items = std::span<Item>;

  // Reads the token with this number and those that belong to it. Returns the next one.
  size_t read_token(size_t i) {
    const HtmlToken& token = tokens_[i];
    const bool is_title = i > 0 && tokens_[i - 1].name == "title";
    switch (token.kind) {
      case Kind::text:
        add_item(Item::Kind::text, i, i + 1);
        return i + 1;
      case Kind::raw:
        if (is_title)
          add_item(Item::Kind::text, i, i + 1);
        else
          keep(i, i + 1);
        return i + 1;
      case Kind::other:
        if (token.unfinished)
          keep(i, i + 1);  // text moved behind it would become part of it
        else
          add_item(Item::Kind::single, i, i + 1);
        return i + 1;
      case Kind::end_tag:
        if (is_block(token.name))
          keep(i, i + 1);
        else
          add_item(Item::Kind::close, i, i + 1);
        return i + 1;
      case Kind::start_tag:
        return read_start_tag(i);
    }
    return i + 1;
  }

  size_t read_start_tag(size_t i) {
    const HtmlToken& token = tokens_[i];
    const bool empty = is_void(token.name);
    const bool kept = is_kept(token.name) || is_silent(token.name) || asks_to_be_kept(token);
    if (kept && !empty) {
      const size_t end = end_of_element(i);
      const HtmlToken& last = tokens_[end - 1];
      // Text moved behind an element without an end would become part of it.
      const bool is_whole =
          end == i + 1 ? token.self_closing : last.kind == Kind::end_tag && last.name == token.name;
      const bool has_blocks =
          std::any_of(tokens_.begin() + std::ptrdiff_t(i), tokens_.begin() + std::ptrdiff_t(end),
                      [](const HtmlToken& inside) { return is_block(inside.name); });
      if (has_blocks || !is_whole)
        keep(i, end);
      else
        add_item(is_silent(token.name) ? Item::Kind::single : Item::Kind::fixed, i, end);
      return end;
    }
    if (is_block(token.name))
      keep(i, i + 1);
    else
      add_item(empty ? Item::Kind::single : Item::Kind::open, i, i + 1);
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
    if (tokens_[start].self_closing && is_silent(name)) return start + 1;
    std::map<std::string_view, int64_t> open;
    for (size_t i = start + 1; i < tokens_.size(); ++i) {
      const HtmlToken& token = tokens_[i];
      if (token.kind == Kind::start_tag) {
        if (open.empty() && ends_by_start(name, token.name)) return i;
        if (!is_void(token.name) && !token.self_closing) ++open[token.name];
      } else if (token.kind == Kind::end_tag) {
        const auto inner = open.find(token.name);
        if (inner != open.end()) {
          if (--inner->second == 0) open.erase(inner);
        } else if (token.name == name) {
          return i + 1;
        } else if (is_block(token.name)) {
          return i;  // of an element around it
        }
      }
    }
    return tokens_.size();
  }

  void add_item(Item::Kind kind, size_t first, size_t last) {
    constexpr size_t kMaxTags = 1000;  // of a text
    if (kind != Item::Kind::text && ++tags_ > kMaxTags) end_run();
    Item& item = run_.emplace_back(Item{.kind = kind,
                                        .begin = tokens_[first].begin,
                                        .end = tokens_[last - 1].end,
                                        .first = first,
                                        .last = last});
    const auto append = [&](const HtmlToken& token) {
      item.text += decode_html(html_.substr(token.begin, token.end - token.begin));
    };
    if (kind == Item::Kind::text) append(tokens_[first]);
    if (kind != Item::Kind::fixed) return;
    for (size_t i = first; i < last; ++i)
      if (tokens_[i].kind == Kind::text) append(tokens_[i]);
  }

  // Tokens that are no part of a text, with the values of their attributes.
  void keep(size_t first, size_t last) {
    end_run();
    append_kept(first, last, document_.parts_);
  }
  void append_kept(size_t first, size_t last, HtmlDocument::Parts& parts) {
    append_tag(tokens_[first], parts);
    if (last > first + 1) append_raw(tokens_[first].end, tokens_[last - 1].end, parts);
  }
  void append_raw(size_t begin, size_t end, HtmlDocument::Parts& parts) const {
    if (begin == end) return;
    if (!parts.empty() && parts.back().kind == HtmlDocument::Part::Kind::raw &&
        parts.back().end == begin)
      parts.back().end = end;
    else
      parts.push_back({HtmlDocument::Part::Kind::raw, begin, end});
  }
  // A token, with the texts of its attributes unless its element is kept.
  void append_tag(const HtmlToken& token, HtmlDocument::Parts& parts) {
    static constexpr auto kTranslated =
        std::to_array<std::string_view>({"alt", "aria-label", "placeholder", "title"});
    size_t at = token.begin;
    if (token.kind == Kind::start_tag && !asks_to_be_kept(token)) {
      for (const HtmlAttribute& attribute : token.attributes) {
        if (!is_one_of(attribute.name, kTranslated)) continue;
        std::string text;
        append_collapsed(decode_html(value_of(attribute), HtmlPlace::attribute), text);
        if (!has_letter(text)) continue;
        append_raw(at, attribute.begin, parts);
        parts.push_back({HtmlDocument::Part::Kind::attribute, attribute.begin, attribute.end,
                         document_.texts_.size(), attribute.quote});
        if (text.back() == ' ') text.pop_back();
        document_.texts_.push_back({std::move(text), {}});
        document_.originals_.emplace_back();
        at = attribute.end;
      }
    }
    append_raw(at, token.end, parts);
  }

  // Ends a run of text and of tags inside it, and adds its texts.
  void end_run() {
    std::vector<Item> run;
    run.swap(run_);
    tags_ = 0;
    pair_tags(run);
    for (size_t begin = 0; begin < run.size();) {
      size_t end = begin;
      while (end < run.size() && !run[end].splits) ++end;
      add_text({run.data() + begin, end - begin}, begin);
      if (end < run.size()) append_kept(run[end].first, run[end].last, document_.parts_);
      begin = end + 1;
    }
  }

  // Finds the end tag of each start tag. A tag that has none splits the run, and so do pairs around
  // such a tag.
  void pair_tags(std::vector<Item>& run) const {
    std::vector<size_t> open;
    for (size_t i = 0; i < run.size(); ++i) {
      if (run[i].kind == Item::Kind::open) open.push_back(i);
      if (run[i].kind != Item::Kind::close) continue;
      const auto same = std::find_if(open.rbegin(), open.rend(), [&](size_t other) {
        return tokens_[run[other].first].name == tokens_[run[i].first].name;
      });
      if (same == open.rend()) continue;
      run[i].pair = *same;
      run[*same].pair = i;
      open.erase(std::prev(same.base()), open.end());
    }
    std::vector<size_t> splits(run.size() + 1);  // before each item
    for (size_t i = 0; i < run.size(); ++i) {
      const bool is_half = run[i].kind == Item::Kind::open || run[i].kind == Item::Kind::close;
      run[i].splits = is_half && !run[i].pair;
      splits[i + 1] = splits[i] + run[i].splits;
    }
    for (size_t i = 0; i < run.size(); ++i)
      if (run[i].pair && *run[i].pair > i && splits[*run[i].pair] > splits[i])
        run[i].splits = run[*run[i].pair].splits = true;
  }

  static bool is_blank_text(const Item& item) {
    return item.kind == Item::Kind::text &&
           item.text.find_first_not_of(kSpace) == std::string::npos;
  }
  // Whether the item has nothing that a text could be.
  static bool is_edge(const Item& item) {
    return item.kind == Item::Kind::single || is_blank_text(item);
  }

  // Adds the items as a text, without what stands around it; `offset` is the number of the first
  // one in its run.
  void add_text(Items items, size_t offset) {
    size_t begin = 0, end = items.size();
    for (bool smaller = true; smaller && begin < end;) {
      smaller = false;
      while (begin < end && is_edge(items[begin])) ++begin, smaller = true;
      while (begin < end && is_edge(items[end - 1])) --end, smaller = true;
      if (begin == end) break;
      const Item &first = items[begin], &last = items[end - 1];
      const bool is_around = first.kind == Item::Kind::open && *first.pair == offset + end - 1;
      const bool is_empty_before =
          first.kind == Item::Kind::open && *first.pair == offset + begin + 1;
      const bool is_empty_behind = last.kind == Item::Kind::close && *last.pair == offset + end - 2;
      if (is_around)
        ++begin, --end, smaller = true;
      else if (is_empty_before)
        begin += 2, smaller = true;
      else if (is_empty_behind)
        end -= 2, smaller = true;
    }
    keep_items(items.first(begin), document_.parts_);
    add_marked(items.subspan(begin, end - begin));
    keep_items(items.subspan(end), document_.parts_);
  }

  void keep_items(Items items, HtmlDocument::Parts& parts) {
    for (const Item& item : items) append_kept(item.first, item.last, parts);
  }

  void add_marked(Items items) {
    if (items.empty()) return;
    MarkedText marked;
    bool translated = false;
    std::vector<size_t> open;
    std::vector<std::pair<size_t, size_t>> tag_items;  // of each tag: its number, and its item
    const auto new_tag = [&](size_t item) {
      tag_items.emplace_back(next_tag_ + tag_items.size(), item);
      return tag_items.back().first;
    };
    for (size_t i = 0; i < items.size(); ++i) {
      const Item& item = items[i];
      if (item.kind == Item::Kind::text) {
        const bool drops_space = !item.text.empty() && kSpace.find(item.text[0]) != kSpace.npos &&
                                 marked.text.ends_with(' ');
        if (drops_space && !marked.spans.empty() && marked.spans.back().end == marked.text.size())
          marked.spans.back().spaced = true;
        append_collapsed(item.text, marked.text);
        translated = translated || has_letter(item.text);
        continue;
      }
      if (item.kind == Item::Kind::close) {
        TagSpan& span = marked.spans[open.back()];
        open.pop_back();
        span.end = std::max(span.begin, marked.text.size());
        span.close = new_tag(i);
        continue;
      }
      TagSpan span{.begin = marked.text.size(), .open = new_tag(i)};
      span.fixed = item.kind == Item::Kind::fixed;
      span.parent = open.empty() ? TagSpan::kNone : open.back();
      if (span.fixed) append_collapsed(item.text, marked.text);
      span.end = marked.text.size();
      if (item.kind == Item::Kind::open) open.push_back(marked.spans.size());
      marked.spans.push_back(span);
    }
    if (!translated) return keep_items(items, document_.parts_);
    finish_text(items, tag_items, std::move(marked));
  }

  void finish_text(Items items, const std::vector<std::pair<size_t, size_t>>& tag_items,
                   MarkedText marked) {
    HtmlDocument::Parts original;
    document_.tags_.resize(next_tag_ + tag_items.size());
    next_tag_ = document_.tags_.size();
    size_t next = 0;  // of tag_items
    size_t begin = items.front().begin;
    const std::string_view first = html_.substr(begin, items.front().end - begin);
    size_t trimmed = 0;
    if (items.front().kind == Item::Kind::text)
      trimmed = std::min(first.find_first_not_of(kSpace), first.size());
    append_raw(begin, begin + trimmed, document_.parts_);
    for (size_t i = 0; i < items.size(); ++i) {
      const Item& item = items[i];
      if (next < tag_items.size() && tag_items[next].second == i) {
        HtmlDocument::Parts& tag = document_.tags_[tag_items[next++].first];
        append_kept(item.first, item.last, tag);
        original.insert(original.end(), tag.begin(), tag.end());
      } else {
        append_raw(item.begin + (i == 0 ? trimmed : 0), item.end, original);
      }
    }
    // White space at the end is no part of the text.
    size_t end = items.back().end;
    if (items.back().kind == Item::Kind::text) {
      const std::string_view last = html_.substr(items.back().begin, end - items.back().begin);
      end = items.back().begin + last.find_last_not_of(kSpace) + 1;
      original.back().end = end;
    }
    if (!marked.text.empty() && marked.text.back() == ' ') marked.text.pop_back();
    for (TagSpan& span : marked.spans) {
      span.begin = std::min(span.begin, marked.text.size());
      span.end = std::min(span.end, marked.text.size());
    }
    document_.parts_.push_back(
        {HtmlDocument::Part::Kind::text, begin + trimmed, end, document_.texts_.size()});
    document_.texts_.push_back(std::move(marked));
    document_.originals_.push_back(std::move(original));
    append_raw(end, items.back().end, document_.parts_);
  }

  HtmlDocument& document_;
  const std::string_view html_;
  std::vector<HtmlToken> tokens_;
  std::vector<Item> run_;
  size_t tags_ = 0;      // of the run
  size_t next_tag_ = 0;  // number
};

HtmlDocument::HtmlDocument(std::string html) : html_(std::move(html)) {
  if (const auto byte = find_invalid_utf8(html_))
    fail("HTML: byte {} is not UTF-8: convert the document, as by iconv", *byte);
  HtmlReader(*this).read();
}

void HtmlDocument::append(const Parts& parts, const std::vector<TranslatedText>& translations,
                          std::string& html) const {
  for (const Part& part : parts) {
    const TranslatedText* translation =
        part.kind == Part::Kind::raw ? nullptr : &translations[part.text];
    if (translation == nullptr ||
        (part.kind == Part::Kind::attribute && translation->text == texts_[part.text].text)) {
      html.append(html_, part.begin, part.end - part.begin);
    } else if (part.kind == Part::Kind::text) {
      append_text(part.text, *translation, translations, html);
    } else {
      std::string value = encode_html(translation->text, HtmlPlace::attribute);
      if (part.quote == '\'')
        for (size_t at = 0; (at = value.find('\'', at)) != value.npos;)
          value.replace(at, 1, "&#39;");
      html += part.quote == 0 ? '"' + value + '"' : value;
    }
  }
}

void HtmlDocument::append_text(size_t text, const TranslatedText& translation,
                               const std::vector<TranslatedText>& translations,
                               std::string& html) const {
  if (translation.text == texts_[text].text) return append(originals_[text], translations, html);
  for (const PlacedPart& part : place_tags(texts_[text], translation.text, translation.links)) {
    if (part.is_tag())
      append(tags_[part.tag], translations, html);
    else
      html += encode_html(part.text);
  }
}

std::string HtmlDocument::with(const std::vector<TranslatedText>& translations) const {
  check(translations.size() == texts_.size(), "a translation for each text");
  std::string html;
  append(parts_, translations, html);
  return html;
}

}  // namespace heed
