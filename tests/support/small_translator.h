// A random model with a tokenizer of characters: what it says is nonsense, but the same nonsense
// each time. tools/make_score_goldens.py asks transformers about the directory that it makes.
#pragma once

#include <filesystem>
#include <fstream>
#include <vector>

#include "heed/model/directory.h"
#include "heed/text/tokenizer.h"
#include "heed/text/tokenizer_training.h"

namespace heed::testing {

inline TokenizerPair character_tokenizers(const std::filesystem::path& folder) {
  const std::filesystem::path text = folder / "characters";
  std::ofstream(text) << "the quick brown fox jumps over a lazy dog, 老师买了三本书。\n";
  TokenizerOptions options;
  options.kind = TokenizerKind::character;
  options.vocabulary = 64;
  options.normalization = Normalization::identity;
  const std::vector<std::filesystem::path> files = {text};
  return TokenizerPair::joint(train_tokenizer(options, files));
}

inline Transformer random_model(const TokenizerPair& tokenizers) {
  ModelConfig config;
  config.vocabulary = tokenizers.size();
  config.classes = tokenizers.target_classes();
  config.d_model = 16;
  config.d_ff = 32;
  config.heads = 4;
  config.encoder_layers = config.decoder_layers = 2;
  config.max_positions = 40;
  Transformer model(config);
  model.initialize(4);
  return model;
}

// Both as a model directory.
inline void write_small_translator(const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  const TokenizerPair tokenizers = character_tokenizers(directory);
  Transformer model = random_model(tokenizers);
  tokenizers.save(directory);
  save_model(directory, model);
}

}  // namespace heed::testing
