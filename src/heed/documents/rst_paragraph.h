// A text of reStructuredText, which may be several lines, with its inline markup.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "heed/documents/document_builder.h"
#include "heed/documents/rst_spans.h"

namespace heed::detail {

// The names that references of a document may have, as docutils compares them. Code that looks
// like a reference is among them.
using RstNames = std::set<std::string, std::less<>>;
RstNames rst_referenced_names(std::string_view document);
std::string rst_name(std::string_view text);

class RstParagraph {
 public:
  struct Line {
    size_t begin = 0, end = 0;  // bytes of the document, without the white space around it
  };

  // At least one line, of which none is empty.
  RstParagraph(std::string_view document, std::vector<Line> lines);

  // Lines are parted by one space.
  const std::string& text() const { return text_; }
  // Without markup.
  std::string plain_text() const;
  // Whether there is something to translate.
  bool has_words(const RstNames& referenced) const;
  // Where " : " ends the term of a definition, or the size of the text.
  size_t classifier() const;

  // Adds the text to a run, and its markup. Links with text that is referred to stay as they are.
  void add_to(DocumentBuilder& builder, const RstNames& referenced) const;

 private:
  // The byte of the document for one of the text.
  size_t place(size_t at) const;
  std::string_view part(size_t begin, size_t end) const;
  std::string visible(const RstSpan& span) const;
  void add_text(DocumentBuilder& builder, size_t begin, size_t end) const;
  void add_item(DocumentBuilder& builder, InlineItem item, size_t begin, size_t end) const;
  void add_span(DocumentBuilder& builder, const RstSpan& span, const RstNames& referenced) const;
  bool stays(const RstSpan& span, const RstNames& referenced) const;

  std::vector<Line> lines_;
  std::vector<size_t> starts_;  // of the lines, in the text
  std::string text_;
  std::vector<RstSpan> spans_;
};

}  // namespace heed::detail
