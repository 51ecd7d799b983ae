// Trees as sequences of symbols (Vinyals et al., 2015; section 6.3):
// (S (NP (DT the) (NN cat)) (VP (VBZ sits))) is
// "()the (S (NP DT ()cat NN ()its )NP (VP VBZ )VP )S".
//
// A tag is in the place of its word, which is put back when the tree is built. The end of a
// word, as ()its of "sits", is said as soon as the tag of the word before is: without it a decoder
// would have to count tags to know which word comes next.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/text/text_file.h"
#include "heed/text/tree.h"

namespace heed {

// Function tags and indices of labels, as the -SBJ and =2 of NP-SBJ=2. Tags of words have none.
enum class FunctionTags { drop, keep };

struct LinearTree {
  // There are as many tags among the symbols, and as many ends of words, as words.
  std::vector<std::string> words, symbols;
};

// Traces (words with the tag -NONE-) and constituents without words are left out.
LinearTree linear_tree(const Tree& tree, FunctionTags function_tags = FunctionTags::drop);

// The tree of symbols that linear_tree() gives, with these words. A failed check if brackets do not
// match, or there are not as many words as tags.
Tree tree_of(const std::vector<std::string>& symbols, const std::vector<std::string>& words);

// The tree in one line, of lines of symbols and of words as words_and_symbols() gives them.
std::string tree_line(std::string_view symbols, std::string_view words);

// "()its" of "sits": its last characters, as many as have at most 3 bytes, and at least one.
std::string word_symbol(std::string_view word);

// The kinds of symbols.
enum class SymbolKind { word, opening, closing, tag };
SymbolKind kind_of_symbol(std::string_view symbol);

// A word as trees have it: with -LRB- and -RRB- in the place of round brackets.
std::string treebank_word(std::string_view word);

// The words, and the symbols, of a file of trees, as two texts of the same lines. Reading them is
// an Error, which names file and line, where a line is not a tree, its root is a word, or a word
// has no tag.
std::pair<TextFile, TextFile> words_and_symbols(const TextFile& trees, FunctionTags function_tags);

}  // namespace heed
