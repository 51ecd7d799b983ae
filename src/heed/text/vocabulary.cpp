#include "heed/text/vocabulary.h"

#include <algorithm>
#include <utility>

#include "heed/core/files.h"
#include "heed/core/strict_json.h"
#include "heed/core/utf8.h"

namespace heed {
namespace {

constexpr int64_t kMaxFileBytes = int64_t{256} << 20;

// Unused ids before <pad>, counted from 1.
std::string unused_piece(int64_t number) {
  return fmt::format("<unused_{}>", number);
}

bool is_unused(std::string_view piece) {
  constexpr std::string_view head = "<unused_", tail = ">";
  if (!piece.starts_with(head) || !piece.ends_with(tail)) return false;
  piece.remove_prefix(head.size());
  piece.remove_suffix(tail.size());
  return !piece.empty() && piece.find_first_not_of("0123456789") == piece.npos;
}

}  // namespace

std::shared_ptr<const Vocabulary::Table> Vocabulary::table_of(std::vector<std::string> pieces,
                                                              const std::string& name) {
  auto table = std::make_shared<Table>();
  table->pieces = std::move(pieces);
  table->ids.reserve(table->pieces.size());
  for (size_t i = 0; i < table->pieces.size(); ++i) {
    const std::string& piece = table->pieces[i];
    if (find_invalid_utf8(piece)) fail("{}: the piece of id {} is not UTF-8", name, i);
    if (!table->ids.emplace(piece, TokenId(i)).second) {
      fail("{}: piece '{}' has two ids, {} and {}", name, piece, table->ids.at(piece), i);
    }
  }
  return table;
}

Vocabulary::Vocabulary(std::shared_ptr<const Table> table, TokenId end, TokenId unknown,
                       TokenId pad)
    : table_(std::move(table)), end_(end), unknown_(unknown), pad_(pad) {
  output_size_ = pad_ == kNoToken ? size() : pad_;
  while (output_size_ > 0 && is_unused(piece(TokenId(output_size_ - 1)))) --output_size_;
}

Vocabulary::Vocabulary(std::vector<std::string> pieces, const std::string& name)
    : table_(table_of(std::move(pieces), name)) {
  for (const std::string_view piece : {kEndPiece, kUnknownPiece, kPadPiece}) {
    if (!find(piece)) fail("{}: piece '{}' is missing; every model needs it", name, piece);
  }
  const auto last = TokenId(size() - 1);
  if (*find(kPadPiece) != last) {
    fail("{}: {} has id {}; expected the last id, {}", name, kPadPiece, *find(kPadPiece), last);
  }
  if (*find(kEndPiece) != 0) {
    fail("{}: {} has id {}; expected 0, the eos_token_id of every model in Marian's layout", name,
         kEndPiece, *find(kEndPiece));
  }
  *this = Vocabulary(table_, 0, *find(kUnknownPiece), last);
}

Vocabulary Vocabulary::of_bytes(std::vector<std::string> pieces, const std::string& end,
                                const std::string& name) {
  Vocabulary vocabulary(table_of(std::move(pieces), name), kNoToken, kNoToken, kNoToken);
  const auto id = vocabulary.find(end);
  if (!id)
    fail(
        "{}: no token is '{}', which ends a text: name the one that does in tokenizer_config.json, "
        "eos_token",
        name, excerpt(end));
  vocabulary.end_ = *id;
  return vocabulary;
}

Vocabulary Vocabulary::load(const std::filesystem::path& path) {
  const std::string text = read_file(path, kMaxFileBytes);
  const nlohmann::json json = detail::parse_json(text, path.string());
  if (!json.is_object()) {
    fail("{}: expected an object from piece to id, got {}", path.string(), json.type_name());
  }
  const auto size = int64_t(json.size());
  std::vector<std::string> pieces(json.size());
  std::vector<bool> seen(json.size());
  for (const auto& [piece, id] : json.items()) {
    // Beyond int64 a number is unsigned and never below the size.
    const bool whole = id.is_number_integer() &&
                       (!id.is_number_unsigned() || id.get<uint64_t>() < uint64_t(INT64_MAX));
    if (!whole || id.get<int64_t>() < 0 || id.get<int64_t>() >= size) {
      fail("{}: piece '{}' has id {}; expected a whole number from 0 to {}", path.string(), piece,
           detail::quote(id), size - 1);
    }
    const auto index = id.get<size_t>();
    if (seen[index]) {
      fail("{}: id {} belongs to '{}' and to '{}'", path.string(), index, pieces[index], piece);
    }
    seen[index] = true;
    pieces[index] = piece;
  }
  return Vocabulary(std::move(pieces), path.string());
}

std::string Vocabulary::json() const {
  std::string text = "{";
  for (int64_t id = 0; id < size(); ++id) {
    text += id == 0 ? "\n" : ",\n";
    text += fmt::format("  {}: {}", nlohmann::json(piece(TokenId(id))).dump(), id);
  }
  return text + "\n}\n";
}

int64_t Vocabulary::text_pieces() const {
  const int64_t special = 1 + (unknown_ != kNoToken) + (pad_ != kNoToken);
  return size() - special - std::ranges::count_if(table_->pieces, is_unused);
}

Vocabulary Vocabulary::padded_to(int64_t size) const {
  check(size >= this->size(), "a vocabulary cannot shrink");
  std::vector<std::string> pieces = table_->pieces;
  const bool has_pad = pad_ != kNoToken;
  if (has_pad) pieces.pop_back();
  const int64_t unpadded = size - (has_pad ? 1 : 0);
  for (int64_t number = 1; int64_t(pieces.size()) < unpadded; ++number) {
    if (!find(unused_piece(number))) pieces.push_back(unused_piece(number));
  }
  if (has_pad) pieces.emplace_back(kPadPiece);
  return {table_of(std::move(pieces), "vocabulary"), end_, unknown_,
          has_pad ? TokenId(size - 1) : kNoToken};
}

const std::string& Vocabulary::piece(TokenId id) const {
  check(id >= 0 && id < size(), "token id outside the vocabulary");
  return table_->pieces[size_t(id)];
}

std::optional<TokenId> Vocabulary::find(std::string_view piece) const {
  const auto found = table_->ids.find(piece);
  if (found == table_->ids.end()) return std::nullopt;
  return found->second;
}

}  // namespace heed
