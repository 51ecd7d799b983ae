// Catalogs of messages in the format of GNU gettext.
#include <optional>

#include "heed/core/ascii.h"
#include "heed/core/error.h"
#include "heed/core/utf8.h"
#include "heed/documents/document_builder.h"

namespace heed::detail {
namespace {

// The letters of escapes, and the characters that they are.
constexpr std::string_view kEscapes = "abfnrtv\\\"", kEscaped = "\a\b\f\n\r\t\v\\\"";

// A string with its quotes; one with several lines has one in each.
void write_po_string(std::string_view text, std::string& bytes) {
  const size_t first = text.find('\n');
  const bool has_lines = first != text.npos && first + 1 < text.size();
  bytes += has_lines ? "\"\"\n\"" : "\"";
  for (size_t at = 0; at < text.size(); ++at) {
    const size_t escape = kEscaped.find(text[at]);
    if (escape == kEscaped.npos) {
      bytes += text[at];
      continue;
    }
    bytes += '\\';
    bytes += kEscapes[escape];
    if (text[at] == '\n' && at + 1 < text.size()) bytes += "\"\n\"";
  }
  bytes += '"';
}
constexpr TextStyle kPoString{.encode = write_po_string};

// A string of a catalog, which may be cut into several.
struct PoString {
  std::string value = {};
  size_t begin = 0, end = 0;  // from its first quote to its last
};

struct PoEntry {
  std::optional<PoString> id, plural;
  std::vector<PoString> translations;
  size_t line = 0;
  // Where its flags belong: before the first line of its previous msgid or of itself.
  std::optional<size_t> begin;
  bool is_fuzzy = false;
};

class PoReader {
 public:
  PoReader(FormattedDocument& document, std::string_view name)
      : builder_(document, kPoString), bytes_(builder_.bytes()), name_(name) {}

  void read() {
    if (bytes_.starts_with("\uFEFF")) at_ = 3;
    for (; at_ < bytes_.size(); ++line_) {
      const size_t end = std::min(bytes_.find('\n', at_), bytes_.size());
      read_line(end);
      at_ = end + 1;
    }
    end_entry();
    builder_.keep_until(bytes_.size());
  }

 private:
  template <class... Args>
  [[noreturn]] void fail_here(fmt::format_string<Args...> text, Args&&... args) const {
    fail("{}: line {}: {}", name_, line_, fmt::format(text, std::forward<Args>(args)...));
  }

  void read_line(size_t end) {
    size_t at = bytes_.find_first_not_of(" \t\r\f\v", at_);
    if (at >= end) return;
    if (bytes_[at] == '#') return read_comment(bytes_.substr(at, end - at));
    if (bytes_[at] == '"') {
      if (current_ == nullptr) fail_here("a string that belongs to no keyword");
      return read_string(at, end, *current_);
    }
    const size_t word = at;
    while (at < end && (is_ascii_letter(char32_t(uint8_t(bytes_[at]))) || bytes_[at] == '_')) ++at;
    current_ = &begin_string(bytes_.substr(word, at - word));
    if (bytes_.substr(word, at - word) == "msgstr" && at < end && bytes_[at] == '[') {
      const size_t close = std::min(bytes_.find(']', at), end);
      const std::string number = std::to_string(entry_.translations.size() - 1);
      if (bytes_.substr(at + 1, close - at - 1) != number) fail_here("expected msgstr[{}]", number);
      at = close + 1;
    }
    at = std::min(bytes_.find_first_not_of(" \t", at), end);
    if (at == end || bytes_[at] != '"') fail_here("expected a string in quotes");
    current_->begin = at;
    read_string(at, end, *current_);
  }

  // A comment before an entry: "#, fuzzy, c-format" or "#| msgid" of an earlier version.
  void read_comment(std::string_view comment) {
    if (comment.starts_with("#|") && !previous_) previous_ = at_;
    if (comment.starts_with("#,") && comment.find("fuzzy") != comment.npos) is_fuzzy_ = true;
  }

  // The string that a keyword begins.
  PoString& begin_string(std::string_view keyword) {
    if (keyword == "msgctxt" || keyword == "msgid" || keyword == "domain") {
      const bool ends = !entry_.translations.empty() || keyword == "domain";
      if (ends) end_entry();
      if (keyword != "domain" && !entry_.begin) {
        entry_.begin = previous_.value_or(at_);
        entry_.is_fuzzy = is_fuzzy_;
        previous_.reset();
        is_fuzzy_ = false;
      }
      if (keyword != "msgid") return other_;
      if (entry_.id) fail_here("a second msgid, before the msgstr of the first");
      entry_.line = line_;
      return entry_.id.emplace();
    }
    if (!entry_.id) fail_here("{}, expected msgid", excerpt(keyword, 20));
    if (keyword == "msgid_plural") return entry_.plural.emplace();
    if (keyword == "msgstr") return entry_.translations.emplace_back();
    fail_here("'{}', expected msgid, msgid_plural, msgstr, msgctxt or a comment",
              excerpt(keyword, 20));
  }

  // Appends the string whose quote is at `at`, on a line that ends at `end`.
  void read_string(size_t at, size_t end, PoString& string) const {
    for (++at; at < end && bytes_[at] != '"'; ++at) {
      if (bytes_[at] == '\\')
        at = read_escape(at + 1, end, string.value);
      else
        string.value += bytes_[at];
    }
    if (at >= end) fail_here("a string without a quote at its end");
    string.end = at + 1;
    if (bytes_.find_first_not_of(" \t\r\f\v", string.end) < end)
      fail_here("text behind the string");
  }

  // Appends the character of an escape; returns its last byte.
  size_t read_escape(size_t at, size_t end, std::string& value) const {
    const char c = at < end ? bytes_[at] : ' ';
    if (const size_t known = kEscapes.find(c); known != kEscapes.npos) {
      value += kEscaped[known];
      return at;
    }
    size_t digits = at;
    int byte = 0;
    if (c == 'x') {
      for (++digits; digits < end && digits < at + 3; ++digits) {
        const size_t digit = std::string_view("0123456789abcdef").find(lower_ascii(bytes_[digits]));
        if (digit == std::string_view::npos) break;
        byte = byte * 16 + int(digit);
      }
      if (digits == at + 1) fail_here("\\x without a number");
    } else {
      while (digits < end && digits < at + 3 && bytes_[digits] >= '0' && bytes_[digits] <= '7')
        byte = byte * 8 + (bytes_[digits++] - '0');
      if (digits == at) fail_here("an unknown escape \\{}", c);
    }
    if (byte == 0 || byte > 0x7F) fail_here("an escape of byte {}, expected ASCII", byte);
    value += char(byte);
    return digits - 1;
  }

  void end_entry() {
    current_ = nullptr;
    PoEntry entry;
    std::swap(entry, entry_);
    if (!entry.id) return;
    if (entry.translations.empty()) fail("{}: line {}: a msgid without msgstr", name_, entry.line);
    if (entry.id->value.empty() && !entry.translations.front().value.empty())
      return check_header(entry);
    for (const PoString& translation : entry.translations)
      if (!translation.value.empty()) return;
    builder_.keep_until(*entry.begin);
    std::string_view flag = ends_lines_in_cr() ? "#, fuzzy\r\n" : "#, fuzzy\n";
    if (entry.is_fuzzy) flag = {};
    const size_t mark = builder_.begin_mark(flag);
    for (const PoString& translation : entry.translations) {
      const bool is_first = &translation == &entry.translations.front();
      const PoString& source = is_first || !entry.plural ? *entry.id : *entry.plural;
      builder_.keep_until(translation.begin);
      builder_.embed(DocumentBuilder::message(source.value), 0, 0, kPoString);
      builder_.skip_to(translation.end);
    }
    builder_.end_mark(mark);
  }

  bool ends_lines_in_cr() const {
    const size_t line = bytes_.find('\n');
    return line != bytes_.npos && line > 0 && bytes_[line - 1] == '\r';
  }

  void check_header(const PoEntry& entry) const {
    const std::string header = lower_ascii(std::string_view(entry.translations.front().value));
    const size_t at = header.find("charset=");
    if (at == header.npos) return;
    const std::string set =
        header.substr(at + 8, header.find_first_of(" \t\r\n;", at + 8) - at - 8);
    if (set != "utf-8" && set != "utf8" && set != "ascii" && set != "us-ascii" && set != "charset")
      fail("{}: its charset is {}, expected UTF-8: convert it by msgconv --to-code=UTF-8", name_,
           excerpt(set, 40));
  }

  DocumentBuilder builder_;
  const std::string_view bytes_, name_;
  size_t at_ = 0, line_ = 1;
  PoEntry entry_;
  std::optional<size_t> previous_;  // of the next entry: the line of its previous msgid
  bool is_fuzzy_ = false;           // the next entry
  PoString other_;                  // that is not translated
  PoString* current_ = nullptr;     // to which a line without keyword belongs
};

}  // namespace

void read_po(FormattedDocument& document, std::string_view name) {
  PoReader(document, name).read();
}

}  // namespace heed::detail
