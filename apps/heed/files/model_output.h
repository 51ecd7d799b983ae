// A model directory that a command writes from others.
#pragma once

#include <filesystem>
#include <vector>

#include "files/outputs.h"
#include "heed/model/directory.h"

namespace heed {

// UsageError if --output is "-", one of the input directories, or contains a model and `existing`
// is refuse.
void check_output(const std::filesystem::path& output,
                  const std::vector<std::filesystem::path>& inputs, Existing existing);

struct NewModel {
  ModelContents model;
  // The model directory from which the vocabulary and the files for other programs are copied.
  std::filesystem::path directory;
  DType weights = DType::fp32;
  // The models whose mean it is, `directory` among them or not: it has seen the characters of all
  // their training texts.
  std::vector<std::filesystem::path> averaged_with = {};
};

// Writes a model to the directory of --output, under its lock. The new model is complete before any
// file of an old one changes: if the process is killed, the directory has the old model, the new
// one, or, in between, no config.json, so that it is not opened as a model. UsageError if there is
// a model and `existing` is refuse.
void write_model(const std::filesystem::path& output, Existing existing, const NewModel& made);

}  // namespace heed
