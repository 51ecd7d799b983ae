// The models that a server offers.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "heed/decode/line_processor.h"
#include "heed/decode/model.h"
#include "heed/model/directory.h"

namespace heed {

// Codes such as "zh" and "en".
struct LanguagePair {
  std::string source, target;
  friend bool operator==(const LanguagePair&, const LanguagePair&) = default;
};

// A model that a server offers for one pair of languages. Any number of threads may use one.
// Requests hold the model that they began with, so that it can be replaced while they run.
struct ServedModel {
  // Errors are those of Model.
  ServedModel(const std::filesystem::path& directory, LanguagePair languages,
              const Computation& computation);

  const LanguagePair languages;
  const Model model;
  const LineProcessor processor;
};

// The result of opening a model again.
struct ModelReload {
  std::filesystem::path directory;
  std::string error;  // why the old model continues to serve; empty: the new one serves
};

// One for each pair of languages. Any number of threads may use one.
class ServedModels {
 public:
  // Each of `models` is a directory whose model_languages() are known, or "zh-en=DIRECTORY"
  // ("zh-Hant:en=DIRECTORY" for codes that have a '-'). Error if one cannot be opened, if its
  // languages are not known, or if two have the same.
  ServedModels(const std::vector<std::string>& models, const Computation& computation);

  // In the order in which they were given; at least one.
  std::vector<std::shared_ptr<const ServedModel>> all() const;

  // Opens the models of all directories again, or of those that have changed since they were
  // opened, and replaces each that can be opened. Takes seconds; the old models serve meanwhile. A
  // model is left for a later call (Which::changed or all) while the one that it replaced before is
  // still in use: requests keep the model that they began with, and memory has room for two of
  // each.
  enum class Which { all, changed };
  std::vector<ModelReload> reload(Which which);

 private:
  struct Place {
    std::filesystem::path directory;
    LanguagePair languages;
    ConfigStamp stamp;  // when it was opened last, or tried
    std::shared_ptr<const ServedModel> model;
    std::weak_ptr<const ServedModel> predecessor = {};
    bool due = false;  // to be opened again
  };
  Place open(const std::string& text) const;

  const Computation computation_;
  std::mutex reloading_;  // one reload() at a time
  mutable std::mutex mutex_;
  std::vector<Place> places_;  // directories and languages never change
};

// The languages of a model directory: those in its files, or else those at the end of its name
// ("opus-mt-zh-en"). Both are empty if there are none in either.
LanguagePair model_languages(const std::filesystem::path& directory);

}  // namespace heed
