#include "heed/train/adam.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "heed/backend/cpu/cpu_backend.h"
#include "heed/model/sequence_model.h"
#include "heed/train/schedule.h"
#include "reference/reference_backend.h"
#include "support/isolated_backend.h"
#include "support/small_model.h"

namespace heed {
namespace {

using Numbers = std::vector<double>;

Tensor tensor(const Numbers& values, DType type) {
  if (type == DType::fp64) return tensor_of<double>({int64_t(values.size())}, values);
  const std::vector<float> rounded(values.begin(), values.end());
  return tensor_of<float>({int64_t(values.size())}, rounded);
}

void expect_near(const Tensor& got, const Numbers& expected, double tolerance) {
  for (size_t i = 0; i < expected.size(); ++i) {
    const double value =
        got.dtype() == DType::fp64 ? got.data<double>()[i] : double(got.data<float>()[i]);
    EXPECT_NEAR(value, expected[i], tolerance);
  }
}

// Twelve steps of AdamW under a schedule, with a moving average, against PyTorch's
// (tools/make_optimizer_goldens.py).
void expect_golden(Backend& backend, DType type, double tolerance) {
  std::ifstream file(HEED_TESTS "/train/data/optimizer.json");
  const nlohmann::json golden = nlohmann::json::parse(file);
  ASSERT_EQ(golden["cases"].size(), 2u);
  for (const auto& expected : golden["cases"]) {
    RateSchedule schedule;
    schedule.schedule = expected["schedule"] == "linear" ? Schedule::linear : Schedule::cosine;
    schedule.warmup_steps = golden["warmup"].get<int64_t>();
    schedule.rate = golden["peak"].get<double>();
    schedule.final_fraction = golden["final_fraction"].get<double>();
    schedule.decay_steps = int64_t(golden["gradients"].size());
    Tensor weights = tensor(golden["initial"].get<Numbers>(), type);
    Tensor average = tensor(golden["initial"].get<Numbers>(), type);
    Tensor m(weights.shape(), type), v(weights.shape(), type);
    AdamStep step;
    step.weight_decay = golden["weight_decay"].get<double>();
    for (size_t i = 0; i < golden["gradients"].size(); ++i) {
      step.step = int64_t(i) + 1;
      step.learning_rate = learning_rate(schedule, step.step);
      step.ema_decay = ema_decay(golden["ema"].get<double>(), step.step);
      EXPECT_NEAR(step.learning_rate, expected["rates"][i].get<double>(), 1e-15);
      backend.adam(step, tensor(golden["gradients"][i].get<Numbers>(), type), weights, m, v,
                   &average);
      expect_near(weights, expected["weights"][i].get<Numbers>(), tolerance);
      expect_near(average, expected["averages"][i].get<Numbers>(), tolerance);
    }
  }
}

TEST(Adam, StepsScheduleAndAverageArePyTorchs) {
  expect_golden(*make_reference_backend(), DType::fp64, 1e-14);
  expect_golden(*make_cpu_backend(), DType::fp32, 1e-6);
}

class AdamOnAModelTest : public ::testing::Test {
 protected:
  AdamOnAModelTest() : model_(testing::small_config(20)) {
    model_.initialize(1);
    for (const Parameter& p : parameters(model_)) {
      offsets_.push_back(size_);
      size_ += p.tensor.size();
    }
  }

  std::vector<float> values() {
    std::vector<float> all;
    for (const Parameter& p : parameters(model_)) {
      const Tensor host = to_host(p.tensor);
      all.insert(all.end(), host.span<float>().begin(), host.span<float>().end());
    }
    return all;
  }

  SequenceModel model_;
  std::unique_ptr<Backend> backend_ = testing::isolated_if_asked(make_cpu_backend());
  Workers workers_{2};
  std::vector<int64_t> offsets_;
  int64_t size_ = 0;
};

TEST_F(AdamOnAModelTest, WeightDecaySparesBiasesAndNorms) {
  for (Parameter& p : parameters(model_))
    for (float& x : p.tensor.span<float>()) x += 1;
  model_.move_to(backend_->memory());
  Adam adam(parameters(model_), *backend_, workers_);
  AdamStep step;
  step.learning_rate = 0.1;
  step.weight_decay = 0.5;
  const std::vector<float> before = values();
  adam.update(step, Tensor({size_}, DType::fp32, backend_->memory()),
              offsets_);  // no gradient: nothing but the decay
  const std::vector<float> after = values();
  const std::vector<Parameter> all = parameters(model_);
  for (size_t i = 0; i < all.size(); ++i) {
    const bool vector = all[i].tensor.shape().size() == 1;
    EXPECT_EQ(vector, all[i].name.ends_with("bias") || all[i].name.ends_with("gain"));
    const auto at = size_t(offsets_[i]);
    EXPECT_FLOAT_EQ(after[at], before[at] * (vector ? 1.0f : 0.95f)) << all[i].name;
  }
}

TEST_F(AdamOnAModelTest, SwapEmaExchangesItAndTheWeights) {
  model_.move_to(backend_->memory());
  Adam adam(parameters(model_), *backend_, workers_, Ema::on);
  const std::vector<float> first = values();
  Tensor gradient({size_});
  for (float& x : gradient.span<float>()) x = 1;
  gradient.move_to(backend_->memory());
  AdamStep step;
  step.learning_rate = 0.25;
  step.ema_decay = 0.5;
  adam.update(step, gradient, offsets_);
  const std::vector<float> second = values();
  adam.swap_ema();
  const std::vector<float> average = values();
  adam.swap_ema();
  EXPECT_EQ(values(), second);
  for (size_t i = 0; i < first.size(); ++i)
    EXPECT_NEAR(average[i], (first[i] + second[i]) / 2, 1e-6);
}

}  // namespace
}  // namespace heed
