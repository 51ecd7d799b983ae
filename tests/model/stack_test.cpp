// Stacks outside a Transformer: a decoder without cross-attention.
#include "heed/model/stack.h"

#include <gtest/gtest.h>

#include <numeric>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/model/parameters.h"
#include "heed/model/sequence_model.h"
#include "support/small_model.h"

namespace heed {
namespace {

constexpr int64_t kVocabulary = 20;

class DecoderOnly : public ::testing::Test {
 protected:
  DecoderOnly()
      : backend_(make_cpu_backend()),
        pool_(backend_->memory()),
        config_(testing::small_config(kVocabulary)),
        table_({kVocabulary, config_.d_model}),
        stack_(config_, {2, config_.d_ff}, {AttentionSite::decoder_self},
               positional_encoding(config_.max_positions, config_.d_model, DType::fp32),
               DType::fp32, host_memory()) {
    std::vector<Parameter> all = parameters(stack_);
    all.push_back({"table", table_, ParameterRole::embedding});
    initialize(all, 3, config_.pad_id());
    pack(all, *backend_, Purpose::training);
  }

  Tensor states(const std::vector<TokenId>& ids) {
    ForwardPass pass(*backend_, pool_);
    Tokens tokens;
    tokens.add(ids);
    return to_host(stack_.forward(pass, tokens, table_, nullptr));
  }

  std::unique_ptr<Backend> backend_;
  TensorPool pool_;
  ModelConfig config_;
  Tensor table_;
  Stack stack_;
};

std::vector<float> values(const Tensor& tensor) {
  const auto all = tensor.span<float>();
  return {all.begin(), all.end()};
}

TEST_F(DecoderOnly, HasNoParametersOfCrossAttention) {
  for (const Parameter& p : parameters(stack_))
    EXPECT_EQ(p.name.find("cross"), std::string::npos) << p.name;
  EXPECT_EQ(parameters(stack_)[0].name, "layers.0.self.query.weight");
}

// Later tokens change nothing: the states of a prefix are the same bits.
TEST_F(DecoderOnly, StatesDependOnThePastAlone) {
  const Tensor whole = states({3, 9, 4, 11, 7}), prefix = states({3, 9, 4});
  EXPECT_EQ(values(whole.slice(0, 3)), values(prefix));
  EXPECT_NE(values(states({9, 3, 4}).slice(2, 3)), values(prefix.slice(2, 3)));
}

// With a KV cache that has no rows for sources, token by token.
TEST_F(DecoderOnly, CachedStepsAreTheSameBits) {
  const std::vector<TokenId> ids = {3, 9, 4, 11};
  const Tensor whole = states(ids);
  ForwardPass pass(*backend_, pool_);
  config_.decoder_layers = 2;
  DecoderCache cache(config_, *backend_, pool_, {.target = int64_t(ids.size())});
  for (size_t i = 0; i < ids.size(); ++i) {
    StepTokens step;
    step.tokens.add(std::span(ids).subspan(i, 1));
    step.tokens.start.push_back(int32_t(i));
    step.past.lengths.add(int64_t(i) + 1);
    std::vector<int32_t> past(i + 1);
    std::iota(past.begin(), past.end(), 0);
    step.past.rows = past;
    step.new_rows.push_back(int32_t(i));
    cache.begin(step);
    const Tensor state = to_host(stack_.forward(pass, step.tokens, table_, cache));
    EXPECT_EQ(values(state), values(whole.slice(int64_t(i), int64_t(i) + 1))) << i;
  }
}

}  // namespace
}  // namespace heed
