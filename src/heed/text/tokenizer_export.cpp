#include "heed/text/tokenizer_export.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>
#include <vector>

#include "heed/core/json_text.h"
#include "heed/core/strict_json.h"
#include "heed/core/utf8.h"
#include "heed/text/byte_pieces.h"
#include "heed/text/normalizer.h"
#include "heed/text/sentencepiece_model.h"

namespace heed::detail {
namespace {

using Json = nlohmann::ordered_json;

// The values of TrainerSpec.model_type.
enum class Segmentation : uint64_t { unigram = 1, bpe = 2, word = 3, character = 4 };

// The fields of a model that the export needs (sentencepiece_model.proto).
struct ModelFacts {
  Segmentation segmentation = Segmentation::unigram;
  bool byte_fallback = false, space_ends_word = false, has_whole_symbols = false;
  std::unordered_map<std::string, float> scores;  // of pieces of text
  std::string characters;                         // the table of the normalizer
  bool add_space = true, remove_extra_spaces = true, escape_spaces = true;
};

void read_piece(std::string_view message, ModelFacts& facts) {
  constexpr uint64_t kText = 1, kScore = 2, kType = 3, kUserDefined = 4;
  std::string text;
  float score = 0;
  all_fields(message, [&](const Field& field) {
    if (field.number == kText && field.bytes) text = *field.bytes;
    if (field.number == kScore) score = std::bit_cast<float>(uint32_t(field.value));
    facts.has_whole_symbols |= field.number == kType && field.value == kUserDefined;
    return true;
  });
  facts.scores.emplace(std::move(text), score);
}

void read_training(std::string_view message, ModelFacts& facts) {
  constexpr uint64_t kSegmentation = 3, kSpaceEndsWord = 24, kByteFallback = 35;
  all_fields(message, [&](const Field& field) {
    if (field.number == kSegmentation) facts.segmentation = Segmentation(field.value);
    if (field.number == kSpaceEndsWord) facts.space_ends_word = field.value != 0;
    if (field.number == kByteFallback) facts.byte_fallback = field.value != 0;
    return true;
  });
}

void read_normalizer(std::string_view message, ModelFacts& facts) {
  constexpr uint64_t kCharacters = 2, kAddSpace = 3, kRemoveExtraSpaces = 4, kEscapeSpaces = 5;
  all_fields(message, [&](const Field& field) {
    if (field.number == kCharacters && field.bytes) facts.characters = *field.bytes;
    if (field.number == kAddSpace) facts.add_space = field.value != 0;
    if (field.number == kRemoveExtraSpaces) facts.remove_extra_spaces = field.value != 0;
    if (field.number == kEscapeSpaces) facts.escape_spaces = field.value != 0;
    return true;
  });
}

ModelFacts facts_of(const std::string& model) {
  constexpr uint64_t kTrainerField = 2;
  ModelFacts facts;
  all_fields(model, [&](const Field& field) {
    if (!field.bytes) return true;
    if (field.number == kPieceField) read_piece(*field.bytes, facts);
    if (field.number == kTrainerField) read_training(*field.bytes, facts);
    return true;
  });
  read_normalizer(normalizer_of(model), facts);
  return facts;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) group = group << 8 | (k < count ? uint8_t(bytes[i + k]) : 0);
    for (size_t k = 0; k < 4; ++k) text += k <= count ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

Json replacing(const char* kind, std::string_view pattern, std::string_view content) {
  return {{"type", "Replace"}, {"pattern", {{kind, pattern}}}, {"content", content}};
}

Json normalizer_json(const ModelFacts& facts) {
  // As with_plain_spaces().
  Json steps = Json::array({replacing("Regex", R"([\x00\t\n\f\r])", " ")});
  if (!facts.characters.empty())
    steps.push_back({{"type", "Precompiled"}, {"precompiled_charsmap", base64(facts.characters)}});
  if (facts.remove_extra_spaces) {
    steps.push_back(replacing("Regex", " {2,}", " "));
    steps.push_back(replacing("Regex", R"(\A | \z)", ""));
  }
  if (facts.add_space) steps.push_back({{"type", "Prepend"}, {"prepend", kSpaceSymbol}});
  steps.push_back(replacing("String", " ", kSpaceSymbol));
  return {{"type", "Sequence"}, {"normalizers", steps}};
}

Json decoder_json(const ModelFacts& facts) {
  Json steps = Json::array({replacing("String", kSpaceSymbol, " ")});
  if (facts.byte_fallback) steps.push_back({{"type", "ByteFallback"}});
  steps.push_back({{"type", "Fuse"}});
  if (facts.add_space)
    steps.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  return {{"type", "Sequence"}, {"decoders", steps}};
}

// All ways to make a piece of two others, the pieces that SentencePiece merges first in front.
Json merges_json(const ModelFacts& facts, const Vocabulary& vocabulary) {
  std::vector<std::pair<float, std::string>> pieces;
  for (const auto& [piece, score] : facts.scores)
    if (vocabulary.find(piece) && !byte_of(piece)) pieces.emplace_back(-score, piece);
  std::ranges::sort(pieces);
  Json merges = Json::array();
  for (const auto& [ignored, piece] : pieces)
    for (size_t cut = 0; (cut += first_utf8_character(piece.substr(cut)).bytes) < piece.size();)
      if (vocabulary.find(piece.substr(0, cut)) && vocabulary.find(piece.substr(cut)))
        merges.push_back({piece.substr(0, cut), piece.substr(cut)});
  return merges;
}

Json unigram_json(const ModelFacts& facts, const Vocabulary& vocabulary) {
  Json scores = Json::array();
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    const auto found = facts.scores.find(vocabulary.piece(id));
    scores.push_back({vocabulary.piece(id), found == facts.scores.end() ? 0.0F : found->second});
  }
  return {{"type", "Unigram"},
          {"unk_id", vocabulary.unknown_id()},
          {"vocab", scores},
          {"byte_fallback", facts.byte_fallback}};
}

Json bpe_json(const ModelFacts& facts, const Vocabulary& vocabulary) {
  Json ids = Json::object();
  for (TokenId id = 0; id < vocabulary.size(); ++id) ids[vocabulary.piece(id)] = id;
  const bool merges = facts.segmentation == Segmentation::bpe;
  return {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", kUnknownPiece},
          {"continuing_subword_prefix", nullptr},
          {"end_of_word_suffix", nullptr},
          {"fuse_unk", true},
          {"byte_fallback", facts.byte_fallback},
          {"ignore_merges", false},
          {"vocab", ids},
          {"merges", merges ? merges_json(facts, vocabulary) : Json::array()}};
}

// Puts <pad>, with which a text begins, before it.
Json template_json(const Vocabulary& vocabulary) {
  const auto token = [](std::string_view name) {
    return Json{{"SpecialToken", {{"id", name}, {"type_id", 0}}}};
  };
  const auto sequence = [](const char* name) {
    return Json{{"Sequence", {{"id", name}, {"type_id", 0}}}};
  };
  const std::string pad(kPadPiece);
  return {{"type", "TemplateProcessing"},
          {"single", {token(pad), sequence("A")}},
          {"pair", {token(pad), sequence("A"), sequence("B")}},
          {"special_tokens",
           {{pad, {{"id", pad}, {"ids", {vocabulary.pad_id()}}, {"tokens", {pad}}}}}}};
}

}  // namespace

std::optional<std::string> tokenizer_json_of(const std::string& model,
                                             const Vocabulary& vocabulary) {
  const ModelFacts facts = facts_of(model);
  if (facts.has_whole_symbols || facts.space_ends_word || !facts.escape_spaces ||
      facts.segmentation == Segmentation::word)
    return {};
  Json added = Json::array();
  for (const std::string_view piece : {kEndPiece, kUnknownPiece, kPadPiece})
    added.push_back({{"id", *vocabulary.find(piece)},
                     {"content", piece},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", true}});
  const bool unigram = facts.segmentation == Segmentation::unigram;
  const Json json = {
      {"version", "1.0"},
      {"truncation", nullptr},
      {"padding", nullptr},
      {"added_tokens", added},
      {"normalizer", normalizer_json(facts)},
      {"pre_tokenizer", nullptr},
      {"post_processor", template_json(vocabulary)},
      {"decoder", decoder_json(facts)},
      {"model", unigram ? unigram_json(facts, vocabulary) : bpe_json(facts, vocabulary)}};
  return json_text(json) + "\n";
}

}  // namespace heed::detail
