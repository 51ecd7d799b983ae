// HTML documents and fragments, of which the text is translated and everything else stays as it is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/decode/tag_placement.h"

namespace heed {

// A translation of a text, and the words that belong together (decode/text_units.h).
struct TranslatedText {
  std::string text;
  std::vector<AlignedPair> links = {};
};

// - A text is the content between the tags of blocks (<p>, <li>, <td>, <br>, ...): with white space
//   as browsers show it, and with character references as characters. Tags inside it (<b>, <a>,
//   <img>, comments) are its spans. Tags without a partner end a text.
// - The values of the attributes alt, title, placeholder and aria-label are texts too.
// - Kept are texts without a letter; <script>, <style>, <pre>, <textarea>, <svg>, <math> and other
//   elements without sentences; elements with translate="no" or the class notranslate. These,
//   <code>, <kbd>, <samp> and <var> within a sentence are fixed spans of it.
class HtmlDocument {
 public:
  // Error, with the byte, if it is not UTF-8.
  explicit HtmlDocument(std::string html);

  // In the order of the document; not empty, and without line breaks.
  const std::vector<MarkedText>& texts() const { return texts_; }
  // The document with the translation of each text. A text that its translation does not change
  // stays byte for byte as it is.
  std::string with(const std::vector<TranslatedText>& translations) const;

 private:
  friend class HtmlReader;

  // Bytes of the document, or a text that replaces them.
  struct Part {
    enum class Kind { raw, attribute, text } kind = Kind::raw;
    size_t begin = 0, end = 0;
    size_t text = 0;  // its number
    char quote = 0;   // around the value of an attribute
  };
  using Parts = std::vector<Part>;

  void append(const Parts& parts, const std::vector<TranslatedText>& translations,
              std::string& html) const;
  void append_text(size_t text, const TranslatedText& translation,
                   const std::vector<TranslatedText>& translations, std::string& html) const;

  std::string html_;
  std::vector<MarkedText> texts_;
  std::vector<Parts> originals_;  // of each text: its bytes, with its tags
  std::vector<Parts> tags_;       // by TagSpan::open and close
  Parts parts_;
};

}  // namespace heed
