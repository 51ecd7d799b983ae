// The choice of the beam and the length penalty with which a model translates best.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "heed/data/corpus.h"
#include "heed/model/generation_defaults.h"

namespace heed {

// The score of the translations of some text; greater is better.
using ScoreOfSearch = std::function<double(int64_t beam, double length_penalty)>;

struct SearchTrial {
  int64_t beam = 0;
  double length_penalty = 0;
  double score = 0;
};

struct SearchChoice {
  std::vector<SearchTrial> trials;  // in the order in which they were made
  SearchTrial best, standard;       // standard: with the defaults of SearchOptions

  SearchDefaults defaults() const {
    return {.beam = best.beam, .length_penalty = best.length_penalty};
  }
};

// Tries length penalties from 0.2 to 2 with the default beam, first coarsely from the default in
// the direction in which the score rises, then between the best and its neighbours; of those within
// 0.1 of the best score the nearest to the default is chosen. Then smaller beams, of which the
// smallest is chosen that costs nothing of the score.
SearchChoice choose_search(const ScoreOfSearch& score);

// The number of lines, evenly spaced, of the validation text with which choose_search() takes at
// most about 2 % of the time of a run that trained on this number of tokens. None if that is too
// few to compare searches.
std::optional<int64_t> lines_to_choose_search(const Corpus& validation, double trained_tokens);

// The number of lines, at most `most`, whose translation takes at most about 1 % of that time. None
// if these are too few for a score.
std::optional<int64_t> lines_to_score(const Corpus& validation, double trained_tokens,
                                      int64_t most);

}  // namespace heed
