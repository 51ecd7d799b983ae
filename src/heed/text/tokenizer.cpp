#include "heed/text/tokenizer.h"

#include <sentencepiece_processor.h>

#include <algorithm>
#include <utility>

#include "heed/core/error.h"
#include "heed/core/files.h"
#include "heed/core/hash.h"
#include "heed/core/json_text.h"
#include "heed/core/strict_json.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/text/sentencepiece_model.h"

namespace heed {
namespace {

constexpr int64_t kMaxModelBytes = int64_t{256} << 20;
constexpr const char* kTokenizerConfigFile = "tokenizer_config.json";

// The language code at the beginning of a sentence for multilingual models: ">>fra<<".
std::string_view language_code(std::string_view text) {
  if (!text.starts_with(">>")) return {};
  const size_t end = text.find("<<");
  return end == text.npos ? std::string_view() : text.substr(0, end + 2);
}

}  // namespace

std::string_view prefix_of(std::string_view text, size_t bytes) {
  if (text.size() <= bytes) return text;
  size_t end = 0;
  for (size_t counted = 0; end < text.size(); ++end) {
    if (text[end] == ' ' && end > 0 && text[end - 1] == ' ') continue;
    if (counted++ == bytes) break;
  }
  const auto is_inside = [&](size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  while (end > 1 && is_inside(end)) --end;
  return text.substr(0, end);
}

struct Tokenizer::Model {
  std::string bytes;
  sentencepiece::SentencePieceProcessor processor;

  Model(std::string model, const std::string& name) : bytes(std::move(model)) {
    if (!detail::is_valid_model(bytes)) fail("{} is no SentencePiece model, or damaged", name);
    const auto status =
        processor.LoadFromSerializedProto(detail::without_field(bytes, detail::kSelfTestField));
    if (!status.ok()) fail("{} is no SentencePiece model ({})", name, status.message());
  }

  int size() const { return processor.GetPieceSize(); }
  // Whether the two have the same pieces, in the same order.
  bool has_pieces_of(const Model& other) const {
    if (size() != other.size()) return false;
    for (int id = 0; id < size(); ++id)
      if (processor.IdToPiece(id) != other.processor.IdToPiece(id)) return false;
    return true;
  }
  // Whether this piece can occur in encoded text.
  bool is_text(int id) const {
    return !processor.IsUnknown(id) && !processor.IsControl(id) && !processor.IsUnused(id);
  }
  // Its pieces, except those that every vocabulary has.
  std::vector<int> own_pieces() const {
    std::vector<int> ids;
    for (int i = 0; i < size(); ++i) {
      const std::string& piece = processor.IdToPiece(i);
      const bool special = piece == kEndPiece || piece == kUnknownPiece || piece == kPadPiece;
      if (is_text(i) && !special) ids.push_back(i);
    }
    return ids;
  }
};

Tokenizer::Tokenizer(std::shared_ptr<const Model> model,
                     std::shared_ptr<const Vocabulary> vocabulary)
    : model_(std::move(model)),
      vocabulary_(std::move(vocabulary)),
      bytes_(std::make_shared<const BytePieces>(*vocabulary_)) {
  ids_.reserve(size_t(model_->size()));
  for (int i = 0; i < model_->size(); ++i) {
    ids_.push_back(model_->is_text(i) ? text_id(model_->processor.IdToPiece(i)) : unknown_id());
  }
}

Tokenizer::Tokenizer(std::string model, std::shared_ptr<const Vocabulary> vocabulary,
                     const std::string& name)
    : Tokenizer(std::make_shared<Model>(std::move(model), name), std::move(vocabulary)) {}

const std::string& Tokenizer::model() const {
  return model_->bytes;
}

TokenId Tokenizer::text_id(std::string_view piece) const {
  const auto id = vocabulary_->find(piece);
  const bool usable = id && *id != end_id() && *id < vocabulary_->output_size();
  return usable ? *id : unknown_id();
}

Encoding Tokenizer::encode_with_ends(std::string_view text) const {
  if (find_invalid_utf8(text)) return encode_with_ends(replace_invalid_utf8(text));
  Encoding encoding;
  const std::string_view code = language_code(text);
  size_t before = 0;
  if (!code.empty() && text_id(code) != unknown_id()) {
    before = code.size();
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

std::vector<TokenId> Tokenizer::encode(std::string_view text) const {
  return encode_with_ends(text).ids;
}

Encoding Tokenizer::encode_prefix(std::string_view text, int64_t max_ids) const {
  const std::string_view prefix = prefix_of(text, size_t(max_ids * kBytesPerToken));
  Encoding encoding = encode_with_ends(prefix);
  encoding.truncated = prefix.size() < text.size();
  return encoding;
}

std::vector<std::string> Tokenizer::pieces(std::span<const TokenId> ids) const {
  std::vector<std::string> result;
  result.reserve(ids.size());
  for (const TokenId id : ids) result.push_back(vocabulary_->piece(id));
  return result;
}

Decoding Tokenizer::decode_with_ends(std::span<const TokenId> ids) const {
  std::vector<TokenId> whole;
  std::span<const TokenId> used = ids;  // a subsequence
  if (!bytes_->empty()) used = whole = bytes_->whole_characters(ids);
  std::vector<std::string_view> pieces;
  std::vector<size_t> counts;  // pieces with text up to each id
  for (const TokenId id : ids) {
    const std::string& piece = vocabulary_->piece(id);
    if (!used.empty() && used.front() == id) {
      used = used.subspan(1);
      if (id != end_id() && id < vocabulary_->output_size()) pieces.emplace_back(piece);
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

std::string Tokenizer::decode(std::span<const TokenId> ids) const {
  return decode_with_ends(ids).text;
}

std::vector<std::string> Tokenizer::vocabulary_of(const Model& model) {
  std::vector<std::string> pieces{std::string(kEndPiece), std::string(kUnknownPiece)};
  for (const int id : model.own_pieces()) pieces.push_back(model.processor.IdToPiece(id));
  pieces.emplace_back(kPadPiece);
  return pieces;
}

void Tokenizer::expect_one_model(const std::filesystem::path& vocabulary,
                                 const std::filesystem::path& model, Sharing sharing) const {
  const std::vector<int> own = model_->own_pieces();
  // All except </s> and <unk>.
  const bool same_size = int64_t(own.size()) == vocabulary_->output_size() - 2;
  const bool whole = sharing == Sharing::one_model && same_size;
  int64_t asked = 0, missing = 0;
  std::string first;
  for (const int id : own) {
    if (!whole && model_->processor.IsByte(id)) continue;
    ++asked;
    if (ids_[size_t(id)] != unknown_id()) continue;
    if (missing++ == 0) first = model_->processor.IdToPiece(id);
  }
  if (missing == 0 || (!whole && 2 * missing <= asked)) return;
  fail(
      "{} and {} belong to different models: the vocabulary lacks {} of the {} pieces of the "
      "SentencePiece model, the first is '{}'; take both files from the same model",
      vocabulary.string(), model.string(), missing, asked, first);
}

double Tokenizer::coverage() const {
  return double(model_->own_pieces().size()) /
         double(std::max<int64_t>(1, vocabulary_->text_pieces()));
}

UnknownText Tokenizer::unknown_in(std::string_view text, std::span<const TokenId> ids) const {
  UnknownText unknown;
  const auto has_unknown = [&](std::span<const TokenId> of_text) {
    return std::ranges::find(of_text, unknown_id()) != of_text.end();
  };
  const bool lacks_pieces = has_unknown(ids);
  if (!known_ && !lacks_pieces) return unknown;
  if (const auto code = language_code(text); !code.empty() && text_id(code) != unknown_id())
    text.remove_prefix(code.size());
  const auto is_known = [&](std::string_view grapheme) {
    if (known_ && !known_->knows(grapheme)) return false;
    return !lacks_pieces || !has_unknown(encode(grapheme));
  };
  bool letters = false, visible = false;
  while (!text.empty()) {
    const std::string_view grapheme = text.substr(0, first_grapheme_bytes(text));
    text.remove_prefix(grapheme.size());
    const char32_t first = first_utf8_character(grapheme).value;
    const bool space = is_whitespace(first) || first == 0;
    if (space ? !lacks_pieces || !has_unknown(encode(grapheme)) : is_known(grapheme)) {
      letters |= is_letter(first);
      continue;
    }
    visible |= !space;
    if (std::ranges::find(unknown.characters, grapheme) == unknown.characters.end())
      unknown.characters.emplace_back(grapheme);
  }
  unknown.alone = !letters && visible;
  return unknown;
}

bool Tokenizer::folds_case() const {
  return model_->processor.EncodeAsPieces("A") == model_->processor.EncodeAsPieces("a");
}

Normalizer Tokenizer::normalizer() const {
  return Normalizer(detail::normalizer_of(model()));
}

TokenizerPair::TokenizerPair(Tokenizer source, Tokenizer target)
    : source_(std::move(source)), target_(std::move(target)) {
  check(source_.size() == target_.size(), "two vocabularies of different size");
}

TokenizerPair TokenizerPair::joint(const std::string& model, const std::string& name) {
  return joint_sides(model, model, name);
}

TokenizerPair TokenizerPair::joint_sides(std::string source_model, std::string target_model,
                                         const std::string& name) {
  const bool equal = source_model == target_model;
  const auto source = std::make_shared<Tokenizer::Model>(std::move(source_model), name);
  const auto target =
      equal ? source : std::make_shared<Tokenizer::Model>(std::move(target_model), name);
  check(source->has_pieces_of(*target), "two models of one vocabulary have the same pieces");
  const auto vocabulary = std::make_shared<Vocabulary>(Tokenizer::vocabulary_of(*source), name);
  return {Tokenizer(source, vocabulary), Tokenizer(target, vocabulary)};
}

TokenizerPair TokenizerPair::separate(std::string source_model, std::string target_model) {
  const std::string source_name = "source tokenizer model", target_name = "target tokenizer model";
  const auto source = std::make_shared<Tokenizer::Model>(std::move(source_model), source_name);
  const auto target = std::make_shared<Tokenizer::Model>(std::move(target_model), target_name);
  const Vocabulary source_pieces(Tokenizer::vocabulary_of(*source), source_name);
  const Vocabulary target_pieces(Tokenizer::vocabulary_of(*target), target_name);
  const int64_t size = std::max(source_pieces.size(), target_pieces.size());
  return {Tokenizer(source, std::make_shared<Vocabulary>(source_pieces.padded_to(size))),
          Tokenizer(target, std::make_shared<Vocabulary>(target_pieces.padded_to(size)))};
}

std::optional<TrainingCharacters> TokenizerPair::characters() const {
  if (!source_.known_ || !target_.known_) return {};
  return TrainingCharacters{source_.known_->characters(), target_.known_->characters()};
}

void TokenizerPair::set_characters(const TrainingCharacters& characters) {
  const auto known = [](const Tokenizer& side, const CharacterSet& of_side) {
    return std::make_shared<const KnownCharacters>(of_side, detail::normalizer_of(side.model()));
  };
  source_.known_ = known(source_, characters.source);
  target_.known_ = known(target_, characters.target);
}

void TokenizerPair::expect_covered(const std::filesystem::path& directory,
                                   Tokenizer::Sharing sharing) const {
  constexpr double kMaxPartial = 0.99, kMinCoverage = 0.75;
  const double source = source_.coverage(), target = target_.coverage();
  // Two models may share a vocabulary that neither covers.
  const bool covered =
      sharing == Tokenizer::Sharing::two_models && std::max(source, target) < kMaxPartial;
  if (covered || std::min(source, target) >= kMinCoverage) return;
  fail(
      "{}: {} and the vocabulary belong to different models: it has {:.0f}% of the vocabulary's "
      "pieces; take both files from the same model",
      directory.string(), source < target ? "source.spm" : "target.spm",
      100 * std::min(source, target));
}

TokenizerPair TokenizerPair::load(const std::filesystem::path& directory) {
  const auto vocabulary = [&](const char* file) {
    return std::make_shared<const Vocabulary>(Vocabulary::load(directory / file));
  };
  const auto source_pieces = vocabulary("vocab.json");
  std::error_code error;
  const bool separate = std::filesystem::exists(directory / "target_vocab.json", error);
  const auto target_pieces = separate ? vocabulary("target_vocab.json") : source_pieces;
  if (source_pieces->size() != target_pieces->size()) {
    fail(
        "{}: vocab.json has {} ids and target_vocab.json {}; expected as many, so that {} is the "
        "same id in both",
        directory.string(), source_pieces->size(), target_pieces->size(), kPadPiece);
  }
  const std::filesystem::path source_name = directory / "source.spm";
  const std::filesystem::path target_name = directory / "target.spm";
  const auto source =
      std::make_shared<Tokenizer::Model>(read_file(source_name, kMaxModelBytes), source_name);
  // Identical files, as for a joint vocabulary, are opened once.
  std::string bytes = read_file(target_name, kMaxModelBytes);
  const auto target = bytes == source->bytes
                          ? source
                          : std::make_shared<Tokenizer::Model>(std::move(bytes), target_name);
  TokenizerPair pair{Tokenizer(source, source_pieces), Tokenizer(target, target_pieces)};
  using Sharing = Tokenizer::Sharing;
  const bool same_pieces = source == target || source->has_pieces_of(*target);
  const Sharing sharing = separate || same_pieces ? Sharing::one_model : Sharing::two_models;
  pair.source_.expect_one_model(directory / "vocab.json", source_name, sharing);
  pair.target_.expect_one_model(directory / (separate ? "target_vocab.json" : "vocab.json"),
                                target_name, sharing);
  pair.expect_covered(directory, sharing);
  if (const auto characters = TrainingCharacters::load(directory)) pair.set_characters(*characters);
  return pair;
}

void TokenizerPair::save(const std::filesystem::path& directory,
                         const TokenizerConfig& config) const {
  write_file_atomically(directory / "source.spm", source_.model());
  write_file_atomically(directory / "target.spm", target_.model());
  write_file_atomically(directory / "vocab.json", source_.vocabulary().json());
  // Writes a file that not every model has, or removes that of an earlier model.
  const auto save_or_remove = [&](const char* name, const std::optional<std::string>& content) {
    if (content) return write_file_atomically(directory / name, *content);
    std::error_code error;
    std::filesystem::remove(directory / name, error);
    if (error) fail("cannot remove {}/{}: {}", directory.string(), name, error.message());
  };
  save_or_remove("target_vocab.json",
                 is_joint() ? std::nullopt : std::optional(target_.vocabulary().json()));
  const auto known = characters();
  save_or_remove(kCharactersFile, known ? std::optional(known->json()) : std::nullopt);
  const nlohmann::ordered_json json = {
      {"tokenizer_class", "MarianTokenizer"},
      {"source_lang", config.source_language},
      {"target_lang", config.target_language},
      {"separate_vocabs", !is_joint()},
      {"model_max_length", config.max_length},
      {"eos_token", kEndPiece},
      {"unk_token", kUnknownPiece},
      {"pad_token", kPadPiece},
      {"clean_up_tokenization_spaces", false},
  };
  write_file_atomically(directory / kTokenizerConfigFile, json_text(json, 2) + "\n");
}

TokenizerConfig read_tokenizer_config(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / kTokenizerConfigFile;
  TokenizerConfig config;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return config;
  const nlohmann::json json = detail::parse_json(read_file(path, kMaxModelBytes), path.string());
  if (!json.is_object()) fail("{}: expected a JSON object", path.string());
  // Other programs write null, a list or a huge number where they do not know.
  const auto text = [&](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  config.source_language = text("source_lang");
  config.target_language = text("target_lang");
  const auto length = json.find("model_max_length");
  if (length != json.end() && length->is_number_integer() && *length > 0 && *length < 1 << 20)
    config.max_length = length->get<int64_t>();
  return config;
}

uint64_t TokenizerPair::fingerprint() const {
  std::vector<uint64_t> parts;
  for (const Tokenizer* side : {&source_, &target_}) {
    parts.push_back(hash_of(side->model()));
    parts.push_back(hash_of(side->vocabulary().json()));
  }
  return hash_of(parts);
}

std::span<const char* const> tokenizer_files() {
  static constexpr const char* kNames[] = {
      "source.spm",   "target.spm", "vocab.json", "target_vocab.json", "tokenizer_config.json",
      kCharactersFile};
  return kNames;
}

}  // namespace heed
