// Which words does the last of four attend to? Equation 1 and its variants on the same numbers.
#include <heed/heed.h>

#include <cstdio>
#include <vector>

namespace paper = heed::paper;

// The last row of the weights.
void print(const char* variant, const heed::Tensor& weights) {
  std::printf("%-14s", variant);
  for (const float weight : weights.span<float>().last(4)) std::printf(" %.3f", double(weight));
  std::printf("\n");
}

int main() {
  const std::vector<float> numbers = {1, 0, 0, 1, 1, 1, 1, 0};
  const heed::Tensor x = heed::tensor_of<float>({4, 2}, numbers);  // one row per word
  const heed::Tensor causal = paper::causal_mask(4, 4);
  print("scaled dot", paper::scaled_dot_product_attention(x, x, x, {.mask = causal}).weights);

  // Other scores: softmax(scores + mask) V, or the value with the best score.
  print("cosine", paper::attend(paper::cosine_scores(x, x), x, causal).weights);
  print("hard", paper::attend_hard(paper::dot_scores(x, x), x, causal).weights);

  // Positions as a mask: a window, or the linear biases of the first of two heads.
  const heed::Tensor window = paper::window_mask(4, 4, 1, heed::Mask::causal);
  print("window of 1", paper::scaled_dot_product_attention(x, x, x, {.mask = window}).weights);
  const heed::Tensor alibi = paper::alibi_bias(2, 4, 4, heed::Mask::causal);
  const auto heads = paper::grouped_query_attention(2, x, x, x, {.mask = alibi});
  print("ALiBi, head 1", heads.weights.slice(0, 1));

  // Positions as a rotation of queries and keys.
  const heed::Tensor y = paper::rotary_embedding(x, {0, 1, 2, 3});
  print("rotary", paper::scaled_dot_product_attention(y, y, x, {.mask = causal}).weights);
}

// Prints:
//   scaled dot     0.286 0.141 0.286 0.286
//   cosine         0.321 0.118 0.240 0.321
//   hard           1.000 0.000 0.000 0.000
//   window of 1    0.000 0.000 0.500 0.500
//   ALiBi, head 1  0.268 0.105 0.304 0.323
//   rotary         0.070 0.269 0.375 0.286
