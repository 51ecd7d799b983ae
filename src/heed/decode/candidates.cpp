#include "heed/decode/candidates.h"

#include <algorithm>

namespace heed {
namespace {

bool better(const Candidate& a, const Candidate& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.parent != b.parent ? a.parent < b.parent : a.id < b.id;
}

// The best of the candidates offered. Holds up to twice as many as wanted and then removes the
// worse half, so that the cost of a candidate does not depend on the beam size.
class TopCandidates {
 public:
  explicit TopCandidates(size_t wanted) : wanted_(wanted) { candidates_.reserve(2 * wanted); }

  // Whether a candidate with this score is certainly not among the best.
  bool cannot_enter(double score) const { return full_ && score < bar_; }
  void offer(const Candidate& candidate) {
    if (cannot_enter(candidate.score)) return;
    candidates_.push_back(candidate);
    if (candidates_.size() < 2 * wanted_) return;
    const auto last = candidates_.begin() + ptrdiff_t(wanted_) - 1;
    std::nth_element(candidates_.begin(), last, candidates_.end(), better);
    bar_ = last->score;
    full_ = true;
    candidates_.resize(wanted_);
  }
  // Best first.
  std::vector<Candidate> take() {
    const size_t kept = std::min(wanted_, candidates_.size());
    std::partial_sort(candidates_.begin(), candidates_.begin() + ptrdiff_t(kept), candidates_.end(),
                      better);
    candidates_.resize(kept);
    return std::move(candidates_);
  }

 private:
  size_t wanted_;
  std::vector<Candidate> candidates_;
  double bar_ = 0;
  bool full_ = false;
};

// Calls use(id, log-probability, sum) for the tokens that may follow a hypothesis, those of
// NextTokens::only() or else the most probable ones, best first, until it returns false. `sum` is
// the log-probability of the hypothesis with the token.
template <class Use>
void for_each_next(const DecodingStep& step, const ActiveHypothesis& h, const Use& use) {
  if (const std::vector<TokenId>* only = h.next.only()) {
    for (const TokenId id : *only) {
      const double of_token = step.log_probability(h, id);
      use(id, of_token, h.log_probability + of_token);
    }
    return;
  }
  Predictions::Best best = step.predictions.best(h.logits_row);
  for (size_t j = 0;; ++j) {
    if (j == best.ids.size()) {
      if (!step.predictions.find_more(h.logits_row)) return;
      best = step.predictions.best(h.logits_row);
    }
    const auto of_token = double(best.log_probabilities[j]);
    if (!h.next.allows(best.ids[j])) continue;
    if (!use(best.ids[j], of_token, h.log_probability + of_token)) return;
  }
}

// The candidates of each hypothesis: its most probable tokens, and those that the constraint
// suggests.
std::vector<Candidate> demanding_candidates(const DecodingStep& step,
                                            const HypothesisGroup& group) {
  std::vector<Candidate> all;
  for (size_t i = 0; i < group.active.size(); ++i) {
    const ActiveHypothesis& h = group.active[i];
    const size_t first = all.size();
    const auto add = [&](TokenId id, double of_token) {
      const double sum = h.log_probability + of_token;
      const DemandProgress progress =
          h.next.demand() ? h.next.demand()->after(id) : DemandProgress();
      all.push_back({int64_t(i), id, sum, sum, of_token, progress});
    };
    // A model that would end but may not goes on with improbable text until, by the length penalty,
    // the part that is missing costs little.
    const bool is_at_end = h.next.demand() && !h.next.only() &&
                           !h.next.demand()->suggested.empty() && !h.next.allows(step.end_id) &&
                           step.predictions.best(h.logits_row).ids[0] == step.end_id;
    if (!is_at_end)
      for_each_next(step, h, [&](TokenId id, double of_token, double) {
        add(id, of_token);
        return int64_t(all.size() - first) < 2 * step.options.group_size();
      });
    if (!h.next.demand() || h.next.only()) continue;
    for (const TokenId id : h.next.demand()->suggested) {
      const bool added = std::any_of(all.begin() + ptrdiff_t(first), all.end(),
                                     [&](const Candidate& other) { return other.id == id; });
      if (!added && h.next.allows(id)) add(id, step.log_probability(h, id));
    }
  }
  return all;
}

// The candidates in the order in which a beam takes them: one that has come furthest, so that every
// search comes to its end; the most probable one, which need not have any of the text yet; then by
// log-probability with a bonus for the text that they have. Without the bonus those that wrote a
// part that the model would not write are lost; with levels of equal size a beam has no room for
// many parts, and writes them at the beginning (docs/performance.md).
std::vector<Candidate> shared_out(std::vector<Candidate> all, size_t beam) {
  constexpr double kBonus = 6;  // of each part, in natural logarithms
  std::vector<Candidate> order;
  const auto take = [&](const auto& before) {
    if (all.empty()) return;
    const auto first = std::min_element(all.begin(), all.end(), before);
    order.push_back(*first);
    all.erase(first);
  };
  take([](const Candidate& a, const Candidate& b) {
    if (b.progress < a.progress) return true;
    return !(a.progress < b.progress) && better(a, b);
  });
  take(better);
  const auto with_bonus = [](const Candidate& candidate) {
    const double begun = candidate.progress.bytes > 0 ? 0.5 : 0;
    return candidate.score + kBonus * (double(candidate.progress.met) + begun);
  };
  std::ranges::sort(all, [&](const Candidate& a, const Candidate& b) {
    const double of_a = with_bonus(a), of_b = with_bonus(b);
    return of_a != of_b ? of_a > of_b : better(a, b);
  });
  all.resize(std::min(all.size(), 2 * beam - order.size()));
  order.insert(order.end(), all.begin(), all.end());
  return order;
}

}  // namespace

std::vector<Candidate> best_candidates(const DecodingStep& step, const HypothesisGroup& group,
                                       const std::vector<TokenId>& chosen) {
  const auto size = size_t(step.options.group_size());
  const bool demands = std::ranges::any_of(
      group.active, [](const ActiveHypothesis& h) { return h.next.demand() != nullptr; });
  if (demands) return shared_out(demanding_candidates(step, group), size);
  const double penalty = step.options.diversity_penalty_or_default();
  TopCandidates candidates(2 * size);
  for (size_t i = 0; i < group.active.size(); ++i) {
    // The sums of a row are in descending order, and the penalty only lowers them.
    for_each_next(step, group.active[i], [&](TokenId id, double of_token, double sum) {
      if (candidates.cannot_enter(sum)) return false;
      const auto [first, last] = std::equal_range(chosen.begin(), chosen.end(), id);
      candidates.offer({int64_t(i), id, sum, sum - penalty * double(last - first), of_token});
      return true;
    });
  }
  return candidates.take();
}

}  // namespace heed
