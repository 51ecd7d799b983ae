// The pieces of a vocabulary and their ids: vocab.json.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "heed/core/ragged.h"

namespace heed {

inline constexpr std::string_view kEndPiece = "</s>";
inline constexpr std::string_view kUnknownPiece = "<unk>";
inline constexpr std::string_view kPadPiece = "<pad>";

// The pieces of a vocabulary, by id: the content of vocab.json. </s> always has id 0, as in the
// config.json of every model in Marian's layout, and <pad> the last id. <unk> has id 1 in a
// vocabulary made by heed; others may have it elsewhere. A vocabulary of bytes has none of these.
// Copies share the pieces.
class Vocabulary {
 public:
  // Pieces must be distinct: </s> first, <pad> last, <unk> between them; `name` is for messages.
  explicit Vocabulary(std::vector<std::string> pieces, const std::string& name = "vocabulary");
  // Pieces that spell every text by its bytes (text/byte_level_bpe.h), in any order: one of them,
  // `end`, ends a text; there is neither <unk> nor <pad>.
  static Vocabulary of_bytes(std::vector<std::string> pieces, const std::string& end,
                             const std::string& name);
  // A JSON object from piece to id, with each id from 0 to N - 1 once.
  static Vocabulary load(const std::filesystem::path& path);
  // The JSON text that load() reads, ordered by id.
  std::string json() const;
  // With unused tokens inserted before <pad>, or at the end, so that it has `size` ids.
  Vocabulary padded_to(int64_t size) const;

  int64_t size() const { return int64_t(table_->pieces.size()); }
  // The number of ids that a model can predict: those before the unused tokens and <pad>.
  int64_t output_size() const { return output_size_; }
  // The number of pieces without </s>, <unk>, <pad> and unused tokens.
  int64_t text_pieces() const;
  const std::string& piece(TokenId id) const;
  std::optional<TokenId> find(std::string_view piece) const;
  TokenId end_id() const { return end_; }
  TokenId unknown_id() const { return unknown_; }  // or kNoToken
  TokenId pad_id() const { return pad_; }          // or kNoToken

 private:
  struct Table;
  Vocabulary(std::shared_ptr<const Table> table, TokenId end, TokenId unknown, TokenId pad);
  static std::shared_ptr<const Table> table_of(std::vector<std::string> pieces,
                                               const std::string& name);

  struct Table {
    std::vector<std::string> pieces;
    std::unordered_map<std::string_view, TokenId> ids;  // views into `pieces`
  };
  std::shared_ptr<const Table> table_;
  int64_t output_size_ = 0;
  TokenId end_ = 0, unknown_ = kNoToken, pad_ = kNoToken;
};

}  // namespace heed
