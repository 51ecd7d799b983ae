#include "heed/decode/tree_constraint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "heed/core/rng.h"
#include "heed/text/linear_tree.h"
#include "heed/text/normalizer.h"
#include "support/facts.h"

namespace heed {
namespace {

using Ids = std::vector<TokenId>;

// </s> and <unk> come first: the symbols begin at 2.
Vocabulary symbol_vocabulary(const std::vector<std::string>& symbols) {
  std::vector<std::string> pieces = {"</s>", "<unk>"};
  for (const std::string& symbol : symbols) pieces.push_back(std::string(kSpaceSymbol) + symbol);
  pieces.push_back("<pad>");
  return Vocabulary(pieces);
}

class TreeConstraintTest : public ::testing::Test {
 protected:
  std::shared_ptr<const TreeSymbols> symbols_ = std::make_shared<const TreeSymbols>(
      symbol_vocabulary({"A", ")S", "(S", "(X", "(", "B", ")X", ")", "(Y", ")Z", "()w"}));
  static constexpr TokenId kWord = 12;

  std::shared_ptr<const Constraint> over(int64_t words, int64_t max_length) const {
    return tree_constraint(symbols_, Ids(size_t(words), kWord), max_length, 0);
  }

  Ids next(const Constraint& constraint, const Ids& ids) const {
    NextTokens next;
    int64_t state = 0;
    const ConstrainedHypothesis hypothesis{ids, 0, state, next};
    constraint.update({&hypothesis, 1});
    Ids allowed = *next.only();
    std::sort(allowed.begin(), allowed.end());
    return allowed;
  }
  std::string tree(const Ids& ids, int64_t words) const {
    std::vector<std::string> symbols;
    for (const TokenId id : ids) symbols.push_back(symbols_->text(id));
    return to_line(tree_of(symbols, std::vector<std::string>(size_t(words), "w")));
  }
  // Every sequence that the constraint allows, without </s>.
  void complete(const Constraint& constraint, Ids& ids, int64_t most, std::set<Ids>& all) const {
    for (const TokenId id : next(constraint, ids)) {
      ASSERT_LT(int64_t(ids.size()), most);
      if (id == 0) {
        EXPECT_TRUE(all.insert(ids).second);
        continue;
      }
      ids.push_back(id);
      complete(constraint, ids, most, all);
      ids.pop_back();
    }
  }
};

TEST_F(TreeConstraintTest, KnowsTheSymbolsByWhatTheyDo) {
  EXPECT_THAT(symbols_->tags(), ::testing::ElementsAre(2, 7));
  EXPECT_THAT(symbols_->opening(), ::testing::ElementsAre(4, 5, 6));  // (Y has no end
  EXPECT_EQ(symbols_->text(symbols_->end_of(5)), ")X");
  EXPECT_EQ(symbols_->text(symbols_->end_of(6)), ")");
}

TEST_F(TreeConstraintTest, OtherVocabulariesAreRefused) {
  for (const std::vector<std::string>& symbols :
       {std::vector<std::string>{"A", "B"}, {"(S", ")S"}, {"A", "(S", ")X"}, {}})
    EXPECT_THAT([&] { TreeSymbols refused(symbol_vocabulary(symbols)); },
                ::testing::ThrowsMessage<Error>(HasFacts("target vocabulary parse")));
}

// With two labels, two tags and one word: a root around a word, and at one more level of depth two
// tokens more. With two words: under a root, the words or either in a constituent of its own.
TEST_F(TreeConstraintTest, AllowsEveryTreeThatFitsAndNothingElse) {
  const auto count = [&](int64_t words, int64_t most) {
    std::set<Ids> all;
    Ids ids;
    complete(*over(words, most), ids, most, all);
    for (const Ids& sequence : all) {
      EXPECT_LT(int64_t(sequence.size()), most);
      EXPECT_FALSE(read_tree(tree(sequence, words)).defect);
    }
    return all.size();
  };
  EXPECT_EQ(count(1, 5), 6u);                // 3 labels, 2 tags
  EXPECT_EQ(count(1, 6), 6u);                // no room for one more constituent
  EXPECT_EQ(count(1, 7), 6u + 9 * 2);        // and two labels
  EXPECT_EQ(count(2, 7), 3u * 4);            // a label, two tags
  EXPECT_EQ(count(2, 9), 3u * 4 * (1 + 9));  // and (a)(b): 3 places x 3 labels
}

TEST_F(TreeConstraintTest, AnyChoicesEndInATreeWithinTheLength) {
  Random random(3);
  for (int64_t words = 1; words < 40; ++words) {
    for (const int64_t most : {shortest_tree(words), shortest_tree(words) + 1, 4 * words + 32}) {
      const auto constraint = over(words, most);
      Ids ids;
      for (Ids allowed = next(*constraint, ids); allowed != Ids{0};
           allowed = next(*constraint, ids)) {
        ASSERT_FALSE(allowed.empty());
        ASSERT_LT(int64_t(ids.size()), most);
        ids.push_back(allowed[random.below(allowed.size())]);
      }
      EXPECT_LT(int64_t(ids.size()), most);
      EXPECT_FALSE(read_tree(tree(ids, words)).defect);
    }
  }
}

TEST_F(TreeConstraintTest, SaysEachWordOnceInItsPlace) {
  const auto constraint = tree_constraint(symbols_, {12, 1}, 20, 0);
  EXPECT_THAT(next(*constraint, {}), ::testing::ElementsAre(12));
  EXPECT_THAT(next(*constraint, {12}), ::testing::ElementsAre(4, 5, 6));
  EXPECT_THAT(next(*constraint, {12, 4, 2}), ::testing::ElementsAre(1));  // <unk>, a word's
  EXPECT_THAT(next(*constraint, {12, 4, 2, 1}), ::testing::ElementsAre(2, 4, 5, 6, 7));
  EXPECT_THAT(next(*constraint, {12, 4, 2, 1, 7}), ::testing::ElementsAre(3));
  EXPECT_THAT(next(*constraint, {12, 4, 2, 1, 7, 3}), ::testing::ElementsAre(0));
}

TEST_F(TreeConstraintTest, LimitsChains) {
  const auto constraint = over(2, 1000);
  const auto has = [](const Ids& ids, TokenId id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  EXPECT_TRUE(has(next(*constraint, {kWord, 4, 4}), 4));
  EXPECT_THAT(next(*constraint, {kWord, 4, 4, 4}), ::testing::ElementsAre(2, 5, 6, 7));
  EXPECT_TRUE(has(next(*constraint, {kWord, 4, 4, 4, 5}), 4));
  EXPECT_TRUE(has(next(*constraint, {kWord, 4, 4, 5, 4, 5, 4, 5}), 4));
  EXPECT_THAT(next(*constraint, {kWord, 4, 4, 5, 4, 5, 4, 5, 4}), ::testing::ElementsAre(2, 7));
  // A word or an end begins a new count.
  EXPECT_TRUE(has(next(*constraint, {kWord, 4, 4, 4, 2, kWord}), 4));
}

TEST_F(TreeConstraintTest, GivesWhatAloneMayFollow) {
  const auto constraint = over(1, 20);
  const auto is_given = [&](const Ids& ids) {
    NextTokens next;
    int64_t state = 0;
    const ConstrainedHypothesis hypothesis{ids, 0, state, next};
    constraint->update({&hypothesis, 1});
    return next.is_given();
  };
  EXPECT_TRUE(is_given({}));                // the word
  EXPECT_FALSE(is_given({kWord}));          // a beginning
  EXPECT_FALSE(is_given({kWord, 4}));       // a tag or a beginning
  EXPECT_TRUE(is_given({kWord, 4, 2}));     // the end of the root
  EXPECT_TRUE(is_given({kWord, 4, 2, 3}));  // </s>
}

TEST_F(TreeConstraintTest, TooLittleRoomIsABug) {
  EXPECT_ANY_THROW(over(3, 8));
  EXPECT_ANY_THROW(over(0, 8));
}

}  // namespace
}  // namespace heed
