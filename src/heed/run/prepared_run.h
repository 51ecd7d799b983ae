// Prepares a run: its directory, vocabulary, encoded text and initial weights.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "heed/core/directory_lock.h"
#include "heed/data/corpus.h"
#include "heed/data/mixture.h"
#include "heed/run/observer.h"
#include "heed/run/run_directory.h"
#include "heed/run/run_files.h"
#include "heed/run/run_settings.h"
#include "heed/run/training_text.h"
#include "heed/tasks/model_task.h"

namespace heed {

struct PreparedRun {
  RunSettings settings;  // complete, unless decay_steps awaits --minutes
  std::unique_ptr<Workers> workers;
  RunFiles files;
  TokenizerPair tokenizers;
  std::unique_ptr<const Corpus> corpus;  // always set; it stays in its place
  // Datasets derived from the corpus (run/derived_data.h), each from the one before; may be empty
  std::vector<std::unique_ptr<const Dataset>> derived;
  std::unique_ptr<Mixture> mixture;  // of these; null without corpora
  std::optional<Corpus> validation;
  std::vector<Corpus> further_validation;          // the texts of [[validation]]
  ModelConfig config;                              // of the model to train
  uint64_t fingerprint = 0;                        // of the training text and the tokenizers
  std::optional<uint64_t> validation_fingerprint;  // of the validation text
  DirectoryLock lock;                              // held while the run may write
  // The run calls discard() when it first saves; if destroyed before that, it restores the
  // directory.
  std::unique_ptr<RunBackup> backup;

  // The text that the model learns from.
  const Dataset& data() const {
    if (mixture) return *mixture;
    return derived.empty() ? *corpus : *derived.back();
  }
};

// Throws the errors of prepare_run() that follow from the options, the directory, and the model or
// vocabulary to start from, for callers that want them before the text is read.
void check_start(const TrainOptions& options);

// Learns or loads the vocabulary, encodes the text unless the directory has it encoded, and checks
// that training fits into memory. UsageError if the directory holds a model and neither
// --resume nor --overwrite is given, or --resume is given and the directory holds a model without a
// training state; Error if another process writes to the directory.
PreparedRun prepare_run(RunSettings settings, const TrainingText& opened, const Backend& backend,
                        TrainObserver& observer);

// The config of the model that a run of these options trains, with this vocabulary.
ModelConfig config_for(const TrainOptions& options, const TokenizerPair& tokenizers);

// The task of the run: a model to train, in this memory, with random weights or those of
// --finetune-from. The run must outlive it.
std::unique_ptr<ModelTask> initial_task(const PreparedRun& run,
                                        const std::shared_ptr<TensorMemory>& memory,
                                        TaskScores scores);

}  // namespace heed
