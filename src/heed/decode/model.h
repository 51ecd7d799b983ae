// A model directory, opened: lines in, translations out; pairs in, their probability out.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "heed/backend/compute.h"
#include "heed/decode/scorer.h"
#include "heed/decode/translator.h"

namespace heed {

// Const once opened: any number of threads may use one.
class Model {
 public:
  // On this machine's best instruction set. `compute` is what matrix products compute in, here and
  // not in the options of the calls below.
  explicit Model(const std::filesystem::path& directory,
                 ComputeChoice compute = ComputeChoice::automatic);
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // The best translation of every line, one for one.
  std::vector<std::string> translate(const std::vector<std::string>& lines,
                                     const DecodeOptions& options = {}) const;
  std::string translate(const std::string& line, const DecodeOptions& options = {}) const;

  // How probable each target is, given its source. UsageError where the counts differ.
  std::vector<PairScore> score(const std::vector<std::string>& sources,
                               const std::vector<std::string>& targets,
                               const ScoreOptions& options = {}) const;
  PairScore score(const std::string& source, const std::string& target,
                  const ScoreOptions& options = {}) const;

  // For more than the best translation, and for text that does not fit into memory. The model must
  // outlive them.
  Translator translator(const DecodeOptions& options = {}) const;
  Scorer scorer(const ScoreOptions& options = {}) const;

  const Transformer& transformer() const { return transformer_; }
  const TokenizerPair& tokenizers() const { return tokenizers_; }
  Backend& backend() const { return *backend_; }

 private:
  TokenizerPair tokenizers_;
  std::unique_ptr<Backend> backend_;
  Transformer transformer_;
};

}  // namespace heed
