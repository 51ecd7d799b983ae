// Trains a tagger: one encoder layer and a table of tags, which says something of each token.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/core/rng.h"
#include "heed/model/sequence_model.h"
#include "heed/train/training_loop.h"
#include "support/small_model.h"

namespace heed {
namespace {

constexpr int64_t kClasses = 12, kTags = 2;
constexpr TokenId kMark = 5;

// A token's tag says whether it is even, or, in a sentence with the mark, odd: no token tells
// alone.
class Sentences : public Dataset {
 public:
  int64_t size() const override { return 1000; }
  ExampleSize bound(int64_t) const override { return {8, 8}; }
  std::vector<Example> examples(int64_t, std::span<const uint32_t> indices) const override {
    std::vector<Example> all;
    for (const uint32_t index : indices) {
      Random random(index);
      auto& [source, target, links] = all.emplace_back();
      for (uint64_t n = 3 + random.below(6); n > 0; --n)
        source.push_back(TokenId(2 + random.below(9)));
      const bool marked = std::ranges::find(source, kMark) != source.end();
      for (const TokenId id : source) target.push_back(TokenId((id + (marked ? 1 : 0)) % 2));
    }
    return all;
  }
};

class TaggerTask : public Task {
 public:
  TaggerTask()
      : words_({kClasses, config().d_model}),
        encoder_(config(), {1, config().d_ff}, {AttentionSite::encoder_self},
                 positional_encoding(8, config().d_model, DType::fp32), DType::fp32, host_memory()),
        tags_{Tensor({kTags, config().d_model})} {
    std::vector<Parameter> random = heed::parameters(encoder_);
    random.push_back({"words", words_, ParameterRole::embedding});
    initialize(random, 1, config().pad_id());
  }

  std::vector<Parameter> parameters() override {
    std::vector<Parameter> all = heed::parameters(encoder_);
    all.push_back({"words", words_, ParameterRole::embedding});
    all.push_back({"tags", tags_.table, ParameterRole::embedding});
    return all;
  }
  std::vector<Linear> linear_layers() override { return heed::linear_layers(encoder_); }
  Loss loss(ForwardPass& pass, const std::vector<Example>& examples,
            double gradient_factor) const override {
    const auto [sentences, tags] = batch_of(examples);
    if (tags.empty()) return {};
    return tags_.loss(pass, encoder_.forward(pass, sentences, words_, nullptr), tags,
                      {0, gradient_factor});
  }
  // The share of tags that are the likeliest ones.
  std::vector<Score> scores(Backend& backend) const override {
    std::vector<uint32_t> numbers(100);
    std::iota(numbers.begin(), numbers.end(), 0u);
    const auto [sentences, tags] = batch_of(Sentences().examples(0, numbers));
    TensorPool pool(backend.memory());
    ForwardPass pass(backend, pool);
    const TopK best =
        backend.top_k(tags_.logits(pass, encoder_.forward(pass, sentences, words_, nullptr)), 1);
    double right = 0;
    for (size_t i = 0; i < tags.size(); ++i) right += best.ids[i] == tags[i];
    return {{"accuracy", "accuracy", right / double(tags.size())}};
  }

 private:
  struct Batch {
    Tokens sentences;
    Indices tags;
  };
  static Batch batch_of(const std::vector<Example>& examples) {
    Batch batch;
    for (const Example& example : examples) {
      batch.sentences.add(example.source);
      batch.tags.append(example.target);
    }
    return batch;
  }
  static ModelConfig config() {
    ModelConfig config = testing::small_config(kClasses);
    config.d_model = 16;
    config.d_ff = 32;
    config.encoder_layers = config.decoder_layers = 1;
    return config;
  }

  Tensor words_;
  Stack encoder_;
  OutputHead tags_;
};

TEST(TaggerTest, OneEncoderLayerLearnsTagsThatDependOnTheSentence) {
  const auto backend = make_cpu_backend("", DType::fp32);
  Workers workers(2);
  TaggerTask task;
  const Sentences sentences;
  LoopPosition position;
  TrainingLoop loop(task, sentences, {.batches = {.batch_tokens = 256}}, position, *backend,
                    workers);
  loop.pack();
  const auto validated = [&] {
    const Validation all = validate(task, sentences, {.batch_tokens = 256}, *backend, workers);
    return std::pair{all.loss.nll / double(all.loss.tokens), all.scores.at(0).value};
  };
  EXPECT_NEAR(validated().first, std::log(2.0), 1e-5) << "the table of tags begins at zero";
  while (position.epoch < 12) loop.step({.learning_rate = 0.01, .step = position.step + 1});
  const auto [loss, accuracy] = validated();
  EXPECT_LT(loss, 0.1);
  EXPECT_GT(accuracy, 0.95);
}

}  // namespace
}  // namespace heed
