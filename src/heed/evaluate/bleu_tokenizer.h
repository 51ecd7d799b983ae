// The ways in which BLEU cuts a line into tokens, those of sacreBLEU.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed {

enum class BleuTokenizer {
  mteval_13a,     // "13a": NIST's mteval-v13a, which WMT uses: separates punctuation and symbols
  none,           // "none": at whitespace, for text that is tokenized already
  character,      // "char": every character that is not whitespace
  international,  // "intl": mteval-v14: separates punctuation and symbols of all scripts
  chinese,        // "zh": every Chinese character, and the rest as 13a
};

constexpr std::array<std::pair<std::string_view, BleuTokenizer>, 5> enum_names(BleuTokenizer) {
  return {{{"13a", BleuTokenizer::mteval_13a},
           {"none", BleuTokenizer::none},
           {"char", BleuTokenizer::character},
           {"intl", BleuTokenizer::international},
           {"zh", BleuTokenizer::chinese}}};
}

// Its name in options and signatures: "13a", "none", "char", "intl" or "zh".
std::string_view name(BleuTokenizer tokenizer);

// The reverse; fails with a UsageError that lists the names, and says why those that sacreBLEU has
// beside them are missing.
BleuTokenizer parse_bleu_tokenizer(std::string_view name);

// Replaces `tokens` by those of a line of valid UTF-8. They point into the line, which most
// tokenizers rewrite.
void tokenize(BleuTokenizer tokenizer, std::string& line, std::vector<std::string_view>& tokens);

}  // namespace heed
