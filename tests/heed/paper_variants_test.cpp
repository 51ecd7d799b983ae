// Values of the functions of paper_variants.h: attention_goldens_test.cpp.
#include "heed/paper_variants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/facts.h"
#include "support/folder_test.h"

namespace heed {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr float kHidden = -std::numeric_limits<float>::infinity();

Tensor of(const Shape& shape, std::vector<float> values) {
  return tensor_of<float>(shape, values);
}

TEST(PaperVariants, AWindowMaskHidesDistantKeys) {
  EXPECT_THAT(paper::window_mask(2, 4, 1).span<float>(),
              ElementsAre(0, 0, kHidden, kHidden, 0, 0, 0, kHidden));
  EXPECT_THAT(paper::window_mask(2, 4, 1, Mask::causal).span<float>(),
              ElementsAre(kHidden, 0, 0, kHidden, kHidden, kHidden, 0, 0));
  EXPECT_THAT(paper::window_mask(3, 2, 0).span<float>(),
              ElementsAre(0, kHidden, kHidden, 0, kHidden, 0));
}

TEST(PaperVariants, AddJoinsAMaskWithThoseOfAllHeads) {
  const Tensor sum = paper::add(of({2, 1, 2}, {1, 2, 3, 4}), of({1, 2}, {10, kHidden}));
  EXPECT_EQ(sum.shape(), (Shape{2, 1, 2}));
  EXPECT_THAT(sum.span<float>(), ElementsAre(11, kHidden, 13, kHidden));
}

TEST(PaperVariants, LocationScoresKnowNoKeysBeyondTheirWeights) {
  const Tensor scores = paper::location_scores(of({1, 2}, {1, 2}), of({2, 2}, {1, 0, 0, 3}), 3);
  EXPECT_THAT(scores.span<float>(), ElementsAre(1, 6, kHidden));
}

TEST(PaperVariants, AQueryThatSeesNothingGivesNothing) {
  const Tensor scores = of({2, 2}, {1, 2, 3, 4}), value = of({2, 1}, {5, 6}),
               mask = of({2, 2}, {kHidden, kHidden, 0, 0});
  for (const paper::AttentionResult& result :
       {paper::attend(scores, value, mask), paper::attend_hard(scores, value, mask),
        paper::attend_locally(scores, value, {of({2, 1}, {1, 1}), 1}, mask)}) {
    EXPECT_THAT(result.weights.slice(0, 1).span<float>(), Each(0));
    EXPECT_THAT(result.output.slice(0, 1).span<float>(), Each(0));
    EXPECT_GT(result.output.span<float>()[1], 1);
  }
}

TEST(PaperVariants, OfEqualScoresTheFirstIsChosen) {
  const auto [output, weights] = paper::attend_hard(of({1, 3}, {-2, 7, 7}), of({3, 1}, {1, 2, 3}));
  EXPECT_THAT(weights.span<float>(), ElementsAre(0, 1, 0));
  EXPECT_THAT(output.span<float>(), ElementsAre(2));
}

TEST(PaperVariants, ShapesThatDoNotFitAreNamed) {
  const Tensor x({2, 4}), y({3, 4}), z({3, 5}), v({4}), none;
  expect_usage([&] { paper::dot_scores(x, z); }, "key [any, 4] [3, 5]");
  expect_usage([&] { paper::dot_scores(none, z); }, "query none");
  expect_usage([&] { paper::general_scores(x, y, z); }, "weight [4, 5] [3, 4]");
  expect_usage([&] { paper::additive_scores({x, y, v}, x, y); }, "key weight [2, 4] [3, 4]");
  expect_usage([&] { paper::additive_scores({x, x, v}, x, y); }, "v 2 4");
  expect_usage([&] { paper::additive_scores({x, x, none}, x, y); }, "v 2 none");
  expect_usage([&] { paper::cosine_scores(x, z); }, "key [any, 4] [3, 5]");
  expect_usage([&] { paper::location_scores(x, z, 3); }, "weight [any, 4] [3, 5]");
  expect_usage([&] { paper::location_scores(x, y, 0); }, "location_scores key 0");
  expect_usage([&] { paper::attend(x, y); }, "value [4, any] [3, 4]");
  expect_usage([&] { paper::attend(z, Tensor({5, 1}), x); }, "mask [3, 5] [2, 4]");
  expect_usage([&] { paper::attend_hard(x, v); }, "value [4, any] [4]");
  expect_usage([&] { paper::attend_hard(x, x, y); }, "mask [2, 4] [3, 4]");
  expect_usage([&] { paper::attend_locally(z, Tensor({5, 1}), {x, 1}); }, "centers [3, 1] [2, 4]");
  expect_usage([&] { paper::attend_locally(z, Tensor({5, 1}), {Tensor({3, 1}), 0}); }, "window 0");
  expect_usage([&] { paper::predicted_positions(x, y, v, 3); }, "v 3 4");
  expect_usage([&] { paper::window_mask(2, 3, -1); }, "window -1");
  expect_usage([&] { paper::window_mask(3, 2, 1, Mask::causal); }, "window_mask 2 3");
  expect_usage([&] { paper::alibi_bias(0, 2, 3); }, "alibi_bias 0 2 3");
  expect_usage([&] { paper::alibi_bias(int64_t{1} << 60, 20'000, 10'000); }, "alibi_bias");
  expect_usage([&] { paper::t5_bias(z, 2, 3); }, "table even 5");
  expect_usage([&] { paper::t5_bias(Tensor({1, 256}), 2, 3); }, "table 128 256");
  expect_usage([&] { paper::add(x, y); }, "add [2, 4] [3, 4]");
  expect_usage([&] { paper::rotary_embedding(x, {1, 2, 3}); }, "x [3, any] [2, 4]");
  expect_usage([&] { paper::rotary_embedding(x, {1, 2}, 4); }, "x 4 heads even");
  expect_usage([&] { paper::relative_attention(x, y, z, {x}); }, "relative keys odd 2");
  expect_usage([&] { paper::relative_attention(x, y, z, {y, y}); }, "relative values [3, 5]");
  expect_usage([&] { paper::relative_attention(y, x, x, {y}); }, "key 3 2");
  expect_usage([&] { paper::grouped_query_attention(3, x, y, z); }, "heads 4 columns 3");
  expect_usage([&] { paper::grouped_query_attention(2, x, z, z); }, "key 2 columns 5");
  expect_usage([&] { paper::grouped_query_attention(2, x, y, z); }, "value 2 heads 5");
  expect_usage(
      [&] {
        paper::grouped_query_attention(2, x, y, y, {Tensor({3, 2, 3}), {}});
      },
      "mask [2, 3] [3, 2, 3]");
  expect_usage([&] { paper::layer_norm(x, v, none); }, "bias 4");
  expect_usage([&] { paper::rms_norm(z, v); }, "gain 5 4");
  expect_usage([&] { paper::feed_forward({y, {}}, {y, {}}, x); }, "output weight [any, 3] [3, 4]");
}

}  // namespace
}  // namespace heed
