#include "heed/decode/group.h"

#include <algorithm>
#include <cmath>

namespace heed {

double length_penalty(int64_t length, double alpha) {
  return std::pow((5.0 + double(length)) / 6.0, alpha);
}

int64_t Advance::best_needed(const SearchOptions& options, int64_t repeats) {
  if (options.sample) {
    // </s> may be forbidden too.
    return options.top_k ? *options.top_k + repeats + (options.min_length > 0 ? 1 : 0) : 1;
  }
  // Twice the group, so that enough remain when all others end; one more, since </s> may be
  // forbidden; and as many as groups before can have put below those.
  const int64_t width = options.beam_size() / options.diverse_groups;
  return 2 * width + 1 + (options.beam_size() - width) + repeats;
}

bool Advance::may_follow(const Hypothesis& h, TokenId id) const {
  if (id == end_id_ && int64_t(h.ids.size()) < options_.min_length) return false;
  return !std::binary_search(h.repeats.begin(), h.repeats.end(), id);
}

// The best of the ways that are offered: all are kept until there are twice as many as wanted, then
// the better half, so that a way costs the same in a beam of any width.
class Advance::BestWays {
 public:
  explicit BestWays(size_t wanted) : wanted_(wanted) { ways_.reserve(2 * wanted); }

  // Whether a way of this value, or less, cannot be among the best any more.
  bool is_hopeless(double value) const { return full_ && value < bar_; }
  void offer(const Way& way) {
    if (is_hopeless(way.value)) return;
    ways_.push_back(way);
    if (ways_.size() < 2 * wanted_) return;
    const auto last = ways_.begin() + ptrdiff_t(wanted_) - 1;
    std::nth_element(ways_.begin(), last, ways_.end(), better);
    bar_ = last->value;
    full_ = true;
    ways_.resize(wanted_);
  }
  // Best first.
  std::vector<Way> take() {
    const size_t kept = std::min(wanted_, ways_.size());
    std::partial_sort(ways_.begin(), ways_.begin() + ptrdiff_t(kept), ways_.end(), better);
    ways_.resize(kept);
    return std::move(ways_);
  }

 private:
  static bool better(const Way& a, const Way& b) {
    if (a.value != b.value) return a.value > b.value;
    return a.parent != b.parent ? a.parent < b.parent : a.id < b.id;
  }

  size_t wanted_;
  std::vector<Way> ways_;
  double bar_ = 0;
  bool full_ = false;
};

// Best first.
std::vector<Advance::Way> Advance::ways_on(const Group& group,
                                           const std::vector<TokenId>& taken) const {
  const double diversity = options_.diversity.value_or(0.5);
  BestWays ways(size_t(2 * width()));
  const auto add = [&](size_t i, TokenId id, double sum, size_t spelled) {
    const auto [first, last] = std::equal_range(taken.begin(), taken.end(), id);
    ways.offer({int64_t(i), id, sum, sum - diversity * double(last - first), spelled});
  };
  for (size_t i = 0; i < group.live.size(); ++i) {
    const Hypothesis& h = group.live[i];
    if (spells(h)) {
      spelling_->each_way(h.spelled, [&](const Spelling::Way& way) {
        add(i, way.id, h.log_probability + next_.log_probability(h.row, way.id), way.spelled);
      });
      continue;
    }
    // A row's sums fall, and diversity takes more away.
    Predictions::Best best = next_.best(h.row);
    for (size_t j = 0;; ++j) {
      if (j == best.ids.size()) {
        if (!next_.find_more(h.row)) break;
        best = next_.best(h.row);
      }
      const double sum = h.log_probability + double(best.log_probabilities[j]);
      if (ways.is_hopeless(sum)) break;
      if (may_follow(h, best.ids[j])) add(i, best.ids[j], sum, h.spelled);
    }
  }
  return ways.take();
}

Hypothesis Advance::longer(const Hypothesis& parent, const Way& way) const {
  Hypothesis h;
  h.ids = parent.ids;
  h.ids.push_back(way.id);
  h.rows = parent.rows;
  h.log_probability = way.log_probability;
  h.spelled = way.spelled;
  return h;
}

void Advance::finish(Group& group, Candidate candidate, int64_t length) const {
  candidate.score = candidate.log_probability / length_penalty(length, options_.length_penalty);
  const auto place =
      std::upper_bound(group.finished.begin(), group.finished.end(), candidate,
                       [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
  group.finished.insert(place, std::move(candidate));
}

void Advance::finish_unended(Group& group) const {
  for (Hypothesis& h : group.live) {
    const auto length = std::max<int64_t>(1, int64_t(h.ids.size()));
    finish(group, {std::move(h.ids), h.log_probability, 0, false}, length);
  }
  group.live.clear();
}

// Whether nothing alive can still come among the best that are wanted: log-probabilities only
// fall, and the penalty is most generous at the greatest length.
bool Advance::settled(const Group& group) const {
  const int64_t groups = options_.diverse_groups;
  const int64_t wanted = (options_.nbest + groups - 1) / groups;
  if (group.live.empty() || int64_t(group.finished.size()) >= width()) return true;
  if (int64_t(group.finished.size()) < wanted) return false;
  double best = group.live[0].log_probability;
  for (const Hypothesis& h : group.live) best = std::max(best, h.log_probability);
  return group.finished[size_t(wanted) - 1].score >=
         best / length_penalty(max_length_, options_.length_penalty);
}

void Advance::beam(Group& group, std::vector<TokenId>& taken) const {
  const int64_t length = int64_t(group.live[0].ids.size()) + 1;
  const std::vector<Way> ways = ways_on(group, taken);
  std::vector<Hypothesis> next;
  for (size_t i = 0; i < ways.size() && int64_t(next.size()) < width(); ++i) {
    const Hypothesis& parent = group.live[size_t(ways[i].parent)];
    if (ways[i].id == end_id_) {
      // An end counts only where it would have been kept as a hypothesis.
      if (int64_t(i) < width())
        finish(group, {parent.ids, ways[i].log_probability, 0, true}, length);
      continue;
    }
    next.push_back(longer(parent, ways[i]));
  }
  if (ways.empty()) {
    finish_unended(group);
  } else {
    group.live = std::move(next);
    if (options_.diverse_groups > 1) {
      for (const Hypothesis& h : group.live) taken.push_back(h.ids.back());
      std::sort(taken.begin(), taken.end());
    }
    if (length >= max_length_) finish_unended(group);
  }
  group.done = settled(group);
}

void Advance::sample(Group& group, double uniform, std::vector<Choice>& choices) const {
  const Hypothesis& h = group.live[0];
  choices.clear();
  std::vector<Spelling::Way> ways;
  if (spells(h)) {
    spelling_->each_way(h.spelled, [&](const Spelling::Way& way) {
      choices.push_back({way.id, next_.logit(h.row, way.id)});
      ways.push_back(way);
    });
  } else if (options_.top_k && *options_.top_k + int64_t(h.repeats.size()) + 1 < next_.classes()) {
    // Best first, as to_probabilities() leaves them where it has more to choose from.
    do {
      choices.clear();
      for (const TokenId id : next_.best(h.row).ids)
        if (may_follow(h, id)) choices.push_back({id, next_.logit(h.row, id)});
    } while (int64_t(choices.size()) < *options_.top_k && next_.find_more(h.row));
  } else {
    next_.choices(h.row, choices);
    if (!h.repeats.empty() || !may_follow(h, end_id_))
      std::erase_if(choices, [&](const Choice& c) { return !may_follow(h, c.id); });
  }
  if (choices.empty()) {
    finish_unended(group);
  } else {
    const SamplingOptions defaults;
    to_probabilities(choices, {options_.temperature.value_or(defaults.temperature),
                               options_.top_k.value_or(defaults.top_k),
                               options_.top_p.value_or(defaults.top_p)});
    const TokenId id = draw(choices, uniform).id;
    size_t spelled = h.spelled;
    for (const Spelling::Way& way : ways)
      if (way.id == id) spelled = way.spelled;
    const double log_probability = h.log_probability + next_.log_probability(h.row, id);
    const int64_t length = int64_t(h.ids.size()) + 1;
    if (id == end_id_) {
      finish(group, {h.ids, log_probability, 0, true}, length);
      group.live.clear();
    } else {
      group.live = {longer(h, {0, id, log_probability, log_probability, spelled})};
      if (length >= max_length_) finish_unended(group);
    }
  }
  group.done = group.live.empty();
}

std::vector<Candidate> found_by(std::vector<Group>& groups, const SearchOptions& options) {
  std::vector<Candidate> all;
  const auto is_new = [&](const Candidate& candidate) {
    return std::none_of(all.begin(), all.end(),
                        [&](const Candidate& other) { return other.ids == candidate.ids; });
  };
  // From each group in turn: the best of each, the second of each.
  for (size_t rank = 0; int64_t(all.size()) < options.nbest; ++rank) {
    bool any = false;
    for (Group& group : groups) {
      if (rank >= group.finished.size() || int64_t(all.size()) >= options.nbest) continue;
      any = true;
      Candidate& candidate = group.finished[rank];
      if (options.sample || groups.size() == 1 || is_new(candidate))
        all.push_back(std::move(candidate));
    }
    if (!any) break;
  }
  if (!options.sample)
    std::stable_sort(all.begin(), all.end(),
                     [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
  return all;
}

std::vector<TokenId> repeating(std::span<const TokenId> ids, int64_t n) {
  std::vector<TokenId> found;
  const size_t before = size_t(n) - 1;
  if (n < 1 || ids.size() < before) return found;
  const auto last = ids.last(before);
  for (size_t at = before; at < ids.size(); ++at)
    if (std::equal(last.begin(), last.end(), ids.begin() + ptrdiff_t(at - before)))
      found.push_back(ids[at]);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace heed
