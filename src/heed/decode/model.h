// An opened model directory: translates lines and scores pairs of lines.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "heed/decode/opened_model.h"
#include "heed/decode/scorer.h"
#include "heed/decode/translator.h"

namespace heed {

// Const once opened: any number of threads may use one.
class Model : public OpenedModel {
 public:
  // Error if the directory holds a model of another task.
  explicit Model(const std::filesystem::path& directory,
                 const Computation& computation = ComputeChoice::automatic);

  // The best translation of every line. Threads and caches are kept for the next call with the same
  // options.
  std::vector<std::string> translate(const std::vector<std::string>& lines,
                                     const DecodeOptions& options = {}) const;
  std::string translate(const std::string& line, const DecodeOptions& options = {}) const {
    return translate(std::vector<std::string>{line}, options).front();
  }

  // The log-probability of each target, given its source. UsageError if there are not as many
  // sources as targets.
  std::vector<PairScore> score(const std::vector<std::string>& sources,
                               const std::vector<std::string>& targets,
                               const ScoreOptions& options = {}) const;
  PairScore score(const std::string& source, const std::string& target,
                  const ScoreOptions& options = {}) const {
    return scorer(options).score({{source, target}}).front();
  }

  // The outputs of the model for a sentence, or for a pair with the target given.
  EncoderStates encode(const std::string& source) const { return heed::encode(parts(), source); }
  TargetLogits logits(const std::string& source, const std::string& target) const {
    return heed::logits(parts(), source, target);
  }
  PairAttention attention(const std::string& source, const std::string& target) const {
    return heed::attention(parts(), source, target);
  }

  // For n-best lists, statuses and text that does not fit into memory. The model must outlive the
  // result.
  Translator translator(const DecodeOptions& options = {}) const { return {parts(), options}; }
  Scorer scorer(const ScoreOptions& options = {}) const { return {parts(), options}; }
  // A translator with these options that the model keeps for the next call with the same ones.
  std::shared_ptr<const Translator> kept_translator(const DecodeOptions& options = {}) const {
    return OpenedModel::kept_translator(options);
  }
};

}  // namespace heed
