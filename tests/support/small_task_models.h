// Random models of the tasks that are not translation: nonsense, but the same each time.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "support/small_translator.h"

namespace heed::testing {

// Draws the weights of a model of this config and writes both as a model directory.
inline void write_random_model(const std::filesystem::path& directory,
                               const TokenizerPair& tokenizers, const ModelConfig& config,
                               uint64_t seed) {
  std::filesystem::create_directories(directory);
  SequenceModel model(config);
  draw_as_goldens(model, seed);
  tokenizers.save(directory);
  save_model(directory, model);
}

inline void write_small_language_model(const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  const TokenizerPair tokenizers = character_tokenizers(directory);
  ModelConfig config = random_model(tokenizers).config();
  config.encoder_layers = 0;
  write_random_model(directory, tokenizers, config, 4);
}

// One that translates without attention to its source.
inline void write_small_recurrent_translator(const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  const TokenizerPair tokenizers = character_tokenizers(directory);
  ModelConfig config = random_model(tokenizers).config();
  config.heads = 1;
  config.d_ff = 0;
  config.variants.architecture = Architecture::rnn;
  config.variants.attention = ScoreFunction::none;
  write_random_model(directory, tokenizers, config, 4);
}

// Tokenizers of characters for lines like `words`, and of words for the symbols or labels of the
// targets; uses files in `folder`.
inline TokenizerPair word_target_tokenizers(const std::filesystem::path& folder,
                                            const std::string& words, const std::string& symbols) {
  std::filesystem::create_directories(folder);
  const auto trained = [&](const std::string& name, const std::string& text,
                           TokenizerOptions options) {
    std::ofstream(folder / name) << text << '\n';
    options.vocabulary_size = 64;
    const std::vector<std::filesystem::path> files = {folder / name};
    return train_tokenizer(options, files);
  };
  TokenizerOptions of_words, of_symbols;
  of_words.kind = TokenizerKind::character;
  of_symbols.kind = TokenizerKind::word;
  of_symbols.normalization = Normalization::identity;
  return TokenizerPair::separate(trained("words", words, of_words),
                                 trained("symbols", symbols, of_symbols));
}

// A tagger or a classifier of the labels A, B and C.
inline void write_small_classifier(const std::filesystem::path& directory, ClassesOf of,
                                   uint64_t seed = 4) {
  const TokenizerPair tokenizers =
      word_target_tokenizers(directory, "the quick brown fox jumps over a lazy dog", "A B C");
  ModelConfig config = random_model(tokenizers).config();
  config.decoder_layers = 0;
  config.tie_embeddings = TieEmbeddings::none;
  config.classes = 3;
  config.output_vocabulary_size = config.vocabulary_size - 1;
  config.classes_of = of;
  write_random_model(directory, tokenizers, config, seed);
}

// A parser with this many positions.
inline void write_small_parser(const std::filesystem::path& directory, int64_t positions = 40,
                               uint64_t seed = 1) {
  const TokenizerPair tokenizers = word_target_tokenizers(
      directory, "the quick brown fox jumps over a lazy dog -LRB- -RRB- .",
      "(ROOT (S (NP DT JJ NN )NP (VP VBZ )VP . )S )ROOT (X -LRB- -RRB- )X (NP )NP");
  ModelConfig config = random_model(tokenizers).config();
  config.target_form = TargetForm::trees;
  config.tie_embeddings = TieEmbeddings::none;
  config.max_positions = positions;
  write_random_model(directory, tokenizers, config, seed);
}

}  // namespace heed::testing
