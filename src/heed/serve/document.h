// Texts of a request, cut into the lines that are translated one by one.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/text/language_codes.h"
#include "heed/text/sentences.h"

namespace heed {

class Document {
 public:
  // Text i stays whole if kept[i]: it has no lines, and all of it is after(). If `kept` is empty,
  // none does.
  Document(std::vector<std::string> texts, TextUnit unit, const std::vector<bool>& kept = {});
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  // A sentence or a line of a text. The text is the concatenation of `before` and `source` of its
  // lines and after().
  struct Line {
    size_t text = 0;
    size_t index = 0;         // in its text
    std::string_view before;  // white space
    std::string_view source;  // not empty
  };
  const std::vector<Line>& lines() const { return lines_; }
  size_t texts() const { return texts_.size(); }
  std::string_view after(size_t text) const { return after_[text]; }
  // The lines of a text: [begin, end) of lines().
  std::pair<size_t, size_t> lines_of(size_t text) const;

  // The translation of a text, from the hypotheses of this rank of its lines (the last one of a
  // line that has fewer). `hypotheses[i]` has the texts of the hypotheses of line i.
  std::string translation(size_t text, const std::vector<std::vector<std::string>>& hypotheses,
                          size_t rank) const;

  // The text of each line that is translated: its source, preceded by the language code with which
  // an earlier line of its text begins. `languages` are those of each text's model; null for one
  // without lines. Error if a model does not know a code.
  std::vector<std::string> sources(const std::vector<const LanguageCodes*>& languages) const;

 private:
  const std::vector<std::string> texts_;
  std::vector<Line> lines_;
  std::vector<size_t> begins_;  // of each text's lines
  std::vector<std::string_view> after_;
};

}  // namespace heed
