// Searches by a model that is no Transformer: it reads no source, and its memory of a hypothesis is
// one number, which each token changes.
#include "heed/model/step_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/core/rng.h"
#include "heed/decode/search.h"

namespace heed {
namespace {

constexpr int64_t kClasses = 5;  // </s>, <unk> and three pieces
constexpr TokenId kStart = 5;
constexpr int64_t kPositions = 12;

uint64_t state_after(uint64_t before, TokenId id) {
  return detail::mix(before, uint64_t(id));
}

std::vector<float> logits_of(uint64_t state) {
  Random random(state);
  std::vector<float> all;
  for (int64_t i = 0; i < kClasses; ++i) all.push_back(float(3 * random.uniform()));
  return all;
}

class RecurrentSteps : public StepModel {
 public:
  explicit RecurrentSteps(Backend& backend) : pool_(backend.memory()) {}

  Description description() const override { return {kStart, 0, kPositions}; }
  void reserve(const StepRows& rows) override { states_.resize(size_t(rows.target)); }
  void admit(const Tokens& sources, const Indices&) override {
    EXPECT_EQ(sources.layout.rows(), 0);
  }
  Tensor logits(const StepTokens& step) override {
    Tensor all = pool_.tensor({int64_t(step.tokens.ids.size()), kClasses}, DType::fp32);
    int64_t token = 0, past = 0;
    for (int64_t b = 0; b < step.tokens.layout.count(); ++b) {
      const int64_t added = step.tokens.layout.length(b), keys = step.past.lengths.length(b);
      EXPECT_EQ(step.tokens.start_of(b), keys - added);
      for (int64_t i = keys - added; i < keys; ++i, ++token) {
        const int64_t row = step.past.row(past + i);
        EXPECT_EQ(row, step.new_rows[size_t(token)]);
        const uint64_t before = i == 0 ? 0 : states_[size_t(step.past.row(past + i - 1))];
        states_[size_t(row)] = state_after(before, step.tokens.ids[size_t(token)]);
        const std::vector<float> values = logits_of(states_[size_t(row)]);
        std::copy(values.begin(), values.end(), all.data<float>() + token * kClasses);
      }
      past += keys;
    }
    return all;
  }
  int64_t bytes_held() const override { return int64_t(states_.size() * sizeof states_[0]); }

 private:
  TensorPool pool_;
  std::vector<uint64_t> states_;  // [row]
};

class StepModelTest : public ::testing::Test {
 protected:
  std::vector<SearchResult> run(const SearchOptions& options,
                                const std::vector<std::vector<TokenId>>& prefixes,
                                int64_t batch_tokens = 64) {
    const SearchLimits limits{options.hypothesis_count(), batch_tokens};
    Search batch(std::make_unique<RecurrentSteps>(*backend_), *backend_, limits);
    return search(batch, options, std::vector<std::vector<TokenId>>(prefixes.size()), prefixes);
  }
  // The sum of the log-probabilities of these tokens, after the start.
  static double log_probability(const std::vector<TokenId>& ids) {
    uint64_t state = state_after(0, kStart);
    double sum = 0;
    for (const TokenId id : ids) {
      const std::vector<float> logits = logits_of(state);
      double total = 0;
      for (const float logit : logits) total += std::exp(double(logit));
      sum += double(logits[size_t(id)]) - std::log(total);
      state = state_after(state, id);
    }
    return sum;
  }
  static std::vector<TokenId> with_end(const Hypothesis& h) {
    std::vector<TokenId> ids = h.ids;
    if (h.ended) ids.push_back(0);
    return ids;
  }

  std::unique_ptr<Backend> backend_ = make_cpu_backend("", DType::fp32);
};

TEST_F(StepModelTest, AWideBeamFindsTheBestOfAllSequences) {
  SearchOptions options;
  options.beam = 256;  // of prefixes of length 4 over 4 ids
  options.nbest = 10;
  options.max_length = 4;
  std::multimap<double, std::vector<TokenId>, std::greater<>> all;
  std::vector<std::vector<TokenId>> open = {{}};
  for (int64_t length = 1; length <= 4; ++length) {
    std::vector<std::vector<TokenId>> longer;
    for (const std::vector<TokenId>& prefix : open) {
      for (TokenId id = 0; id < kClasses; ++id) {
        std::vector<TokenId> ids = prefix;
        ids.push_back(id);
        if (id == 0 || length == 4)
          all.emplace(log_probability(ids) / length_penalty(length, 0.6), ids);
        else
          longer.push_back(ids);
      }
    }
    open = std::move(longer);
  }
  const std::vector<Hypothesis> got = run(options, {{}})[0].hypotheses;
  ASSERT_EQ(got.size(), 10u);
  auto expected = all.begin();
  for (const Hypothesis& h : got) {
    EXPECT_EQ(with_end(h), expected->second);
    EXPECT_NEAR(h.score, expected->first, 1e-5);
    ++expected;
  }
}

// Hypotheses of a beam share the rows of their common past, and prefixes are many tokens of a step.
TEST_F(StepModelTest, EveryHypothesisHasTheProbabilityOfItsOwnPast) {
  std::vector<std::vector<TokenId>> prefixes;
  for (TokenId id = 2; id < 5; ++id)
    for (const std::vector<TokenId>& ids : {std::vector<TokenId>{}, {id}, {id, 2}, {4, id, 3}})
      prefixes.push_back(ids);
  SearchOptions beam, groups, samples;
  beam.beam = beam.nbest = 3;
  groups.beam = groups.nbest = 4;
  groups.beam_groups = 2;
  samples.sample = true;
  samples.nbest = 5;
  for (SearchOptions options : {beam, groups, samples}) {
    options.max_length = 9;
    options.min_length = 4;
    const std::vector<SearchResult> together = run(options, prefixes);
    for (size_t i = 0; i < prefixes.size(); ++i) {
      const std::vector<Hypothesis> alone = run(options, {prefixes[i]})[0].hypotheses;
      const std::vector<Hypothesis>& got = together[i].hypotheses;
      ASSERT_EQ(got.size(), alone.size());
      for (size_t n = 0; n < got.size(); ++n) {
        EXPECT_EQ(got[n].ids, alone[n].ids);
        EXPECT_EQ(got[n].log_probability, alone[n].log_probability);
        EXPECT_NEAR(got[n].log_probability, log_probability(with_end(got[n])), 1e-4);
        EXPECT_TRUE(std::equal(prefixes[i].begin(), prefixes[i].end(), got[n].ids.begin()));
      }
    }
  }
}

TEST_F(StepModelTest, ASourceIsForAModelThatReadsIt) {
  const SearchLimits limits{4, 16};
  Search batch(std::make_unique<RecurrentSteps>(*backend_), *backend_, limits);
  EXPECT_EQ(batch.source_limit(), 0);
  EXPECT_THROW(batch.add({.source = {2, 0}}), Bug);
}

}  // namespace
}  // namespace heed
