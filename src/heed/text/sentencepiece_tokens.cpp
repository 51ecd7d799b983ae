#include "heed/text/sentencepiece_tokens.h"

#include <algorithm>
#include <utility>

#include "heed/core/error.h"
#include "heed/core/utf8.h"
#include "heed/text/normalizer.h"
#include "heed/text/sentencepiece_model.h"
#include "heed/text/tokenizer.h"

namespace heed::detail {

SentencePieceModel::SentencePieceModel(std::string model, const std::string& name)
    : bytes(std::move(model)) {
  if (!is_valid_model(bytes)) fail("{} is no SentencePiece model, or damaged", name);
  const auto status = processor.LoadFromSerializedProto(without_field(bytes, kSelfTestField));
  if (!status.ok()) fail("{} is no SentencePiece model ({})", name, status.message());
}

bool SentencePieceModel::has_pieces_of(const SentencePieceModel& other) const {
  if (size() != other.size()) return false;
  for (int id = 0; id < size(); ++id)
    if (processor.IdToPiece(id) != other.processor.IdToPiece(id)) return false;
  return true;
}

bool SentencePieceModel::is_text(int id) const {
  return !processor.IsUnknown(id) && !processor.IsControl(id) && !processor.IsUnused(id);
}

std::vector<int> SentencePieceModel::own_pieces() const {
  std::vector<int> ids;
  for (int i = 0; i < size(); ++i) {
    const std::string& piece = processor.IdToPiece(i);
    const bool special = piece == kEndPiece || piece == kUnknownPiece || piece == kPadPiece;
    if (is_text(i) && !special) ids.push_back(i);
  }
  return ids;
}

std::vector<std::string> SentencePieceModel::vocabulary() const {
  std::vector<std::string> pieces{std::string(kEndPiece), std::string(kUnknownPiece)};
  for (const int id : own_pieces()) pieces.push_back(processor.IdToPiece(id));
  pieces.emplace_back(kPadPiece);
  return pieces;
}

SentencePieceTokens::SentencePieceTokens(std::shared_ptr<const SentencePieceModel> model,
                                         std::shared_ptr<const Vocabulary> vocabulary)
    : model_(std::move(model)), vocabulary_(std::move(vocabulary)), bytes_(*vocabulary_) {
  ids_.reserve(size_t(model_->size()));
  for (int i = 0; i < model_->size(); ++i)
    ids_.push_back(model_->is_text(i) ? text_id(model_->processor.IdToPiece(i))
                                      : vocabulary_->unknown_id());
}

TokenId SentencePieceTokens::text_id(std::string_view piece) const {
  const auto id = vocabulary_->find(piece);
  const bool usable = id && *id != vocabulary_->end_id() && *id < vocabulary_->output_size();
  return usable ? *id : vocabulary_->unknown_id();
}

std::string_view SentencePieceTokens::language_code(std::string_view text) const {
  if (!text.starts_with(">>")) return {};
  const size_t end = text.find("<<");
  if (end == text.npos) return {};
  const std::string_view code = text.substr(0, end + 2);
  return text_id(code) == vocabulary_->unknown_id() ? std::string_view() : code;
}

std::string_view SentencePieceTokens::prefix(std::string_view text, int64_t max_ids) const {
  return prefix_of(text, size_t(max_ids * Tokenizer::kBytesPerToken));
}

Encoding SentencePieceTokens::encode(std::string_view text) const {
  Encoding encoding;
  const std::string_view code = language_code(text);
  const size_t before = code.size();
  if (!code.empty()) {
    encoding.ids.push_back(text_id(code));
    encoding.ends.push_back(before);
    text.remove_prefix(before);
  }
  sentencepiece::ImmutableSentencePieceText found;
  const auto status = model_->processor.Encode(with_plain_spaces(text), found.mutable_proto());
  if (!status.ok()) fail("SentencePiece cannot encode a text: {}", status.message());
  for (int i = 0; i < int(found.pieces_size()); ++i) {
    const auto piece = found.pieces(i);
    const int id = int(piece.id());
    // A vocabulary over two models may contain pieces that this model lacks: published models rely
    // on that.
    encoding.ids.push_back(model_->processor.IsUnknown(id) ? text_id(piece.piece())
                                                           : ids_[size_t(id)]);
    encoding.ends.push_back(before + size_t(piece.end()));
  }
  return encoding;
}

Decoding SentencePieceTokens::decode(std::span<const TokenId> ids) const {
  std::vector<TokenId> whole;
  std::span<const TokenId> used = ids;  // a subsequence
  if (!bytes_.empty()) used = whole = bytes_.whole_characters(ids);
  std::vector<std::string_view> pieces;
  std::vector<size_t> counts;  // pieces with text up to each id
  for (const TokenId id : ids) {
    const std::string& piece = vocabulary_->piece(id);
    if (!used.empty() && used.front() == id) {
      used = used.subspan(1);
      if (id != vocabulary_->end_id() && id < vocabulary_->output_size())
        pieces.emplace_back(piece);
    }
    counts.push_back(pieces.size());
  }
  sentencepiece::ImmutableSentencePieceText found;
  const auto status = model_->processor.Decode(pieces, found.mutable_proto());
  if (!status.ok()) fail("SentencePiece cannot decode pieces: {}", status.message());
  Decoding decoding{found.text(), {}};
  for (const size_t count : counts)
    decoding.ends.push_back(count == 0 ? 0 : size_t(found.pieces(int(count) - 1).end()));
  std::string& text = decoding.text;
  // A translation is one line of UTF-8, whatever the pieces and <unk> of a model contain.
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (find_invalid_utf8(text)) {
    for (size_t& end : decoding.ends) end = replace_invalid_utf8(text.substr(0, end)).size();
    text = replace_invalid_utf8(text);
  }
  return decoding;
}

bool SentencePieceTokens::folds_case() const {
  return model_->processor.EncodeAsPieces("A") == model_->processor.EncodeAsPieces("a");
}

std::string SentencePieceTokens::normalizer() const {
  return normalizer_of(model_->bytes);
}

ScoredPieces SentencePieceTokens::scored_pieces() const {
  ScoredPieces found = scored_pieces_of(model_->bytes);
  std::erase_if(found.pieces, [&](ScoredPiece& piece) {
    piece.id = ids_[size_t(piece.id)];
    return piece.id == vocabulary_->unknown_id();
  });
  return found;
}

void SentencePieceTokens::expect_one_model(const std::filesystem::path& vocabulary,
                                           const std::filesystem::path& model,
                                           Sharing sharing) const {
  const std::vector<int> own = model_->own_pieces();
  // All except </s> and <unk>.
  const bool same_size = int64_t(own.size()) == vocabulary_->output_size() - 2;
  const bool whole = sharing == Sharing::one_model && same_size;
  int64_t asked = 0, missing = 0;
  std::string first;
  for (const int id : own) {
    if (!whole && model_->processor.IsByte(id)) continue;
    ++asked;
    if (ids_[size_t(id)] != vocabulary_->unknown_id()) continue;
    if (missing++ == 0) first = model_->processor.IdToPiece(id);
  }
  if (missing == 0 || (!whole && 2 * missing <= asked)) return;
  fail(
      "{} and {} belong to different models: the vocabulary lacks {} of the {} pieces of the "
      "SentencePiece model, the first is '{}'; take both files from the same model",
      vocabulary.string(), model.string(), missing, asked, first);
}

double SentencePieceTokens::coverage() const {
  return double(model_->own_pieces().size()) /
         double(std::max<int64_t>(1, vocabulary_->text_pieces()));
}

}  // namespace heed::detail
