#include "heed/text/linear_tree.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/core/error.h"
#include "heed/text/parallel_text.h"
#include "support/facts.h"
#include "support/temporary_folder.h"

namespace heed {
namespace {

using ::testing::ThrowsMessage;

LinearTree linear(const std::string& line, FunctionTags tags = FunctionTags::drop) {
  return linear_tree(parse_tree(line, "test:1"), tags);
}

// Without the ends of words.
std::string symbols(const std::string& line, FunctionTags tags = FunctionTags::drop) {
  std::vector<std::string> all = linear(line, tags).symbols;
  std::erase_if(all, [](const std::string& s) { return kind_of_symbol(s) == SymbolKind::word; });
  return fmt::format("{}", fmt::join(all, " "));
}

TEST(LinearTree, HasATagForEachWordAndBracketsWithLabels) {
  const LinearTree tree = linear("(S (NP (DT the) (NN cat)) (VP (VBZ sits)))");
  EXPECT_EQ(fmt::format("{}", fmt::join(tree.symbols, " ")),
            "()the (S (NP DT ()cat NN ()its )NP (VP VBZ )VP )S");
  EXPECT_THAT(tree.words, ::testing::ElementsAre("the", "cat", "sits"));
}

TEST(LinearTree, DropsFunctionTagsUnlessTheyAreKept) {
  const std::string tree = "(S (NP-SBJ=2 (NN-X a)) (-LRB- (-LRB- b)) (X-1 (Y c)))";
  EXPECT_EQ(symbols(tree), "(S (NP NN-X )NP (-LRB- -LRB- )-LRB- (X Y )X )S");
  EXPECT_EQ(symbols(tree, FunctionTags::keep),
            "(S (NP-SBJ=2 NN-X )NP-SBJ=2 (-LRB- -LRB- )-LRB- (X-1 Y )X-1 )S");
}

TEST(LinearTree, LeavesOutTracesAndConstituentsWithoutWords) {
  EXPECT_EQ(symbols("(S (NP (-NONE- *)) (VP (VB go) (NP (PP) (NP (-NONE- *T*-1)))) (X))"),
            "(S (VP VB )VP )S");
  EXPECT_EQ(symbols("(S (NP (-NONE- *)))"), "");
  EXPECT_EQ(symbols("(S)"), "");
  EXPECT_EQ(symbols(""), "");
}

TEST(LinearTree, BecomesTheSameTreeAgain) {
  for (const std::string line :
       {"( (S (NN x)))", "(S (A (B (C (D d)))) (E e))", "(X (Y a))", "(S (NN ')') )", "",
        "(S (`` ``) (S (S (猫 猫) (X -LRB-)) ('' '')))", "(A (B b) (A (B b) (A (B b))) (B b))"}) {
    if (read_tree(line).defect) continue;
    const Tree tree = parse_tree(line, "test:1");
    const LinearTree parts = linear_tree(tree);
    EXPECT_EQ(to_line(tree_of(parts.symbols, parts.words)), to_line(tree));
  }
  std::string deep;
  for (int i = 0; i < 20000; ++i) deep += "(X ";
  deep += "(Y y)" + std::string(20000, ')');
  const LinearTree parts = linear(deep);
  EXPECT_EQ(parts.symbols.size(), 40002u);
  EXPECT_EQ(to_line(tree_of(parts.symbols, parts.words)), deep);
}

TEST(LinearTree, TakesOtherWords) {
  EXPECT_EQ(to_line(tree_of({"(S", "A", "(B", "C", ")B", ")S"}, {"one", treebank_word("(")})),
            "(S (A one) (B (C -LRB-)))");
  EXPECT_ANY_THROW(tree_of({"(S", "A", ")S"}, {"one", "two"}));
  EXPECT_ANY_THROW(tree_of({"(S", "A", "B", ")S"}, {"one"}));
  EXPECT_ANY_THROW(tree_of({"(S", "A"}, {"one"}));
}

TEST(LinearTree, SaysTheEndOfAWordInWholeCharacters) {
  for (const auto& [word, end] :
       std::vector<std::pair<std::string, std::string>>{{"sits", "its"},
                                                        {"a", "a"},
                                                        {"\u732b\u732b", "\u732b"},
                                                        {"caf\u00e9", "f\u00e9"},
                                                        {"x\U0001F600", "\U0001F600"},
                                                        {"x\u0416\u0416", "\u0416"}}) {
    EXPECT_EQ(word_symbol(word), "()" + end);
    EXPECT_EQ(kind_of_symbol(word_symbol(word)), SymbolKind::word);
  }
  EXPECT_EQ(kind_of_symbol("("), SymbolKind::opening);
  EXPECT_EQ(kind_of_symbol(")"), SymbolKind::closing);
  EXPECT_EQ(kind_of_symbol("="), SymbolKind::tag);
}

TEST(LinearTree, WritesBracketsInWordsAsTheTreebankDoes) {
  EXPECT_EQ(treebank_word("f(x)"), "f-LRB-x-RRB-");
  EXPECT_EQ(treebank_word("[x]{\xF0\x9F\x98\x80"), "[x]{\xF0\x9F\x98\x80");
  EXPECT_EQ(treebank_word(""), "");
}

class TreebankTest : public ::testing::Test {
 protected:
  ParallelText open(const std::string& text) {
    folder_.write("bank.trees", text);
    auto [words, symbols] = words_and_symbols(folder_ / "bank.trees", FunctionTags::drop);
    return {{words}, {symbols}};
  }
  testing::TemporaryFolder folder_;
};

TEST_F(TreebankTest, IsReadAsParallelText) {
  const ParallelText text = open("(S (A one) (B two))\r\n\n(S-TMP (C \xE7\x8C\xAB))");
  EXPECT_EQ(text.pairs(), 3);
  PairReader reader(text);
  std::string words, symbols;
  std::vector<std::string> all;
  while (reader.next(words, symbols)) all.push_back(words + "|" + symbols);
  EXPECT_THAT(all, ::testing::ElementsAre("one two|()one (S A ()two B )S", "|",
                                          "\xE7\x8C\xAB|()\xE7\x8C\xAB (S C )S"));
}

TEST_F(TreebankTest, DropsAndCountsTreesThatAreNotUtf8) {
  const ParallelText text = open("(S (A \xFF))\n(S (A a))\n");
  EXPECT_EQ(text.faults().invalid_utf8, 1);
  EXPECT_THAT(text.faults().first, ::testing::HasSubstr("bank.trees:1"));
}

TEST_F(TreebankTest, DamageIsAnErrorThatNamesTheLine) {
  const auto expect_error = [&](const std::string& text, const std::string& facts) {
    EXPECT_THAT([&] { open(text); }, ThrowsMessage<Error>(HasFacts("bank.trees:" + facts)));
  };
  expect_error("(S (A a))\n(S (A a)\n", "2 column 9 ')'");
  expect_error("(S (A a))\n(S (A a)) x\n", "2 end of the line");
  expect_error("a plain sentence\n", "1 column '('");
  expect_error("(A a)\n", "1 one word (ROOT (A a))");
  expect_error("(S (A a) ( b))\n", "1 'b' no tag");
}

}  // namespace
}  // namespace heed
