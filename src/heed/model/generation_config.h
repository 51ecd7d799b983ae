// generation_config.json: defaults for other programs, and, under the key "heed", which
// transformers ignores, choices that were made by measuring the model, and examples of its text.
#pragma once

#include <filesystem>

#include "heed/model/checkpoint_layout.h"
#include "heed/model/generation_defaults.h"

namespace heed {

// Writes the file of a model directory, atomically. Of the defaults for other programs heed reads
// none.
void write_generation_config(const std::filesystem::path& directory, const ModelConfig& config,
                             GenerationForm form, const GenerationDefaults& defaults);

// The entries of the directory's file, for a model of this shape; none without such a file.
// Error if an entry is damaged.
GenerationDefaults read_generation_defaults(const std::filesystem::path& directory,
                                            const ModelConfig& config);

// Add an entry to the file of the directory, or replace it, and keep what else the file has. Error
// if another process writes to the directory.
void store_alignment_heads(const std::filesystem::path& directory, const AlignmentHeads& heads);
void store_search_defaults(const std::filesystem::path& directory, const SearchDefaults& search);
void store_confidence(const std::filesystem::path& directory, const Confidences& confidence);
// Removes the entry, if there is one.
void remove_confidence(const std::filesystem::path& directory);

}  // namespace heed
