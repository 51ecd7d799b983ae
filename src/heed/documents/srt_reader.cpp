// Subtitles in the format of SubRip.
#include "heed/core/ascii.h"
#include "heed/core/error.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/documents/document_builder.h"
#include "heed/documents/message_tags.h"

namespace heed::detail {
namespace {

void write_subtitle(std::string_view text, std::string& bytes) {
  bytes += text;
}
constexpr TextStyle kSubtitle{
    .encode = write_subtitle, .keeps_lines = true, .parts_at_halves = false};

bool is_time(std::string_view line) {
  const size_t arrow = line.find(" --> ");
  const std::string_view start = trim_blanks(line.substr(0, arrow));
  return arrow != line.npos && start.size() >= 8 && is_ascii_digit(uint8_t(start.front())) &&
         is_ascii_digit(uint8_t(start.back())) &&
         start.find_first_not_of("0123456789:,.") == start.npos && start.find(':') != start.npos;
}

// The bytes of the dash that begins what a speaker says, with the spaces around it; 0: none does.
size_t dash_bytes(std::string_view line) {
  size_t at = 0;
  bool has_dash = false;
  while (at < line.size()) {
    const Utf8Character next = first_utf8_character(line.substr(at));
    const bool is_dash = next.value == '-' || next.value == 0x2013 || next.value == 0x2014;
    if (!is_dash && next.value != ' ') break;
    has_dash = has_dash || is_dash;
    at += next.bytes;
  }
  return has_dash && at < line.size() ? at : 0;
}

class SubtitleReader {
 public:
  SubtitleReader(FormattedDocument& document, std::string_view name)
      : builder_(document, kSubtitle), name_(name) {
    const std::string_view bytes = builder_.bytes();
    for (size_t begin = 0; begin < bytes.size();) {
      const size_t end = std::min(bytes.find('\n', begin), bytes.size());
      lines_.push_back({begin, end});
      begin = end + 1;
    }
    if (bytes.starts_with("\uFEFF")) lines_.front().begin += 3;
  }

  void read() {
    size_t line = 0;
    while (line < lines_.size()) {
      if (is_blank(text_of(line)))
        ++line;
      else if (const size_t header = header_lines(line); header > 0)
        line = read_cue(line + header);
      else
        fail(
            "{}: line {}: expected the number or the time of a subtitle, as 00:00:01,000 --> "
            "00:00:02,000",
            name_, line + 1);
    }
    builder_.keep_until(builder_.bytes().size());
  }

 private:
  struct Line {
    size_t begin = 0, end = 0;
  };

  std::string_view text_of(size_t line) const {
    std::string_view text =
        builder_.bytes().substr(lines_[line].begin, lines_[line].end - lines_[line].begin);
    if (text.ends_with('\r')) text.remove_suffix(1);
    return text;
  }
  // How many lines, of a number and a time, begin a subtitle here; 0: none does.
  size_t header_lines(size_t line) const {
    if (is_time(text_of(line))) return 1;
    const bool is_number = is_digits(trim_blanks(text_of(line)));
    return is_number && line + 1 < lines_.size() && is_time(text_of(line + 1)) ? 2 : 0;
  }

  // Returns the line behind it. Empty lines inside a subtitle, which some files have, stay.
  size_t read_cue(size_t line) {
    for (; line < lines_.size() && header_lines(line) == 0; ++line) {
      const std::string_view text = text_of(line);
      size_t begin = lines_[line].begin;
      if (is_blank(text)) {
        end_text();
        continue;
      }
      if (const size_t dash = dash_bytes(text); dash > 0) {
        end_text();  // of another speaker
        begin += dash;
      }
      if (!in_text_) builder_.keep_until(begin);
      add_line(in_text_ ? at_ : begin, lines_[line].begin + text.size());
    }
    end_text();
    return line;
  }

  // Adds bytes of a line, and those of the end of the line before it.
  void add_line(size_t begin, size_t end) {
    in_text_ = true;
    const std::string_view text = builder_.bytes().substr(begin, end - begin);
    const std::vector<MessageTag> tags = message_tags(text);
    size_t next = 0;
    // "{\an8}" places a subtitle.
    size_t style = std::min(text.find("{\\"), text.size()), style_end = text.find('}', style);
    for (size_t at = 0; at < text.size();) {
      while (next < tags.size() && tags[next].begin < at) ++next;
      if (style < at) {
        style = std::min(text.find("{\\", at), text.size());
        style_end = text.find('}', style);
      }
      const size_t tag = next < tags.size() ? tags[next].begin : text.size();
      const bool is_style = style < tag && style_end != text.npos;
      const size_t stop = is_style ? style : tag;
      builder_.add_text(std::string(text.substr(at, stop - at)), begin + at, begin + stop);
      at = stop;
      if (stop == text.size()) break;
      InlineItem item{.kind = InlineItem::Kind::single};
      at = is_style ? style_end + 1 : tags[next].end;
      if (!is_style && tags[next].kind != MessageTag::Kind::alone) {
        const bool is_end = tags[next].kind == MessageTag::Kind::end;
        item.kind = is_end ? InlineItem::Kind::close : InlineItem::Kind::open;
        item.name = lower_ascii(tags[next].name);
      }
      DocumentBuilder::append_source(begin + stop, begin + at, item.tag.parts);
      builder_.add(std::move(item));
    }
    at_ = end;
  }

  void end_text() {
    if (!in_text_) return;
    builder_.end_run();
    builder_.skip_to(at_);
    in_text_ = false;
  }

  DocumentBuilder builder_;
  const std::string_view name_;
  std::vector<Line> lines_;
  bool in_text_ = false;
  size_t at_ = 0;  // the end of the text that is being read
};

}  // namespace

void read_srt(FormattedDocument& document, std::string_view name) {
  SubtitleReader(document, name).read();
}

}  // namespace heed::detail
