// The tokens of an HTML document, cut as browsers cut them, with the bytes that each has. Nothing
// is left out: the tokens of a document lie end to end.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct HtmlAttribute {
  std::string name;           // in lower case
  size_t begin = 0, end = 0;  // bytes of the value, without quotes, as it is written
  char quote = 0;             // '"', '\'' or 0
};

struct HtmlToken {
  enum class Kind {
    text,  // with character references
    start_tag,
    end_tag,
    other,  // a comment, a declaration, or an end tag without a name
    raw     // the content of <script>, <style> and others, in which nothing is mark-up
  };
  Kind kind = Kind::other;
  size_t begin = 0, end = 0;  // bytes of the document
  std::string name = {};      // of a tag, in lower case
  std::vector<HtmlAttribute> attributes = {};
  bool self_closing = false;  // "<br/>"
  bool unfinished = false;    // a tag or comment that the document ends in
};

class HtmlTokenizer {
 public:
  // The document must outlive it.
  explicit HtmlTokenizer(std::string_view html) : html_(html) {}
  // False at the end. A tag that the document ends in is `other`: browsers show nothing of it.
  bool next(HtmlToken& token);

 private:
  bool starts(std::string_view text) const { return html_.substr(at_).starts_with(text); }
  void read_tag(HtmlToken& token);
  bool read_attribute(HtmlToken& token);
  void skip_space();
  // Where the raw content of an element ends: before its end tag.
  size_t end_of_raw(const std::string& name) const;
  size_t end_of_script() const;
  // The end of a comment or declaration that begins here; npos if it has none.
  size_t end_of_declaration() const;
  bool is_end_tag(size_t at, std::string_view name) const;

  std::string_view html_;
  size_t at_ = 0;
  std::string raw_of_;  // the element whose raw content comes next, or empty
};

// Whether browsers show the content of this element as raw text: <script>, <style> and others.
bool has_raw_content(std::string_view name);

}  // namespace heed
