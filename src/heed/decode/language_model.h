// A language model of a directory: what heed generate and heed score --text do.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "heed/decode/opened_model.h"
#include "heed/decode/options.h"
#include "heed/decode/scorer.h"
#include "heed/decode/translator.h"

namespace heed {

// Const once opened: any number of threads may use one.
class LanguageModel : public OpenedModel {
 public:
  // Error if the directory holds a model of another task.
  explicit LanguageModel(const std::filesystem::path& directory,
                         const Computation& computation = ComputeChoice::automatic);

  // Each prompt, byte for byte, and its best continuation: a function of the prompt, the model and
  // the options, not of other prompts. Threads and caches are kept for the next call with the same
  // options.
  std::vector<std::string> generate(const std::vector<std::string>& prompts,
                                    const DecodeOptions& options = {}) const;
  std::string generate(const std::string& prompt, const DecodeOptions& options = {}) const {
    return generate(std::vector<std::string>{prompt}, options).front();
  }
  // The log-probability of each text, </s> included.
  std::vector<PairScore> score(const std::vector<std::string>& texts,
                               const ScoreOptions& options = {}) const;

  // For n-best lists, statuses and text that does not fit into memory: the lines of the translator
  // are prompts, and pairs to score have no source. The model must outlive the result.
  Translator generator(const DecodeOptions& options = {}) const { return {parts(), options}; }
  Scorer scorer(const ScoreOptions& options = {}) const { return {parts(), options}; }
  // A generator with these options that the model keeps for the next call with the same ones.
  std::shared_ptr<const Translator> kept_generator(const DecodeOptions& options = {}) const {
    return kept_translator(options);
  }
};

}  // namespace heed
