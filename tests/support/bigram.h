// A model that is no Transformer, to train and to search: a table of how likely each token is after
// each other one.
#pragma once

#include <cmath>
#include <vector>

#include "heed/core/rng.h"
#include "heed/model/step_model.h"
#include "heed/train/task.h"

namespace heed::testing {

inline constexpr int64_t kBigramClasses =
    6;  // 0 ends, and the token before the first is an end too

// Row a is the logits of what follows token a.
class BigramTask : public Task {
 public:
  BigramTask()
      : table_({kBigramClasses, kBigramClasses}), identity_({kBigramClasses, kBigramClasses}) {
    for (int64_t i = 0; i < kBigramClasses; ++i)
      identity_.data<float>()[i * kBigramClasses + i] = 1;
  }

  std::vector<Parameter> parameters() override {
    return {{"table", table_, ParameterRole::small_matrix}};
  }
  std::vector<Linear> linear_layers() override { return {}; }
  Loss loss(ForwardPass& pass, const std::vector<Example>& examples,
            double gradient_factor) const override {
    Tokens before;
    Indices labels;
    for (const Example& example : examples) {
      std::vector<TokenId> sequence = {0};
      sequence.insert(sequence.end(), example.target.begin(), example.target.end());
      before.add(sequence);
      labels.append(example.target);
      labels.push_back(0);
    }
    if (labels.empty()) return {};
    const Tensor rows = embed(pass, before, table_, {}, {});
    return cross_entropy(pass, rows, identity_, {}, labels, {0, gradient_factor});
  }

  std::vector<float> values() const {
    const auto all = table_.span<float>();
    return {all.begin(), all.end()};
  }
  double probability(TokenId before, TokenId next) const {
    const float* row = table_.data<float>() + before * kBigramClasses;
    double sum = 0;
    for (int64_t i = 0; i < kBigramClasses; ++i) sum += std::exp(double(row[i]));
    return std::exp(double(row[next])) / sum;
  }

 private:
  Tensor table_, identity_;
};

// Walks: after token a comes a + 1 twice of three times, else 1. Those of each epoch are others.
class Walks : public Dataset {
 public:
  int64_t size() const override { return 500; }
  ExampleSize bound(int64_t) const override { return {0, 10}; }
  std::vector<Example> examples(int64_t epoch, std::span<const uint32_t> indices) const override {
    std::vector<Example> all;
    for (const uint32_t index : indices) {
      Random random(detail::mix(uint64_t(epoch), index));
      std::vector<TokenId>& ids = all.emplace_back().target;
      TokenId id = 1;
      for (uint64_t n = 1 + random.below(8); n > 0; --n) {
        ids.push_back(id);
        id = id + 1 < kBigramClasses && random.below(3) > 0 ? id + 1 : 1;
      }
    }
    return all;
  }
};

// The table under a search. It reads no source, and its memory is the last token alone.
class BigramSteps : public StepModel {
 public:
  BigramSteps(const BigramTask& task, Backend& backend) : task_(task), pool_(backend.memory()) {}

  Description description() const override { return {0, 0, 32}; }
  void reserve(const StepRows&) override {}
  void admit(const Tokens&, const Indices&) override {}
  Tensor logits(const StepTokens& step) override {
    const std::vector<float> table = task_.values();
    Tensor all = pool_.tensor({int64_t(step.tokens.ids.size()), kBigramClasses}, DType::fp32);
    for (size_t i = 0; i < step.tokens.ids.size(); ++i)
      std::copy_n(table.data() + step.tokens.ids[i] * kBigramClasses, kBigramClasses,
                  all.data<float>() + int64_t(i) * kBigramClasses);
    return all;
  }
  int64_t bytes_held() const override { return pool_.bytes_held(); }

 private:
  const BigramTask& task_;
  TensorPool pool_;
};

}  // namespace heed::testing
