// Between text and token ids: SentencePiece models under the ids of the model directory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/core/ragged.h"
#include "heed/text/vocabulary.h"

namespace heed {

// What SentencePiece writes for a space at the start of a word: U+2581.
inline constexpr std::string_view kSpaceSymbol = "\u2581";

// The longest beginning of a text that has at most `bytes` bytes, a run of spaces counted as one:
// tokenizers read it as one. Ends between characters.
std::string_view beginning_of(std::string_view text, size_t bytes);

// A text, or its beginning, in token ids.
struct Encoding {
  std::vector<TokenId> ids;
  std::vector<size_t> ends;  // byte of the text where the piece of each id ends
  bool whole = true;         // false: the ids of the beginning of a text that is longer
};

// One language's SentencePiece model and the ids of its pieces. Const once built: any number of
// threads may use one. Copies share the model.
class Tokenizer {
 public:
  // `model` holds the bytes of a .spm file called `name` in messages. Pieces that the vocabulary
  // lacks become <unk>.
  Tokenizer(std::string model, std::shared_ptr<const Vocabulary> vocabulary,
            const std::string& name = "tokenizer model");

  // Ids without </s>; never </s> or <pad>, whatever the text says. A language code of a
  // multilingual model in front (">>fra<<") becomes its one id. Text that is not UTF-8 is read
  // with U+FFFD in place of the broken bytes.
  std::vector<TokenId> encode(std::string_view text) const;
  Encoding encode_with_ends(std::string_view text) const;
  // For callers that need at most `most` ids: encodes the first most * kBytesPerToken bytes, so
  // that the cost does not grow with the text. A text that is cut so has more than `most` ids,
  // unless most of it is unknown to the vocabulary.
  Encoding encode_beginning(std::string_view text, int64_t most) const;
  static constexpr int64_t kBytesPerToken = 64;  // of the longest pieces that models learn
  // One string for each id.
  std::vector<std::string> pieces(std::span<const TokenId> ids) const;
  // One line of UTF-8 from ids; </s>, <pad> and fillers are skipped, <unk> reads " ⁇ ".
  std::string decode(std::span<const TokenId> ids) const;

  // Whether capital and small letters become the same pieces.
  bool folds_case() const;

  const Vocabulary& vocabulary() const { return *vocabulary_; }
  int64_t size() const { return vocabulary_->size(); }
  TokenId end_id() const { return vocabulary_->end_id(); }
  TokenId unknown_id() const { return vocabulary_->unknown_id(); }
  TokenId pad_id() const { return vocabulary_->pad_id(); }
  // The .spm file's bytes.
  const std::string& model() const;

 private:
  friend class TokenizerPair;
  struct Model;
  Tokenizer(std::shared_ptr<const Model> model, std::shared_ptr<const Vocabulary> vocabulary);
  // heed's own order of a model's pieces.
  static std::vector<std::string> vocabulary_of(const Model& model);
  // The id of a piece that text may become; <unk> for all others.
  TokenId text_id(std::string_view piece) const;
  // Whether the vocabulary is of this model alone.
  enum class Sharing { alone, with_another };
  // The Error of TokenizerPair::load; the paths are for its message.
  void expect_one_model(const std::filesystem::path& vocabulary, const std::filesystem::path& model,
                        Sharing sharing) const;
  // The share of the vocabulary that are this model's own pieces.
  double coverage() const;

  std::shared_ptr<const Model> model_;
  std::shared_ptr<const Vocabulary> vocabulary_;
  std::vector<TokenId> ids_;  // by SentencePiece's id
};

// What tokenizer_config.json says beside the vocabularies.
struct TokenizerConfig {
  std::string source_language, target_language;  // "zh", "en"; may be empty
  int64_t max_length = 256;                      // tokens of a sentence, </s> included
};

// Source and target tokenizer of a model: one vocabulary for both, or one each. Both have the same
// size, and with it the same <pad>.
class TokenizerPair {
 public:
  // From the bytes of .spm files, as train_tokenizer() gives them. heed's ids: </s>, <unk>, the
  // model's pieces in their order, <pad>.
  static TokenizerPair joint(std::string model, const std::string& name = "tokenizer model");
  static TokenizerPair separate(std::string source_model, std::string target_model);
  // From a model directory: source.spm, target.spm, vocab.json and, for separate vocabularies,
  // target_vocab.json. Also reads what OPUS-MT published in this layout: one vocab.json over two
  // SentencePiece models, in an order of its own, which lacks some of their pieces.
  //
  // Error where the vocabulary belongs to other models than the .spm files, which would give each
  // piece another meaning. The order of ids is free, and bytes of --byte-fallback do not count:
  // - a vocabulary for one model with as many pieces as the model, as heed writes it, has all the
  //   pieces of the model;
  // - any other has at least half of the pieces of each model that it is for;
  // - a model has at least three quarters of a vocabulary that is for it alone, or that the other
  //   model has nearly all of.
  static TokenizerPair load(const std::filesystem::path& directory);
  // Writes those files and tokenizer_config.json.
  void save(const std::filesystem::path& directory, const TokenizerConfig& config = {}) const;

  const Tokenizer& source() const { return source_; }
  const Tokenizer& target() const { return target_; }
  bool folds_case() const { return source_.folds_case() && target_.folds_case(); }
  bool is_joint() const { return &source_.vocabulary() == &target_.vocabulary(); }
  // Ids of either side, </s>, <unk>, fillers and <pad> included: the rows of an embedding table.
  int64_t size() const { return source_.size(); }
  TokenId pad_id() const { return source_.pad_id(); }
  // What the softmax may yield: ids below this.
  int64_t target_classes() const { return target_.vocabulary().classes(); }
  // Changes with anything that changes an encoding.
  uint64_t fingerprint() const;

 private:
  TokenizerPair(Tokenizer source, Tokenizer target);
  // The Error of load() for a model that lacks pieces of its vocabulary.
  void expect_covered(const std::filesystem::path& directory, Tokenizer::Sharing sharing) const;
  Tokenizer source_, target_;
};

// The names that TokenizerPair::save gives its files.
std::span<const char* const> tokenizer_files();

}  // namespace heed
