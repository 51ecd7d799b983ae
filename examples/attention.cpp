// Equation 1 by hand: three words look at each other, none at those behind it.
#include <heed/heed.h>

#include <cstdio>
#include <vector>

int main() {
  const std::vector<float> numbers = {1, 0, 0, 1, 1, 1};
  const heed::Tensor words = heed::tensor_of<float>({3, 2}, numbers);  // a row for each word

  // softmax(Q K^T / sqrt(d_k) + mask) V
  const auto [context, weights] = heed::paper::scaled_dot_product_attention(
      words, words, words, {.mask = heed::paper::causal_mask(3, 3)});

  for (int word = 0; word < 3; ++word) {
    std::printf("word %d sees", word + 1);
    for (const float weight : weights.slice(word, word + 1).span<float>())
      std::printf(" %.3f", double(weight));
    std::printf(" and becomes");
    for (const float value : context.slice(word, word + 1).span<float>())
      std::printf(" %.3f", double(value));
    std::printf("\n");
  }
}

// Prints:
//   word 1 sees 1.000 0.000 0.000 and becomes 1.000 0.000
//   word 2 sees 0.330 0.670 0.000 and becomes 0.330 0.670
//   word 3 sees 0.248 0.248 0.503 and becomes 0.752 0.752
