// The paper's other pieces, alone: several heads, positions, smoothing, the learning rate.
#include <heed/heed.h>

#include <cstdio>
#include <vector>

int main() {
  // Two heads of a model that has learnt nothing yet; a trained one: heed::load_model("zh-en").
  heed::ModelConfig config = heed::preset("tiny");
  config.vocabulary = 100;
  config.output_vocabulary = 99;
  config.d_model = 8;
  config.heads = 2;
  heed::Transformer model(config);
  model.initialize(1);
  const heed::Attention self = heed::paper::attention_of(model, "encoder.0.self");

  // Section 3.5: what tells position 0 from position 1, and from position 4.
  const heed::Tensor positions = heed::paper::positional_encoding(5, config.d_model);
  std::printf("position 1 begins with sin(1) = %.4f\n", double(positions.span<float>()[8]));

  // Section 3.2.2: five positions look at each other.
  const auto [context, weights] =
      heed::paper::multi_head_attention(self, config.heads, positions, positions);
  std::printf("attention gives %lld by %lld numbers, by %lld heads\n",
              static_cast<long long>(context.rows()), static_cast<long long>(context.columns()),
              static_cast<long long>(weights.dim(0)));

  // Section 5.4: three classes, the second is right, and the model almost sure of it.
  const std::vector<float> logits = {0, 5, 0};
  const std::vector<heed::TokenId> right = {1};
  const auto loss =
      heed::paper::label_smoothed_cross_entropy(heed::tensor_of<float>({1, 3}, logits), right, 0.1);
  std::printf("loss %.4f, smoothed %.4f\n", double(loss.nll.span<float>()[0]),
              double(loss.smoothed.span<float>()[0]));

  // Equation 3: up for 4000 steps, then down.
  for (const int step : {1, 2000, 4000, 16000})
    std::printf("step %d learns at %.6f\n", step, heed::paper::noam_learning_rate(step));
}

// Prints:
//   position 1 begins with sin(1) = 0.8415
//   attention gives 5 by 8 numbers, by 2 heads
//   loss 0.0134, smoothed 0.3467
//   step 1 learns at 0.000000
//   step 2000 learns at 0.000349
//   step 4000 learns at 0.000699
//   step 16000 learns at 0.000349
