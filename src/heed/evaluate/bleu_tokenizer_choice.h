// The choice of BLEU's tokenizer for a text. 13a, sacreBLEU's default, splits words at spaces and
// punctuation: a line of Chinese becomes a single token, and BLEU is close to 0 even for good
// translations.
#pragma once

#include <span>

#include "heed/evaluate/bleu_tokenizer.h"
#include "heed/evaluate/metric.h"

namespace heed {

// By the writing system of the references: zh for Chinese (Han without kana); char for Japanese,
// Thai, Lao, Khmer, Burmese and Tibetan, whose own tokenizers need dictionaries; 13a for every
// writing system with spaces between words. For mixed text the majority decides: characters of the
// former or words of the latter.
BleuTokenizer suitable_bleu_tokenizer(std::span<const Lines> references);

}  // namespace heed
