// Segmentation of text into the tokens of a model: by SentencePiece, with the ids of vocab.json, or
// by the byte-level BPE of a tokenizer.json, as GPT-2 has it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/core/ragged.h"
#include "heed/text/byte_pieces.h"
#include "heed/text/known_characters.h"
#include "heed/text/normalizer.h"
#include "heed/text/token_model.h"
#include "heed/text/vocabulary.h"

namespace heed {

// The longest prefix of a text of at most `bytes` bytes. Ends between characters. A run of
// spaces counts as one byte, since tokenizers read it as one space.
std::string_view prefix_of(std::string_view text, size_t bytes);

// The characters of a text that a model has not seen in training.
struct UnknownText {
  std::vector<std::string> characters;  // each once, with its marks, in the order of the text
  bool alone = false;                   // the text has no letter that is known
};

// The segmentation of one language. Const once built: any number of threads may use one. Copies
// share the model.
class Tokenizer {
 public:
  // By SentencePiece: `model` holds the bytes of a .spm file called `name` in messages. Pieces that
  // the vocabulary lacks become <unk>.
  Tokenizer(std::string model, std::shared_ptr<const Vocabulary> vocabulary,
            const std::string& name = "tokenizer model");

  // Ids without </s>; never </s> or <pad>, whatever the text contains. Invalid UTF-8 is read as
  // U+FFFD. SentencePiece reads NUL as a space, and a language code of a multilingual model at the
  // beginning (">>fra<<") as one id.
  std::vector<TokenId> encode(std::string_view text) const;
  Encoding encode_with_ends(std::string_view text) const;
  // For callers that need at most `max_ids` ids: encodes only the first max_ids * kBytesPerToken
  // bytes, so that the cost does not grow with the text. `truncated` says that text was left; there
  // are then usually more than max_ids ids, but fewer if most of the text is <unk>.
  Encoding encode_prefix(std::string_view text, int64_t max_ids) const;
  static constexpr int64_t kBytesPerToken =
      64;  // the longest pieces that models learn (16 characters)
  // One string for each id.
  std::vector<std::string> pieces(std::span<const TokenId> ids) const;
  // UTF-8 from ids, without </s>, <pad> and unused tokens. Of SentencePiece one line, in which
  // <unk> reads " ⁇ " and parts of characters are skipped; of byte-level BPE what its bytes spell,
  // line ends among them, with U+FFFD for parts of characters.
  std::string decode(std::span<const TokenId> ids) const;
  Decoding decode_with_ends(std::span<const TokenId> ids) const;

  // The characters of valid UTF-8 that no line of this side's training text had, and those without
  // a piece: all that become <unk>. `ids` are those of the text.
  UnknownText unknown_in(std::string_view text, std::span<const TokenId> ids) const;

  // Whether upper- and lowercase letters become the same pieces.
  bool folds_case() const;
  // Whether white space of a text is kept as it is, as byte-level BPE does; SentencePiece reads a
  // run of it as one space between words.
  bool keeps_white_space() const { return model_->keeps_white_space(); }
  // How it changes the characters of a text.
  Normalizer normalizer() const;

  const Vocabulary& vocabulary() const { return model_->vocabulary(); }
  const BytePieces& byte_pieces() const { return model_->byte_pieces(); }
  ScoredPieces scored_pieces() const { return model_->scored_pieces(); }
  int64_t size() const { return vocabulary().size(); }
  TokenId end_id() const { return vocabulary().end_id(); }
  TokenId unknown_id() const { return vocabulary().unknown_id(); }  // or kNoToken
  TokenId pad_id() const { return vocabulary().pad_id(); }          // or kNoToken
  // The bytes of the .spm file or tokenizer.json.
  const std::string& model() const;

 private:
  friend class TokenizerPair;
  explicit Tokenizer(std::shared_ptr<const detail::TokenModel> model);

  std::shared_ptr<const detail::TokenModel> model_;
  std::shared_ptr<const KnownCharacters> known_;  // may be null
};

// The models that a tokenizer is for. Other programs open that of a language model by
// tokenizer.json, which is written beside the files that heed reads.
enum class TokenizerUse { translation, language_model };

// tokenizer_config.json, except the vocabularies.
struct TokenizerConfig {
  std::string source_language, target_language;  // "zh", "en"; may be empty
  int64_t max_length = 256;                      // tokens of a sentence, </s> included
  TokenizerUse use = TokenizerUse::translation;  // of tokenizers to save
};

// The content of a directory's tokenizer_config.json; the defaults for values that it lacks, or
// where there is no such file. Error if it is damaged.
TokenizerConfig read_tokenizer_config(const std::filesystem::path& directory);

// Source and target tokenizer of a model, with one vocabulary for both or one for each. Two
// vocabularies have the same size, and so the same id for <pad>.
class TokenizerPair {
 public:
  // From the bytes of .spm files, as train_tokenizer() gives them. heed's ids: </s>, <unk>, the
  // model's pieces in their order, <pad>.
  static TokenizerPair joint(const std::string& model, const std::string& name = "tokenizer model");
  // One vocabulary for both sides, whose models have the same pieces but normalize differently.
  static TokenizerPair joint_sides(std::string source_model, std::string target_model,
                                   const std::string& name = "tokenizer model");
  static TokenizerPair separate(std::string source_model, std::string target_model);
  // From a model directory: source.spm, target.spm, vocab.json and, for separate vocabularies,
  // target_vocab.json; characters.json if it is there. Also reads what OPUS-MT published in this
  // layout: one vocab.json over two SentencePiece models, in another order and without some of
  // their pieces.
  //
  // Error if the vocabulary belongs to other models than the .spm files. A vocabulary of one model
  // with as many pieces, as heed writes it, must contain all pieces of the model, in any order. Any
  // other must contain at least half of the pieces, not counting byte pieces, of each model that it
  // serves; and each model must have at least three quarters as many pieces as the vocabulary,
  // unless it merges two models that both have less than 99% of its pieces.
  //
  // Without source.spm, from tokenizer.json (text/tokenizer_json.h): one byte-level BPE for both
  // sides, whose texts end with the eos_token of tokenizer_config.json, else <|endoftext|>.
  static TokenizerPair load(const std::filesystem::path& directory);
  // Writes those files, tokenizer_config.json and, if they are known, the training characters.
  // Files of another kind of tokenizer are removed.
  void save(const std::filesystem::path& directory, const TokenizerConfig& config = {}) const;

  const Tokenizer& source() const { return source_; }
  const Tokenizer& target() const { return target_; }
  // The characters of the training text; std::nullopt if they are not known, as of models that
  // other programs trained.
  std::optional<TrainingCharacters> characters() const;
  void set_characters(const TrainingCharacters& characters);
  bool is_joint() const { return &source_.vocabulary() == &target_.vocabulary(); }
  // Number of ids of each side, </s>, <unk>, unused tokens and <pad> included: the rows of an
  // embedding table.
  int64_t size() const { return source_.size(); }
  TokenId pad_id() const { return source_.pad_id(); }
  // The model can predict the ids below this.
  int64_t output_vocabulary_size() const { return target_.vocabulary().output_size(); }
  // Differs whenever a text could be encoded differently.
  uint64_t fingerprint() const;

 private:
  TokenizerPair(Tokenizer source, Tokenizer target);
  static TokenizerPair load_sentencepiece(const std::filesystem::path& directory);
  static TokenizerPair load_byte_level(const std::filesystem::path& directory);
  Tokenizer source_, target_;
};

// The names that TokenizerPair::save gives its files.
std::span<const char* const> tokenizer_files();

}  // namespace heed
