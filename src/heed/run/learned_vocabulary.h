// The vocabulary that a run learns from its text.
#pragma once

#include "heed/data/filter_options.h"
#include "heed/run/observer.h"
#include "heed/run/train_options.h"
#include "heed/text/parallel_text.h"
#include "heed/text/tokenizer.h"

namespace heed {

// Learns the vocabularies of both sides, or the joint one, from the lines that pass the filters of
// words. Error: no line has what the task needs.
TokenizerPair learn_tokenizers(const TrainOptions& options, const ParallelText& text,
                               const FilterOptions& filters, TrainObserver& observer);

}  // namespace heed
