// The pieces of a model and their ids: vocab.json.
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

// The pieces of a vocabulary, id by id: what vocab.json says. </s> always has id 0, as in the
// config.json of every model, and <pad> the last id. <unk> has id 1 in a vocabulary made by heed;
// others may have it elsewhere. Copies share the pieces.
class Vocabulary {
 public:
  // Pieces must be distinct: </s> first, <pad> last, <unk> between them; `name` is for messages.
  explicit Vocabulary(std::vector<std::string> pieces, const std::string& name = "vocabulary");
  // A JSON object from piece to id, ids 0 to N - 1 each once.
  static Vocabulary load(const std::filesystem::path& path);
  // The JSON text that load() reads, ordered by id.
  std::string json() const;
  // With unused pieces before <pad>, so that it holds `size` ids.
  Vocabulary filled_up_to(int64_t size) const;

  int64_t size() const { return int64_t(table_->pieces.size()); }
  // Ids below this one have a meaning; from here on they are fillers and <pad>.
  int64_t classes() const { return classes_; }
  // The number of pieces without </s>, <unk>, <pad> and fillers, wherever these are.
  int64_t text_pieces() const;
  const std::string& piece(TokenId id) const;
  std::optional<TokenId> find(std::string_view piece) const;
  TokenId end_id() const { return end_; }
  TokenId unknown_id() const { return unknown_; }
  TokenId pad_id() const { return TokenId(size() - 1); }

 private:
  struct Table {
    std::vector<std::string> pieces;
    std::unordered_map<std::string_view, TokenId> ids;  // views into `pieces`
  };
  std::shared_ptr<const Table> table_;
  int64_t classes_ = 0;
  TokenId end_ = 0, unknown_ = 0;
};

}  // namespace heed
