#include "heed/decode/decoding_step.h"

#include <algorithm>
#include <cmath>

namespace heed {

double length_penalty(int64_t length, double alpha) {
  return std::pow((5.0 + double(length)) / 6.0, alpha);
}

int64_t DecodingStep::best_needed(const SearchOptions& options, int64_t banned) {
  if (options.sample) return options.top_k ? *options.top_k + banned : 1;
  // Twice the group's width, so that enough remain if every hypothesis can end, and as many as the
  // diversity penalty can move below those.
  const int64_t width = options.beam_size() / options.diverse_groups;
  return 2 * width + (options.beam_size() - width) + banned;
}

// The best of the candidates offered. All are held until there are twice as many as wanted, then
// the better half, so that the cost of a candidate does not depend on the beam size.
class DecodingStep::TopCandidates {
 public:
  explicit TopCandidates(size_t wanted) : wanted_(wanted) { candidates_.reserve(2 * wanted); }

  // Whether a candidate of this value or less is certainly not among the best.
  bool cannot_enter(double value) const { return full_ && value < bar_; }
  void offer(const Candidate& candidate) {
    if (cannot_enter(candidate.value)) return;
    candidates_.push_back(candidate);
    if (candidates_.size() < 2 * wanted_) return;
    const auto last = candidates_.begin() + ptrdiff_t(wanted_) - 1;
    std::nth_element(candidates_.begin(), last, candidates_.end(), better);
    bar_ = last->value;
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
  static bool better(const Candidate& a, const Candidate& b) {
    if (a.value != b.value) return a.value > b.value;
    return a.parent != b.parent ? a.parent < b.parent : a.id < b.id;
  }

  size_t wanted_;
  std::vector<Candidate> candidates_;
  double bar_ = 0;
  bool full_ = false;
};

// Best first.
std::vector<DecodingStep::Candidate> DecodingStep::best_candidates(
    const Group& group, const std::vector<TokenId>& chosen) const {
  const double diversity = options_.diversity_penalty();
  TopCandidates candidates(size_t(2 * width()));
  const auto add = [&](size_t i, TokenId id, double sum) {
    const auto [first, last] = std::equal_range(chosen.begin(), chosen.end(), id);
    candidates.offer({int64_t(i), id, sum, sum - diversity * double(last - first)});
  };
  for (size_t i = 0; i < group.live.size(); ++i) {
    const LiveHypothesis& h = group.live[i];
    if (constraints_.is_forced(h.constraints)) {
      constraints_.each_forced(h.constraints, [&](TokenId id) {
        add(i, id, h.log_probability + next_.log_probability(h.row, id));
      });
      continue;
    }
    // Sums of a row descend, and diversity only lowers them.
    Predictions::Best best = next_.best(h.row);
    for (size_t j = 0;; ++j) {
      if (j == best.ids.size()) {
        if (!next_.find_more(h.row)) break;
        best = next_.best(h.row);
      }
      const double sum = h.log_probability + double(best.log_probabilities[j]);
      if (candidates.cannot_enter(sum)) break;
      if (constraints_.allows(h.constraints, best.ids[j])) add(i, best.ids[j], sum);
    }
  }
  return candidates.take();
}

LiveHypothesis DecodingStep::extended(const LiveHypothesis& parent,
                                      const Candidate& candidate) const {
  LiveHypothesis h;
  h.ids = parent.ids;
  h.ids.push_back(candidate.id);
  h.rows = parent.rows;
  h.log_probability = candidate.log_probability;
  h.constraints = constraints_.after(parent.constraints, candidate.id);
  return h;
}

void Group::finish(Hypothesis hypothesis, int64_t length, double alpha) {
  hypothesis.score = hypothesis.log_probability / length_penalty(length, alpha);
  const auto place =
      std::upper_bound(finished.begin(), finished.end(), hypothesis,
                       [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
  finished.insert(place, std::move(hypothesis));
}

void Group::finish_live(double alpha) {
  for (LiveHypothesis& h : live) {
    const auto length = std::max<int64_t>(1, int64_t(h.ids.size()));
    finish({std::move(h.ids), h.log_probability, 0, false}, length, alpha);
  }
  live.clear();
}

// Whether no live hypothesis can still be among the wanted ones: log-probabilities only fall, and
// the length penalty divides by most at the maximum length.
bool DecodingStep::is_done(const Group& group) const {
  const int64_t groups = options_.diverse_groups;
  const int64_t wanted = (options_.nbest + groups - 1) / groups;
  if (group.live.empty() || int64_t(group.finished.size()) >= width()) return true;
  if (int64_t(group.finished.size()) < wanted) return false;
  double best = group.live[0].log_probability;
  for (const LiveHypothesis& h : group.live) best = std::max(best, h.log_probability);
  return group.finished[size_t(wanted) - 1].score >=
         best / length_penalty(constraints_.max_length(), options_.length_penalty);
}

void DecodingStep::beam_search(Group& group, std::vector<TokenId>& chosen) const {
  const int64_t length = int64_t(group.live[0].ids.size()) + 1;
  const std::vector<Candidate> candidates = best_candidates(group, chosen);
  std::vector<LiveHypothesis> next;
  for (size_t i = 0; i < candidates.size() && int64_t(next.size()) < width(); ++i) {
    const LiveHypothesis& parent = group.live[size_t(candidates[i].parent)];
    if (candidates[i].id == constraints_.end_id()) {
      // </s> counts only where the hypothesis would have stayed in the beam.
      if (int64_t(i) < width())
        group.finish({parent.ids, candidates[i].log_probability, 0, true}, length,
                     options_.length_penalty);
      continue;
    }
    next.push_back(extended(parent, candidates[i]));
  }
  if (candidates.empty()) {
    group.finish_live(options_.length_penalty);
  } else {
    group.live = std::move(next);
    if (options_.diverse_groups > 1) {
      for (const LiveHypothesis& h : group.live) chosen.push_back(h.ids.back());
      std::sort(chosen.begin(), chosen.end());
    }
    if (length >= constraints_.max_length()) group.finish_live(options_.length_penalty);
  }
  group.done = is_done(group);
}

void DecodingStep::list_choices(const LiveHypothesis& h, std::vector<Choice>& choices) const {
  choices.clear();
  const auto banned = int64_t(h.constraints.banned.size());
  if (constraints_.is_forced(h.constraints)) {
    constraints_.each_forced(h.constraints, [&](TokenId id) {
      choices.push_back({id, next_.logit(h.row, id)});
    });
  } else if (options_.top_k && *options_.top_k + banned < next_.classes()) {
    // Most probable first, the order in which to_probabilities() leaves a larger set.
    do {
      choices.clear();
      for (const TokenId id : next_.best(h.row).ids)
        if (constraints_.allows(h.constraints, id)) choices.push_back({id, next_.logit(h.row, id)});
    } while (int64_t(choices.size()) < *options_.top_k && next_.find_more(h.row));
  } else {
    next_.choices(h.row, choices);
    if (banned > 0)
      std::erase_if(choices,
                    [&](const Choice& c) { return !constraints_.allows(h.constraints, c.id); });
  }
}

void DecodingStep::sample(Group& group, double uniform, std::vector<Choice>& choices) const {
  const LiveHypothesis& h = group.live[0];
  list_choices(h, choices);
  if (choices.empty()) {
    group.finish_live(options_.length_penalty);
  } else {
    to_probabilities(choices, options_.sampling());
    const TokenId id = detail::draw(choices, uniform).id;
    const double log_probability = h.log_probability + next_.log_probability(h.row, id);
    const int64_t length = int64_t(h.ids.size()) + 1;
    if (id == constraints_.end_id()) {
      group.finish({h.ids, log_probability, 0, true}, length, options_.length_penalty);
      group.live.clear();
    } else {
      group.live = {extended(h, {0, id, log_probability, log_probability})};
      if (length >= constraints_.max_length()) group.finish_live(options_.length_penalty);
    }
  }
  group.done = group.live.empty();
}

std::vector<Hypothesis> best_hypotheses(std::vector<Group>& groups, const SearchOptions& options) {
  std::vector<Hypothesis> all;
  const auto is_new = [&](const Hypothesis& hypothesis) {
    return std::none_of(all.begin(), all.end(),
                        [&](const Hypothesis& other) { return other.ids == hypothesis.ids; });
  };
  // Round robin over the groups: the best of each, then the second of each.
  for (size_t rank = 0; int64_t(all.size()) < options.nbest; ++rank) {
    bool any = false;
    for (Group& group : groups) {
      if (rank >= group.finished.size() || int64_t(all.size()) >= options.nbest) continue;
      any = true;
      Hypothesis& hypothesis = group.finished[rank];
      if (options.sample || groups.size() == 1 || is_new(hypothesis))
        all.push_back(std::move(hypothesis));
    }
    if (!any) break;
  }
  if (!options.sample)
    std::stable_sort(all.begin(), all.end(),
                     [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
  return all;
}

}  // namespace heed
