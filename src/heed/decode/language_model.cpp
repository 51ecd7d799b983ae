#include "heed/decode/language_model.h"

#include "heed/model/directory.h"

namespace heed {

LanguageModel::LanguageModel(const std::filesystem::path& directory, const Computation& computation)
    : OpenedModel(directory, computation, read_language_model_config) {}

std::vector<std::string> LanguageModel::generate(const std::vector<std::string>& prompts,
                                                 const DecodeOptions& options) const {
  return best_translations(*kept_generator(options), prompts);
}

std::vector<PairScore> LanguageModel::score(const std::vector<std::string>& texts,
                                            const ScoreOptions& options) const {
  std::vector<TextPair> pairs;
  pairs.reserve(texts.size());
  for (const std::string& text : texts) pairs.push_back({"", text});
  return scorer(options).score(pairs);
}

}  // namespace heed
