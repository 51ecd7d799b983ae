// The numbers by which validations are ranked, each followed for itself: --patience-on,
// --keep-best.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/train/reports.h"

namespace heed {

struct FollowedScore {
  std::string name;        // "loss", "bleu"; of a further validation text "news.loss"
  double best = 0;         // the lowest loss, the highest score
  int64_t step = 0;        // of the best
  int64_t since_best = 0;  // validations
};

// Which numbers of a validation rank it.
enum class RankedBy { losses, losses_and_scores };

// Counts a validation, and returns the names of the numbers that are better than before; the first
// ones are.
std::vector<std::string> follow(const ValidationReport& report, RankedBy ranked_by,
                                std::vector<FollowedScore>& followed);

}  // namespace heed
