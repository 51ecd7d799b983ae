// A model directory that is made from others.
#pragma once

#include <filesystem>
#include <vector>

#include "files/output_folder.h"
#include "heed/model/directory.h"

namespace heed {

// UsageError where --output is "-", one of the folders that it is made from, or holds a model that
// is not to be replaced.
void check_output(const std::filesystem::path& output,
                  const std::vector<std::filesystem::path>& inputs, Existing existing);

struct NewModel {
  Transformer& model;
  // Whose vocabulary it has, and what other programs are told: a model directory.
  std::filesystem::path directory;
  DType weights = DType::f32;
};

// Writes a model to the folder of --output, which it locks meanwhile. The new model is complete
// before anything of one that it replaces changes: a process that is killed leaves the old model,
// the new one, or, in the moment between, a folder without config.json, which opens as no model.
// UsageError where a model is not to be replaced.
void write_model(const std::filesystem::path& output, Existing existing, const NewModel& made);

}  // namespace heed
