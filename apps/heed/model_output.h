// A model directory that is made from others.
#pragma once

#include <filesystem>
#include <vector>

#include "heed/core/folder_claim.h"
#include "text_files.h"

namespace heed {

// UsageError where --output is one of the folders that it is made from, or holds a model that is
// not to be replaced.
void check_output(const std::filesystem::path& output,
                  const std::vector<std::filesystem::path>& inputs, Existing existing);

// Claims the folder of --output, where a training that was killed may have left an earlier model
// aside: that is put back first. UsageError where it is not to be replaced.
FolderClaim claim_output(const std::filesystem::path& output, Existing existing);

// Copies what stands beside the weights: the vocabulary, and what other programs are told.
void copy_vocabulary(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace heed
