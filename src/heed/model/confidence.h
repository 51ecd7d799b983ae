// The confidence in a translation: a calibrated probability that it is good.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace heed {

// Facts about a translation. All but the last are known when its search ends, without another pass
// of the model.
enum class ConfidenceSignal {
  token_probability,  // mean over the tokens, </s> included, of their probabilities
  log_probability,    // the same of the natural logarithms
  length_ratio,       // logarithm of the characters of the translation by those of the line
  piece_length,       // logarithm of the characters by the tokens of the line: rare words have many
  length,             // logarithm of the tokens of the line
  repetition,         // share of the tokens that occurred before, less that of the line
  unknown_characters,  // logarithm of 1 and the characters that training did not have
  reverse              // mean log-probability of the line's tokens, by a model that translates back
};
inline constexpr size_t kConfidenceSignals = 8;
constexpr std::array<std::pair<std::string_view, ConfidenceSignal>, kConfidenceSignals> enum_names(
    ConfidenceSignal) {
  return {{{"token_probability", ConfidenceSignal::token_probability},
           {"log_probability", ConfidenceSignal::log_probability},
           {"length_ratio", ConfidenceSignal::length_ratio},
           {"piece_length", ConfidenceSignal::piece_length},
           {"length", ConfidenceSignal::length},
           {"repetition", ConfidenceSignal::repetition},
           {"unknown_characters", ConfidenceSignal::unknown_characters},
           {"reverse", ConfidenceSignal::reverse}}};
}
using ConfidenceSignals = std::array<double, kConfidenceSignals>;  // by ConfidenceSignal

// A logistic regression of a model, fitted by `heed calibrate` on translations whose references are
// known (tasks/calibration.h). A signal counts by its distance from the mean of these translations
// in their standard deviations, at most 3 on either side, times its weight.
struct Confidence {
  struct Term {
    double mean = 0, deviation = 1, weight = 0;
    // The signal as it counts, before the weight.
    double standardized(double signal) const;
    friend bool operator==(const Term&, const Term&) = default;
  };
  std::array<Term, kConfidenceSignals> terms = {};
  double bias = 0;
  double good_chrf = 0;  // a translation is good from this chrF on
  int64_t lines = 0;     // of the text on which it was fitted

  double probability(const ConfidenceSignals& signals) const;
  friend bool operator==(const Confidence&, const Confidence&) = default;
};

// Those of a model: of its own search alone, and with the signal of a model that translates back.
struct Confidences {
  std::optional<Confidence> alone = {}, with_reverse = {};
  bool empty() const { return !alone && !with_reverse; }
  friend bool operator==(const Confidences&, const Confidences&) = default;
};

}  // namespace heed
