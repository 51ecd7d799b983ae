#include "heed/decode/decoding_constraints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heed {
namespace {

using ::testing::ElementsAre;

constexpr TokenId kEndId = 0;

// The ids below 10 that may follow `ids`.
std::vector<TokenId> allowed(const DecodingConstraints& constraints, ConstraintState& state,
                             const std::vector<TokenId>& ids) {
  constraints.update(state, ids);
  std::vector<TokenId> all;
  for (TokenId id = 0; id < 10; ++id)
    if (constraints.allows(state, id)) all.push_back(id);
  return all;
}

TEST(DecodingConstraints, WithoutOptionsEverythingIsAllowed) {
  const DecodingConstraints constraints({}, 20, kEndId);
  ConstraintState state;
  EXPECT_EQ(allowed(constraints, state, {}).size(), 10u);
  EXPECT_EQ(allowed(constraints, state, {3, 3, 3}).size(), 10u);
  EXPECT_TRUE(state.banned.empty());
  EXPECT_EQ(constraints.max_length(), 20);
  EXPECT_FALSE(constraints.is_forced(state));
}

TEST(DecodingConstraints, TheEndIsBannedBelowTheMinimumLength) {
  SearchOptions options;
  options.min_length = 2;
  const DecodingConstraints constraints(options, 20, kEndId);
  ConstraintState state;
  EXPECT_EQ(allowed(constraints, state, {4}).size(), 9u);
  EXPECT_THAT(state.banned, ElementsAre(kEndId));
  EXPECT_EQ(allowed(constraints, state, {4, 4}).size(), 10u);
}

TEST(DecodingConstraints, RepeatedNgramsAreBannedTogetherWithTheEnd) {
  SearchOptions options;
  options.no_repeat_ngram_size = 2;
  options.min_length = 9;
  const DecodingConstraints constraints(options, 20, kEndId);
  ConstraintState state;
  allowed(constraints, state, {5, 7, 5, 3, 5});
  EXPECT_THAT(state.banned, ElementsAre(kEndId, 3, 7));
}

TEST(DecodingConstraints, RepeatedNgramTokens) {
  const std::vector<TokenId> ids = {5, 7, 5, 3, 5};
  EXPECT_THAT(repeated_ngram_tokens(ids, 1), ElementsAre(3, 5, 7));
  EXPECT_THAT(repeated_ngram_tokens(ids, 2), ElementsAre(3, 7));
  EXPECT_THAT(repeated_ngram_tokens(ids, 3), ElementsAre());
  EXPECT_THAT(repeated_ngram_tokens({}, 1), ElementsAre());
}

TEST(DecodingConstraints, ForcedTextComesBeforeAllOtherConstraints) {
  // </s>, <unk>, 2: x, 3: xy, 4: yz, 5: yzu, 6: q, <pad>.
  const Vocabulary vocabulary({"</s>", "<unk>", "x", "xy", "yz", "yzu", "q", "<pad>"});
  const PieceIndex index(vocabulary);
  SearchOptions options;
  options.no_repeat_ngram_size = 1;
  const DecodingConstraints constraints(
      options, 20, kEndId, {{2, 4}, std::make_shared<ForcedText>("xyz", index, vocabulary)});
  EXPECT_THAT(constraints.prefix_ids(), ElementsAre(2, 4));
  ConstraintState state;
  EXPECT_THAT(allowed(constraints, state, {2, 4}), ElementsAre(2)) << "no piece starts with z";
  EXPECT_TRUE(constraints.is_forced(state));
  EXPECT_TRUE(state.banned.empty());
  state = constraints.after(state, 2);
  EXPECT_EQ(state.matched, 1u);
  EXPECT_THAT(allowed(constraints, state, {2, 4, 2}), ElementsAre(4, 5));
  state = constraints.after(state, 5);
  EXPECT_FALSE(constraints.is_forced(state));
  EXPECT_THAT(allowed(constraints, state, {2, 4, 2, 5}), ElementsAre(0, 1, 3, 6, 7, 8, 9));
  EXPECT_EQ(constraints.after(state, 6).matched, 3u);
}

TEST(DecodingConstraints, MaximumLengthIsWithinThePositionsOfTheModel) {
  SearchOptions options;
  options.extra_length = 10;
  EXPECT_EQ(max_target_length(options, 7, 100), 17);
  EXPECT_EQ(max_target_length(options, 95, 100), 100);
  options.max_length = 5;
  EXPECT_EQ(max_target_length(options, 95, 100), 5);
  options.max_length = 500;
  EXPECT_EQ(max_target_length(options, 1, 100), 100);
}

}  // namespace
}  // namespace heed
