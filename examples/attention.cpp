// Equation 1 on numbers: self-attention of three words with a causal mask.
#include <heed/heed.h>

#include <cstdio>
#include <vector>

int main() {
  const std::vector<float> numbers = {1, 0, 0, 1, 1, 1};
  const heed::Tensor words = heed::tensor_of<float>({3, 2}, numbers);  // one row per word

  // softmax(Q K^T / sqrt(d_k) + mask) V
  const auto [output, weights] = heed::paper::scaled_dot_product_attention(
      words, words, words, {.mask = heed::paper::causal_mask(3, 3)});

  for (int word = 0; word < 3; ++word) {
    std::printf("word %d: weights", word + 1);
    for (const float weight : weights.slice(word, word + 1).span<float>())
      std::printf(" %.3f", double(weight));
    std::printf(", output");
    for (const float value : output.slice(word, word + 1).span<float>())
      std::printf(" %.3f", double(value));
    std::printf("\n");
  }
}

// Prints:
//   word 1: weights 1.000 0.000 0.000, output 1.000 0.000
//   word 2: weights 0.330 0.670 0.000, output 0.330 0.670
//   word 3: weights 0.248 0.248 0.503, output 0.752 0.752
