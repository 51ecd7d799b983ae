// The tokenizers of a model directory, and its files.
#include <algorithm>
#include <utility>

#include "heed/core/error.h"
#include "heed/core/files.h"
#include "heed/core/hash.h"
#include "heed/core/json_text.h"
#include "heed/core/strict_json.h"
#include "heed/text/sentencepiece_tokens.h"
#include "heed/text/tokenizer.h"
#include "heed/text/tokenizer_export.h"
#include "heed/text/tokenizer_json.h"

namespace heed {
namespace {

using detail::SentencePieceTokens;
using detail::Sharing;

constexpr int64_t kMaxModelBytes = int64_t{256} << 20;
constexpr const char *kTokenizerConfigFile = "tokenizer_config.json",
                     *kTokenizerFile = "tokenizer.json";

std::shared_ptr<const SentencePieceTokens> tokens_of(
    const std::shared_ptr<const detail::SentencePieceModel>& model,
    const std::shared_ptr<const Vocabulary>& vocabulary) {
  return std::make_shared<const SentencePieceTokens>(model, vocabulary);
}

// The Error of TokenizerPair::load() for a model that lacks pieces of its vocabulary.
void expect_covered(const std::filesystem::path& directory, const SentencePieceTokens& of_source,
                    const SentencePieceTokens& of_target, Sharing sharing) {
  constexpr double kMaxPartial = 0.99, kMinCoverage = 0.75;
  const double source = of_source.coverage(), target = of_target.coverage();
  // Two models may share a vocabulary that neither covers.
  const bool covered = sharing == Sharing::two_models && std::max(source, target) < kMaxPartial;
  if (covered || std::min(source, target) >= kMinCoverage) return;
  fail(
      "{}: {} and the vocabulary belong to different models: it has {:.0f}% of the vocabulary's "
      "pieces; take both files from the same model",
      directory.string(), source < target ? "source.spm" : "target.spm",
      100 * std::min(source, target));
}

// A file of the directory; an empty object where there is no such file.
nlohmann::json json_of(const std::filesystem::path& directory, const char* name) {
  const std::filesystem::path path = directory / name;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return nlohmann::json::object();
  nlohmann::json json = detail::parse_json(read_file(path, kMaxModelBytes), path.string());
  if (!json.is_object()) fail("{}: expected a JSON object", path.string());
  return json;
}

// The token that tokenizer_config.json names so: a text, or an object with its text as "content".
std::optional<std::string> special_token(const std::filesystem::path& directory, const char* name) {
  nlohmann::json token = json_of(directory, kTokenizerConfigFile).value(name, nlohmann::json());
  if (token.is_object()) token = nlohmann::json(token.value("content", nlohmann::json()));
  if (!token.is_string()) return {};
  return token.get<std::string>();
}

// The ids of the directory's model, if they are not absurdly many; 0 where that is not known.
int64_t model_vocabulary(const std::filesystem::path& directory) {
  constexpr int64_t kMaxSize = 1 << 20;
  const nlohmann::json size =
      json_of(directory, "config.json").value("vocab_size", nlohmann::json());
  return size.is_number_unsigned() && size < kMaxSize ? size.get<int64_t>() : 0;
}

nlohmann::ordered_json config_of_sentencepiece(bool is_joint, const TokenizerConfig& config) {
  return {
      {"tokenizer_class", "MarianTokenizer"},
      {"source_lang", config.source_language},
      {"target_lang", config.target_language},
      {"separate_vocabs", !is_joint},
      {"model_max_length", config.max_length},
      {"eos_token", kEndPiece},
      {"unk_token", kUnknownPiece},
      {"pad_token", kPadPiece},
      {"clean_up_tokenization_spaces", false},
  };
}

// For AutoTokenizer, which reads tokenizer.json.
nlohmann::ordered_json config_of_fast(const Vocabulary& vocabulary, const TokenizerConfig& config) {
  const auto token = [&](TokenId id) {
    return id == kNoToken ? nlohmann::ordered_json() : nlohmann::ordered_json(vocabulary.piece(id));
  };
  const bool has_pad = vocabulary.pad_id() != kNoToken;
  nlohmann::ordered_json json = {
      {"tokenizer_class", "PreTrainedTokenizerFast"},
      {"model_max_length", config.max_length},
      {"bos_token", token(has_pad ? vocabulary.pad_id() : vocabulary.end_id())},
      {"eos_token", token(vocabulary.end_id())},
      {"unk_token", token(vocabulary.unknown_id())},
      {"pad_token", token(vocabulary.pad_id())},
      {"clean_up_tokenization_spaces", false},
  };
  if (!has_pad)
    for (const char* key : {"unk_token", "pad_token"}) json.erase(key);
  return json;
}

}  // namespace

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
  const auto source = std::make_shared<detail::SentencePieceModel>(std::move(source_model), name);
  const auto target =
      equal ? source : std::make_shared<detail::SentencePieceModel>(std::move(target_model), name);
  check(source->has_pieces_of(*target), "two models of one vocabulary have the same pieces");
  const auto vocabulary = std::make_shared<Vocabulary>(source->vocabulary(), name);
  const Tokenizer first(tokens_of(source, vocabulary));
  return {first, equal ? first : Tokenizer(tokens_of(target, vocabulary))};
}

TokenizerPair TokenizerPair::separate(std::string source_model, std::string target_model) {
  const std::string source_name = "source tokenizer model", target_name = "target tokenizer model";
  const auto source =
      std::make_shared<detail::SentencePieceModel>(std::move(source_model), source_name);
  const auto target =
      std::make_shared<detail::SentencePieceModel>(std::move(target_model), target_name);
  const Vocabulary source_pieces(source->vocabulary(), source_name);
  const Vocabulary target_pieces(target->vocabulary(), target_name);
  const int64_t size = std::max(source_pieces.size(), target_pieces.size());
  return {
      Tokenizer(tokens_of(source, std::make_shared<Vocabulary>(source_pieces.padded_to(size)))),
      Tokenizer(tokens_of(target, std::make_shared<Vocabulary>(target_pieces.padded_to(size))))};
}

std::optional<TrainingCharacters> TokenizerPair::characters() const {
  if (!source_.known_ || !target_.known_) return {};
  return TrainingCharacters{source_.known_->characters(), target_.known_->characters()};
}

void TokenizerPair::set_characters(const TrainingCharacters& characters) {
  const auto known = [](const Tokenizer& side, const CharacterSet& of_side) {
    return std::make_shared<const KnownCharacters>(of_side, side.model_->normalizer());
  };
  source_.known_ = known(source_, characters.source);
  target_.known_ = known(target_, characters.target);
}

TokenizerPair TokenizerPair::load_sentencepiece(const std::filesystem::path& directory) {
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
  const auto source = std::make_shared<detail::SentencePieceModel>(
      read_file(source_name, kMaxModelBytes), source_name);
  // Identical files, as for a joint vocabulary, are opened once.
  std::string bytes = read_file(target_name, kMaxModelBytes);
  const auto target = bytes == source->bytes ? source
                                             : std::make_shared<detail::SentencePieceModel>(
                                                   std::move(bytes), target_name);
  const auto source_tokens = tokens_of(source, source_pieces);
  const bool one_file = source == target && !separate;
  const auto target_tokens = one_file ? source_tokens : tokens_of(target, target_pieces);
  const bool same_pieces = source == target || source->has_pieces_of(*target);
  const Sharing sharing = separate || same_pieces ? Sharing::one_model : Sharing::two_models;
  source_tokens->expect_one_model(directory / "vocab.json", source_name, sharing);
  target_tokens->expect_one_model(directory / (separate ? "target_vocab.json" : "vocab.json"),
                                  target_name, sharing);
  expect_covered(directory, *source_tokens, *target_tokens, sharing);
  return {Tokenizer(source_tokens), Tokenizer(target_tokens)};
}

TokenizerPair TokenizerPair::load_byte_level(const std::filesystem::path& directory) {
  const Tokenizer both(detail::read_tokenizer_json(
      read_file(directory / kTokenizerFile, kMaxModelBytes),
      special_token(directory, "eos_token").value_or("<|endoftext|>"), model_vocabulary(directory),
      (directory / kTokenizerFile).string()));
  return {both, both};
}

TokenizerPair TokenizerPair::load(const std::filesystem::path& directory) {
  std::error_code error;
  const bool byte_level = !std::filesystem::exists(directory / "source.spm", error) &&
                          std::filesystem::exists(directory / kTokenizerFile, error);
  TokenizerPair pair = byte_level ? load_byte_level(directory) : load_sentencepiece(directory);
  if (const auto characters = TrainingCharacters::load(directory)) pair.set_characters(*characters);
  return pair;
}

void TokenizerPair::save(const std::filesystem::path& directory,
                         const TokenizerConfig& config) const {
  // Writes a file that not every model has, or removes that of an earlier model.
  const auto save_or_remove = [&](const char* name, const std::optional<std::string>& content) {
    if (content) return write_file_atomically(directory / name, *content);
    std::error_code error;
    std::filesystem::remove(directory / name, error);
    if (error) fail("cannot remove {}/{}: {}", directory.string(), name, error.message());
  };
  const bool bytes = source_.keeps_white_space();
  const auto if_sentencepiece = [&](const std::string& content) {
    return bytes ? std::nullopt : std::optional(content);
  };
  save_or_remove("source.spm", if_sentencepiece(source_.model()));
  save_or_remove("target.spm", if_sentencepiece(target_.model()));
  save_or_remove("vocab.json", if_sentencepiece(source_.vocabulary().json()));
  save_or_remove("target_vocab.json",
                 is_joint() ? std::nullopt : std::optional(target_.vocabulary().json()));
  std::optional<std::string> tokenizer;
  if (bytes)
    tokenizer = source_.model();
  else if (config.use == TokenizerUse::language_model)
    tokenizer = detail::tokenizer_json_of(target_.model(), target_.vocabulary());
  save_or_remove(kTokenizerFile, tokenizer);
  const auto known = characters();
  save_or_remove(kCharactersFile, known ? std::optional(known->json()) : std::nullopt);
  const auto json = tokenizer ? config_of_fast(target_.vocabulary(), config)
                              : config_of_sentencepiece(is_joint(), config);
  write_file_atomically(directory / kTokenizerConfigFile, json_text(json, 2) + "\n");
}

TokenizerConfig read_tokenizer_config(const std::filesystem::path& directory) {
  TokenizerConfig config;
  const nlohmann::json json = json_of(directory, kTokenizerConfigFile);
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
      "source.spm",   "target.spm",         "vocab.json",   "target_vocab.json",
      kTokenizerFile, kTokenizerConfigFile, kCharactersFile};
  return kNames;
}

}  // namespace heed
