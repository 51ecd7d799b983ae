// Fits the confidence of a model's translations on text whose references are known.
#pragma once

#include <span>

#include "heed/evaluate/reliability.h"
#include "heed/model/confidence.h"

namespace heed {

// A translation, and its chrF against the reference.
struct JudgedTranslation {
  ConfidenceSignals signals = {};
  double chrf = 0;
};

// Fewer translations say too little.
inline constexpr size_t kMinCalibrationLines = 100;

struct Calibration {
  Confidence confidence;
  // Of confidences that were fitted without the tenth of the translations that they are for: as
  // good as those of other text of the same kind.
  Reliability held_out;
};

// Error if there are fewer lines than kMinCalibrationLines.
void expect_enough(size_t lines);

// A translation is good if its chrF is at least the median. Logistic regression, whose weights have
// a normal prior of deviation 1. Error if there are fewer than kMinCalibrationLines, or if nearly
// all have the same chrF.
Calibration calibrate(std::span<const JudgedTranslation> translations);

}  // namespace heed
