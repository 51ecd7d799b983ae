// A model that a server offers for one pair of languages.
#pragma once

#include <filesystem>
#include <string>

#include "heed/decode/line_processor.h"
#include "heed/decode/model.h"

namespace heed {

// Codes such as "zh" and "en".
struct LanguagePair {
  std::string source, target;
  friend bool operator==(const LanguagePair&, const LanguagePair&) = default;
};

// Const once opened: any number of threads may use one. Requests hold the model that they began
// with, so that it can be replaced while they run.
class ServedModel {
 public:
  // Errors are those of Model.
  ServedModel(const std::filesystem::path& directory, LanguagePair languages,
              ComputeChoice compute);
  ServedModel(const ServedModel&) = delete;
  ServedModel& operator=(const ServedModel&) = delete;

  const LanguagePair& languages() const { return languages_; }
  const Model& model() const { return model_; }
  const LineProcessor& processor() const { return processor_; }

 private:
  const LanguagePair languages_;
  const Model model_;
  const LineProcessor processor_;
};

}  // namespace heed
