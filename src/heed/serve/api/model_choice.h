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

// By the codes `source` and `target` of a request, in any form that parse_language() reads; of
// several models for the same languages, the one whose codes are nearest. With a `source` of
// "auto", each text's language decides among the models for the target; so it does without
// `source`, unless there is only one such model. Without `target`, it is that of the only model for
// the source.
class ModelChoice {
 public:
  // HttpError 400 if no model fits.
  explicit ModelChoice(const ApiCall& call);

  // Whether the languages of texts are detected.
  bool detects() const { return detector_.has_value(); }
  // The model for a text. HttpError 400 that names the detected language if no model translates it.
  ChosenModel of(const std::string& text) const;

  // The codes as they are served. The source is "auto" if it is detected; the target is empty if
  // none was given and it depends on the source.
  const std::string& source() const { return source_; }
  const std::string& target() const { return target_; }

 private:
  ChosenModel for_source(const DetectedLanguage& language) const;

  std::vector<std::shared_ptr<const ServedModel>> models_;  // nearest first; one unless detects()
  std::string source_, target_;
  std::optional<LanguageDetector> detector_;
};

// The models of a request's texts, and their languages for its answer.
struct ChosenModels {
  std::vector<ChosenModel> texts;
  bool detects = false;  // ModelChoice::detects()
  // The codes of their languages; "auto" for sources that differ.
  std::string source, target;
};

using ModelsChosen = std::function<void(const ApiClient& client, std::vector<std::string> texts,
                                        ChosenModels models)>;

// Chooses for all texts, and passes them on to `then`: before it returns, or, where there are many
// languages to detect, on a thread of the scheduler in turns of the client. An exception there,
// also of `then`, is answered.
void choose_models(const ApiCall& call, std::vector<std::string> texts, ModelsChosen then);

// The model for texts that need the same one. HttpError 400 if they do not, or if one of them comes
// back as it is.
std::shared_ptr<const ServedModel> choose_one_model(const ApiCall& call,
                                                    const std::vector<std::string>& texts);

// Adds a code that is not among them.
void add_code(std::vector<std::string>& codes, const std::string& code);
// The codes of all sources, each once.
std::vector<std::string> source_codes(
    const std::vector<std::shared_ptr<const ServedModel>>& models);

}  // namespace heed
