// The tokenizer of TER: Tercom's normalization, as in sacreBLEU.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct TerTokenizerOptions {
  bool normalized = false;      // entities to characters, separates punctuation and symbols
  bool no_punctuation = false;  // removes . , ? : ; ! " ( )
  bool asian_support = false;   // with normalized: separates Asian characters; with
                                // no_punctuation: also removes Asian and full-width punctuation
  bool case_sensitive = false;
};

// Splits a line of valid UTF-8 into `words`, whose content is replaced. They refer to the line,
// which is modified.
void tokenize_for_ter(const TerTokenizerOptions& options, std::string& line,
                      std::vector<std::string_view>& words);

}  // namespace heed
