// A random model with a tokenizer of characters: what it says is nonsense, but the same nonsense
// each time. tools/make_score_goldens.py asks transformers about the directory that it makes.
#pragma once

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "heed/model/directory.h"
#include "heed/model/sequence_model.h"
#include "heed/text/tokenizer.h"
#include "heed/text/tokenizer_training.h"

namespace heed::testing {

// Tokenizers of the characters of `line`; uses a file in `folder`.
inline TokenizerPair character_tokenizers(
    const std::filesystem::path& folder,
    const std::string& line = "the quick brown fox jumps over a lazy dog, 老师买了三本书。",
    Normalization normalization = Normalization::identity) {
  const std::filesystem::path text = folder / "characters";
  std::ofstream(text) << line << '\n';
  TokenizerOptions options;
  options.kind = TokenizerKind::character;
  options.vocabulary_size = 64;
  options.normalization = normalization;
  const std::vector<std::filesystem::path> files = {text};
  return TokenizerPair::joint(train_tokenizer(options, files));
}

// The weights that tests/decode/data/score.json was made of, which must not follow
// SequenceModel::initialize(): one stream of numbers for each parameter in order, and a value
// matrix continues that of its key matrix.
inline void draw_as_goldens(SequenceModel& model, uint64_t seed) {
  uint64_t index = 0;
  Random of_keys(0);
  for (Parameter& p : parameters(model)) {
    const bool continues = p.name.ends_with(".value.weight");
    Random random = continues ? of_keys : Random(detail::mix(seed, index));
    if (!continues && !p.name.ends_with(".value.bias")) ++index;
    const int64_t columns = p.tensor.columns();
    const double bound = 1 / std::sqrt(double(columns));
    for (int64_t i = 0; i < p.tensor.size(); ++i) {
      float& value = p.tensor.data<float>()[i];
      if (p.role == ParameterRole::matrix) value = float(bound * (2 * random.uniform() - 1));
      if (p.role == ParameterRole::embedding && i / columns != model.config().pad_id())
        value = float(random.normal() / std::sqrt(double(model.config().d_model)));
      if (p.role == ParameterRole::gain) value = 1;
    }
    if (p.name.ends_with(".key.weight")) of_keys = random;
  }
}

// Those of the tests of lines and their parts.
inline TokenizerPair letter_tokenizers(const std::filesystem::path& folder) {
  return character_tokenizers(folder, "a bc def, ghi. jkl mno pqr stu vwx yz?",
                              Normalization::nmt_nfkc);
}

inline SequenceModel random_model(const TokenizerPair& tokenizers) {
  ModelConfig config;
  config.vocabulary_size = tokenizers.size();
  config.output_vocabulary_size = tokenizers.output_vocabulary_size();
  config.d_model = 16;
  config.d_ff = 32;
  config.heads = 4;
  config.encoder_layers = config.decoder_layers = 2;
  config.max_positions = 40;
  SequenceModel model(config);
  draw_as_goldens(model, 4);
  return model;
}

// Both as a model directory.
inline void write_small_translator(const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  const TokenizerPair tokenizers = character_tokenizers(directory);
  SequenceModel model = random_model(tokenizers);
  tokenizers.save(directory);
  save_model(directory, model);
}

}  // namespace heed::testing
