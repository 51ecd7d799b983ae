// How well confidences agree with what became true: calibration and discrimination.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace heed {

// A prediction: the probability that something is good, and whether it was.
struct Prediction {
  double confidence = 0;
  bool good = false;
};

// Predictions of similar confidence.
struct ReliabilityBin {
  double first = 0, last = 0;  // the smallest and the greatest confidence
  double confidence = 0;       // mean
  double good = 0;             // the share that was good
  size_t count = 0;
};

struct Reliability {
  std::vector<ReliabilityBin> bins;  // ascending, of equal counts up to one
  // The expected calibration error: the mean distance of a prediction's bin from the diagonal,
  // where confidence and share are equal (Naeini et al., 2015; here with bins of equal mass).
  double error = 0;
  // The probability that a good one has a greater confidence than one that was not, of equal
  // confidences half: the area under the ROC curve. None unless there are both.
  std::optional<double> auc;
};

inline constexpr size_t kReliabilityBins = 10;

// Fewer bins than that if there are fewer predictions, of which there is at least one.
Reliability reliability(std::span<const Prediction> predictions, size_t bins = kReliabilityBins);

// "AUC 0.812", or why there is none.
std::string auc_text(const Reliability& found);

}  // namespace heed
