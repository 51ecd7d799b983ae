// The learning rate of equation 3, and dropout in training and in inference.
#include <heed/heed.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <vector>

// Prints the share of zeros that dropout makes of a million ones, the other values, and the mean.
void show_values(heed::Backend& backend) {
  heed::TensorPool pool;
  heed::ForwardPass pass(backend, pool);
  heed::Tensor ones({1000, 1000});
  std::ranges::fill(ones.span<float>(), 1.0F);
  pass.dropout_seed = 1;
  for (const double probability : {0.1, 0.3}) {
    const heed::Tensor y = heed::dropout(pass, ones, probability);
    double sum = 0;
    for (const float v : y.span<float>()) sum += double(v);
    const auto zeros = std::ranges::count(y.span<float>(), 0.0F);
    std::printf("dropout %.1f of ones: %.3f are 0, the others %.3f, mean %.2f\n", probability,
                double(zeros) / double(y.size()), double(std::ranges::max(y.span<float>())),
                sum / double(y.size()));
  }
}

// The encoder's states of one sentence under a seed of dropout, or without dropout.
std::vector<float> states(const heed::SequenceModel& model, heed::Backend& backend,
                          std::optional<uint64_t> dropout_seed) {
  heed::TensorPool pool;
  heed::ForwardPass pass(backend, pool);
  pass.dropout_seed = dropout_seed;
  heed::Tokens sentence;
  sentence.add(std::vector<heed::TokenId>{11, 12, 13, 0});
  const heed::Tensor result = model.encode(pass, sentence).states;
  return {result.span<float>().begin(), result.span<float>().end()};
}

int main() {
  for (const int step : {1, 2000, 4000, 16000, 64000})
    std::printf("step %5d: learning rate of base %.2e\n", step,
                heed::paper::noam_learning_rate(step));

  const auto backend = heed::make_backend(heed::ComputeChoice::fp32, heed::Purpose::training);
  show_values(*backend);

  heed::ModelConfig config = heed::preset("tiny");
  config.vocabulary_size = 100;
  config.output_vocabulary_size = 99;
  const heed::SequenceModel model = heed::random_model(config, 1);
  const auto print = [&](const char* what, std::optional<uint64_t> a, std::optional<uint64_t> b) {
    const bool equal = states(model, *backend, a) == states(model, *backend, b);
    std::printf("%-33s %s\n", what, equal ? "same bits" : "differ");
  };
  print("two training passes, other seeds", 1, 2);
  print("two training passes, same seed", 1, 1);
  print("two inference passes", {}, {});
  print("a training and an inference pass", 1, {});
}

// Prints:
//   step     1: learning rate of base 1.75e-07
//   step  2000: learning rate of base 3.49e-04
//   step  4000: learning rate of base 6.99e-04
//   step 16000: learning rate of base 3.49e-04
//   step 64000: learning rate of base 1.75e-04
//   dropout 0.1 of ones: 0.100 are 0, the others 1.111, mean 1.00
//   dropout 0.3 of ones: 0.300 are 0, the others 1.429, mean 1.00
//   two training passes, other seeds  differ
//   two training passes, same seed    same bits
//   two inference passes              same bits
//   a training and an inference pass  differ
