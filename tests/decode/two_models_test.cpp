// Two Transformers of different sizes in one search: a StepModel that asks both, and whose
// log-probabilities are the means of theirs.
#include <gtest/gtest.h>

#include <cmath>

#include "heed/model/sequence_model.h"
#include "search_fixture.h"

namespace heed {
namespace {

using testing::backends;
using testing::computing_name;
using testing::sources;

// The log-probabilities of one row of logits.
std::vector<double> log_softmax(std::span<const float> logits) {
  const double top = double(*std::max_element(logits.begin(), logits.end()));
  double sum = 0;
  for (const float logit : logits) sum += std::exp(double(logit) - top);
  std::vector<double> all;
  for (const float logit : logits) all.push_back(double(logit) - top - std::log(sum));
  return all;
}

class MeanOfModels : public StepModel {
 public:
  MeanOfModels(std::unique_ptr<StepModel> first, std::unique_ptr<StepModel> second,
               Backend& backend)
      : memory_(backend.memory()) {
    models_.push_back(std::move(first));
    models_.push_back(std::move(second));
  }

  Description description() const override { return models_[0]->description(); }
  void reserve(const StepRows& rows) override {
    for (const auto& model : models_) model->reserve(rows);
  }
  void admit(const Tokens& sources, const Indices& rows) override {
    for (const auto& model : models_) model->admit(sources, rows);
  }
  Tensor logits(const StepTokens& step) override {
    Tensor mean;
    for (const auto& model : models_) {
      const Tensor logits = to_host(model->logits(step));
      if (!mean) mean = Tensor(logits.shape());
      const auto columns = size_t(logits.columns());
      for (int64_t row = 0; row < logits.rows(); ++row) {
        const auto at = logits.span<float>().subspan(size_t(row) * columns, columns);
        const std::vector<double> of_model = log_softmax(at);
        for (size_t i = 0; i < columns; ++i)
          mean.span<float>()[size_t(row) * columns + i] += float(of_model[i] / 2);
      }
    }
    mean.move_to(memory_);
    return mean;
  }
  int64_t bytes_held() const override {
    return models_[0]->bytes_held() + models_[1]->bytes_held();
  }

 private:
  const std::shared_ptr<TensorMemory> memory_;
  std::vector<std::unique_ptr<StepModel>> models_;
};

class TwoModelsTest : public testing::SearchTest {
 protected:
  TwoModelsTest() : other_(config()) {
    other_.initialize(5);
    other_.move_to(backend_->memory());
    pack(other_, *backend_, Purpose::inference);
  }
  static ModelConfig config() {
    ModelConfig config = testing::small_config(12);
    config.d_model *= 2;
    config.encoder_layers = 1;
    config.decoder_layers = 3;
    return config;
  }

  std::vector<SearchResult> run(const SearchOptions& options,
                                const std::vector<std::vector<TokenId>>& texts) {
    auto both = std::make_unique<MeanOfModels>(make_steps({model_, *backend_}),
                                               make_steps({other_, *backend_}), *backend_);
    Search batch(std::move(both), *backend_, {.hypotheses = options.hypothesis_count()});
    return search(batch, options, texts);
  }

  // What follows a prefix, by whole passes of both models.
  std::vector<double> mean_after(const std::vector<TokenId>& source,
                                 const std::vector<TokenId>& prefix) {
    const std::vector<double> a = next(model_, source, prefix), b = next(other_, source, prefix);
    std::vector<float> mean;
    for (size_t i = 0; i < a.size(); ++i) mean.push_back(float((a[i] + b[i]) / 2));
    return log_softmax(mean);
  }

  SequenceModel other_;
};

INSTANTIATE_TEST_SUITE_P(Backends, TwoModelsTest, ::testing::ValuesIn(backends()), computing_name);

TEST_P(TwoModelsTest, ASearchIsByTheMeanOfBoth) {
  SearchOptions beam, samples;
  beam.beam = beam.nbest = 3;
  samples.sample = true;
  samples.nbest = 2;
  const auto texts = sources(5, 77);
  for (SearchOptions options : {beam, samples}) {
    options.extra_length = 6;
    const auto found = run(options, texts);
    for (size_t i = 0; i < texts.size(); ++i) {
      ASSERT_FALSE(found[i].hypotheses.empty());
      for (const Hypothesis& h : found[i].hypotheses) {
        double sum = 0;
        for (size_t n = 0; n < h.log_probabilities.size(); ++n) {
          const std::vector<TokenId> prefix(h.ids.begin(), h.ids.begin() + std::ptrdiff_t(n));
          sum += mean_after(texts[i], prefix)[size_t(n < h.ids.size() ? h.ids[n] : 0)];
        }
        EXPECT_NEAR(h.log_probability, sum, 1e-3);
      }
    }
  }
}

TEST_P(TwoModelsTest, GreedySearchTakesTheBestOfTheMean) {
  SearchOptions greedy;
  greedy.beam = 1;
  greedy.extra_length = 6;
  const auto texts = sources(5, 78);
  const auto found = run(greedy, texts);
  for (size_t i = 0; i < texts.size(); ++i) {
    const Hypothesis& h = found[i].hypotheses.front();
    for (size_t n = 0; n < h.ids.size(); ++n) {
      const std::vector<TokenId> prefix(h.ids.begin(), h.ids.begin() + std::ptrdiff_t(n));
      const std::vector<double> mean = mean_after(texts[i], prefix);
      EXPECT_NEAR(mean[size_t(h.ids[n])], *std::max_element(mean.begin(), mean.end()), 1e-3);
    }
  }
}

}  // namespace
}  // namespace heed
