// LayerNorm and BatchNorm of the same rows: dependence on the other rows of the batch, and the
// difference between training and inference.
#include <heed/heed.h>

#include <cmath>
#include <cstdio>
#include <vector>

namespace paper = heed::paper;

constexpr int64_t kFeatures = 4;
constexpr double kEpsilon = 1e-5;

// Ioffe and Szegedy, 2015, without gain and bias: each feature by its mean and variance over the
// rows of the batch, or, in inference, by running means of these.
class BatchNorm {
 public:
  heed::Tensor train(const heed::Tensor& x) {
    std::vector<double> mean(kFeatures), variance(kFeatures);
    const auto rows = double(x.rows());
    for (int64_t i = 0; i < x.size(); ++i) mean[column(i)] += double(x.data<float>()[i]) / rows;
    for (int64_t i = 0; i < x.size(); ++i) {
      const double distance = double(x.data<float>()[i]) - mean[column(i)];
      variance[column(i)] += distance * distance / rows;
    }
    for (size_t c = 0; c < size_t(kFeatures); ++c) {
      running_mean_[c] += kMomentum * (mean[c] - running_mean_[c]);
      running_variance_[c] += kMomentum * (variance[c] - running_variance_[c]);
    }
    return normalized(x, mean, variance);
  }
  heed::Tensor infer(const heed::Tensor& x) const {
    return normalized(x, running_mean_, running_variance_);
  }

 private:
  static constexpr double kMomentum = 0.1;

  static size_t column(int64_t i) { return size_t(i % kFeatures); }
  static heed::Tensor normalized(const heed::Tensor& x, const std::vector<double>& mean,
                                 const std::vector<double>& variance) {
    heed::Tensor y(x.shape());
    for (int64_t i = 0; i < x.size(); ++i) {
      const size_t c = column(i);
      y.data<float>()[i] =
          float((double(x.data<float>()[i]) - mean[c]) / std::sqrt(variance[c] + kEpsilon));
    }
    return y;
  }

  std::vector<double> running_mean_ = std::vector<double>(kFeatures, 0);
  std::vector<double> running_variance_ = std::vector<double>(kFeatures, 1);
};

heed::Tensor layer_norm(const heed::Tensor& x) {
  heed::Tensor gain({kFeatures}), bias({kFeatures});
  for (float& g : gain.span<float>()) g = 1;
  return paper::layer_norm(x, gain, bias, kEpsilon);
}

// Sentences end to end, as heed lays out a batch: a row for each word.
heed::Tensor batch_of(const std::vector<std::vector<float>>& sentences) {
  std::vector<float> values;
  for (const auto& sentence : sentences)
    values.insert(values.end(), sentence.begin(), sentence.end());
  return heed::tensor_of<float>({int64_t(values.size()) / kFeatures, kFeatures}, values);
}

void print(const char* what, const heed::Tensor& normalized) {
  std::printf("  %-26s", what);
  for (const float v : normalized.slice(0, 1).span<float>()) std::printf(" %6.2f", double(v));
  std::printf("\n");
}

int main() {
  const std::vector<float> word = {1, 2, 3, 6};  // the row that is printed
  const std::vector<float> next = {2, 0, 1, 1};
  const std::vector<float> short_sentence = {0, 1, 4, 3};
  const std::vector<float> long_sentence = {9, 8, 7, 9, 8, 9, 9, 7, 6, 9, 8, 8};
  std::vector<float> sentence = word;
  sentence.insert(sentence.end(), next.begin(), next.end());

  const heed::Tensor beside_short = batch_of({sentence, short_sentence});
  const heed::Tensor beside_long = batch_of({sentence, long_sentence});
  const heed::Tensor alone = batch_of({word});
  std::printf("LayerNorm of the first row\n");
  print("beside a sentence of 1", layer_norm(beside_short));
  print("beside a sentence of 3", layer_norm(beside_long));
  print("in a batch of one row", layer_norm(alone));

  BatchNorm norm;
  std::printf("BatchNorm in training\n");
  print("beside a sentence of 1", norm.train(beside_short));
  print("beside a sentence of 3", norm.train(beside_long));
  print("in a batch of one row", norm.train(alone));
  std::printf("BatchNorm in inference\n");
  print("after these 3 batches", norm.infer(alone));
  for (int i = 0; i < 100; ++i) norm.train(i % 2 == 0 ? beside_short : beside_long);
  print("after 100 more", norm.infer(alone));
  print("beside a sentence of 3", norm.infer(beside_long));
}

// Prints:
//   LayerNorm of the first row
//     beside a sentence of 1      -1.07  -0.53   0.00   1.60
//     beside a sentence of 3      -1.07  -0.53   0.00   1.60
//     in a batch of one row       -1.07  -0.53   0.00   1.60
//   BatchNorm in training
//     beside a sentence of 1       0.00   1.22   0.27   1.30
//     beside a sentence of 3      -1.32  -0.94  -0.85  -0.07
//     in a batch of one row        0.00   0.00   0.00   0.00
//   BatchNorm in inference
//     after these 3 batches        0.27   0.84   1.52   3.44
//     after 100 more              -0.93  -0.50  -0.51   0.47
//     beside a sentence of 3      -0.93  -0.50  -0.51   0.47
