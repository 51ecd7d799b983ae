#include "heed/decode/tree_lines.h"

#include <algorithm>

#include "heed/text/linear_tree.h"
#include "heed/text/word_encoding.h"
#include "heed/text/words.h"

namespace heed {
namespace {

// Symbols for each word of a sentence, and others besides, for which a tree has room: a word takes
// two, and so does a constituent. Of 10,000 trees of GUM 28 have more than 4 for each word and 6
// besides, and none more than 24.
constexpr int64_t kSymbolsPerWord = 4, kOtherSymbols = 32;

}  // namespace

int64_t max_tree_length(int64_t words, int64_t max_positions) {
  return std::min(max_positions, kSymbolsPerWord * words + kOtherSymbols);
}

TreeLines::TreeLines(const TokenizerPair& tokenizers, int64_t max_positions)
    : tokenizers_(tokenizers),
      symbols_(std::make_shared<const TreeSymbols>(tokenizers.target().vocabulary())),
      max_positions_(max_positions) {}

SentenceParts TreeLines::split(std::string_view sentence) const {
  std::string line;
  for (const std::string_view word : detail::words_of(sentence))
    line += (line.empty() ? "" : " ") + treebank_word(word);
  const Tokenizer& tokenizer = tokenizers_.source();
  const EncodedWords encoded = encode_words(tokenizer, line);
  SentenceParts all;
  all.unknown_characters = tokenizer.unknown_in(line, encoded.ids).characters;
  const auto most_tokens = size_t(max_positions_) - 1;  // and </s>
  const auto most_words = size_t(std::max<int64_t>(1, max_positions_ / kSymbolsPerWord - 1));
  const std::vector<std::string_view> words = detail::words_of(line);
  for (size_t w = 0; w < words.size(); ++w) {
    const auto begin = encoded.ids.begin() + encoded.first[w];
    const auto end =
        w + 1 < words.size() ? encoded.ids.begin() + encoded.first[w + 1] : encoded.ids.end();
    const auto tokens = std::min(size_t(end - begin), most_tokens);
    all.truncated = all.truncated || tokens < size_t(end - begin);
    if (all.parts.empty() || all.parts.back().words.size() == most_words ||
        all.parts.back().source.size() + tokens > most_tokens)
      all.parts.emplace_back();
    SentencePart& part = all.parts.back();
    part.source.insert(part.source.end(), begin, begin + ptrdiff_t(tokens));
    part.word_of_token.resize(part.source.size(), {int64_t(w), int64_t(w) + 1});
    part.words.emplace_back(words[w]);
  }
  for (SentencePart& part : all.parts) {
    part.source.push_back(tokenizer.end_id());
    part.word_of_token.emplace_back();
    part.max_length = max_tree_length(int64_t(part.words.size()), max_positions_);
  }
  return all;
}

std::shared_ptr<const Constraint> TreeLines::constraint(const SentencePart& part) const {
  std::vector<TokenId> words;
  for (const std::string& word : part.words)
    words.push_back(label_id(tokenizers_.target(), word_symbol(word)));
  return tree_constraint(symbols_, std::move(words), part.max_length,
                         tokenizers_.target().end_id());
}

std::string TreeLines::tree(std::span<const std::vector<TokenId>> ids,
                            const std::vector<std::string>& words) const {
  std::vector<std::string> symbols;
  std::string end;  // of the root
  for (const std::vector<TokenId>& part : ids) {
    // The roots of other parts are left out: they are the first and the last of their brackets.
    bool is_root = true;
    for (const TokenId id : std::span(part).first(part.size() - 1)) {
      if (symbols_->kind(id) == SymbolKind::word) continue;
      if (!is_root || end.empty()) symbols.push_back(symbols_->text(id));
      is_root = false;
    }
    if (end.empty()) end = symbols_->text(part.back());
  }
  symbols.push_back(end);
  return to_line(tree_of(symbols, words));
}

}  // namespace heed
