// Warnings about text that a vocabulary changes or does not know.
#pragma once

#include <string>
#include <vector>

#include "heed/data/corpus.h"
#include "heed/run/train_options.h"

namespace heed {

// A sentence for the log: for reading, or a warning.
struct TextNote {
  std::string text;
  bool warning = false;
};

// The characters that normalization changes, the lines that have a token <unk>, with examples, and
// the tokens of --tokenizer-model that the text never has. `pairs` is the number of kept pairs.
std::vector<TextNote> text_notes(const CorpusFacts& facts, const TrainOptions& options,
                                 int64_t pairs);

}  // namespace heed
