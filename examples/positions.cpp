// The order of words: the paper's sinusoids, and the other ways of encoding positions beside them.
#include <heed/heed.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

namespace paper = heed::paper;

constexpr int64_t kWidth = 64;

heed::ModelConfig model_with(heed::Positions positions) {
  heed::ModelConfig config = heed::preset("base");
  config.variants.positions = positions;
  return config;
}

// The parameters that an encoding of positions adds to a base model.
long long added_parameters(heed::Positions positions) {
  return heed::parameter_count(heed::shapes_of(model_with(positions))) -
         heed::parameter_count(heed::shapes_of(model_with(heed::Positions::none)));
}

// The encoder's state of the first word of a sentence.
std::vector<float> first_state(heed::Positions positions, const std::vector<heed::TokenId>& ids) {
  heed::ModelConfig config = model_with(positions);
  config.vocabulary_size = 100;
  config.output_vocabulary_size = 99;
  config.encoder_layers = config.decoder_layers = 1;
  const heed::SequenceModel model = heed::random_model(config, 1);
  const auto backend = heed::make_backend(heed::ComputeChoice::fp32, heed::Purpose::inference);
  heed::TensorPool pool;
  heed::ForwardPass pass(*backend, pool);
  heed::Tokens sentence;
  sentence.add(ids);
  const auto states = model.encode(pass, sentence).states.slice(0, 1);
  return {states.span<float>().begin(), states.span<float>().end()};
}

// How much that state changes when the words after it change places.
double change_by_order(heed::Positions positions) {
  const auto a = first_state(positions, {11, 12, 13, 14, 0});
  const auto b = first_state(positions, {11, 13, 14, 12, 0});
  double largest = 0;
  for (size_t c = 0; c < a.size(); ++c) largest = std::max(largest, std::abs(double(a[c]) - b[c]));
  return largest;
}

void print_products() {
  const heed::Tensor table = paper::positional_encoding(1024, 512);
  const auto product = [&](int64_t p, int64_t q) {
    const float* rows = table.data<float>();
    return std::inner_product(rows + p * 512, rows + (p + 1) * 512, rows + q * 512, 0.0) / 256;
  };
  std::printf("PE(p) PE(p + k) / 256   p = 0   p = 10  p = 500\n");
  for (const int64_t k : {0, 1, 5, 20, 100})
    std::printf("k = %-3lld              %6.3f   %6.3f   %6.3f\n", static_cast<long long>(k),
                product(0, k), product(10, 10 + k), product(500, 500 + k));
}

// The scaled score of one query with one key: their positions, then the score.
template <class Score>
void print_scores(const char* name, heed::Positions positions, const Score& score) {
  std::printf("%-11s %9lld  %7.2f  %9.2f  %8.2f\n", name, added_parameters(positions), score(3, 1),
              score(103, 101), score(103, 3));
}

void print_schemes() {
  heed::Random random(1);
  const auto normal = [&](int64_t rows) {
    heed::Tensor tensor({rows, kWidth});
    for (float& x : tensor.span<float>()) x = float(random.normal());
    return tensor;
  };
  const heed::Tensor q = normal(1), k = normal(1), learned = normal(128);
  const heed::Tensor sinusoids = paper::positional_encoding(128, kWidth);
  const double scale = 1 / std::sqrt(double(kWidth));
  const auto dot = [&](const heed::Tensor& a, const heed::Tensor& b) {
    return double(paper::dot_scores(a, b, scale).data<float>()[0]);
  };
  const auto added = [&](const heed::Tensor& table) {
    return [&, table](int64_t i, int64_t j) {
      return dot(paper::add(q, table.slice(i, i + 1)), paper::add(k, table.slice(j, j + 1)));
    };
  };
  const auto biased = [&](const heed::Tensor& bias) {  // [1, 128, 128]
    return [&, bias](int64_t i, int64_t j) {
      return dot(q, k) + double(bias.data<float>()[i * 128 + j]);
    };
  };
  std::printf("\npositions   parameters  1 to 3  101 to 103  3 to 103\n");
  print_scores("none", heed::Positions::none, [&](int64_t, int64_t) { return dot(q, k); });
  print_scores("sinusoidal", heed::Positions::sinusoidal, added(sinusoids));
  print_scores("learned", heed::Positions::learned, added(learned));
  print_scores("rotary", heed::Positions::rotary, [&](int64_t i, int64_t j) {
    return dot(paper::rotary_embedding(q, {int32_t(i)}), paper::rotary_embedding(k, {int32_t(j)}));
  });
  print_scores("alibi", heed::Positions::alibi, biased(paper::alibi_bias(1, 128, 128)));
  const heed::Tensor distances = normal(33);  // of -16 to 16, key minus query
  print_scores("relative", heed::Positions::relative, [&](int64_t i, int64_t j) {
    const int64_t d = std::clamp<int64_t>(j - i, -16, 16) + 16;
    return dot(q, paper::add(k, distances.slice(d, d + 1)));
  });
  const heed::Tensor buckets = normal(1).slice(0, 1).reshape({1, kWidth});
  print_scores("t5", heed::Positions::t5, biased(paper::t5_bias(buckets, 128, 128)));
}

int main() {
  print_products();
  std::printf("\nchange of the first state when the words after it change places\n");
  std::printf("without positions      %7.3f\n", change_by_order(heed::Positions::none));
  std::printf("with sinusoids         %7.3f\n", change_by_order(heed::Positions::sinusoidal));
  print_schemes();
}

// Prints:
//   PE(p) PE(p + k) / 256   p = 0   p = 10  p = 500
//   k = 0                 1.000    1.000    1.000
//   k = 1                 0.973    0.973    0.973
//   k = 5                 0.741    0.741    0.741
//   k = 20                0.616    0.616    0.616
//   k = 100               0.437    0.437    0.437
//
//   change of the first state when the words after it change places
//   without positions        0.000
//   with sinusoids           0.025
//
//   positions   parameters  1 to 3  101 to 103  3 to 103
//   none                0    -0.49      -0.49     -0.49
//   sinusoidal          0     3.86       3.06      1.40
//   learned       1048576     2.76       2.97      5.12
//   rotary              0    -0.64      -0.64     -0.51
//   alibi               0    -0.49      -0.49     -0.88
//   relative        50688    -0.25      -0.25     -1.61
//   t5                512     1.02       1.02     -0.30
