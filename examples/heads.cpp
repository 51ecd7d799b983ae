// Several heads: their cost in a base model, and two words that one head can only mix and two heads
// read apart.
#include <heed/heed.h>

#include <cstdio>
#include <limits>
#include <vector>

namespace paper = heed::paper;

// A base model with this many heads of this width: its parameters, and the multiply-adds of the
// self-attention of 25 positions in one layer.
void print_cost(int64_t heads, int64_t d_k) {
  heed::ModelConfig config = heed::preset("base");
  config.heads = heads;
  config.variants.d_key = config.variants.d_value = d_k;
  const int64_t n = 25, d = config.d_model, columns = heads * d_k;
  const int64_t multiply_adds = 4 * n * d * columns + 2 * n * n * columns;
  std::printf("%5lld  %4lld  %11lld  %11lld\n", static_cast<long long>(heads),
              static_cast<long long>(d_k),
              static_cast<long long>(heed::parameter_count(heed::shapes_of(config))),
              static_cast<long long>(multiply_adds));
}

// The output of a query that gives all of its weight to the keys whose mask is 0.
heed::Tensor read(const heed::Tensor& words, const std::vector<float>& mask) {
  const heed::Tensor query({1, 2});
  return paper::scaled_dot_product_attention(query, words, words,
                                             {.mask = heed::tensor_of<float>({1, 3}, mask)})
      .output;
}

// Prints the output of a head with this mask for the words a ? b, and for b ? a.
void print_reading(const char* head, const std::vector<float>& mask) {
  const std::vector<float> a_b = {1, 0, 0, 0, 0, 1}, b_a = {0, 1, 0, 0, 1, 0};
  std::printf("%-14s", head);
  for (const auto* words : {&a_b, &b_a}) {
    const heed::Tensor output = read(heed::tensor_of<float>({3, 2}, *words), mask);
    std::printf("  %.1f %.1f", double(output.data<float>()[0]), double(output.data<float>()[1]));
  }
  std::printf("\n");
}

int main() {
  std::printf("heads   d_k   parameters  multiply-adds of 25 positions\n");
  print_cost(1, 512);
  print_cost(8, 64);
  print_cost(32, 16);
  print_cost(8, 512);

  const float hidden = -std::numeric_limits<float>::infinity();
  std::printf("\nthe word ? reads both neighbours\n%-14s  a ? b    b ? a\n", "");
  print_reading("one head", {0, hidden, 0});
  print_reading("head 1 of two", {0, hidden, hidden});
  print_reading("head 2 of two", {hidden, hidden, 0});
}

// Prints:
//   heads   d_k   parameters  multiply-adds of 25 positions
//       1   512     63082496     26854400
//       8    64     63082496     26854400
//      32    16     63082496     26854400
//       8   512    195396608    214835200
//
//   the word ? reads both neighbours
//                   a ? b    b ? a
//   one head        0.5 0.5  0.5 0.5
//   head 1 of two   1.0 0.0  0.0 1.0
//   head 2 of two   0.0 1.0  1.0 0.0
