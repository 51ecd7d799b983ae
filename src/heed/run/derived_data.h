// The training text as each epoch varies it.
#pragma once

#include <memory>
#include <vector>

#include "heed/data/corpus.h"
#include "heed/run/train_options.h"

namespace heed {

// Adds the datasets that --vary and subword sampling derive, each from the one before it, the first
// from the last of `derived` or, without one, from the corpus, which must outlive them; none
// without these options. A side that is changed has at most `max_tokens` tokens, and fits in a
// batch.
void add_derived_data(const TrainOptions& options, const Corpus& corpus,
                      const TokenizerPair& tokenizers, int64_t max_tokens,
                      std::vector<std::unique_ptr<const Dataset>>& derived);

}  // namespace heed
