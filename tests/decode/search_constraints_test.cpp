#include "heed/decode/search_constraints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heed/decode/forced_prefix.h"
#include "heed/model/sequence_model.h"
#include "search_fixture.h"

namespace heed {
namespace {

using ::testing::ElementsAre;

constexpr TokenId kEndId = 0;

// The ids below 10 that may follow.
std::vector<TokenId> allowed(const NextTokens& next) {
  std::vector<TokenId> all;
  for (TokenId id = 0; id < 10; ++id)
    if (next.allows(id)) all.push_back(id);
  return all;
}

// What may follow a hypothesis, whose ids are given step by step.
class Constrained {
 public:
  explicit Constrained(Constraints constraints)
      : constraints_(std::move(constraints)), states_(constraints_.size()) {}

  NextTokens after(const std::vector<TokenId>& ids) {
    NextTokens next;
    for (size_t i = 0; i < constraints_.size(); ++i) {
      const ConstrainedHypothesis hypothesis{ids, seen_, states_[i], next};
      constraints_[i]->update({&hypothesis, 1});
    }
    seen_ = ids.size();
    return next;
  }

 private:
  Constraints constraints_;
  std::vector<int64_t> states_;
  size_t seen_ = 0;
};

TEST(NextTokens, AreAllButThoseBannedOrOnlyThoseAllowed) {
  NextTokens next;
  EXPECT_EQ(allowed(next).size(), 10u);
  EXPECT_EQ(next.only(), nullptr);
  next.ban(std::vector<TokenId>{2, 7});
  next.ban(std::vector<TokenId>{0, 5, 9});
  EXPECT_THAT(next.banned(), ElementsAre(0, 2, 5, 7, 9));
  EXPECT_THAT(allowed(next), ElementsAre(1, 3, 4, 6, 8));
  next.allow_only({8, 7, 1});
  EXPECT_THAT(*next.only(), ElementsAre(8, 7, 1)) << "in their order; bans do not count";
  EXPECT_TRUE(next.banned().empty());
  next.allow_only({1, 2, 7});
  EXPECT_THAT(*next.only(), ElementsAre(1, 7));
  EXPECT_THAT(allowed(next), ElementsAre(1, 7));
  next.allow_only({});
  EXPECT_TRUE(allowed(next).empty());
}

TEST(SearchConstraints, WithoutOptionsThereAreNone) {
  EXPECT_TRUE(option_constraints({}, kEndId).empty());
}

TEST(SearchConstraints, TheEndIsBannedBelowTheMinimumLength) {
  SearchOptions options;
  options.min_length = 2;
  Constrained hypothesis(option_constraints(options, kEndId));
  EXPECT_THAT(hypothesis.after({4}).banned(), ElementsAre(kEndId));
  EXPECT_TRUE(hypothesis.after({4, 4}).banned().empty());
}

TEST(SearchConstraints, RepeatedNgramsAreBannedTogetherWithTheEnd) {
  SearchOptions options;
  options.no_repeat_ngram_size = 2;
  options.min_length = 9;
  Constrained hypothesis(option_constraints(options, kEndId));
  EXPECT_THAT(hypothesis.after({5, 7, 5, 3, 5}).banned(), ElementsAre(kEndId, 3, 7));
}

TEST(SearchConstraints, RepeatedNgramTokens) {
  const std::vector<TokenId> ids = {5, 7, 5, 3, 5};
  EXPECT_THAT(repeated_ngram_tokens(ids, 1), ElementsAre(3, 5, 7));
  EXPECT_THAT(repeated_ngram_tokens(ids, 2), ElementsAre(3, 7));
  EXPECT_THAT(repeated_ngram_tokens(ids, 3), ElementsAre());
  EXPECT_THAT(repeated_ngram_tokens({}, 1), ElementsAre());
}

TEST(SearchConstraints, ForcedTextComesBeforeBans) {
  // </s>, <unk>, 2: x, 3: xy, 4: yz, 5: yzu, 6: q, <pad>.
  const Vocabulary vocabulary({"</s>", "<unk>", "x", "xy", "yz", "yzu", "q", "<pad>"});
  const PieceIndex index(vocabulary);
  SearchOptions options;
  options.no_repeat_ngram_size = 1;
  Constraints constraints = option_constraints(options, kEndId);
  constraints.push_back(std::make_shared<ForcedText>("xyz", index, vocabulary, 2));
  Constrained hypothesis(std::move(constraints));
  EXPECT_THAT(allowed(hypothesis.after({2, 4})), ElementsAre(2)) << "no piece starts with z";
  Constrained other = hypothesis;
  EXPECT_THAT(allowed(hypothesis.after({2, 4, 2})), ElementsAre(4, 5)) << "repeated or not";
  EXPECT_THAT(allowed(hypothesis.after({2, 4, 2, 5})), ElementsAre(0, 1, 3, 6, 7, 8, 9));
  EXPECT_THAT(allowed(hypothesis.after({2, 4, 2, 5, 6})), ElementsAre(0, 1, 3, 7, 8, 9));
  EXPECT_THROW(other.after({2, 4, 3}), Bug) << "a token that was not allowed";
}

TEST(SearchConstraints, CharactersInBytesAreSpelledWhole) {
  const BytePieces bytes(
      Vocabulary({"</s>", "<unk>", "<0x41>", "<0x80>", "<0xC3>", "<0xBC>", "a", "<pad>"}));
  Constrained hypothesis({whole_characters(bytes)});
  EXPECT_THAT(hypothesis.after({}).banned(), ElementsAre(3, 5)) << "they begin no character";
  EXPECT_THAT(*hypothesis.after({4}).only(), ElementsAre(3, 5));
  EXPECT_THAT(hypothesis.after({4, 5}).banned(), ElementsAre(3, 5));
  EXPECT_EQ(whole_characters(BytePieces(Vocabulary({"</s>", "<unk>", "a", "<pad>"}))), nullptr);
}

TEST(SearchOptions, MaximumLengthIsWithinThePositionsOfTheModel) {
  SearchOptions options;
  options.extra_length = 10;
  EXPECT_EQ(max_target_length(options, 7, 100), 17);
  EXPECT_EQ(max_target_length(options, 95, 100), 100);
  options.max_length = 5;
  EXPECT_EQ(max_target_length(options, 95, 100), 5);
  options.max_length = 500;
  EXPECT_EQ(max_target_length(options, 1, 100), 100);
}

// Tokens of odd and even ids take turns, the first one odd, and it ends only after an even sum,
// which is the state.
class TakingTurns : public Constraint {
 public:
  void update(std::span<const ConstrainedHypothesis> hypotheses) const override {
    for (const ConstrainedHypothesis& h : hypotheses) {
      for (size_t i = h.seen; i < h.ids.size(); ++i) h.state += h.ids[i];
      std::vector<TokenId> next;
      for (TokenId id = h.ids.size() % 2 == 0 ? 1 : 2; id < 11; id += 2)
        if (id > 1) next.push_back(id);
      if (h.state % 2 == 0 && !h.ids.empty()) next.push_back(kEndId);
      h.next.allow_only(std::move(next));
    }
  }
};

bool takes_turns(const Hypothesis& h) {
  int64_t sum = 0;
  for (size_t i = 0; i < h.ids.size(); ++i) {
    sum += h.ids[i];
    if (h.ids[i] % 2 == int64_t(i % 2)) return false;
  }
  return !h.ended || (sum % 2 == 0 && !h.ids.empty());
}

class ConstrainedSearchTest : public testing::SearchTest {};

INSTANTIATE_TEST_SUITE_P(Backends, ConstrainedSearchTest, ::testing::ValuesIn(testing::backends()),
                         testing::computing_name);

TEST_P(ConstrainedSearchTest, AllHypothesesObeyAConstraintOfTheRequest) {
  SearchOptions beam, groups, samples;
  beam.beam = beam.nbest = 5;
  groups.beam = groups.nbest = 4;
  groups.beam_groups = 2;
  samples.sample = true;
  samples.nbest = 6;
  const auto turns = std::make_shared<const TakingTurns>();
  for (SearchOptions options : {beam, groups, samples}) {
    options.extra_length = 6;
    Search batch(make_steps({model_, *backend_}), *backend_,
                 {.hypotheses = 6, .batch_tokens = 512});
    const auto texts = testing::sources(12, 31);
    for (size_t i = 0; i < texts.size(); ++i) {
      batch.add({.request_id = int64_t(2 * i), .source = texts[i], .options = options});
      batch.add({.request_id = int64_t(2 * i + 1),
                 .source = texts[i],
                 .prefix = i % 3 == 0 ? std::vector<TokenId>{3, 4} : std::vector<TokenId>(),
                 .options = options,
                 .constraints = {turns}});
    }
    std::vector<SearchResult> results;
    while (batch.running() > 0) batch.step(results);
    int64_t disobedient = 0;
    for (const SearchResult& result : results) {
      EXPECT_FALSE(result.hypotheses.empty());
      for (const Hypothesis& h : result.hypotheses) {
        if (result.request_id % 2 == 1)
          EXPECT_TRUE(takes_turns(h)) << result.request_id;
        else
          disobedient += takes_turns(h) ? 0 : 1;
      }
    }
    EXPECT_GT(disobedient, 0) << "without the constraint";
  }
}

}  // namespace
}  // namespace heed
