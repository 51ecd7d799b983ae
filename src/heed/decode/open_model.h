// Opens a model of any task.
#pragma once

#include <filesystem>
#include <memory>

#include "heed/decode/opened_model.h"
#include "heed/model/learning_task.h"

namespace heed {

// A Model, a LanguageModel, a Parser or a Classifier. Error if the directory holds a model of
// another task. A classifier computes as ScoreOptions do where the type is automatic.
std::unique_ptr<const OpenedModel> open_model(const std::filesystem::path& directory,
                                              LearningTask task, Computation computation);

}  // namespace heed
