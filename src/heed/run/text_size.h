// The size of a parallel text, by which the settings of a run are chosen.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/text/parallel_text.h"

namespace heed {

// The characters of a line: those of writing systems without spaces between words, and all others.
struct LineSize {
  int64_t unspaced = 0, others = 0;
  int64_t characters() const { return unspaced + others; }
};

struct TextSize {
  struct Pair {
    LineSize source, target;
  };
  int64_t pairs = 0;
  std::vector<Pair> sample;       // evenly spaced over the text, never empty
  int64_t distinct_unspaced = 0;  // characters of the sample
  int64_t distinct = 0;           // all of its characters
};

// Reads the text; at most some ten thousand pairs are looked at.
TextSize size_of(const ParallelText& text);

// The number of tokens, </s> included, that a vocabulary of `ids`, learned from this text, may be
// expected to make of a line. Measured on six corpora with vocabularies of 2,000 to 16,000: a
// seventh more or less.
double expected_tokens(const LineSize& line, const TextSize& text, int64_t ids);

// The characters of both sides, by those of the sample.
double expected_characters(const TextSize& text);

// The mean of expected_tokens() over the sample.
struct MeanTokens {
  double source = 0, target = 0;
};
MeanTokens mean_tokens(const TextSize& text, int64_t ids);

}  // namespace heed
