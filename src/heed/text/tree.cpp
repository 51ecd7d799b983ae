#include "heed/text/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "heed/core/error.h"
#include "heed/core/utf8.h"

namespace heed {
namespace {

constexpr std::string_view kTreeSpaces = " \t\n\v\f\r", kNoPartOfNames = " \t\n\v\f\r()";

void expect_tree_name(std::string_view name, std::string_view noun) {
  if (name.find_first_of(kNoPartOfNames) == name.npos) return;
  fail(
      "the {} '{}' of a tree has a bracket or whitespace: expected none; -LRB- and -RRB- stand "
      "for brackets",
      noun, excerpt(name, 60));
}

class TreeReader {
 public:
  explicit TreeReader(std::string_view line) : line_(line) {}

  TreeReading read() {
    for (skip_spaces(); !defect_ && position_ < line_.size(); skip_spaces()) read_bracket();
    if (!defect_ && tree_.depth() > 0) {
      refuse(tree_.depth() == 1 ? "')'" : fmt::format("')' {} times", tree_.depth()));
    }
    while (tree_.depth() > 0) tree_.close();
    return {std::move(tree_), std::move(defect_)};
  }

 private:
  void read_bracket() {
    const bool closes = line_[position_] == ')', opens = line_[position_] == '(';
    if (tree_.depth() == 0 && !tree_.empty()) return refuse("the end of the line after the tree");
    if (tree_.depth() == 0 && !opens) return refuse("'('");
    if (!closes && !opens) return refuse("'(' or ')'");
    if (opens && tree_.nodes().size() == kMaxTreeNodes) {
      return refuse(fmt::format("at most {} labels", kMaxTreeNodes));
    }
    ++position_;
    if (closes) return tree_.close();
    read_node();
  }

  // Reads the beginning of a constituent, or a word with its brackets.
  void read_node() {
    const std::string_view label = take_name();
    const size_t label_end = position_;
    skip_spaces();
    if (position_ == label_end || (position_ < line_.size() && line_[position_] == '(')) {
      return tree_.open(std::string(label));
    }
    const std::string_view word = take_name();
    if (word.empty()) return refuse(fmt::format("a word or '(' after '({} '", excerpt(label, 60)));
    skip_spaces();
    if (position_ == line_.size() || line_[position_] != ')') {
      return refuse(fmt::format("')' after the word '{}'", excerpt(word, 60)));
    }
    ++position_;
    tree_.add_word(std::string(label), std::string(word));
  }

  void skip_spaces() {
    position_ = std::min(line_.find_first_not_of(kTreeSpaces, position_), line_.size());
  }

  std::string_view take_name() {
    const size_t end = std::min(line_.find_first_of(kNoPartOfNames, position_), line_.size());
    const std::string_view name = line_.substr(position_, end - position_);
    position_ = end;
    return name;
  }

  void refuse(std::string expected) {
    const size_t column = decode_utf8(line_.substr(0, position_)).size() + 1;
    std::string got = "the end of the line";
    if (position_ < line_.size()) {
      const std::string_view name = take_name();
      got = fmt::format("'{}'", excerpt(name.empty() ? line_.substr(position_, 1) : name, 60));
    }
    defect_ = {column, std::move(expected), std::move(got)};
  }

  std::string_view line_;
  size_t position_ = 0;
  Tree tree_;
  std::optional<TreeDefect> defect_;
};

}  // namespace

void Tree::add(TreeNode node) {
  check(!open_.empty() || nodes_.empty(), "a second root of a tree");
  nodes_.push_back(std::move(node));
}

void Tree::open(std::string label) {
  expect_tree_name(label, "label");
  add({std::move(label), ""});
  open_.push_back(nodes_.size() - 1);
}

void Tree::close() {
  check(!open_.empty(), "no constituent is open");
  nodes_[open_.back()].nodes = nodes_.size() - open_.back();
  open_.pop_back();
}

void Tree::add_word(std::string tag, std::string word) {
  expect_tree_name(tag, "tag");
  expect_tree_name(word, "word");
  if (word.empty()) fail("a word of a tree is empty: expected at least one character");
  add({std::move(tag), std::move(word)});
}

std::string TreeDefect::message() const {
  return fmt::format("column {}: expected {}, got {}", column, expected, got);
}

TreeReading read_tree(std::string_view line) {
  return TreeReader(line).read();
}

Tree parse_tree(std::string_view line, std::string_view place) {
  TreeReading reading = read_tree(line);
  if (reading.defect) fail("{}: {}", place, reading.defect->message());
  return std::move(reading.tree);
}

std::string to_line(const Tree& tree) {
  check(tree.depth() == 0, "a tree with open constituents");
  std::string line;
  std::vector<size_t> ends;  // of the constituents around the node
  for (size_t i = 0; i < tree.nodes().size(); ++i) {
    const TreeNode& node = tree.nodes()[i];
    if (i > 0) line += ' ';
    line += '(' + node.label;
    if (node.has_word()) line += ' ' + node.word;
    ends.push_back(i + node.nodes);
    for (; !ends.empty() && ends.back() == i + 1; ends.pop_back()) line += ')';
  }
  return line;
}

}  // namespace heed
