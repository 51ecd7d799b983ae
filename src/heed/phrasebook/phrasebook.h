// The embedded corpus: Chinese and English sentences of everyday life, generated side by side by a
// synchronous grammar. The English is a function of the Chinese, so that a small model can learn
// it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heed {

struct SentencePair {
  std::string chinese;        // simplified characters, no spaces, full-width punctuation
  std::string english;        // ASCII
  std::string chinese_words;  // the Chinese again, with a space between its words
};

struct Phrasebook {
  std::vector<SentencePair> train, held_out;
};

// The most sentences, of both splits together, that make_phrasebook() gives.
inline constexpr int64_t kPhrasebookCapacity = 1'000'000;

// A function of its arguments, the same on every platform.
//
// No sentence, Chinese or English, occurs twice in the whole phrasebook. About one pair of content
// words in 64 is reserved, whatever the seed: no training sentence contains both words of a
// reserved pair, each held-out sentence contains such a pair, and all its words occur in training.
//
// UsageError where a count is negative, where both together exceed kPhrasebookCapacity, or where
// there are too few training pairs to know the words of `held_out_pairs` sentences.
Phrasebook make_phrasebook(int64_t pairs, int64_t held_out_pairs, uint64_t seed);

}  // namespace heed
