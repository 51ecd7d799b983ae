// The small tables of docs/paper.md, printed by heed's own kernels: paper_figures NAME.
// Nothing here trains, so every figure is the same on every machine; a test compares them with the
// page (tests/tools/paper_figures_test.sh).
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <numeric>

#include "heed/decode/search.h"
#include "heed/model/sequence_model.h"
#include "heed/train/schedule.h"
#include "reference/reference_backend.h"

namespace heed {
namespace {

Tensor normal_tensor(Random& random, Shape shape) {
  Tensor tensor(std::move(shape), DType::fp64);
  for (double& value : tensor.span<double>()) value = random.normal();
  return tensor;
}

double root_mean_square(const Tensor& tensor) {
  double sum = 0;
  for (const double value : tensor.span<double>()) sum += value * value;
  return std::sqrt(sum / double(tensor.size()));
}

// What one query makes of 32 keys, over many draws.
struct Attended {
  double deviation = 0;  // of the scores
  double largest = 0;    // weight: the mean
  double slope = 0;      // trace of the softmax's Jacobian, sum of w (1 - w): the mean
  double gradient = 0;   // norm of the query's gradient, where that of the output is 1: the median
};

// Queries, keys and values with components of mean 0 and variance 1, as section 3.2.1 assumes.
Attended attend(Backend& backend, int64_t d_k, double scale) {
  constexpr int64_t draws = 200, keys = 32;
  Attended all;
  std::vector<double> gradients;
  for (int64_t draw = 0; draw < draws; ++draw) {
    Random random(detail::mix(uint64_t(d_k), uint64_t(draw)));
    const Tensor query = normal_tensor(random, {1, d_k});
    Tensor key({keys, d_k}, DType::fp64), value({keys, d_k}, DType::fp64);
    for (int64_t row = 0; row < keys; ++row)
      for (Tensor* tensor : {&key, &value})
        for (double& x : tensor->slice(row, row + 1).span<double>()) x = random.normal();
    KeyRows rows;
    rows.lengths.add(keys);
    Ragged one;
    one.add(1);
    const AttentionLayout layout{one, rows};
    const AttentionOptions options{{1, scale}, {}};
    Tensor out({1, d_k}, DType::fp64), logsumexp({1, 1}, DType::fp64);
    backend.attention({query, key, value}, layout, options, {out, logsumexp});
    double largest = 0, squares = 0, weights = 0;
    for (int64_t j = 0; j < keys; ++j) {
      double score = 0;
      for (int64_t c = 0; c < d_k; ++c)
        score += scale * query.data<double>()[c] * key.data<double>()[j * d_k + c];
      const double weight = std::exp(score - logsumexp.data<double>()[0]);
      squares += score * score;
      largest = std::max(largest, weight);
      weights += weight * (1 - weight);
    }
    Tensor dout = normal_tensor(random, {1, d_k});
    const double norm = root_mean_square(dout) * std::sqrt(double(d_k));
    for (double& value : dout.span<double>()) value /= norm;
    Tensor dquery({1, d_k}, DType::fp64), dkey({keys, d_k}, DType::fp64),
        dvalue({keys, d_k}, DType::fp64);
    backend.attention_gradient(dout, {query, key, value}, layout, options, {out, logsumexp},
                               {dquery, dkey, dvalue});
    all.deviation += squares / double(keys * draws);
    all.largest += largest / double(draws);
    all.slope += weights / double(draws);
    gradients.push_back(root_mean_square(dquery) * std::sqrt(double(d_k)));
  }
  all.deviation = std::sqrt(all.deviation);
  std::nth_element(gradients.begin(), gradients.begin() + draws / 2, gradients.end());
  all.gradient = gradients[draws / 2];
  return all;
}

void scores() {
  const auto backend = make_reference_backend();
  fmt::print("d_k  scores are       deviation  largest weight  slope   median gradient of q\n");
  for (const int64_t d_k : {4, 64, 512}) {
    const auto row = [&](const char* name, double scale) {
      const Attended a = attend(*backend, d_k, scale);
      fmt::print("{:<4} {:<16} {:9.3f}  {:14.3f}  {:5.3f}   {:20.4f}\n", d_k, name, a.deviation,
                 a.largest, a.slope, a.gradient);
    };
    row("q k", 1);
    row("q k / sqrt(d_k)", 1 / std::sqrt(double(d_k)));
    row("q k / sqrt(512)", 1 / std::sqrt(512.0));
  }
}

// Loss and -log p(label) where the model says just what the smoothed target says.
void smoothing() {
  constexpr int64_t classes = 8000;
  constexpr double epsilon = 0.1;
  const auto backend = make_reference_backend();
  fmt::print("epsilon over       p(label)  each other   floor    -log p(label)\n");
  const auto row = [&](const char* name, double label, double others, int64_t count) {
    const double floor = -label * std::log(label) - double(count) * others * std::log(others);
    fmt::print("{:<18} {:8.6f}  {:.4e}   {:6.4f}   {:13.4f}\n", name, label, others, floor,
               -std::log(label));
  };
  const double share = epsilon / double(classes);
  row("all K", 1 - epsilon + share, share, classes - 1);
  row("the other K - 1", 1 - epsilon, epsilon / double(classes - 1), classes - 1);
  row("K - 2, not pad", 1 - epsilon, epsilon / double(classes - 2), classes - 2);
  // heed's own loss for the first row.
  Tensor logits({1, classes}, DType::fp64);
  std::fill_n(logits.data<double>(), classes, std::log(share));
  logits.data<double>()[7] = std::log(1 - epsilon + share);
  Tensor losses({1, 2}, DType::fp64);
  const Indices labels = {7};
  backend->cross_entropy(logits, labels, 0, {epsilon, 0}, losses);
  fmt::print("heed's loss there: {:6.4f}, and its -log p(label): {:6.4f}\n",
             losses.data<double>()[0], losses.data<double>()[1]);
}

// Inner products of positions, in heed's order of columns and in the order of the formula.
void positions() {
  constexpr int64_t d = 512;
  const Tensor table = positional_encoding(128, d, DType::fp64);
  const auto row = [&](int64_t position) { return table.data<double>() + position * d; };
  fmt::print("k    PE(p) PE(p + k) / 256, p = 0   p = 100   interleaved, p = 100\n");
  for (const int64_t k : {0, 1, 2, 5, 20}) {
    const auto halves = [&](int64_t p) {
      return std::inner_product(row(p), row(p) + d, row(p + k), 0.0) / 256;
    };
    double interleaved = 0;
    for (int64_t c = 0; c < d; ++c) {
      const int64_t from = c % 2 == 0 ? c / 2 : d / 2 + c / 2;
      interleaved += row(100)[from] * row(100 + k)[from] / 256;
    }
    fmt::print("{:<4} {:29.6f}   {:7.6f}   {:20.6f}\n", k, halves(0), halves(100), interleaved);
  }
}

void rates() {
  fmt::print("step     base (512)   big (1024)\n");
  for (const int64_t step : {1, 2, 1000, 4000, 10000, 100000, 300000})
    fmt::print("{:<7}  {:.3e}    {:.3e}\n", step, learning_rate({.d_model = 512}, step),
               learning_rate({.d_model = 1024}, step));
}

// How far one parameter moves in its first step, in units of the learning rate.
void adam() {
  const auto backend = make_reference_backend();
  fmt::print("gradient   epsilon 1e-9   1e-8     1e-6     1e-9 of tensor2tensor\n");
  for (const double gradient : {1e-4, 1e-6, 1e-8, 1e-9, 1e-10}) {
    const auto move = [&](double epsilon) {
      Tensor g({1}, DType::fp64), p({1}, DType::fp64), m({1}, DType::fp64), v({1}, DType::fp64);
      g.data<double>()[0] = gradient;
      AdamStep step;
      step.learning_rate = 1;
      step.epsilon = epsilon;
      backend->adam(step, g, p, m, v, nullptr);
      return -p.data<double>()[0];
    };
    // TensorFlow's Adam adds epsilon before the second moment is corrected.
    const double corrected = 1e-9 / std::sqrt(1 - 0.98);
    fmt::print("{:<8.0e}   {:12.4f}   {:6.4f}   {:6.4f}   {:21.4f}\n", gradient, move(1e-9),
               move(1e-8), move(1e-6), move(corrected));
  }
}

void penalty() {
  fmt::print("           divides by           gain of a token more\n");
  fmt::print("length   0      0.6      1       0       0.6       1\n");
  for (const int64_t length : {1, 5, 10, 25, 50}) {
    // A hypothesis of -0.5 a token, and the same with one token more of -0.2.
    const auto gain = [&](double alpha) {
      const double sum = -0.5 * double(length);
      return (sum - 0.2) / length_penalty(length + 1, alpha) - sum / length_penalty(length, alpha);
    };
    fmt::print("{:<6}   {:.3f}  {:.3f}  {:6.3f}  {:6.3f}  {:6.3f}  {:6.3f}\n", length,
               length_penalty(length, 0), length_penalty(length, 0.6), length_penalty(length, 1),
               gain(0), gain(0.6), gain(1));
  }
}

// What the first weights of a base model are, and what its first layers hold.
void first_weights() {
  ModelConfig config = preset("base");
  config.vocabulary_size = 1000;
  config.output_vocabulary_size = 999;
  config.encoder_layers = config.decoder_layers = 1;
  SequenceModel model(config, DType::fp64);
  model.initialize(1);
  fmt::print("what (base)                        root mean square\n");
  const auto row = [](const char* name, double value) {
    fmt::print("{:<34} {:16.4f}\n", name, value);
  };
  for (const Parameter& p : parameters(model)) {
    if (p.name == "embeddings.shared") {
      row("embedding", root_mean_square(p.tensor));
      row("embedding times sqrt(d_model)", std::sqrt(512.0) * root_mean_square(p.tensor));
    }
    if (p.name == "encoder.0.self.query.weight") row("W^Q [512, 512]", root_mean_square(p.tensor));
    if (p.name == "encoder.0.self.key.weight") row("W^K [512, 512]", root_mean_square(p.tensor));
  }
  row("positions", root_mean_square(positional_encoding(64, 512, DType::fp64)));
  const auto backend = make_reference_backend();
  TensorPool pool;
  ForwardPass pass(*backend, pool);
  Tokens source, target;
  std::vector<TokenId> sentence;
  for (TokenId id = 2; id < 22; ++id) sentence.push_back(id);
  source.add(sentence);
  sentence[0] = config.pad_id();
  target.add(sentence);
  const Tensor logits =
      model.output().logits(pass, model.decode(pass, target, model.encode(pass, source)));
  row("logits", root_mean_square(logits));
}

int run(const std::string& name) {
  const std::array<std::pair<const char*, void (*)()>, 7> all{{{"scores", scores},
                                                               {"smoothing", smoothing},
                                                               {"positions", positions},
                                                               {"rates", rates},
                                                               {"adam", adam},
                                                               {"penalty", penalty},
                                                               {"first_weights", first_weights}}};
  for (const auto& [known, print] : all) {
    if (name != known) continue;
    print();
    return 0;
  }
  std::cerr << "paper_figures: expected one of";
  for (const auto& item : all) std::cerr << ' ' << item.first;
  std::cerr << ", got '" << name << "'\n";
  return 2;
}

}  // namespace
}  // namespace heed

int main(int count, char** arguments) {
  return heed::run(count == 2 ? arguments[1] : "");
}
