#include "heed/text/tokenizer.h"

#include <algorithm>
#include <utility>

#include "heed/core/error.h"
#include "heed/core/unicode.h"
#include "heed/core/utf8.h"
#include "heed/text/sentencepiece_tokens.h"

namespace heed {

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

Tokenizer::Tokenizer(std::shared_ptr<const detail::TokenModel> model) : model_(std::move(model)) {}

Tokenizer::Tokenizer(std::string model, std::shared_ptr<const Vocabulary> vocabulary,
                     const std::string& name)
    : Tokenizer(std::make_shared<detail::SentencePieceTokens>(
          std::make_shared<detail::SentencePieceModel>(std::move(model), name),
          std::move(vocabulary))) {}

const std::string& Tokenizer::model() const {
  return model_->file();
}

Encoding Tokenizer::encode_with_ends(std::string_view text) const {
  if (find_invalid_utf8(text)) return model_->encode(replace_invalid_utf8(text));
  return model_->encode(text);
}

std::vector<TokenId> Tokenizer::encode(std::string_view text) const {
  return encode_with_ends(text).ids;
}

Encoding Tokenizer::encode_prefix(std::string_view text, int64_t max_ids) const {
  const std::string_view prefix = model_->prefix(text, max_ids);
  Encoding encoding = encode_with_ends(prefix);
  encoding.truncated = prefix.size() < text.size();
  return encoding;
}

std::vector<std::string> Tokenizer::pieces(std::span<const TokenId> ids) const {
  std::vector<std::string> result;
  result.reserve(ids.size());
  for (const TokenId id : ids) result.push_back(vocabulary().piece(id));
  return result;
}

Decoding Tokenizer::decode_with_ends(std::span<const TokenId> ids) const {
  return model_->decode(ids);
}

std::string Tokenizer::decode(std::span<const TokenId> ids) const {
  return decode_with_ends(ids).text;
}

UnknownText Tokenizer::unknown_in(std::string_view text, std::span<const TokenId> ids) const {
  UnknownText unknown;
  const auto has_unknown = [&](std::span<const TokenId> of_text) {
    return std::ranges::find(of_text, unknown_id()) != of_text.end();
  };
  const bool lacks_pieces = has_unknown(ids);
  if (!known_ && !lacks_pieces) return unknown;
  text.remove_prefix(model_->language_code(text).size());
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
  return model_->folds_case();
}

Normalizer Tokenizer::normalizer() const {
  return Normalizer(model_->normalizer());
}

}  // namespace heed
