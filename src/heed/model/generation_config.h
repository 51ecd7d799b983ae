// generation_config.json: defaults for other programs, and which attention aligns words, under the
// key "heed", which transformers ignores.
#pragma once

#include <filesystem>
#include <optional>

#include "heed/model/alignment_heads.h"
#include "heed/model/checkpoint_layout.h"

namespace heed {

// Writes the file of a model directory, atomically. heed does not read the defaults.
void write_generation_config(const std::filesystem::path& directory, const ModelConfig& config,
                             GenerationForm form, const std::optional<AlignmentHeads>& heads);

// The heads that the directory names for a model of this shape; none if it names none, or has no
// such file.
// Error if the entry is damaged.
std::optional<AlignmentHeads> read_alignment_heads(const std::filesystem::path& directory,
                                                   const ModelConfig& config);

// Adds the entry to the file of the directory, or replaces it, and keeps what else the file has.
// Error if another process writes to the directory.
void store_alignment_heads(const std::filesystem::path& directory, const AlignmentHeads& heads);

}  // namespace heed
