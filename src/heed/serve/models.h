// The models that a server offers.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "heed/decode/classifier.h"
#include "heed/decode/line_processor.h"
#include "heed/decode/opened_model.h"
#include "heed/model/directory.h"
#include "heed/model/learning_task.h"

namespace heed {

// Codes such as "zh" and "en".
struct LanguagePair {
  std::string source, target;
  friend bool operator==(const LanguagePair&, const LanguagePair&) = default;
};

// The path of the API that answers with models of a task: "/v1/tag".
const char* endpoint_of(LearningTask task);
// "a tagger"
const char* kind_of(LearningTask task);

// The name and the task of a served model, which stay the same when it is replaced.
struct ModelIdentity {
  std::string name;  // "zh-en" of one that translates
  LearningTask task = LearningTask::translation;
  LanguagePair languages = {};  // of one that translates
};

// A model that a server offers. Any number of threads may use one. Requests hold the model that
// they began with, so that it can be replaced while they run.
struct ServedModel : ModelIdentity {
  // Errors are those of the class of its task. A tagger or a classifier computes in fp32 unless a
  // type is chosen, as heed tag and heed classify do.
  ServedModel(const std::filesystem::path& directory, ModelIdentity identity,
              const Computation& computation);

  // Whether it translates with attention, which shows the source words of each word.
  bool aligns() const;
  // The options of a search, with the model's defaults for those that are not set, except for a
  // beam of more than `max_hypotheses`.
  SearchOptions search(const SearchOptions& options, int64_t max_hypotheses) const;

  const std::unique_ptr<const OpenedModel> opened;
  const OpenedModel& model;  // the same
  // One of them.
  const Classifier* const classifier;            // of a tagger or a classifier, else null
  const std::optional<LineProcessor> processor;  // of all others
};

// The result of opening a model again.
struct ModelReload {
  std::filesystem::path directory;
  std::string error;  // why the old model continues to serve; empty: the new one serves
};

// One for each name. Any number of threads may use one.
class ServedModels {
 public:
  // Each of `models` is a directory, or "NAME=DIRECTORY". The name of a model that translates is
  // its languages: "zh-en" ("zh-Hant:en" for codes that have a '-'), by default its
  // model_languages(); that of another model is by default the name of its directory. Error if one
  // cannot be opened, if its languages are not known, or if two have the same name.
  ServedModels(const std::vector<std::string>& models, const Computation& computation);

  // In the order in which they were given; at least one.
  std::vector<std::shared_ptr<const ServedModel>> all() const;
  // Those of a task; may be none.
  std::vector<std::shared_ptr<const ServedModel>> of_task(LearningTask task) const;

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
    ModelIdentity identity;
    ConfigStamp stamp;  // when it was opened last, or tried
    std::shared_ptr<const ServedModel> model;
    std::weak_ptr<const ServedModel> predecessor = {};
    bool due = false;  // to be opened again
  };
  Place open(const std::string& text) const;

  const Computation computation_;
  std::mutex reloading_;  // one reload() at a time
  mutable std::mutex mutex_;
  std::vector<Place> places_;  // directories and identities never change
};

// The languages of a model directory: those in its files, or else those at the end of its name
// ("opus-mt-zh-en"). Both are empty if there are none in either.
LanguagePair model_languages(const std::filesystem::path& directory);

}  // namespace heed
