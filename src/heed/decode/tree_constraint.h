// Trees as the output of a search: the symbols of linear trees (text/linear_tree.h), and the
// constraint that makes every hypothesis a tree over the words of its sentence.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heed/decode/constraint.h"
#include "heed/text/linear_tree.h"
#include "heed/text/vocabulary.h"

namespace heed {

// The symbols of a parser's vocabulary, by their ids.
class TreeSymbols {
 public:
  // Error unless it has a tag, and a constituent whose beginning and end it has.
  explicit TreeSymbols(const Vocabulary& vocabulary);

  // The ids of tags, and of beginnings of constituents whose end the vocabulary has too; sorted.
  const std::vector<TokenId>& tags() const { return tags_; }
  const std::vector<TokenId>& opening() const { return opening_; }
  // "(NP", ")NP", "NN" or "()its".
  const std::string& text(TokenId id) const { return texts_.at(size_t(id)); }
  SymbolKind kind(TokenId id) const { return kinds_.at(size_t(id)); }
  // The end of the constituent that the symbol opens.
  TokenId end_of(TokenId opening) const { return ends_.at(size_t(opening)); }

 private:
  std::vector<std::string> texts_;  // by id
  std::vector<SymbolKind> kinds_;   // by id; </s> and <unk>, which is a word's, are words
  std::vector<TokenId> ends_;       // by id
  std::vector<TokenId> tags_, opening_;
};

// The length of the shortest tree over this number of words, a constituent around them, with </s>.
int64_t shortest_tree(int64_t words);

// A tree has one root, a tag for each word, of which there is at least one, and no constituent
// without a word; each end has the label of its beginning, at most 8 constituents begin before a
// word, and at most 3 of one label in a row; </s> follows the root's end. `words` are the ids of
// the words' symbols (word_symbol()), each of which comes where linear_tree() has it. A constituent
// begins only where a hypothesis can still be completed within `max_length` tokens, </s> included,
// which are at least shortest_tree(): so every hypothesis ends with </s>. Where one token alone
// may follow, it is given (NextTokens::give()).
std::shared_ptr<const Constraint> tree_constraint(std::shared_ptr<const TreeSymbols> symbols,
                                                  std::vector<TokenId> words, int64_t max_length,
                                                  TokenId end_id);

}  // namespace heed
