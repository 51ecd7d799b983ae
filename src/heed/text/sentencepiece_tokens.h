// SentencePiece segmentation with the ids of a vocabulary. Internal to the text layer.
#pragma once

#include <sentencepiece_processor.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "heed/text/token_model.h"

namespace heed::detail {

// A .spm file in memory.
struct SentencePieceModel {
  std::string bytes;
  sentencepiece::SentencePieceProcessor processor;

  // Error, naming `name`, if the bytes are no sound model.
  SentencePieceModel(std::string model, const std::string& name);

  int size() const { return processor.GetPieceSize(); }
  // Whether the two have the same pieces, in the same order.
  bool has_pieces_of(const SentencePieceModel& other) const;
  // Whether this piece can occur in encoded text.
  bool is_text(int id) const;
  // Its pieces, except those that every vocabulary has.
  std::vector<int> own_pieces() const;
  // The pieces in the order of heed's ids: </s>, <unk>, its own, <pad>.
  std::vector<std::string> vocabulary() const;
};

// Whether a vocabulary is that of one model or of two.
enum class Sharing { one_model, two_models };

class SentencePieceTokens : public TokenModel {
 public:
  // Pieces that the vocabulary lacks become <unk>.
  SentencePieceTokens(std::shared_ptr<const SentencePieceModel> model,
                      std::shared_ptr<const Vocabulary> vocabulary);

  Encoding encode(std::string_view text) const override;
  Decoding decode(std::span<const TokenId> ids) const override;
  std::string_view language_code(std::string_view text) const override;
  std::string_view prefix(std::string_view text, int64_t max_ids) const override;
  bool folds_case() const override;
  const std::string& file() const override { return model_->bytes; }
  std::string normalizer() const override;
  bool keeps_white_space() const override { return false; }
  const Vocabulary& vocabulary() const override { return *vocabulary_; }
  const BytePieces& byte_pieces() const override { return bytes_; }
  ScoredPieces scored_pieces() const override;

  // The Error of TokenizerPair::load; the paths are for its message.
  void expect_one_model(const std::filesystem::path& vocabulary, const std::filesystem::path& model,
                        Sharing sharing) const;
  // The share of the vocabulary that are pieces of this model.
  double coverage() const;

 private:
  // The id of a piece that can occur in text; <unk> for all others.
  TokenId text_id(std::string_view piece) const;

  std::shared_ptr<const SentencePieceModel> model_;
  std::shared_ptr<const Vocabulary> vocabulary_;
  BytePieces bytes_;
  std::vector<TokenId> ids_;  // by SentencePiece's id
};

}  // namespace heed::detail
