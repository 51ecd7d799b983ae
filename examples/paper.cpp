// Other components of the paper: multi-head attention, positional encoding, label smoothing, the
// learning rate.
#include <heed/heed.h>

#include <cstdio>
#include <vector>

int main() {
  // An untrained model with two heads; heed::load_model("zh-en") loads a trained one.
  heed::ModelConfig config = heed::preset("tiny");
  config.vocabulary_size = 100;
  config.output_vocabulary_size = 99;
  config.d_model = 8;
  config.heads = 2;
  heed::SequenceModel model(config);
  model.initialize(1);
  const heed::Attention self = heed::paper::attention_of(model, "encoder.0.self");

  // Section 3.5: positional encoding.
  const heed::Tensor positions = heed::paper::positional_encoding(5, config.d_model);
  std::printf("position 1 starts with sin(1) = %.4f\n", double(positions.span<float>()[8]));

  // Section 3.2.2: self-attention of five positions.
  const auto [output, weights] =
      heed::paper::multi_head_attention(self, config.heads, positions, positions);
  std::printf("attention: output of %lld by %lld, %lld heads\n",
              static_cast<long long>(output.rows()), static_cast<long long>(output.columns()),
              static_cast<long long>(weights.dim(0)));

  // Section 5.4: three classes; the label is the second, to which the model gives a high
  // probability.
  const std::vector<float> logits = {0, 5, 0};
  const std::vector<heed::TokenId> labels = {1};
  const auto loss = heed::paper::label_smoothed_cross_entropy(
      heed::tensor_of<float>({1, 3}, logits), labels, 0.1);
  std::printf("NLL %.4f, smoothed %.4f\n", double(loss.nll.span<float>()[0]),
              double(loss.smoothed.span<float>()[0]));

  // Equation 3: increases for 4000 steps, then decreases.
  for (const int step : {1, 2000, 4000, 16000})
    std::printf("step %d: learning rate %.6f\n", step, heed::paper::noam_learning_rate(step));
}

// Prints:
//   position 1 starts with sin(1) = 0.8415
//   attention: output of 5 by 8, 2 heads
//   NLL 0.0134, smoothed 0.3467
//   step 1: learning rate 0.000000
//   step 2000: learning rate 0.000349
//   step 4000: learning rate 0.000699
//   step 16000: learning rate 0.000349
