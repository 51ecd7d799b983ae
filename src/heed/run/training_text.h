// The training and validation text of a run, opened once, since a pipe cannot be read again.
#pragma once

#include <optional>
#include <vector>

#include "heed/run/observer.h"
#include "heed/run/train_options.h"
#include "heed/text/parallel_text.h"
#include "heed/text/tokenizer.h"

namespace heed {

struct TrainingText {
  ParallelText text;
  std::optional<ParallelText> validation;  // of --valid-source, --valid-tsv, ...
  std::vector<ParallelText> further = {};  // of [[validation]], in its order
  TextFiles alignments = {};               // of --guided-alignment, as many lines as the text
  uint64_t alignments_fingerprint = 0;     // of their lines; 0 without them
};

// The hash of what a run learns from.
uint64_t fingerprint_of(const TrainingText& opened, const TokenizerPair& tokenizers);

// The hash of what a run validates on, besides the pairs that it holds out; nothing without
// validation files.
std::optional<uint64_t> validation_fingerprint_of(const TrainingText& opened);

// All files that a run reads its text from, with the flags or keys that name them.
std::vector<NamedInput> text_inputs(const TrainOptions& options);

// Opens and checks all of it. UsageError: two options name the same pipe, or options contradict
// each other (resolve). Errors are those of ParallelText.
TrainingText open_training_text(const TrainOptions& options, const CopyOptions& copying = {});
// The same; the observer gets messages while a slow pipe is copied.
TrainingText open_training_text(const TrainOptions& options, TrainObserver& observer);

// The pairs, lines or trees that --hold-out drew, once they are written.
ParallelText held_out_text(const TrainOptions& options);

}  // namespace heed
