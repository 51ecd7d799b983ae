// The codes by which texts tell a multilingual model their target language: ">>fra<< Good morning."
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text/vocabulary.h"

namespace heed {

// The code, known or not, at the beginning of a text: ">>", letters, digits, '_' and '-', "<<";
// empty if there is none.
std::string_view leading_language_code(std::string_view text);

// The codes that a model knows: pieces of its source vocabulary. For a model without any, ">>" is
// text.
class LanguageCodes {
 public:
  explicit LanguageCodes(const Vocabulary& source);

  bool empty() const { return codes_.empty(); }
  // The code that the text begins with, and the spaces after it; empty if there is none. Error,
  // with this line (from 0) and side ("input") and all codes, if the model does not know it.
  std::string_view of(std::string_view text, int64_t line, const char* side) const;

 private:
  std::vector<std::string> codes_;  // sorted
};

}  // namespace heed
