#include "heed/documents/formatted_document.h"

#include <algorithm>

#include "heed/core/error.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/documents/document_builder.h"
#include "heed/documents/rst_lines.h"
#include "heed/text/placeholders.h"

namespace heed {
namespace {

using detail::DocumentPart;

std::string_view title_of(DocumentFormat format) {
  switch (format) {
    case DocumentFormat::html:
      return "HTML";
    case DocumentFormat::json:
      return "JSON";
    case DocumentFormat::markdown:
      return "Markdown";
    case DocumentFormat::po:
      return "PO";
    case DocumentFormat::rst:
      return "reStructuredText";
    case DocumentFormat::srt:
      return "SRT";
    case DocumentFormat::xliff:
      return "XLIFF";
    case DocumentFormat::xml:
      return "XML";
  }
  return "";
}

// A place where a line may end.
struct LineBreak {
  size_t at = 0;          // byte
  bool is_space = false;  // which the end of the line replaces
  size_t characters = 0;  // before it
};

// Where the characters of a text may be broken into lines; `at` are its bytes in `bytes`.
void add_breaks(std::string_view bytes, size_t begin, size_t& characters,
                std::vector<LineBreak>& breaks) {
  for (size_t at = begin; at < bytes.size();) {
    const Utf8Character next = first_utf8_character(bytes.substr(at));
    if (next.value == ' ')
      breaks.push_back({at, true, characters});
    else if (next.value >= 0x3000 && !is_punctuation(next.value) && characters > 0)
      breaks.push_back({at, false, characters});  // between characters of Chinese and Japanese
    ++characters;
    at += next.bytes;
  }
}

// Breaks a text into lines of equal length, as far as there are places; `breaks` are in order.
void break_lines(const std::vector<LineBreak>& breaks, size_t characters, size_t lines,
                 std::string_view line_end, std::string& bytes) {
  std::vector<LineBreak> chosen;
  size_t next = 0;
  for (size_t line = 1; line < lines; ++line) {
    const auto distance = [&](size_t i) {
      return std::abs(int64_t(breaks[i].characters) - int64_t(characters * line / lines));
    };
    while (next < breaks.size() && !chosen.empty() && breaks[next].at <= chosen.back().at + 1)
      ++next;  // no line is empty
    if (next == breaks.size()) break;
    while (next + 1 < breaks.size() && distance(next + 1) < distance(next)) ++next;
    chosen.push_back(breaks[next]);
  }
  for (; !chosen.empty(); chosen.pop_back())
    bytes.replace(chosen.back().at, chosen.back().is_space ? 1 : 0, line_end);
}

}  // namespace

std::optional<DocumentFormat> document_format(std::string_view name) {
  for (const auto& [known, format] : enum_names(DocumentFormat()))
    if (known == name) return format;
  return {};
}

std::string document_format_names() {
  std::string names;
  for (const auto& [name, format] : enum_names(DocumentFormat()))
    names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

FormattedDocument::FormattedDocument(std::string bytes, DocumentFormat format,
                                     std::string_view name)
    : bytes_(std::move(bytes)) {
  if (name.empty()) name = title_of(format);
  if (const auto byte = find_invalid_utf8(bytes_))
    fail("{}: byte {} is not UTF-8: convert the document, as by iconv", name, *byte);
  detail::read_document(*this, format, name);
}

void FormattedDocument::append(const detail::DocumentParts& parts,
                               std::span<const TranslatedText> translations,
                               std::string& bytes) const {
  for (const DocumentPart& part : parts) {
    switch (part.kind) {
      case DocumentPart::Kind::source:
        bytes.append(bytes_, part.begin, part.end - part.begin);
        break;
      case DocumentPart::Kind::literal:
        bytes.append(literals_, part.begin, part.end - part.begin);
        break;
      case DocumentPart::Kind::text:
        append_text(part, translations, bytes);
        break;
      case DocumentPart::Kind::embedded:
        append_embedded(part, translations, bytes);
        break;
      case DocumentPart::Kind::adornment:
        append_adornment(part, translations, bytes);
        break;
      case DocumentPart::Kind::mark:
        if (has_doubt(translations.subspan(part.index, part.lines)))
          bytes.append(literals_, part.begin, part.end - part.begin);
        break;
      case DocumentPart::Kind::addition:
        if (changes(part.index, translations))
          bytes.append(literals_, part.begin, part.end - part.begin);
        break;
    }
  }
}

void FormattedDocument::append_text(const DocumentPart& part,
                                    std::span<const TranslatedText> translations,
                                    std::string& bytes) const {
  const MarkedText& source = texts_[part.index];
  const TranslatedText& translation = translations[part.index];
  if (!changes(part.index, translations))
    return append(originals_[part.index], translations, bytes);
  const std::vector<PlacedPart> placed = place_tags(source, translation.text, translation.links);
  if (part.style->encode_pieces != nullptr) return append_pieces(part, placed, translations, bytes);
  if (part.style->reads_as != nullptr && !reads_well(part, placed)) {
    for (const PlacedPart& one : placed) {
      if (!one.is_tag())
        part.style->encode_plain(one.text, bytes);
      else
        append(tags_[one.tag].plain.empty() ? tags_[one.tag].parts : tags_[one.tag].plain,
               translations, bytes);
    }
    return;
  }
  const bool drops_placeholders =
      part.style->drops_placeholders && detail::without_placeholders(source.text) == source.text;
  std::vector<LineBreak> breaks;
  size_t characters = 0;
  for (const PlacedPart& one : placed) {
    if (one.is_tag()) {
      append(tags_[one.tag].parts, translations, bytes);
      continue;
    }
    const size_t at = bytes.size();
    if (drops_placeholders)
      part.style->encode(detail::without_placeholders(one.text), bytes);
    else
      part.style->encode(one.text, bytes);
    if (part.lines > 1) add_breaks(bytes, at, characters, breaks);
  }
  if (part.lines > 1) {
    const size_t first = bytes_.find('\n');
    const bool is_crlf = first != 0 && first != bytes_.npos && bytes_[first - 1] == '\r';
    break_lines(breaks, characters, part.lines, is_crlf ? "\r\n" : "\n", bytes);
  }
}

void FormattedDocument::append_pieces(const DocumentPart& part,
                                      const std::vector<PlacedPart>& placed,
                                      std::span<const TranslatedText> translations,
                                      std::string& bytes) const {
  std::vector<detail::TranslatedPiece> pieces;
  for (const PlacedPart& one : placed) {
    detail::TranslatedPiece& piece = pieces.emplace_back();
    if (!one.is_tag()) {
      piece.bytes = one.text;
      continue;
    }
    piece.tag = &tags_[one.tag];
    append(piece.tag->parts, translations, piece.bytes);
  }
  part.style->encode_pieces(pieces, bytes);
}

// As long as it was if that was longer than the title needed, and longer or shorter by as much as
// the title if not.
void FormattedDocument::append_adornment(const DocumentPart& part,
                                         std::span<const TranslatedText> translations,
                                         std::string& bytes) const {
  const std::string_view line = std::string_view(bytes_).substr(part.begin, part.end - part.begin);
  if (!changes(part.index, translations)) {
    bytes += line;
    return;
  }
  std::string before, after;
  append(originals_[part.index], translations, before);
  append_text({.kind = DocumentPart::Kind::text, .index = part.index, .style = part.style},
              translations, after);
  const size_t needed = part.inset + detail::rst_columns(before);
  const size_t columns = part.inset + detail::rst_columns(after);
  const bool is_long = line.size() > needed + part.inset;
  const size_t more = line.size() - std::min(line.size(), needed);
  bytes.append(is_long ? std::max(line.size(), columns) : columns + more, line.front());
}

bool FormattedDocument::reads_well(const DocumentPart& part,
                                   const std::vector<PlacedPart>& placed) const {
  std::string tried, shape;
  for (const PlacedPart& one : placed) {
    if (one.is_tag()) {
      tried += tags_[one.tag].tried;
      shape += tags_[one.tag].shape;
    } else {
      part.style->encode(one.text, tried);
      shape += one.text;
    }
  }
  return part.style->reads_as(tried, shape);
}

void FormattedDocument::append_embedded(const DocumentPart& part,
                                        std::span<const TranslatedText> translations,
                                        std::string& bytes) const {
  const FormattedDocument& value = embedded_[part.index];
  const std::string written =
      value.with(translations.subspan(first_texts_[part.index], value.texts_.size()));
  if (part.begin < part.end && written == value.bytes_)
    bytes.append(bytes_, part.begin, part.end - part.begin);
  else
    part.style->encode(written, bytes);
}

std::string FormattedDocument::with(std::span<const TranslatedText> translations) const {
  check(translations.size() == texts_.size(), "a translation for each text");
  std::string bytes;
  append(parts_, translations, bytes);
  return bytes;
}

}  // namespace heed
