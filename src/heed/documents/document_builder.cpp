#include "heed/documents/document_builder.h"

#include <algorithm>

#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/text/protected_spans.h"

namespace heed::detail {
namespace {

using ItemKind = InlineItem::Kind;

constexpr std::string_view kSpace = " \t\n\f\r";

bool is_space(char c) {
  return kSpace.find(c) != kSpace.npos;
}

// Appends text as browsers show it: white space is one space, and none at the beginning.
void append_collapsed(std::string_view characters, std::string& text) {
  for (const char c : characters) {
    if (!is_space(c))
      text += c;
    else if (!text.empty() && text.back() != ' ')
      text += ' ';
  }
}

bool is_half(const InlineItem& item) {
  return item.kind == ItemKind::open || item.kind == ItemKind::close;
}

bool is_blank_text(const InlineItem& item) {
  return item.kind == ItemKind::text && item.text.find_first_not_of(kSpace) == std::string::npos;
}

}  // namespace

namespace {

std::vector<ProtectedSpan> repeated_spans(std::string_view text) {
  static const ProtectedKinds kKinds({"placeholders", "urls", "emails"});
  return protected_spans(text, kKinds, {});
}

// The characters of a fixed item that a model sees. It would repeat placeholders in it, which are
// there already: but one that is all of it can be found in the translation.
std::string visible_text(std::string_view text) {
  const std::vector<ProtectedSpan> spans = repeated_spans(text);
  if (spans.size() == 1 && spans[0].end - spans[0].begin == text.size()) return std::string(text);
  std::string visible;
  size_t at = 0;
  for (const ProtectedSpan& span : spans) {
    visible += text.substr(at, span.begin - at);
    at = span.end;
  }
  return visible + std::string(text.substr(at));
}

}  // namespace

bool has_letter(std::string_view text) {
  const std::vector<ProtectedSpan> spans = repeated_spans(text);
  auto span = spans.begin();
  for (size_t at = 0; at < text.size();) {
    if (span != spans.end() && at == span->begin) {
      at = (span++)->end;
      continue;
    }
    const Utf8Character next = first_utf8_character(text.substr(at));
    if (is_letter(next.value)) return true;
    at += next.bytes;
  }
  return false;
}

void read_document(FormattedDocument& document, DocumentFormat format, std::string_view name) {
  switch (format) {
    case DocumentFormat::html:
      return read_html(document);
    case DocumentFormat::json:
      return read_json(document, name);
    case DocumentFormat::markdown:
      return read_markdown(document);
    case DocumentFormat::po:
      return read_po(document, name);
    case DocumentFormat::rst:
      return read_rst(document);
    case DocumentFormat::srt:
      return read_srt(document, name);
    case DocumentFormat::xliff:
      return read_xliff(document, name);
    case DocumentFormat::xml:
      return read_xml(document, name);
  }
}

void DocumentBuilder::append_source(size_t begin, size_t end, DocumentParts& parts) {
  if (begin >= end) return;
  if (!parts.empty() && parts.back().kind == DocumentPart::Kind::source &&
      parts.back().end == begin)
    parts.back().end = end;
  else
    parts.push_back({DocumentPart::Kind::source, begin, end});
}

void DocumentBuilder::append_literal(std::string_view bytes, DocumentParts& parts) {
  const size_t begin = document_.literals_.size();
  document_.literals_ += bytes;
  parts.push_back({DocumentPart::Kind::literal, begin, document_.literals_.size()});
}

void DocumentBuilder::append_text(std::string_view characters, size_t begin, size_t end,
                                  const TextStyle& style, DocumentParts& parts) {
  std::string text;
  append_collapsed(characters, text);
  if (!has_letter(text)) return append_source(begin, end, parts);
  if (text.back() == ' ') text.pop_back();
  parts.push_back({DocumentPart::Kind::text, begin, end, document_.texts_.size(), &style});
  document_.texts_.push_back({std::move(text), {}});
  append_source(begin, end, document_.originals_.emplace_back());
}

FormattedDocument DocumentBuilder::message(std::string value) {
  FormattedDocument document;
  document.bytes_ = std::move(value);
  read_message(document);
  return document;
}

FormattedDocument DocumentBuilder::html(std::string value) {
  FormattedDocument document;
  document.bytes_ = std::move(value);
  read_html(document);
  return document;
}

void DocumentBuilder::keep(size_t begin, size_t end) {
  end_run();
  append_source(begin, end, document_.parts_);
}

void DocumentBuilder::keep_until(size_t end) {
  if (at_ >= end) return;
  keep(at_, end);
  at_ = end;
}

void DocumentBuilder::keep(const DocumentParts& parts) {
  end_run();
  append_parts(parts);
}

void DocumentBuilder::append_parts(const DocumentParts& parts) {
  for (const DocumentPart& part : parts) {
    if (part.kind == DocumentPart::Kind::source)
      append_source(part.begin, part.end, document_.parts_);
    else
      document_.parts_.push_back(part);
  }
}

void DocumentBuilder::keep_literal(std::string_view bytes) {
  end_run();
  append_literal(bytes, document_.parts_);
}

void DocumentBuilder::keep_adornment(size_t begin, size_t end, size_t text, size_t inset) {
  end_run();
  document_.parts_.push_back({.kind = DocumentPart::Kind::adornment,
                              .begin = begin,
                              .end = end,
                              .index = text,
                              .style = style_,
                              .inset = inset});
}

void DocumentBuilder::keep_addition(std::string_view bytes, size_t text) {
  keep_literal(bytes);
  document_.parts_.back().kind = DocumentPart::Kind::addition;
  document_.parts_.back().index = text;
}

size_t DocumentBuilder::begin_mark(std::string_view bytes) {
  keep_literal(bytes);
  document_.parts_.back().kind = DocumentPart::Kind::mark;
  document_.parts_.back().index = texts();
  return document_.parts_.size() - 1;
}

void DocumentBuilder::end_mark(size_t mark) {
  document_.parts_[mark].lines = texts() - document_.parts_[mark].index;
}

void DocumentBuilder::embed(FormattedDocument value, size_t begin, size_t end,
                            const TextStyle& style) {
  end_run();
  document_.parts_.push_back(
      {DocumentPart::Kind::embedded, begin, end, document_.embedded_.size(), &style});
  document_.first_texts_.push_back(document_.texts_.size());
  for (const MarkedText& text : value.texts_) document_.texts_.push_back(text);
  document_.originals_.resize(document_.texts_.size());
  document_.embedded_.push_back(std::move(value));
}

void DocumentBuilder::add(InlineItem item) {
  constexpr size_t kMaxTags = 1000;  // of a text
  if (item.kind != ItemKind::text && ++tags_ > kMaxTags) end_run();
  run_.push_back({std::move(item)});
}

void DocumentBuilder::add_text(std::string characters, size_t begin, size_t end) {
  InlineItem item{.text = std::move(characters)};
  append_source(begin, end, item.tag.parts);
  if (begin < end) add(std::move(item));
}

// Ends a run of text and of tags inside it, and adds its texts.
void DocumentBuilder::end_run() {
  std::vector<Item> run;
  run.swap(run_);
  tags_ = 0;
  pair_tags(run);
  if (style_->parts_at_halves) {
    mark_splits(run);
  } else {
    for (Item& item : run)
      if (is_half(item) && item.pair == Item::kNone) item.kind = ItemKind::single;
  }
  for (size_t begin = 0; begin < run.size();) {
    size_t end = begin;
    while (end < run.size() && !run[end].splits) ++end;
    add_run({run.data() + begin, end - begin}, begin);
    if (end < run.size()) keep_items({&run[end], 1});
    begin = end + 1;
  }
}

// Finds the end tag of each start tag.
void DocumentBuilder::pair_tags(std::vector<Item>& run) {
  std::vector<size_t> open;
  for (size_t i = 0; i < run.size(); ++i) {
    if (run[i].kind == ItemKind::open) open.push_back(i);
    if (run[i].kind != ItemKind::close) continue;
    const auto same = std::find_if(open.rbegin(), open.rend(),
                                   [&](size_t other) { return run[other].name == run[i].name; });
    if (same == open.rend()) continue;
    run[i].pair = *same;
    run[*same].pair = i;
    open.erase(std::prev(same.base()), open.end());
  }
}

// A tag without another one splits the run, and so do pairs around such a tag.
void DocumentBuilder::mark_splits(std::vector<Item>& run) {
  std::vector<size_t> splits(run.size() + 1);  // before each item
  for (size_t i = 0; i < run.size(); ++i) {
    run[i].splits = is_half(run[i]) && run[i].pair == Item::kNone;
    splits[i + 1] = splits[i] + run[i].splits;
  }
  for (size_t i = 0; i < run.size(); ++i)
    if (run[i].pair != Item::kNone && run[i].pair > i && splits[run[i].pair] > splits[i])
      run[i].splits = run[run[i].pair].splits = true;
}

void DocumentBuilder::keep_items(Items items) {
  for (const Item& item : items) append_parts(item.tag.parts);
}

// Adds the items as a text, without what stands around it; `offset` is the number of the first one
// in its run.
void DocumentBuilder::add_run(Items items, size_t offset) {
  size_t begin = 0, end = items.size();
  // Otherwise they are tried or written together with the text.
  const bool trims_tags = style_->reads_as == nullptr && style_->encode_pieces == nullptr;
  for (bool smaller = true; smaller && begin < end;) {
    smaller = false;
    const auto is_edge = [&](const Item& item) {
      return is_blank_text(item) || (trims_tags && item.kind == ItemKind::single);
    };
    while (begin < end && is_edge(items[begin])) ++begin, smaller = true;
    while (begin < end && is_edge(items[end - 1])) --end, smaller = true;
    if (begin == end || !trims_tags) break;
    const Item &first = items[begin], &last = items[end - 1];
    const bool is_around = first.kind == ItemKind::open && first.pair == offset + end - 1;
    const bool is_empty_before = first.kind == ItemKind::open && first.pair == offset + begin + 1;
    const bool is_empty_behind = last.kind == ItemKind::close && last.pair == offset + end - 2;
    if (is_around)
      ++begin, --end, smaller = true;
    else if (is_empty_before)
      begin += 2, smaller = true;
    else if (is_empty_behind)
      end -= 2, smaller = true;
  }
  keep_items(items.first(begin));
  add_marked(items.subspan(begin, end - begin));
  keep_items(items.subspan(end));
}

void DocumentBuilder::add_marked(Items items) {
  MarkedText marked;
  bool translated = false;
  std::vector<size_t> open;
  std::vector<size_t> tags;  // the items that are tags
  const auto new_tag = [&](size_t item) {
    tags.push_back(item);
    return document_.tags_.size() + tags.size() - 1;
  };
  for (size_t i = 0; i < items.size(); ++i) {
    const Item& item = items[i];
    if (item.kind == ItemKind::text) {
      const bool drops_space =
          !item.text.empty() && is_space(item.text[0]) && marked.text.ends_with(' ');
      if (drops_space && !marked.spans.empty() && marked.spans.back().end == marked.text.size())
        marked.spans.back().spaced = true;
      append_collapsed(item.text, marked.text);
      translated = translated || has_letter(item.text);
      continue;
    }
    if (item.kind == ItemKind::close) {
      TagSpan& span = marked.spans[open.back()];
      open.pop_back();
      span.end = std::max(span.begin, marked.text.size());
      span.close = new_tag(i);
      continue;
    }
    TagSpan span{.begin = marked.text.size(), .open = new_tag(i)};
    span.fixed = item.kind == ItemKind::fixed;
    span.parent = open.empty() ? TagSpan::kNone : open.back();
    if (span.fixed) append_collapsed(visible_text(item.text), marked.text);
    span.end = marked.text.size();
    if (item.kind == ItemKind::open) open.push_back(marked.spans.size());
    marked.spans.push_back(span);
  }
  if (translated)
    finish_text(items, tags, std::move(marked));
  else
    keep_items(items);
}

void DocumentBuilder::finish_text(Items items, const std::vector<size_t>& tags, MarkedText marked) {
  for (const size_t item : tags) {
    DocumentTag& tag = document_.tags_.emplace_back(items[item].tag);
    if (!items[item].rewritten.empty()) tag.parts = items[item].rewritten;
  }
  DocumentParts original;
  DocumentPart text{
      .kind = DocumentPart::Kind::text, .index = document_.texts_.size(), .style = style_};
  size_t behind = 0, last_end = 0;  // the bytes of white space that ends the text
  for (const Item& item : items) {
    const DocumentParts& parts = item.tag.parts;
    if (item.kind != ItemKind::text) {
      original.insert(original.end(), parts.begin(), parts.end());
      continue;
    }
    auto [begin, end] = std::pair(parts.front().begin, parts.front().end);
    // White space around a text is no part of it.
    if (&item == &items.front()) {
      const size_t outside = begin;
      while (begin < end && is_space(bytes()[begin])) ++begin;
      append_source(outside, begin, document_.parts_);
    }
    if (&item == &items.back()) {
      last_end = end;
      while (end > begin && is_space(bytes()[end - 1])) --end;
      behind = end;
    }
    if (style_->keeps_lines)
      text.lines += size_t(std::ranges::count(bytes().substr(begin, end - begin), '\n'));
    append_source(begin, end, original);
  }
  if (!marked.text.empty() && marked.text.back() == ' ') marked.text.pop_back();
  for (TagSpan& span : marked.spans) {
    span.begin = std::min(span.begin, marked.text.size());
    span.end = std::min(span.end, marked.text.size());
  }
  document_.parts_.push_back(text);
  document_.texts_.push_back(std::move(marked));
  document_.originals_.push_back(std::move(original));
  append_source(behind, last_end, document_.parts_);
}

}  // namespace heed::detail
