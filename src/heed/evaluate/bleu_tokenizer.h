// The tokenizers of BLEU, as in sacreBLEU.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed {

enum class BleuTokenizer {
  mteval_13a,     // "13a": NIST's mteval-v13a, which WMT uses: separates punctuation and symbols
  none,           // "none": splits at whitespace, for text that is tokenized already
  character,      // "char": separates all characters
  international,  // "intl": mteval-v14: separates punctuation and symbols of all scripts
  chinese,        // "zh": separates Chinese characters, the rest as 13a
};

constexpr std::array<std::pair<std::string_view, BleuTokenizer>, 5> enum_names(BleuTokenizer) {
  return {{{"13a", BleuTokenizer::mteval_13a},
           {"none", BleuTokenizer::none},
           {"char", BleuTokenizer::character},
           {"intl", BleuTokenizer::international},
           {"zh", BleuTokenizer::chinese}}};
}

// The name in options and signatures: "13a", "none", "char", "intl" or "zh".
std::string_view name(BleuTokenizer tokenizer);

// The inverse of name(); UsageError for other names, which says why some of sacreBLEU's tokenizers
// are not supported.
BleuTokenizer parse_bleu_tokenizer(std::string_view name);

// Tokenizes a line of valid UTF-8 into `tokens`, whose content is replaced. They refer to the line,
// which most tokenizers modify.
void tokenize(BleuTokenizer tokenizer, std::string& line, std::vector<std::string_view>& tokens);

}  // namespace heed
