#include "heed/text/word_encoding.h"

#include "heed/text/words.h"

namespace heed {

EncodedWords encode_words(const Tokenizer& tokenizer, std::string_view line) {
  EncodedWords encoded;
  for (const std::string_view word : detail::words_of(line)) {
    encoded.first.push_back(int32_t(encoded.ids.size()));
    const std::vector<TokenId> ids = tokenizer.encode(word);
    encoded.ids.insert(encoded.ids.end(), ids.begin(), ids.end());
    if (ids.empty()) encoded.ids.push_back(tokenizer.unknown_id());
  }
  return encoded;
}

TokenId label_id(const Tokenizer& labels, std::string_view label) {
  const std::vector<TokenId> ids = labels.encode(label);
  return ids.size() == 1 && ids[0] >= kFirstLabel ? ids[0] : labels.unknown_id();
}

std::vector<std::string> labels_of(const Vocabulary& vocabulary) {
  std::vector<std::string> labels;
  for (TokenId id = kFirstLabel; id < vocabulary.output_size(); ++id) {
    std::string_view piece = vocabulary.piece(id);
    if (piece.starts_with(kSpaceSymbol)) piece.remove_prefix(kSpaceSymbol.size());
    labels.emplace_back(piece);
  }
  return labels;
}

}  // namespace heed
