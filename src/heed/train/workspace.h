// What a run needs before its first step: its folder, text, vocabulary and initial weights.
#pragma once

#include <memory>
#include <optional>

#include "heed/core/directory_lock.h"
#include "heed/model/transformer.h"
#include "heed/text/corpus.h"
#include "heed/train/observer.h"
#include "heed/train/run_backup.h"
#include "heed/train/run_files.h"
#include "heed/train/training_text.h"

namespace heed {

struct Workspace {
  TrainOptions options;  // resolved
  RunFiles files;
  TokenizerPair tokenizers;
  std::optional<Corpus> corpus;  // always there
  std::optional<Corpus> validation;
  ModelConfig config;                              // of the model to train
  uint64_t fingerprint = 0;                        // of the training text and the tokenizers
  std::optional<uint64_t> validation_fingerprint;  // of the validation text
  DirectoryLock lock;                              // held as long as the run writes
  // The run calls discard() when it first saves; if destroyed before that, it restores the folder.
  std::unique_ptr<RunBackup> backup;
};

// Throws what open_workspace would of the options, the folder, and the model or vocabulary to begin
// with: for a caller to ask before it reads the text.
void check_start(const TrainOptions& options);

// Learns or loads the vocabulary, encodes what is not encoded yet, and checks that the training
// fits into memory. UsageError if the folder holds a model and neither resume nor overwrite is
// asked for, or resume and the folder holds a model without a training state; Error if another
// process writes to it.
Workspace open_workspace(const TrainOptions& options, const TrainingText& opened,
                         const Backend& backend, Workers& workers, TrainObserver& observer);

// The model that training begins with, in this memory: of random weights, or those of
// --finetune-from.
Transformer initial_model(const TrainOptions& options, const ModelConfig& config,
                          const std::shared_ptr<TensorMemory>& memory);

}  // namespace heed
