// The tokenizers of BLEU and TER, as in sacreBLEU.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/evaluate/metric.h"

namespace heed {

enum class BleuTokenizer {
  mteval_13a,     // "13a": NIST's mteval-v13a, which WMT uses: separates punctuation and symbols
  none,           // "none": splits at whitespace, for text that is tokenized already
  character,      // "char": separates all characters
  international,  // "intl": mteval-v14: separates punctuation and symbols of all scripts
  chinese,        // "zh": separates Chinese characters, the rest as 13a
};

// The names in options and signatures.
constexpr std::array<std::pair<std::string_view, BleuTokenizer>, 5> enum_names(BleuTokenizer) {
  return {{{"13a", BleuTokenizer::mteval_13a},
           {"none", BleuTokenizer::none},
           {"char", BleuTokenizer::character},
           {"intl", BleuTokenizer::international},
           {"zh", BleuTokenizer::chinese}}};
}

// Tokenizes a line of valid UTF-8 into `tokens`, whose content is replaced. They refer to the line,
// which most tokenizers modify.
void tokenize(BleuTokenizer tokenizer, std::string& line, std::vector<std::string_view>& tokens);

// The tokenizer for a text by the writing system of its references: zh for Chinese (Han without
// kana); char for Japanese, Thai, Lao, Khmer, Burmese and Tibetan, whose own tokenizers need
// dictionaries; 13a, sacreBLEU's default, for every writing system with spaces between words. 13a
// splits words at spaces and punctuation: a line of Chinese becomes a single token, and BLEU is
// close to 0 even for good translations. For mixed text the majority decides: characters of the
// former or words of the latter.
BleuTokenizer suitable_bleu_tokenizer(std::span<const Lines> references);

struct TerOptions {
  bool normalized = false;      // entities to characters, separates punctuation and symbols
  bool no_punctuation = false;  // removes . , ? : ; ! " ( )
  bool asian_support = false;   // with normalized: separates Asian characters; with
                                // no_punctuation: also removes Asian and full-width punctuation
  bool case_sensitive = false;
};

// The tokenizer of TER: Tercom's normalization. Splits a line of valid UTF-8 into `words`, whose
// content is replaced. They refer to the line, which is modified.
void tokenize_for_ter(const TerOptions& options, std::string& line,
                      std::vector<std::string_view>& words);

}  // namespace heed
