#include "heed/data/batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "heed/core/rng.h"
#include "heed/data/corpus.h"
#include "support/text_files.h"

namespace heed {
namespace {

using ::testing::HasSubstr;
using Batches = std::vector<std::vector<uint32_t>>;

std::vector<ExampleSize> random_lengths(int64_t count) {
  Random random(11);
  std::vector<ExampleSize> lengths;
  for (int64_t i = 0; i < count; ++i) {
    const auto source = int32_t(1 + random.below(60));
    lengths.push_back({source, std::max(1, source + int32_t(random.below(21)) - 10)});
  }
  return lengths;
}

// Examples of these lengths, without tokens.
class Lengths : public Dataset {
 public:
  explicit Lengths(std::vector<ExampleSize> lengths) : lengths_(std::move(lengths)) {}
  int64_t size() const override { return int64_t(lengths_.size()); }
  ExampleSize bound(int64_t index) const override {
    const ExampleSize& length = lengths_.at(size_t(index));
    return {length.source + 1, length.target + 1};
  }
  std::vector<Example> examples(int64_t, std::span<const uint32_t>) const override { return {}; }

 private:
  std::vector<ExampleSize> lengths_;
};

Batches all(const BatchPlan& plan) {
  Batches batches;
  for (int64_t i = 0; i < plan.size(); ++i) {
    const auto batch = plan.batch(i);
    batches.emplace_back(batch.begin(), batch.end());
  }
  return batches;
}

struct Sums {
  int64_t source = 0, target = 0;
};
Sums sums(const std::vector<uint32_t>& batch, const std::vector<ExampleSize>& lengths) {
  Sums result;
  for (const uint32_t pair : batch) {
    result.source += lengths[pair].source + 1;
    result.target += lengths[pair].target + 1;
  }
  return result;
}

void expect_each_pair_once(const Batches& batches, size_t pairs) {
  std::vector<uint32_t> seen;
  for (const auto& batch : batches) {
    EXPECT_FALSE(batch.empty());
    seen.insert(seen.end(), batch.begin(), batch.end());
  }
  std::sort(seen.begin(), seen.end());
  std::vector<uint32_t> expected(pairs);
  std::iota(expected.begin(), expected.end(), 0u);
  EXPECT_TRUE(seen == expected);
}

TEST(BatchPlan, KeepsTheLimitAndNearlyReachesIt) {
  const auto lengths = random_lengths(50'000);  // more than two windows
  const auto batches = all(BatchPlan::shuffled(Lengths(lengths), {.batch_tokens = 1000}, 1, 0));
  expect_each_pair_once(batches, lengths.size());
  int64_t full = 0;
  for (const auto& batch : batches) {
    const Sums sum = sums(batch, lengths);
    EXPECT_LE(sum.source, 1000);
    EXPECT_LE(sum.target, 1000);
    full += std::max(sum.source, sum.target) > 900 ? 1 : 0;
  }
  EXPECT_GT(full, int64_t(batches.size()) * 95 / 100);
}

TEST(BatchPlan, APairAsLongAsTheLimitFits) {
  const std::vector<ExampleSize> lengths = {{9, 3}, {3, 9}, {9, 9}};
  EXPECT_EQ(BatchPlan::shuffled(Lengths(lengths), {.batch_tokens = 10}, 1, 0).size(), 3);
  const auto plan = [&] { BatchPlan::shuffled(Lengths(lengths), {.batch_tokens = 9}, 1, 0); };
  EXPECT_THAT(error_of(plan), HasSubstr("--batch-tokens"));
  EXPECT_EQ(BatchPlan::sorted(Lengths(lengths), {.batch_tokens = 10}).size(), 3);
}

TEST(BatchPlan, CountsSentencesWhereAsked) {
  const auto lengths = random_lengths(1003);
  const BatchOptions options{.batch_tokens = 1, .batch_sentences = 10};
  std::multiset<size_t> sizes;
  const auto batches = all(BatchPlan::shuffled(Lengths(lengths), options, 1, 0));
  for (const auto& batch : batches) sizes.insert(batch.size());
  expect_each_pair_once(batches, lengths.size());
  EXPECT_EQ(sizes.count(10), 100u);
  EXPECT_EQ(sizes.count(3), 1u);
  EXPECT_EQ(sizes.size(), 101u);
}

TEST(BatchPlan, IsAFunctionOfSeedAndEpoch) {
  const auto lengths = random_lengths(5000);
  const auto plan = [&](uint64_t seed, int64_t epoch) {
    return all(BatchPlan::shuffled(Lengths(lengths), {.batch_tokens = 500}, seed, epoch));
  };
  EXPECT_TRUE(plan(1, 0) == plan(1, 0));
  EXPECT_FALSE(plan(1, 0) == plan(1, 1));
  EXPECT_FALSE(plan(1, 0) == plan(2, 0));
  EXPECT_FALSE(plan(1, 2) == plan(2, 1));
}

// The mean length of a batch must not wander: the last weights of a run would lean with it.
TEST(BatchPlan, ABatchIsASampleOfAllLengths) {
  const auto lengths = random_lengths(20'000);
  const auto batches = all(BatchPlan::shuffled(Lengths(lengths), {.batch_tokens = 2000}, 1, 0));
  const auto target = [&](uint32_t pair) { return double(lengths[pair].target); };
  double sum = 0;
  for (const auto& length : lengths) sum += length.target;
  const double mean = sum / double(lengths.size());
  for (size_t i = 0; i + 1 < batches.size(); ++i) {
    double total = 0;
    for (const uint32_t pair : batches[i]) total += target(pair);
    EXPECT_NEAR(total / double(batches[i].size()), mean, 0.35 * mean) << "batch " << i;
  }
}

TEST(BatchPlan, SortedComesFromShortToLong) {
  const auto lengths = random_lengths(50'000);
  const auto batches = all(BatchPlan::sorted(Lengths(lengths), {.batch_tokens = 2000}));
  expect_each_pair_once(batches, lengths.size());
  int32_t last = 0;
  for (const auto& batch : batches) {
    for (const uint32_t pair : batch) {
      EXPECT_GE(lengths[pair].target, last);
      last = lengths[pair].target;
    }
  }
}

TEST(BatchPlan, NoPairsNoBatches) {
  EXPECT_EQ(BatchPlan::shuffled(Lengths({}), {}, 1, 0).size(), 0);
  EXPECT_EQ(BatchPlan::sorted(Lengths({}), {}).size(), 0);
  EXPECT_THROW(BatchPlan::sorted(Lengths({}), {}).batch(0), Bug);
}

TEST(BatchPlan, OptionsOutOfRangeAreUsageErrors) {
  const auto lengths = random_lengths(3);
  EXPECT_THROW(BatchPlan::sorted(Lengths(lengths), {.batch_tokens = 0}), UsageError);
  EXPECT_THROW(BatchPlan::sorted(Lengths(lengths), {.batch_sentences = -1}), UsageError);
}

// Examples whose first source token is their number.
std::vector<Example> numbered(const std::vector<ExampleSize>& lengths) {
  std::vector<Example> examples;
  for (size_t i = 0; i < lengths.size(); ++i) {
    examples.push_back({std::vector<TokenId>(size_t(lengths[i].source)),
                        std::vector<TokenId>(size_t(lengths[i].target))});
    examples.back().source[0] = TokenId(i);
  }
  return examples;
}

Batches numbers_in(const std::vector<std::vector<Example>>& parts) {
  Batches numbers;
  for (const auto& part : parts) {
    numbers.emplace_back();
    for (const Example& example : part) numbers.back().push_back(uint32_t(example.source[0]));
  }
  return numbers;
}

TEST(Shards, AreBalancedAndWhole) {
  const auto lengths = random_lengths(200);
  std::vector<uint32_t> all(200);
  std::iota(all.begin(), all.end(), 0u);
  for (const int count : {1, 2, 4, 8, 16}) {
    const Batches parts = numbers_in(shards(numbered(lengths), count));
    ASSERT_EQ(int(parts.size()), count);
    std::vector<uint32_t> seen;
    int64_t least = INT64_MAX, most = 0;
    for (const auto& part : parts) {
      EXPECT_TRUE(std::is_sorted(part.begin(), part.end()));  // in the batch's order
      seen.insert(seen.end(), part.begin(), part.end());
      const Sums sum = sums(part, lengths);
      least = std::min(least, sum.source + sum.target);
      most = std::max(most, sum.source + sum.target);
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_TRUE(seen == all);
    EXPECT_LE(most - least, 20) << count;
    EXPECT_TRUE(numbers_in(shards(numbered(lengths), count)) == parts);
  }
}

TEST(Shards, OfATinyBatchMayBeEmpty) {
  const auto batch = numbered({{3, 3}, {9, 9}});
  EXPECT_EQ(numbers_in(shards(batch, 4)), (Batches{{1}, {0}, {}, {}}));
  EXPECT_EQ(numbers_in(shards({}, 2)), (Batches{{}, {}}));
  EXPECT_THROW(shards(batch, 3), Bug);
  EXPECT_THROW(shards(batch, 0), Bug);
}

}  // namespace
}  // namespace heed
