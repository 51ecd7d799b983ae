// The output of `heed evaluate`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/evaluate/significance.h"

namespace heed {

// The metrics of one system, or of one of its sentences, as one line.
std::string json_scores(const std::vector<MetricScore>& scores);

// Scores with their signatures below, as lines.
std::string text_scores(const std::vector<MetricScore>& scores);

// [{"system": NAME, "scores": [{"name", "score", "signature"}...]}...], with p_value, mean and ci
// if there was a test.
std::string json_systems(const std::vector<std::string>& systems,
                         const std::vector<MetricReport>& metrics);

// sacreBLEU's table of systems and metrics, an explanation of the test, and signatures.
std::string text_systems(const std::vector<std::string>& systems,
                         const std::vector<MetricReport>& metrics,
                         const std::optional<PairedTestOptions>& test);

}  // namespace heed
