// Documents of which the text is translated and everything else stays as it is.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/documents/tag_placement.h"

namespace heed {

enum class DocumentFormat { html, json, markdown, po, rst, srt, xliff, xml };
constexpr std::array<std::pair<std::string_view, DocumentFormat>, 8> enum_names(DocumentFormat) {
  return {{{"html", DocumentFormat::html},
           {"json", DocumentFormat::json},
           {"markdown", DocumentFormat::markdown},
           {"po", DocumentFormat::po},
           {"rst", DocumentFormat::rst},
           {"srt", DocumentFormat::srt},
           {"xliff", DocumentFormat::xliff},
           {"xml", DocumentFormat::xml}}};
}

// The format of this name, and all names, for messages.
std::optional<DocumentFormat> document_format(std::string_view name);
std::string document_format_names();

// A translation of a text, and the words that belong together (decode/text_units.h).
struct TranslatedText {
  std::string text;
  std::vector<AlignedPair> links = {};
  bool doubtful = false;  // LineStatus::doubtful; XLIFF 1.2 and PO mark it for a person
};

namespace detail {

// Appends a text as a format writes it.
using TextEncoder = void (*)(std::string_view text, std::string& bytes);

struct DocumentTag;

// A piece of a translation: text, or a tag with its bytes.
struct TranslatedPiece {
  std::string bytes = {};
  const DocumentTag* tag = nullptr;
};
// Appends the pieces of a translation, where they depend on each other.
using PieceEncoder = void (*)(std::span<const TranslatedPiece> pieces, std::string& bytes);

// How the texts of a format are written.
struct TextStyle {
  TextEncoder encode = nullptr;
  PieceEncoder encode_pieces = nullptr;  // instead of `encode`, with tags at the ends of a text
  // Where tags depend on the characters around them: whether a text is read as this shape
  // (DocumentTag), and how it is written where it is not.
  bool (*reads_as)(std::string_view bytes, std::string_view shape) = nullptr;
  TextEncoder encode_plain = nullptr;
  // Whether a program reads the text: one without placeholders must not get any.
  bool drops_placeholders = false;
  bool keeps_lines = false;     // a translation has as many lines as its text
  bool parts_at_halves = true;  // a start tag without an end, and the other way round, parts texts
};

// A part of a document that is written: bytes that stay, a text that is replaced by its
// translation, or the value of a string that is itself a document.
struct DocumentPart {
  // An adornment is a line of one character as long as the title `index`; an addition is a literal
  // that is written where the text `index` changes, a mark one where one of `lines` texts from
  // `index` on is doubtful.
  enum class Kind {
    source,
    literal,
    text,
    embedded,
    adornment,
    addition,
    mark
  } kind = Kind::source;
  // Bytes of the document; of its literals, for literals, additions and marks.
  size_t begin = 0, end = 0;
  size_t index = 0;                  // of the text, or of the embedded document
  const TextStyle* style = nullptr;  // of a text, of that of an adornment, or of a document
  size_t lines = 1;                  // in which a text is written
  size_t inset = 0;                  // columns before the title of an adornment
};
using DocumentParts = std::vector<DocumentPart>;

// A tag inside a text, as it is written.
struct DocumentTag {
  DocumentParts parts = {};
  // Only where a format has TextStyle::reads_as: how the tag is written where `parts` would not be
  // read as this tag (as `parts` if empty), what it is in the text that is tried, and what it adds
  // to the shape that this should have.
  DocumentParts plain = {};
  std::string tried = {}, shape = {};
};

class DocumentBuilder;

}  // namespace detail

// The texts of a document are in the order in which it has them, not empty, and without line
// breaks. Inline tags (<b>, <a>, <img>, comments) are spans of the text around them.
//
// HTML: a text is the content between the tags of blocks (<p>, <li>, <td>, <br>, ...), with white
// space as browsers show it; tags without a partner end a text. The values of the attributes alt,
// title, placeholder and aria-label are texts too. Kept are <script>, <style>, <pre>, <textarea>,
// <svg>, <math> and other elements without sentences; elements with translate="no" or the class
// notranslate. These, <code>, <kbd>, <samp> and <var> within a sentence are fixed spans of it.
//
// XML: an element inside a text is inline, any other parts texts. Kept are elements with
// translate="no" or translatable="false", and those of code (<programlisting>, <code>, ...).
//
// XLIFF 1.2 and 2: <target> gets the translation of <source> where it is missing or empty, or where
// its state is that of one without a translation; a doubtful one has the state
// needs-review-translation (1.2).
//
// PO: msgstr gets the translation of msgid where it is empty; a doubtful one is fuzzy. JSON: the
// strings that are values, but not those of keys that begin with @. SRT: what is said; as many
// lines as before. Markdown: as GitHub reads it; code stays, and so does HTML.
//
// reStructuredText: as docutils and Sphinx read it. Code, tables, comments, targets, the arguments
// and contents of directives that are no prose, and terms of glossaries stay.
//
// A string of XLIFF, PO or JSON is HTML if it has tags of HTML alone; otherwise its lines are
// texts.
class FormattedDocument {
 public:
  // Error, with `name` and the place, for a document that is not UTF-8 or not well-formed (HTML
  // always is). An empty name is that of the format.
  FormattedDocument(std::string bytes, DocumentFormat format, std::string_view name = {});

  const std::vector<MarkedText>& texts() const { return texts_; }
  // The document with the translation of each text. A text that its translation does not change
  // stays byte for byte as it is. The result is well-formed.
  std::string with(std::span<const TranslatedText> translations) const;

 private:
  friend class detail::DocumentBuilder;
  FormattedDocument() = default;

  void append(const detail::DocumentParts& parts, std::span<const TranslatedText> translations,
              std::string& bytes) const;
  void append_text(const detail::DocumentPart& part, std::span<const TranslatedText> translations,
                   std::string& bytes) const;
  // By TextStyle::encode_pieces.
  void append_pieces(const detail::DocumentPart& part, const std::vector<PlacedPart>& placed,
                     std::span<const TranslatedText> translations, std::string& bytes) const;
  void append_adornment(const detail::DocumentPart& part,
                        std::span<const TranslatedText> translations, std::string& bytes) const;
  bool changes(size_t text, std::span<const TranslatedText> translations) const {
    return translations[text].text != texts_[text].text;
  }
  // Whether the tags of a text are read as such where its translation has them.
  bool reads_well(const detail::DocumentPart& part, const std::vector<PlacedPart>& placed) const;
  static bool has_doubt(std::span<const TranslatedText> translations) {
    return std::ranges::any_of(translations,
                               [](const TranslatedText& one) { return one.doubtful; });
  }
  void append_embedded(const detail::DocumentPart& part,
                       std::span<const TranslatedText> translations, std::string& bytes) const;

  std::string bytes_;
  std::string literals_;
  std::vector<MarkedText> texts_;
  std::vector<detail::DocumentParts> originals_;  // of each text: its bytes, with its tags
  std::vector<detail::DocumentTag> tags_;         // by TagSpan::open and close
  std::vector<FormattedDocument> embedded_;
  std::vector<size_t> first_texts_;  // of each embedded document: its first text, of `texts_`
  detail::DocumentParts parts_;
};

}  // namespace heed
