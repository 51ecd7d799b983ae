// The tasks of models.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "heed/model/config.h"

namespace heed {

// The task that a model learns.
enum class LearningTask {
  translation,     // a target, given its source
  language_model,  // text alone, by a decoder without an encoder
  tag,             // a label for each word of the source, by an encoder without a decoder
  classify,        // a label for the source, by an encoder without a decoder
  parse            // a tree over the words of a sentence
};
constexpr std::array<std::pair<std::string_view, LearningTask>, 5> enum_names(LearningTask) {
  return {{{"translation", LearningTask::translation},
           {"language-model", LearningTask::language_model},
           {"tag", LearningTask::tag},
           {"classify", LearningTask::classify},
           {"parse", LearningTask::parse}}};
}

// The task of a model of this config.
inline LearningTask task_of(const ModelConfig& config) {
  if (!config.has_encoder()) return LearningTask::language_model;
  if (config.parses()) return LearningTask::parse;
  if (config.has_decoder()) return LearningTask::translation;
  return config.classes_of == ClassesOf::words ? LearningTask::tag : LearningTask::classify;
}

}  // namespace heed
