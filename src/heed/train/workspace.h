// What a run stands on: its folder, the text it reads, the vocabulary and the model to begin with.
#pragma once

#include <filesystem>
#include <optional>

#include "heed/model/transformer.h"
#include "heed/text/corpus.h"
#include "heed/train/trainer.h"

namespace heed {

struct Workspace {
  std::filesystem::path directory;
  TokenizerPair tokenizers;
  std::optional<Corpus> corpus;  // always there
  std::optional<Corpus> validation;
  Transformer model;         // initialized
  uint64_t fingerprint = 0;  // of the training text and the tokenizers

  std::filesystem::path state_file() const { return directory / "training" / "state.safetensors"; }
  std::filesystem::path snapshot_file(int64_t step) const;
  // Deletes the weights of other steps.
  void remove_snapshots_but(const std::vector<Snapshot>& kept) const;
};

// Checks the text, learns or loads the vocabulary, encodes what is not encoded yet, and makes the
// model, once it is known that the training fits into memory. UsageError if the folder holds a
// model and neither resume nor overwrite is asked for.
Workspace open_workspace(const TrainOptions& options, const Backend& backend, Workers& workers,
                         TrainObserver& observer);

}  // namespace heed
