#include "heed/tasks/search_choice.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "heed/decode/search_options.h"

namespace heed {
namespace {

constexpr std::array<double, 5> kLengthPenalties = {0.2, 0.6, 1.0, 1.4, 2.0};
constexpr std::array<int64_t, 2> kSmallerBeams = {2, 1};

// Costs of translating a token with the default beam, in tokens of training; and of all trials, at
// most, in translations with that beam: four penalties and two between them, then the beams.
constexpr double kTokenCost = 1, kTrialsCost = 6.75;
constexpr double kShareToChoose = 0.02, kShareToScore = 0.01;
constexpr double kNoise = 0.1;  // differences of scores that say nothing
constexpr int64_t kMaxLinesToChoose = 1000, kMinLinesToChoose = 100, kMinLinesToScore = 20;

class Trials {
 public:
  explicit Trials(const ScoreOfSearch& score) : score_(score) {}

  // The score with this search, which is computed once.
  double score(int64_t beam, double length_penalty) {
    for (const SearchTrial& t : made_)
      if (t.beam == beam && t.length_penalty == length_penalty) return t.score;
    made_.push_back({beam, length_penalty, score_(beam, length_penalty)});
    return made_.back().score;
  }
  const std::vector<SearchTrial>& made() const { return made_; }

 private:
  const ScoreOfSearch& score_;
  std::vector<SearchTrial> made_;
};

// The number of the best length penalty of kLengthPenalties, from the default on uphill.
size_t climb(Trials& trials, int64_t beam) {
  const auto at = [&](size_t i) { return trials.score(beam, kLengthPenalties[i]); };
  const auto start = size_t(std::find(kLengthPenalties.begin(), kLengthPenalties.end(),
                                      SearchOptions::kDefaultLengthPenalty) -
                            kLengthPenalties.begin());
  size_t best = start;
  while (best + 1 < kLengthPenalties.size() && at(best + 1) > at(best)) ++best;
  while (best > 0 && best <= start && at(best - 1) > at(best)) --best;
  return best;
}

// As many lines as a share of the trained tokens pays for, at a cost for each of their tokens.
int64_t lines_for(const Corpus& corpus, double trained_tokens, double token_cost) {
  const double tokens = double(corpus.source_tokens() + corpus.target_tokens()) / 2;
  const double lines = trained_tokens / token_cost / std::max(1.0, tokens / double(corpus.size()));
  return int64_t(std::min(lines, double(corpus.size())));
}

std::optional<int64_t> unless_too_few(int64_t lines, int64_t fewest) {
  if (lines < fewest) return {};
  return lines;
}

}  // namespace

SearchChoice choose_search(const ScoreOfSearch& score) {
  constexpr int64_t kBeam = SearchOptions::kDefaultBeam;
  Trials trials(score);
  const size_t coarse = climb(trials, kBeam);
  double best = kLengthPenalties[coarse];
  for (const int side : {-1, 1}) {
    const size_t neighbour = coarse + size_t(side);  // beyond the size on the left of the first
    if (neighbour >= kLengthPenalties.size()) continue;
    const double between = (kLengthPenalties[coarse] + kLengthPenalties[neighbour]) / 2;
    if (trials.score(kBeam, between) > trials.score(kBeam, best)) best = between;
  }
  constexpr double kDefault = SearchOptions::kDefaultLengthPenalty;
  const double enough = trials.score(kBeam, best) - kNoise;
  for (const SearchTrial& t : trials.made())
    if (t.score >= enough && std::abs(t.length_penalty - kDefault) < std::abs(best - kDefault))
      best = t.length_penalty;
  int64_t beam = kBeam;
  for (const int64_t smaller : kSmallerBeams) {
    if (trials.score(smaller, best) < trials.score(kBeam, best)) break;
    beam = smaller;
  }
  return {.trials = trials.made(),
          .best = {beam, best, trials.score(beam, best)},
          .standard = {kBeam, kDefault, trials.score(kBeam, kDefault)}};
}

std::optional<int64_t> lines_to_choose_search(const Corpus& validation, double trained_tokens) {
  const int64_t lines =
      lines_for(validation, kShareToChoose * trained_tokens, kTokenCost * kTrialsCost);
  return unless_too_few(std::min(lines, kMaxLinesToChoose), kMinLinesToChoose);
}

std::optional<int64_t> lines_to_score(const Corpus& validation, double trained_tokens,
                                      int64_t most) {
  const int64_t lines = lines_for(validation, kShareToScore * trained_tokens, kTokenCost);
  return unless_too_few(std::min(lines, most), std::min(kMinLinesToScore, most));
}

}  // namespace heed
