// Parse trees in the brackets of the Penn Treebank, one a line:
// (TOP (S (NP (DT the) (NN cat)) (VP (VBZ sits)))).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

// A constituent, or a word with its tag.
struct TreeNode {
  std::string label;  // "NP-SBJ", or the tag of a word; empty in "( (S ...))"
  std::string word;   // empty: a constituent
  size_t nodes = 1;   // of its subtree, itself included

  bool has_word() const { return !word.empty(); }
};

// A labelled ordered tree over words, built from left to right: open() and close() are its
// brackets. Its nodes are in preorder: the children of node i begin at i + 1, and what follows its
// subtree at i + nodes()[i].nodes. No function recurses, so that depth is limited by memory alone.
class Tree {
 public:
  // Begins a constituent. Error if the label has a bracket or whitespace. A tree has one root.
  void open(std::string label);
  // Ends the constituent that was opened last.
  void close();
  // Error if the tag or the word has a bracket or whitespace, or the word is empty.
  void add_word(std::string tag, std::string word);

  // Constituents that are open.
  size_t depth() const { return open_.size(); }
  bool empty() const { return nodes_.empty(); }
  const std::vector<TreeNode>& nodes() const { return nodes_; }

 private:
  void add(TreeNode node);

  std::vector<TreeNode> nodes_;
  std::vector<size_t> open_;  // nodes, from the root down
};

// The position where a line stops being a tree.
struct TreeDefect {
  size_t column;  // of characters, from 1
  std::string expected, got;

  // "column 9: expected '(' or ')', got 'cat'"
  std::string message() const;
};

struct TreeReading {
  Tree tree;  // up to the defect, with its constituents closed
  std::optional<TreeDefect> defect = {};
};

// Maximum number of nodes of a tree that is read, far above any sentence's: a line of brackets
// alone would otherwise take about a hundred times its size in memory.
inline constexpr size_t kMaxTreeNodes = size_t{1} << 20;

// Reads a line; a blank one is the empty tree. Whitespace is that of ASCII. Every word needs a tag,
// (NN cat); a constituent may be empty, (NP). Brackets that are words are written -LRB- and -RRB-.
TreeReading read_tree(std::string_view line);

// The same where a defect is an Error: "test.trees:3: column 9: expected ..." with this place.
Tree parse_tree(std::string_view line, std::string_view place);

// The one-line form of a complete tree; "" of the empty one.
std::string to_line(const Tree& tree);

}  // namespace heed
