// The choice of models for the texts of a request.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/serve/api/api.h"
#include "heed/serve/detect.h"

namespace heed {

// The model of a text.
struct ChosenModel {
  // Null: the text is returned unchanged, since it is in the target language already, or has
  // nothing from which a language can be detected.
  std::shared_ptr<const ServedModel> model;
  // The language of a text, if it was not given. If it cannot be detected: the target language,
  // with confidence 0.
  std::optional<DetectedLanguage> detected = {};
};

// The models of a request's texts, and their languages for its answer.
struct ChosenModels {
  std::vector<ChosenModel> texts;
  bool detects = false;  // whether the languages of texts were detected
  // The codes of their languages; "auto" for sources that differ.
  std::string source, target;
};

using ModelsChosen = std::function<void(const ApiClient& client, std::vector<std::string> texts,
                                        ChosenModels models)>;

// Chooses for all texts by the codes `source` and `target` of a request, in any form that
// parse_language() reads; of several models for the same languages, the one whose codes are
// nearest. With a `source` of "auto", each text's language decides among the models for the target.
// A missing `source` means "auto" if several models have the target, otherwise the source of the
// only one. A missing `target` means that of the only model for the source. HttpError 400 if no
// model fits.
//
// Passes the texts on to `then`: before choose_models() returns, or, where there are many languages
// to detect, on a thread of the scheduler in turns of the client. An exception there, also of
// `then`, is answered.
void choose_models(const ApiCall& call, std::vector<std::string> texts, ModelsChosen then);

// The model for texts that need the same one. HttpError 400 if they do not, or if one of them comes
// back as it is.
std::shared_ptr<const ServedModel> choose_one_model(const ApiCall& call,
                                                    const std::vector<std::string>& texts);

// The model for a request to the path of a task (endpoint_of()): the one that its parameter `model`
// names, or the only one of the task. HttpError 400 that says which model or path to name instead.
std::shared_ptr<const ServedModel> choose_model(const ApiCall& call, LearningTask task);
// The models that translate. HttpError 400 as choose_model() if there are none.
std::vector<std::shared_ptr<const ServedModel>> translators_of(const ServedModels& models);

// Adds a code that is not among them.
void add_code(std::vector<std::string>& codes, const std::string& code);
// The codes of all sources, each once.
std::vector<std::string> source_codes(
    const std::vector<std::shared_ptr<const ServedModel>>& models);

}  // namespace heed
