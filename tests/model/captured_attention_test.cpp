#include "heed/model/captured_attention.h"

#include <gtest/gtest.h>

#include <numeric>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/model/sequence_model.h"
#include "support/isolated_backend.h"
#include "support/mean_over_heads.h"
#include "support/small_model.h"

namespace heed {
namespace {

constexpr int64_t kLayers = 2;

class CapturedAttentionTest : public ::testing::TestWithParam<DType> {
 protected:
  CapturedAttentionTest() : model_(testing::small_config(11)) {
    model_.initialize(3);
    model_.move_to(backend_->memory());
    for (const std::vector<TokenId>& sentence : {std::vector<TokenId>{2, 3, 4, 0}, {5, 0}})
      source_.add(sentence);
    for (const std::vector<TokenId>& sentence : {std::vector<TokenId>{10, 4, 3}, {10, 9, 9, 2}})
      target_.add(sentence);
  }

  static CapturedAttention all() {
    CapturedAttention captured;
    for (int64_t layer = 0; layer < kLayers; ++layer)
      for (const AttentionSite site :
           {AttentionSite::encoder_self, AttentionSite::decoder_self, AttentionSite::cross})
        captured.request(site, layer);
    return captured;
  }

  SequenceModel model_;
  std::unique_ptr<Backend> backend_ = testing::isolated_if_asked(make_cpu_backend("", GetParam()));
  TensorPool pool_{backend_->memory()};
  Tokens source_, target_;
};
INSTANTIATE_TEST_SUITE_P(Compute, CapturedAttentionTest,
                         ::testing::Values(DType::fp32, DType::bf16),
                         [](const auto& info) { return name(info.param); });

// Each row is a distribution over the keys that the site lets a query attend to.
TEST_P(CapturedAttentionTest, HasEveryLayerAndHead) {
  CapturedAttention captured = all();
  ForwardPass pass(*backend_, pool_);
  const EncoderOutput memory = model_.encode(pass, source_, &captured);
  model_.decode(pass, target_, memory, &captured);
  const std::vector<int64_t> sources = {4, 2}, targets = {3, 4};
  std::vector<std::vector<double>> seen;
  for (int64_t layer = 0; layer < kLayers; ++layer) {
    for (int64_t b = 0; b < 2; ++b) {
      const auto expect_distributions = [&](AttentionSite site, int64_t queries, int64_t keys) {
        const Tensor weights = captured.at(site, layer).of_sequence(b);
        ASSERT_EQ(weights.shape(), (Shape{2, queries, keys}));
        for (int64_t row = 0; row < 2 * queries; ++row) {
          const float* w = weights.data<float>() + row * keys;
          EXPECT_NEAR(std::accumulate(w, w + keys, 0.0), 1, 1e-5);
          for (int64_t j = row % queries + 1; site == AttentionSite::decoder_self && j < keys; ++j)
            EXPECT_EQ(w[j], 0) << "a later position";
        }
        const std::vector<double> mean =
            testing::mean_over_heads(captured.at(site, layer).of_sequence(b));
        for (size_t i = 0; i < mean.size(); ++i)
          EXPECT_EQ(mean[i], double(weights.data<float>()[i]) / 2 +
                                 double(weights.data<float>()[i + mean.size()]) / 2);
        seen.push_back(mean);
      };
      expect_distributions(AttentionSite::encoder_self, sources[size_t(b)], sources[size_t(b)]);
      expect_distributions(AttentionSite::decoder_self, targets[size_t(b)], targets[size_t(b)]);
      expect_distributions(AttentionSite::cross, targets[size_t(b)], sources[size_t(b)]);
    }
  }
  EXPECT_NE(seen[2], seen[8]) << "layers differ";
}

TEST_P(CapturedAttentionTest, ChangesNoState) {
  CapturedAttention captured = all();
  ForwardPass pass(*backend_, pool_);
  const Tensor plain = to_host(model_.decode(pass, target_, model_.encode(pass, source_)));
  const Tensor watched =
      to_host(model_.decode(pass, target_, model_.encode(pass, source_, &captured), &captured));
  EXPECT_EQ(0, std::memcmp(plain.bytes(), watched.bytes(), size_t(plain.byte_count())));
}

// A step over cached keys attends as the whole prefix does.
TEST_P(CapturedAttentionTest, AStepOverTheCacheAttendsAsItsPrefixDoes) {
  Tokens source, whole;
  source.add(std::vector<TokenId>{2, 3, 4, 0});
  const std::vector<TokenId> ids = {10, 4, 3, 7};
  whole.add(ids);
  ForwardPass pass(*backend_, pool_);
  const EncoderOutput memory = model_.encode(pass, source);
  CapturedAttention expected = all();
  model_.decode(pass, whole, memory, &expected);
  DecoderCache cache(model_.config(), *backend_, pool_, {8, 8});
  const std::vector<int32_t> source_rows = {5, 1, 7, 2};
  for (int64_t layer = 0; layer < kLayers; ++layer)
    cache.write_source(pass, layer, model_.transformer().cross_key_value(pass, memory, layer),
                       source_rows);
  std::vector<int32_t> past;
  for (size_t i = 0; i < ids.size(); ++i) {
    past.push_back(int32_t((3 * i + 2) % 8));
    StepTokens step;
    step.tokens.add(std::span(&ids[i], 1));
    step.tokens.start = {int32_t(i)};
    step.new_rows = {past.back()};
    step.past.lengths.add(int64_t(past.size()));
    step.past.rows = past;
    step.sentences = step.tokens.layout;
    step.sources = {source.layout, source_rows};
    cache.begin(step);
    CapturedAttention got = all();
    model_.transformer().decode(pass, step.tokens, model_.embeddings().target, cache, &got);
    for (const auto& [site, keys] : {std::pair<AttentionSite, size_t>{AttentionSite::cross, 4},
                                     {AttentionSite::decoder_self, i + 1}}) {
      const std::vector<double> row = testing::mean_over_heads(got.at(site, 1).of_sequence(0));
      const std::vector<double> all_rows =
          testing::mean_over_heads(expected.at(site, 1).of_sequence(0));
      ASSERT_EQ(row.size(), keys);
      for (size_t j = 0; j < keys; ++j) EXPECT_EQ(row[j], all_rows[4 * i + j]);
    }
  }
}

TEST_P(CapturedAttentionTest, WhatNobodyAskedForIsNotThere) {
  CapturedAttention captured;
  captured.request(AttentionSite::cross, 0);
  ForwardPass pass(*backend_, pool_);
  const EncoderOutput memory = model_.encode(pass, source_, &captured);
  EXPECT_THROW(captured.at(AttentionSite::cross, 0), Bug) << "before the pass";
  model_.decode(pass, target_, memory, &captured);
  EXPECT_EQ(captured.at(AttentionSite::cross, 0).queries.count(), 2);
  EXPECT_THROW(captured.at(AttentionSite::cross, 1), Bug);
  EXPECT_THROW(captured.at(AttentionSite::cross, 0).of_sequence(2), Bug);
}

}  // namespace
}  // namespace heed
