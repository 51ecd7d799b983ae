#include "heed/tasks/calibration.h"

#include <algorithm>
#include <cmath>

#include "heed/core/counted.h"
#include "heed/core/error.h"

namespace heed {
namespace {

constexpr size_t kFolds = 10;
constexpr size_t kWeights = kConfidenceSignals + 1;  // the last is the bias
using Vector = std::array<double, kWeights>;
using Matrix = std::array<Vector, kWeights>;

struct JudgedSignals {
  ConfidenceSignals signals;
  bool good;
};

// Solves matrix * x = vector; the matrix is symmetric and positive definite (Cholesky).
Vector solved(Matrix matrix, Vector vector) {
  for (size_t i = 0; i < kWeights; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      double sum = matrix[i][j];
      for (size_t k = 0; k < j; ++k) sum -= matrix[i][k] * matrix[j][k];
      matrix[i][j] = i == j ? std::sqrt(sum) : sum / matrix[j][j];
    }
  }
  for (size_t i = 0; i < kWeights; ++i) {
    for (size_t k = 0; k < i; ++k) vector[i] -= matrix[i][k] * vector[k];
    vector[i] /= matrix[i][i];
  }
  for (size_t i = kWeights; i-- > 0;) {
    for (size_t k = i + 1; k < kWeights; ++k) vector[i] -= matrix[k][i] * vector[k];
    vector[i] /= matrix[i][i];
  }
  return vector;
}

// Means and deviations; a signal that is the same everywhere has deviation 1, and gets weight 0.
void standardize(std::span<const JudgedSignals> examples, Confidence& confidence) {
  const auto count = double(examples.size());
  for (size_t s = 0; s < kConfidenceSignals; ++s) {
    Confidence::Term& term = confidence.terms[s];
    term = {};
    for (const JudgedSignals& one : examples) term.mean += one.signals[s] / count;
    double variance = 0;
    for (const JudgedSignals& one : examples)
      variance += std::pow(one.signals[s] - term.mean, 2) / count;
    constexpr double kSame = 1e-9;
    if (variance > kSame * kSame) term.deviation = std::sqrt(variance);
  }
}

Vector standardized(const Confidence& confidence, const ConfidenceSignals& signals) {
  Vector values;
  for (size_t s = 0; s < kConfidenceSignals; ++s)
    values[s] = confidence.terms[s].standardized(signals[s]);
  values.back() = 1;
  return values;
}

// Newton's method, which converges in a few steps: the loss is convex.
Confidence fitted_to_all(std::span<const JudgedSignals> examples) {
  constexpr int kMaxSteps = 50;
  constexpr double kPrior = 1, kPriorOfBias = 1e-6, kConverged = 1e-12;
  Confidence confidence;
  standardize(examples, confidence);
  Vector weights = {};
  for (int step = 0; step < kMaxSteps; ++step) {
    Vector gradient;
    Matrix curvature = {};
    for (size_t i = 0; i < kWeights; ++i) {
      const double prior = i + 1 < kWeights ? kPrior : kPriorOfBias;
      gradient[i] = prior * weights[i];
      curvature[i][i] = prior;
    }
    for (const JudgedSignals& one : examples) {
      const Vector values = standardized(confidence, one.signals);
      double sum = 0;
      for (size_t i = 0; i < kWeights; ++i) sum += weights[i] * values[i];
      const double probability = 1 / (1 + std::exp(-sum));
      const double slope = probability * (1 - probability);
      for (size_t i = 0; i < kWeights; ++i) {
        gradient[i] += (probability - (one.good ? 1 : 0)) * values[i];
        for (size_t j = 0; j <= i; ++j) curvature[i][j] += slope * values[i] * values[j];
      }
    }
    const Vector change = solved(curvature, gradient);
    double largest = 0;
    for (size_t i = 0; i < kWeights; ++i) {
      weights[i] -= change[i];
      largest = std::max(largest, std::abs(change[i]));
    }
    if (largest < kConverged) break;
  }
  for (size_t s = 0; s < kConfidenceSignals; ++s) confidence.terms[s].weight = weights[s];
  confidence.bias = weights.back();
  return confidence;
}

// Few lines have characters that training did not have. Where chance made these good, the signal
// does not count: it would let a character that the model cannot read make any line trusted.
Confidence fitted(std::span<const JudgedSignals> examples) {
  constexpr auto kUnknown = size_t(ConfidenceSignal::unknown_characters);
  const Confidence found = fitted_to_all(examples);
  if (found.terms[kUnknown].weight <= 0) return found;
  std::vector<JudgedSignals> others(examples.begin(), examples.end());
  for (JudgedSignals& one : others) one.signals[kUnknown] = 0;
  return fitted_to_all(others);
}

// Each example predicted by a fit to the folds that it is not in. A fold is of consecutive lines,
// which may be alike.
Reliability held_out(const std::vector<JudgedSignals>& examples) {
  std::vector<Prediction> predictions(examples.size());
  for (size_t fold = 0; fold < kFolds; ++fold) {
    const size_t begin = fold * examples.size() / kFolds,
                 end = (fold + 1) * examples.size() / kFolds;
    std::vector<JudgedSignals> others(examples.begin(), examples.begin() + ptrdiff_t(begin));
    others.insert(others.end(), examples.begin() + ptrdiff_t(end), examples.end());
    const Confidence confidence = fitted(others);
    for (size_t i = begin; i < end; ++i)
      predictions[i] = {confidence.probability(examples[i].signals), examples[i].good};
  }
  return reliability(predictions);
}

double median_chrf(std::span<const JudgedTranslation> translations) {
  std::vector<double> chrf;
  chrf.reserve(translations.size());
  for (const JudgedTranslation& one : translations) chrf.push_back(one.chrf);
  std::ranges::sort(chrf);
  const size_t half = chrf.size() / 2;
  return chrf.size() % 2 == 1 ? chrf[half] : (chrf[half - 1] + chrf[half]) / 2;
}

}  // namespace

void expect_enough(size_t lines) {
  if (lines < kMinCalibrationLines)
    fail("{} with a translation: a confidence needs {} or more",
         detail::counted(int64_t(lines), "line"), kMinCalibrationLines);
}

Calibration calibrate(std::span<const JudgedTranslation> translations) {
  expect_enough(translations.size());
  const double median = median_chrf(translations);
  std::vector<JudgedSignals> examples;
  examples.reserve(translations.size());
  size_t good = 0;
  for (const JudgedTranslation& one : translations) {
    examples.push_back({one.signals, one.chrf >= median});
    good += examples.back().good ? 1 : 0;
  }
  constexpr size_t kFewest = kMinCalibrationLines / 10;
  if (good > examples.size() - kFewest)
    fail(
        "{} of {} translations have a chrF of at least the median, {:.1f}: there are too few worse "
        "ones to tell them apart",
        good, examples.size(), median);
  Calibration found{.confidence = fitted(examples), .held_out = held_out(examples)};
  found.confidence.good_chrf = median;
  found.confidence.lines = int64_t(examples.size());
  return found;
}

}  // namespace heed
