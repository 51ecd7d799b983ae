// A model directory, opened for translating.
#pragma once

#include <memory>
#include <string>

#include "heed/backend/compute.h"
#include "heed/decode/translator.h"

namespace heed {

struct LoadedModel {
  std::unique_ptr<Backend> backend;
  TokenizerPair tokenizers;
  Transformer model;

  Translator translator(const DecodeOptions& options) const {
    return Translator(model, tokenizers, *backend, options);
  }
};

// The best translation of every line.
std::vector<std::string> best_translations(const Translator& translator,
                                           const std::vector<std::string>& lines);

// Opens a directory for this machine's best instruction set.
std::unique_ptr<LoadedModel> open_model(const std::string& directory, ComputeChoice compute);

}  // namespace heed
