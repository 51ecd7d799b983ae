#include "heed/text/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/core/error.h"
#include "support/facts.h"

namespace heed {
namespace {

using ::testing::ThrowsMessage;

std::string defect_of(const std::string& line) {
  const TreeReading reading = read_tree(line);
  EXPECT_EQ(reading.tree.depth(), 0u);
  return reading.defect ? reading.defect->message() : "";
}

TEST(Tree, IsReadInPreorder) {
  const Tree tree = parse_tree(" (S\t(NP-SBJ (DT the)(NN  cat ) ) (VP (VBZ sits)))\r", "test:1");
  const std::vector<TreeNode>& nodes = tree.nodes();
  std::vector<std::string> labels, words;
  std::vector<size_t> sizes;
  for (const TreeNode& node : nodes) {
    labels.push_back(node.label);
    sizes.push_back(node.nodes);
    if (node.has_word()) words.push_back(node.word);
  }
  EXPECT_THAT(labels, ::testing::ElementsAre("S", "NP-SBJ", "DT", "NN", "VP", "VBZ"));
  EXPECT_THAT(sizes, ::testing::ElementsAre(6, 3, 1, 1, 2, 1));
  EXPECT_THAT(words, ::testing::ElementsAre("the", "cat", "sits"));
}

TEST(Tree, IsWrittenAsItWasRead) {
  for (const std::string line : {"", "(NN cat)", "(TOP)", "( (S (NP (-NONE- *)) (NN x)))",
                                 "(S (NP) (NN -LRB-) (X (Y (Z 猫))))", "((NN a))", "(( b))"}) {
    const std::string written = to_line(parse_tree(line, "test:1"));
    EXPECT_EQ(to_line(parse_tree(written, "test:1")), written);
    std::string unspaced = line, same = written;
    std::erase(unspaced, ' ');
    std::erase(same, ' ');
    EXPECT_EQ(same, unspaced);
  }
  EXPECT_EQ(to_line(parse_tree("( (S(NP(DT the)\t(NN cat))) )", "test:1")),
            "( (S (NP (DT the) (NN cat))))");
  EXPECT_TRUE(parse_tree(" \t", "test:1").empty());
}

TEST(Tree, SaysWhereALineStopsBeingOne) {
  EXPECT_EQ(defect_of("(S (NP the cat))"),
            "column 12: expected ')' after the word 'the', got 'cat'");
  EXPECT_EQ(defect_of("(S (猫 a) b)"), "column 10: expected '(' or ')', got 'b'");
  EXPECT_EQ(defect_of("the cat"), "column 1: expected '(', got 'the'");
  EXPECT_EQ(defect_of(")"), "column 1: expected '(', got ')'");
  EXPECT_EQ(defect_of("(S (NN x))) y"),
            "column 11: expected the end of the line after the tree, got ')'");
  EXPECT_EQ(defect_of("(NN x) (NN y)"),
            "column 8: expected the end of the line after the tree, got '('");
  EXPECT_EQ(defect_of("(S (NN x)"), "column 10: expected ')', got the end of the line");
  EXPECT_EQ(defect_of("(S (NP (NN x)"), "column 14: expected ')' 2 times, got the end of the line");
  EXPECT_EQ(defect_of("(S (NN )"), "column 8: expected a word or '(' after '(NN ', got ')'");
  EXPECT_EQ(defect_of("(NN "),
            "column 5: expected a word or '(' after '(NN ', got the end of the line");
  EXPECT_EQ(defect_of("(NN x"),
            "column 6: expected ')' after the word 'x', got the end of the line");
  EXPECT_THAT([] { parse_tree("(S", "a.trees:7"); },
              ThrowsMessage<Error>("a.trees:7: column 3: expected ')', got the end of the line"));
}

TEST(Tree, KeepsWhatPrecedesADefect) {
  EXPECT_EQ(to_line(read_tree("(S (NP (NN cat) x").tree), "(S (NP (NN cat)))");
  EXPECT_EQ(to_line(read_tree("(S (NN cat)))").tree), "(S (NN cat))");
}

// A function that calls itself for each level would overflow the stack.
TEST(Tree, MayBeDeep) {
  constexpr size_t kDepth = 400'000;
  std::string line;
  for (size_t i = 0; i < kDepth; ++i) line += i == 0 ? "(S" : " (S";
  line += " (NN x)" + std::string(kDepth, ')');
  const Tree tree = parse_tree(line, "test:1");
  EXPECT_EQ(tree.nodes().size(), kDepth + 1);
  EXPECT_EQ(tree.nodes()[0].nodes, kDepth + 1);
  EXPECT_EQ(to_line(tree), line);
}

TEST(Tree, HasALimitOfNodes) {
  EXPECT_THAT(defect_of(std::string(kMaxTreeNodes + 1, '(')), HasFacts("1048577 1048576 '('"));
  EXPECT_THAT(defect_of(std::string(kMaxTreeNodes, '(')), HasFacts("1048577 1048576 end"));
}

TEST(Tree, IsBuiltByItsBrackets) {
  Tree tree;
  tree.open("S");
  tree.open("NP");
  EXPECT_EQ(tree.depth(), 2u);
  tree.add_word("NN", "-LRB-");
  tree.close();
  tree.add_word(".", ".");
  tree.close();
  EXPECT_EQ(to_line(tree), "(S (NP (NN -LRB-)) (. .))");
  EXPECT_THROW(tree.open("S"), Bug);
  EXPECT_THROW(tree.close(), Bug);
}

TEST(Tree, RefusesNamesThatALineCannotHold) {
  Tree tree;
  EXPECT_THAT([&] { tree.open("N P"); }, ThrowsMessage<Error>(HasFacts("label 'N P'")));
  tree.open("S");
  EXPECT_THAT([&] { tree.add_word("NN", "("); }, ThrowsMessage<Error>(HasFacts("word '(' -LRB-")));
  EXPECT_THAT([&] { tree.add_word("N)", "x"); }, ThrowsMessage<Error>(HasFacts("tag 'N)'")));
  EXPECT_THAT([&] { tree.add_word("NN", ""); }, ThrowsMessage<Error>(HasFacts("empty")));
  EXPECT_THROW(to_line(tree), Bug);
}

}  // namespace
}  // namespace heed
