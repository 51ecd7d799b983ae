#include "heed/data/mixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "heed/data/batches.h"

namespace heed {
namespace {

// Examples of one token each.
class Numbers : public Dataset {
 public:
  explicit Numbers(int64_t size) : size_(size) {}
  int64_t size() const override { return size_; }
  ExampleSize bound(int64_t) const override { return {2, 2}; }
  std::vector<Example> examples(int64_t, std::span<const uint32_t> indices) const override {
    std::vector<Example> all;
    for (const uint32_t i : indices) all.push_back({{TokenId(i)}, {TokenId(i)}});
    return all;
  }

 private:
  int64_t size_;
};

// How often each example of [begin, end) is among those of the epochs from 0 to `epochs`.
std::vector<int64_t> counts(const Mixture& mixture, int64_t epochs, int64_t begin, int64_t end) {
  std::vector<int64_t> found(size_t(end - begin));
  for (int64_t e = 0; e < epochs; ++e)
    for (const uint32_t i : mixture.of_epoch(e))
      if (int64_t{i} >= begin && int64_t{i} < end) ++found[size_t(i - uint32_t(begin))];
  return found;
}

int64_t sum(const std::vector<int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), int64_t{0});
}

const std::vector<MixturePart> kParts = {{0, 100}, {100, 1100}, {1100, 1107}};

TEST(Mixture, HasTheSharesThatWereAskedFor) {
  const Numbers data(1107);
  const Mixture mixture(data, kParts, {{{0.6, 0.37, 0.03}, 0}}, 1);
  for (const int64_t epochs : {1, 3, 10}) {
    const int64_t first = sum(counts(mixture, epochs, 0, 100)),
                  second = sum(counts(mixture, epochs, 100, 1100)),
                  third = sum(counts(mixture, epochs, 1100, 1107));
    EXPECT_EQ(first, 100 * epochs);
    EXPECT_NEAR(double(second), 100.0 * double(epochs) * 0.37 / 0.6, 0.51);
    EXPECT_NEAR(double(third), 100.0 * double(epochs) * 0.03 / 0.6, 0.51);
  }
}

TEST(Mixture, LearnsFromAllExamplesOfAPartEquallyOften) {
  const Numbers data(1107);
  const Mixture mixture(data, kParts, {{{1, 2, 0.5}, 0}}, 7);
  for (const int64_t epochs : {1, 4, 9}) {
    for (const MixturePart& part : kParts) {
      const std::vector<int64_t> found = counts(mixture, epochs, part.begin, part.end);
      const auto [least, most] = std::ranges::minmax(found);
      EXPECT_LE(most - least, 1) << "the part from " << part.begin << " after " << epochs;
    }
  }
}

TEST(Mixture, DrawsOthersInEachEpochAndForEachSeed) {
  const Numbers data(1107);
  const std::vector<MixtureStage> stages{{{1, 1, 0}, 0}};
  const Mixture mixture(data, kParts, stages, 7), same(data, kParts, stages, 7),
      other(data, kParts, stages, 8);
  EXPECT_EQ(mixture.of_epoch(3), same.of_epoch(3));
  EXPECT_NE(mixture.of_epoch(3), other.of_epoch(3));
  EXPECT_NE(mixture.of_epoch(3), mixture.of_epoch(4));
  EXPECT_EQ(sum(counts(mixture, 5, 1100, 1107)), 0);
}

TEST(Mixture, GoesOnInTheNextStageWhereTheLastOneEnded) {
  const Numbers data(1107);
  Mixture mixture(data, kParts, {{{1, 1, 0}, 0}, {{0, 1, 0.007}, 1}}, 1);
  mixture.set_begins({0, 2});
  // 200 of the 1,000 in two epochs, then all of them in each epoch.
  EXPECT_EQ(sum(counts(mixture, 2, 100, 1100)), 200);
  EXPECT_EQ(sum(counts(mixture, 3, 100, 1100)), 1200);
  const std::vector<int64_t> found = counts(mixture, 3, 100, 1100);
  EXPECT_EQ(std::ranges::max(found) - std::ranges::min(found), 1);
  EXPECT_EQ(sum(counts(mixture, 3, 0, 100)), 200);
  EXPECT_EQ(sum(counts(mixture, 3, 1100, 1107)), 7);
  // Before a stage has begun, the one before goes on.
  mixture.set_begins({0});
  EXPECT_EQ(sum(counts(mixture, 3, 0, 100)), 300);
}

TEST(Mixture, IsPlannedInBatchesOfEveryEpoch) {
  const Numbers data(1107);
  const Mixture mixture(data, kParts, {{{1, 2, 0}, 0}}, 1);
  const BatchPlan plan = BatchPlan::shuffled(mixture, {.batch_tokens = 20}, 1, 5);
  std::map<size_t, int64_t> parts;
  std::vector<uint32_t> planned;
  for (int64_t b = 0; b < plan.size(); ++b)
    for (const uint32_t i : plan.batch(b)) {
      ++parts[mixture.part_of(i)];
      planned.push_back(i);
    }
  EXPECT_EQ(parts, (std::map<size_t, int64_t>{{0, 100}, {1, 200}}));
  std::vector<uint32_t> asked = mixture.of_epoch(5);
  EXPECT_NE(planned, asked) << "shuffled";
  std::ranges::sort(planned);
  std::ranges::sort(asked);
  EXPECT_EQ(planned, asked);
}

}  // namespace
}  // namespace heed
