// Puts a document together while its format is read: bytes that stay, texts, tags inside texts.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/documents/formatted_document.h"

namespace heed::detail {

// A piece of a run of text.
struct InlineItem {
  // `fixed` is a tag with text that is not translated.
  enum class Kind { text, open, close, single, fixed } kind = Kind::text;
  DocumentTag tag = {};          // as it is written; of text, one part: its bytes
  std::string text = {};         // characters; of a fixed item, those that a model sees of it
  std::string name = {};         // of open and close: those of a pair have the same
  DocumentParts rewritten = {};  // as it is written in a translation, if not as in the document
};

// Runs are what stands between two tags of blocks; what is kept ends a run.
class DocumentBuilder {
 public:
  // `style` must outlive the document.
  DocumentBuilder(FormattedDocument& document, const TextStyle& style)
      : document_(document), style_(&style) {}

  std::string_view bytes() const { return document_.bytes_; }
  // For the runs that follow.
  void set_style(const TextStyle& style) { style_ = &style; }

  void add(InlineItem item);
  // Text with these characters, of the bytes [begin, end).
  void add_text(std::string characters, size_t begin, size_t end);
  void end_run();

  void keep(size_t begin, size_t end);
  // For readers that go through the bytes in order: keeps those that were neither kept nor skipped.
  void keep_until(size_t end);
  void skip_to(size_t at) { at_ = at; }
  void keep(const DocumentParts& parts);
  // Bytes that the document does not have.
  void keep_literal(std::string_view bytes);
  // The number of texts so far, which is the index of the next one.
  size_t texts() const { return document_.texts_.size(); }
  // A line of one character, above or below a title that is the text of this index.
  void keep_adornment(size_t begin, size_t end, size_t text, size_t inset);
  // Bytes that the document has only where this text changes.
  void keep_addition(std::string_view bytes, size_t text);
  // Bytes that the document has only where one of the texts between the two calls is doubtful; the
  // second call gets what the first returns.
  size_t begin_mark(std::string_view bytes);
  void end_mark(size_t mark);
  // A string with a value that is a document of its own: written as the bytes [begin, end) where
  // that stays as it is, or by `style` if these are none.
  void embed(FormattedDocument value, size_t begin, size_t end, const TextStyle& style);

  // Bytes that stay, as a part of `parts`.
  static void append_source(size_t begin, size_t end, DocumentParts& parts);
  void append_literal(std::string_view bytes, DocumentParts& parts);
  // A text of its own, such as the value of an attribute; white space is one space.
  void append_text(std::string_view characters, size_t begin, size_t end, const TextStyle& style,
                   DocumentParts& parts);
  // A document of a string: HTML, or lines (message_reader.cpp).
  static FormattedDocument message(std::string value);
  // A document of a string that is HTML.
  static FormattedDocument html(std::string value);

 private:
  struct Item : InlineItem {
    static constexpr size_t kNone = size_t(-1);
    size_t pair = kNone;  // of an open or close item: the other one, by its place in the run
    bool splits = false;  // an open or close item that parts texts
  };
  using Items = std::span<Item>;

  static void pair_tags(std::vector<Item>& run);
  static void mark_splits(std::vector<Item>& run);
  void add_run(Items items, size_t offset);
  void add_marked(Items items);
  void finish_text(Items items, const std::vector<size_t>& tags, MarkedText marked);
  void keep_items(Items items);
  // As parts of the document, outside of runs.
  void append_parts(const DocumentParts& parts);

  FormattedDocument& document_;
  const TextStyle* style_;
  std::vector<Item> run_;
  size_t tags_ = 0;  // of the run
  size_t at_ = 0;    // of keep_until()
};

// Whether a text has letters besides those of placeholders and addresses.
bool has_letter(std::string_view text);

// Fills a document that has its bytes.
void read_document(FormattedDocument& document, DocumentFormat format, std::string_view name);

// Readers of formats. They fail with `name` and the place where a document is not well-formed.
void read_html(FormattedDocument& document);
void read_message(FormattedDocument& document);
void read_json(FormattedDocument& document, std::string_view name);
void read_markdown(FormattedDocument& document);
void read_po(FormattedDocument& document, std::string_view name);
void read_rst(FormattedDocument& document);
void read_srt(FormattedDocument& document, std::string_view name);
void read_xliff(FormattedDocument& document, std::string_view name);
void read_xml(FormattedDocument& document, std::string_view name);

}  // namespace heed::detail
