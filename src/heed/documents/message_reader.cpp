// The strings of programs, as PO, JSON and XLIFF have them.
#include <algorithm>
#include <set>

#include "heed/core/ascii.h"
#include "heed/documents/document_builder.h"
#include "heed/documents/html_elements.h"
#include "heed/documents/message_tags.h"
#include "heed/text/html_characters.h"

namespace heed::detail {
namespace {

// Names in angle brackets are tags of the message: those that a model writes besides have none.
void write_plain_message(std::string_view text, std::string& bytes) {
  size_t at = 0;
  for (const MessageTag& tag : message_tags(text)) {
    bytes += text.substr(at, tag.begin - at);
    bytes += text.substr(tag.begin + 1, tag.end - tag.begin - 2);
    at = tag.end;
  }
  bytes += text.substr(at);
}
void write_marked_message(std::string_view text, std::string& bytes) {
  bytes += encode_html(text);
}

constexpr TextStyle kPlainMessage{
    .encode = write_plain_message, .drops_placeholders = true, .parts_at_halves = false};
constexpr TextStyle kMarkedMessage{
    .encode = write_marked_message, .drops_placeholders = true, .parts_at_halves = false};

// The text with its character references replaced, which end in a semicolon: a "&" alone is one, or
// marks a key.
std::string decode_references(std::string_view text) {
  std::string decoded;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = std::min(text.find('&', at), text.size());
    decoded += text.substr(at, begin - at);
    if (begin == text.size()) break;
    size_t end = begin + 1;
    while (end < text.size() && end < begin + 40 &&
           (is_ascii_letter(char32_t(uint8_t(text[end]))) || text[end] == '#' ||
            is_ascii_digit(char32_t(uint8_t(text[end])))))
      ++end;
    const bool is_reference = end < text.size() && text[end] == ';' && end > begin + 1;
    at = is_reference ? end + 1 : begin + 1;
    decoded += is_reference ? decode_html(text.substr(begin, at - begin)) : "&";
  }
  return decoded;
}

// Tags that need no partner. Others without one are names: "<file>", also "<address>".
bool stands_alone(std::string_view name) {
  return name == "br" || name == "hr" || name == "img" || name == "li" || name == "p" ||
         name == "wbr";
}

// The kinds of tags of a message.
struct MarkUp {
  bool is_any = false;      // tags rather than names
  bool has_blocks = false;  // of HTML
};

MarkUp mark_up_of(const std::vector<MessageTag>& tags) {
  MarkUp found;
  std::set<std::string_view> started;
  for (const MessageTag& tag : tags) {
    const std::string name = lower_ascii(tag.name);
    const bool is_pair = tag.kind == MessageTag::Kind::end && started.contains(tag.name);
    if (is_pair || stands_alone(name)) {
      found.is_any = true;
      found.has_blocks = found.has_blocks || is_html_block(name);
    }
    started.insert(tag.name);
  }
  return found;
}

class MessageReader {
 public:
  MessageReader(FormattedDocument& document, const std::vector<MessageTag>& tags,
                const TextStyle& style)
      : builder_(document, style),
        value_(builder_.bytes()),
        tags_(tags),
        decodes_(&style == &kMarkedMessage) {}

  // Each line is a text; what its columns are parted by, a tab or three spaces, stays.
  void read() {
    for (size_t begin = 0; begin < value_.size();) {
      const size_t end = std::min(value_.find('\n', begin), value_.size());
      read_line(begin, end);
      begin = std::min(end + 1, value_.size());
      builder_.keep(end, begin);
    }
    builder_.end_run();
  }

 private:
  void read_line(size_t begin, size_t end) {
    const std::string_view line = value_.substr(0, end);
    const size_t text = std::min(line.find_first_not_of(" \t", begin), end);
    builder_.keep(begin, text);
    begin = text;
    while (begin < end) {
      const size_t column = std::min({line.find("   ", begin), line.find('\t', begin), end});
      // An option of a program, with its explanation in the next column
      if (column < end && value_[begin] == '-')
        builder_.keep(begin, column);
      else
        read_text(begin, column);
      const size_t next = std::min(line.find_first_not_of(" \t", column), end);
      builder_.keep(column, next);
      begin = next;
    }
  }

  void read_text(size_t begin, size_t end) {
    while (next_ < tags_.size() && tags_[next_].begin < begin) ++next_;
    size_t last = next_;
    while (last < tags_.size() && tags_[last].end <= end) ++last;
    size_t at = begin;
    for (; next_ < last; ++next_) {
      const MessageTag& tag = tags_[next_];
      add_text(at, tag.begin);
      at = add_tag(tag, last);
    }
    add_text(at, end);
  }

  // Returns the byte behind it. `last` is the tag behind those of the text.
  size_t add_tag(const MessageTag& tag, size_t last) {
    InlineItem item{.name = tag.name};
    size_t end = tag.end;
    const bool is_start = tag.kind == MessageTag::Kind::start;
    constexpr size_t kReach = 1000;  // tags
    last = std::min(last, next_ + kReach);
    size_t partner = next_ + 1;
    while (is_start && partner < last &&
           (tags_[partner].kind != MessageTag::Kind::end || tags_[partner].name != tag.name))
      ++partner;
    const std::string name = lower_ascii(tag.name);
    if (is_start && partner == last && !stands_alone(name)) {
      // It is read as a word
      item.kind = InlineItem::Kind::fixed;
      item.text = value_.substr(tag.begin, end - tag.begin);
    } else if (is_start && partner < last && (name == "code" || name == "kbd" || name == "tt")) {
      item.kind = InlineItem::Kind::fixed;
      item.text = decoded(end, tags_[partner].begin);
      end = tags_[partner].end;
      next_ = partner;
    } else if (tag.kind == MessageTag::Kind::alone || is_html_void(name)) {
      item.kind = InlineItem::Kind::single;
    } else {
      item.kind = is_start ? InlineItem::Kind::open : InlineItem::Kind::close;
    }
    DocumentBuilder::append_source(tag.begin, end, item.tag.parts);
    builder_.add(std::move(item));
    return end;
  }

  std::string decoded(size_t begin, size_t end) const {
    const std::string_view text = value_.substr(begin, end - begin);
    return decodes_ ? decode_references(text) : std::string(text);
  }
  void add_text(size_t begin, size_t end) { builder_.add_text(decoded(begin, end), begin, end); }

  DocumentBuilder builder_;
  const std::string_view value_;
  const std::vector<MessageTag>& tags_;
  const bool decodes_;
  size_t next_ = 0;  // of the tags
};

}  // namespace

void read_message(FormattedDocument& document) {
  const std::string_view value = DocumentBuilder(document, kPlainMessage).bytes();
  const std::vector<MessageTag> tags = message_tags(value);
  const MarkUp mark_up = mark_up_of(tags);
  if (mark_up.has_blocks && has_html_tags(value)) return read_html(document);
  const bool is_marked = mark_up.is_any || decode_references(value) != value;
  MessageReader(document, tags, is_marked ? kMarkedMessage : kPlainMessage).read();
}

}  // namespace heed::detail
