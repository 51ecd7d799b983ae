// Scores of queries and keys before anything is learned: why equation 1 divides dot products by
// sqrt(d_k), what addition does in their place, and why queries and keys have a matrix each.
#include <heed/heed.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace paper = heed::paper;

constexpr int64_t kWords = 32;

// Components of mean 0 and this deviation.
heed::Tensor normal(heed::Random& random, int64_t rows, int64_t columns, double deviation = 1) {
  heed::Tensor tensor({rows, columns});
  for (float& x : tensor.span<float>()) x = float(deviation * random.normal());
  return tensor;
}

// Prints the variance of all scores, and the means over the queries of the largest weight and of
// the slope of the softmax: the sum of w (1 - w), the trace of its derivative.
void print(const char* kind, int64_t d_k, const heed::Tensor& scores, const heed::Tensor& value) {
  double squares = 0, largest = 0, slope = 0;
  for (const float s : scores.span<float>()) squares += double(s) * s;
  const heed::Tensor weights = paper::attend(scores, value).weights;
  for (int64_t i = 0; i < kWords; ++i) {
    const heed::Tensor row = weights.slice(i, i + 1);
    largest += *std::max_element(row.span<float>().begin(), row.span<float>().end());
    for (const float w : row.span<float>()) slope += w * (1 - w);
  }
  std::printf("%4lld  %-15s  %8.2f  %14.2f  %5.2f\n", static_cast<long long>(d_k), kind,
              squares / double(scores.size()), largest / kWords, slope / kWords);
}

// Prints how many words score highest with themselves, and the largest difference between the score
// of i for j and that of j for i.
void compare(const char* matrices, const heed::Tensor& query, const heed::Tensor& key) {
  const heed::Tensor scores = paper::dot_scores(query, key, 1 / std::sqrt(16.0));
  const float* s = scores.data<float>();
  int own = 0;
  double difference = 0;
  for (int64_t i = 0; i < kWords; ++i) {
    own += std::max_element(s + i * kWords, s + (i + 1) * kWords) == s + i * kWords + i;
    for (int64_t j = 0; j < kWords; ++j)
      difference = std::max(difference, std::abs(double(s[i * kWords + j]) - s[j * kWords + i]));
  }
  std::printf("%-14s  %2d of %lld words  %18.2f\n", matrices, own, static_cast<long long>(kWords),
              difference);
}

int main() {
  heed::Random random(1);
  std::printf(" d_k  score            variance  largest weight  slope\n");
  for (const int64_t d_k : {4, 64, 512}) {
    const heed::Tensor q = normal(random, kWords, d_k), k = normal(random, kWords, d_k);
    print("q k", d_k, paper::dot_scores(q, k), k);
    print("q k / sqrt(d_k)", d_k, paper::dot_scores(q, k, 1 / std::sqrt(double(d_k))), k);
    // W, U and v as a layer of this width would start: components of variance 1 / d_k.
    const double deviation = 1 / std::sqrt(double(d_k));
    const paper::AdditiveParameters additive{normal(random, d_k, d_k, deviation),
                                             normal(random, d_k, d_k, deviation),
                                             normal(random, 1, d_k, deviation).reshape({d_k})};
    print("v tanh(Wq + Uk)", d_k, paper::additive_scores(additive, q, k), k);
  }

  // Words of 64 components, and projections to d_k = 16, which keep the variance.
  const heed::Tensor words = normal(random, kWords, 64);
  const heed::Tensor w_q = normal(random, 16, 64, 1.0 / 8), w_k = normal(random, 16, 64, 1.0 / 8);
  const heed::Tensor query = paper::dot_scores(words, w_q), key = paper::dot_scores(words, w_k);
  std::printf("\nmatrices        own key is best  largest s_ij - s_ji\n");
  compare("W for both", query, query);
  compare("W^Q and W^K", query, key);
}

// Prints:
//    d_k  score            variance  largest weight  slope
//      4  q k                  3.42            0.30   0.82
//      4  q k / sqrt(d_k)      0.85            0.14   0.93
//      4  v tanh(Wq + Uk)      0.15            0.05   0.97
//     64  q k                 68.36            0.86   0.20
//     64  q k / sqrt(d_k)      1.07            0.18   0.92
//     64  v tanh(Wq + Uk)      0.43            0.07   0.96
//    512  q k                531.49            0.98   0.03
//    512  q k / sqrt(d_k)      1.04            0.18   0.92
//    512  v tanh(Wq + Uk)      0.62            0.08   0.96
//
//   matrices        own key is best  largest s_ij - s_ji
//   W for both      30 of 32 words                0.00
//   W^Q and W^K      1 of 32 words                5.72
