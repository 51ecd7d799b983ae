// Sentences as a parser reads them, and the trees that it writes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/decode/text_units.h"
#include "heed/decode/tree_constraint.h"
#include "heed/text/tokenizer.h"

namespace heed {

// A sentence, or a part of one that is short enough for the model.
struct SentencePart {
  std::vector<TokenId> source;           // ends with </s>
  std::vector<UnitRange> word_of_token;  // of the sentence; </s> has none
  std::vector<std::string> words;        // as trees have them (treebank_word())
  int64_t max_length = 0;                // of the tree, </s> included
};

// The maximum length of the tree of this many words, </s> included, given the model's positions.
int64_t max_tree_length(int64_t words, int64_t max_positions);

struct SentenceParts {
  std::vector<SentencePart> parts;  // none for a sentence without words
  bool truncated = false;           // the model reads the beginning of a word alone
  std::vector<std::string> unknown_characters;
};

class TreeLines {
 public:
  // The tokenizers must outlive this. Error unless the target's vocabulary is that of a parser.
  TreeLines(const TokenizerPair& tokenizers, int64_t max_positions);

  // Words are separated by ASCII whitespace.
  SentenceParts split(std::string_view sentence) const;
  // Makes every hypothesis a tree over the words of the part.
  std::shared_ptr<const Constraint> constraint(const SentencePart& part) const;
  // The tree over the words of all parts, in one line: its root is that of the first part, and has
  // the children of the roots of all parts. Each of `ids` is a hypothesis under constraint().
  std::string tree(std::span<const std::vector<TokenId>> ids,
                   const std::vector<std::string>& words) const;

 private:
  const TokenizerPair& tokenizers_;
  const std::shared_ptr<const TreeSymbols> symbols_;
  const int64_t max_positions_;
};

}  // namespace heed
