// How TER cuts a line into words: Tercom's normalization, as sacreBLEU has it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct TerTokenizerOptions {
  bool normalized = false;      // entities to characters, separates punctuation and symbols
  bool no_punctuation = false;  // leaves out . , ? : ; ! " ( )
  bool asian_support = false;   // normalized: separates Asian characters; no_punctuation: leaves
                                // out Asian and full-width punctuation too
  bool case_sensitive = false;
};

// Replaces `words` by those of a line of valid UTF-8. They point into the line, which is rewritten.
void tokenize_for_ter(const TerTokenizerOptions& options, std::string& line,
                      std::vector<std::string_view>& words);

}  // namespace heed
