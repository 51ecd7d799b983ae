#include "heed/decode/decoding_step.h"

#include <algorithm>
#include <cmath>

#include "heed/decode/candidates.h"

namespace heed {
namespace {

// Sets `to` to `values` and `last`, with one allocation.
template <class T>
void copy_with(const std::vector<T>& values, T last, std::vector<T>& to) {
  to.reserve(values.size() + 1);
  to = values;
  to.push_back(last);
}

// `parent` extended by the candidate; `node` is its node in the trace.
ActiveHypothesis extended(const ActiveHypothesis& parent, const Candidate& candidate,
                          int64_t node) {
  ActiveHypothesis h;
  h.node = node;
  copy_with(parent.ids, candidate.id, h.ids);
  h.cache_rows.reserve(parent.cache_rows.size() + 1);  // the next step appends its own
  h.cache_rows = parent.cache_rows;
  h.log_probability = candidate.log_probability;
  copy_with(parent.log_probabilities, candidate.token_log_probability, h.log_probabilities);
  h.constrained = parent.constrained;
  return h;
}

// `parent` with </s>.
Hypothesis ended(const ActiveHypothesis& parent, const Candidate& end, int64_t node) {
  Hypothesis hypothesis = {parent.ids, end.log_probability};
  hypothesis.node = node;
  copy_with(parent.log_probabilities, end.token_log_probability, hypothesis.log_probabilities);
  return hypothesis;
}

// The hypothesis at rank `wanted`, from 1; null if fewer are finished.
const FinishedHypothesis* last_wanted(const SearchOptions& options, const HypothesisGroup& group,
                                      int64_t wanted) {
  // With several groups repeated texts count as wanted hypotheses: a group that searched on for
  // other texts in their place would change the diversity penalties of later groups.
  const bool by_text = options.beam_groups == 1;
  for (const FinishedHypothesis& finished : group.finished)
    if (!(by_text && finished.repeats) && --wanted == 0) return &finished;
  return nullptr;
}

// Whether no active hypothesis can still be among the wanted ones: log-probabilities only decrease,
// and the length penalty has its largest divisor at the maximum length. Or at least group_size()
// have ended, and the best of them scores at least as high as each active one at its present
// length: without the comparison, improbable hypotheses that end early would win over a probable
// one that is longer.
bool is_done(const DecodingStep& step, const HypothesisGroup& group) {
  if (group.active.empty()) return true;
  const int64_t groups = step.options.beam_groups;
  const double alpha = step.options.length_penalty_or_default();
  double best = group.active[0].log_probability;
  for (const ActiveHypothesis& h : group.active) best = std::max(best, h.log_probability);
  const auto length = int64_t(group.active[0].ids.size());
  if (int64_t(group.finished.size()) >= step.options.group_size() &&
      group.finished[0].score >= best / length_penalty(length, alpha))
    return true;
  const FinishedHypothesis* last =
      last_wanted(step.options, group, (step.options.nbest + groups - 1) / groups);
  return last && last->score >= best / length_penalty(step.max_length, alpha);
}

// Removes the hypotheses that have less of the text that is demanded than others.
void keep_those_with_most(std::vector<ActiveHypothesis>& active, const std::vector<int64_t>& met) {
  if (met.empty()) return;
  const int64_t most = *std::ranges::max_element(met);
  size_t i = 0;
  std::erase_if(active, [&](const ActiveHypothesis&) { return met[i++] < most; });
}

// Records the likeliest tokens in the group's trace, if it has one.
void trace_next(const DecodingStep& step, const HypothesisGroup& group) {
  if (!group.trace) return;
  for (const ActiveHypothesis& h : group.active) {
    const Predictions::Best best = step.predictions.best(h.logits_row);
    group.trace->set_likeliest(h.node, best.ids, best.log_probabilities);
  }
}

// Records the candidate in the group's trace; returns its node.
int64_t trace(const SearchOptions& options, const HypothesisGroup& group,
              const Candidate& candidate, HypothesisFate fate) {
  if (!group.trace) return -1;
  const ActiveHypothesis& parent = group.active[size_t(candidate.parent)];
  double score = candidate.score;
  if (fate == HypothesisFate::ended)
    score = candidate.log_probability /
            length_penalty(int64_t(parent.ids.size()) + 1, options.length_penalty_or_default());
  return group.trace->add({parent.node, candidate.id, candidate.token_log_probability,
                           candidate.log_probability, score, fate, group.number});
}

// Sets `choices` to the tokens that may come next, with their logits.
void list_choices(const DecodingStep& step, const ActiveHypothesis& h,
                  std::vector<TokenWeight>& choices) {
  const std::optional<int64_t>& top_k = step.options.top_k;
  choices.clear();
  const std::span<const TokenId> banned = h.next.banned();
  if (const std::vector<TokenId>* only = h.next.only()) {
    for (const TokenId id : *only)
      choices.push_back({id, step.predictions.logit(h.logits_row, id)});
  } else if (top_k && *top_k + int64_t(banned.size()) < step.predictions.classes()) {
    // Most probable first, the order of to_probabilities(), so that the same random number draws
    // the same token as when all classes are choices.
    do {
      choices.clear();
      for (const TokenId id : step.predictions.best(h.logits_row).ids)
        if (h.next.allows(id)) choices.push_back({id, step.predictions.logit(h.logits_row, id)});
    } while (int64_t(choices.size()) < *top_k && step.predictions.find_more(h.logits_row));
  } else {
    step.predictions.choices(h.logits_row, choices);  // in the order of their ids
    if (banned.empty()) return;
    auto next_banned = banned.begin();
    std::erase_if(choices, [&](const TokenWeight& choice) {
      while (next_banned != banned.end() && *next_banned < choice.id) ++next_banned;
      return next_banned != banned.end() && *next_banned == choice.id;
    });
  }
}

}  // namespace

double length_penalty(int64_t length, double alpha) {
  return std::pow((5.0 + double(length)) / 6.0, alpha);
}

void HypothesisGroup::finish(Hypothesis hypothesis, int64_t length, double alpha) {
  hypothesis.score = hypothesis.log_probability / length_penalty(length, alpha);
  const auto place =
      std::upper_bound(finished.begin(), finished.end(), hypothesis,
                       [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
  FinishedHypothesis added{std::move(hypothesis), {}, false};
  if (target_tokenizer) {
    added.text = target_tokenizer->decode(added.ids);
    const auto same =
        std::find_if(finished.begin(), finished.end(), [&](const FinishedHypothesis& other) {
          return !other.repeats && other.text == added.text;
        });
    if (same != finished.end()) (same < place ? added : *same).repeats = true;
  }
  finished.insert(place, std::move(added));
}

void HypothesisGroup::finish_active(double alpha) {
  for (ActiveHypothesis& h : active) {
    const auto length = std::max<int64_t>(1, int64_t(h.ids.size()));
    finish({std::move(h.ids), h.log_probability, 0, false, std::move(h.log_probabilities), h.node},
           length, alpha);
  }
  active.clear();
}

double DecodingStep::log_probability(const ActiveHypothesis& h, TokenId id) const {
  return h.next.is_given() ? 0 : predictions.log_probability(h.logits_row, id);
}

int64_t DecodingStep::candidates_needed(const SearchOptions& options, int64_t banned) {
  if (options.sample) return options.top_k ? *options.top_k + banned : 1;
  // Twice the group's size, so that enough remain if every hypothesis can end, and one more for
  // each token that earlier groups may have chosen, which the diversity penalty moves down.
  const int64_t size = options.group_size();
  return 2 * size + (options.beam_size() - size) + banned;
}

void DecodingStep::beam_search(HypothesisGroup& group, std::vector<TokenId>& chosen) const {
  const int64_t length = int64_t(group.active[0].ids.size()) + 1;
  const std::vector<Candidate> candidates = best_candidates(*this, group, chosen);
  trace_next(*this, group);
  std::vector<ActiveHypothesis> kept;
  std::vector<int64_t> met;  // of the text that is demanded, by each of them
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& candidate = candidates[i];
    const ActiveHypothesis& parent = group.active[size_t(candidate.parent)];
    const bool ends = candidate.id == end_id;
    // A hypothesis with </s> is finished only if it would have stayed in the beam.
    if (int64_t(ends ? i : kept.size()) >= options.group_size()) {
      trace(options, group, candidate, HypothesisFate::dropped);
    } else if (ends) {
      const int64_t node = trace(options, group, candidate, HypothesisFate::ended);
      group.finish(ended(parent, candidate, node), length, options.length_penalty_or_default());
    } else {
      kept.push_back(
          extended(parent, candidate, trace(options, group, candidate, HypothesisFate::kept)));
      met.push_back(candidate.progress.met);
    }
  }
  if (candidates.empty()) {
    group.finish_active(options.length_penalty_or_default());
  } else {
    group.active = std::move(kept);
    if (options.beam_groups > 1) {
      for (const ActiveHypothesis& h : group.active) chosen.push_back(h.ids.back());
      std::sort(chosen.begin(), chosen.end());
    }
    if (length >= max_length) {
      keep_those_with_most(group.active, met);
      group.finish_active(options.length_penalty_or_default());
    }
  }
  group.done = is_done(*this, group);
}

void DecodingStep::sample(HypothesisGroup& group, double uniform,
                          std::vector<TokenWeight>& choices) const {
  const ActiveHypothesis& h = group.active[0];
  list_choices(*this, h, choices);
  if (choices.empty()) {
    group.finish_active(options.length_penalty_or_default());
  } else {
    to_probabilities(choices, options.sampling());
    const TokenId id = detail::draw(choices, uniform).id;
    const double of_token = log_probability(h, id);
    const double log_probability = h.log_probability + of_token;
    const Candidate chosen = {0, id, log_probability, log_probability, of_token};
    const int64_t length = int64_t(h.ids.size()) + 1;
    const bool ends = id == end_id;
    trace_next(*this, group);
    const int64_t node =
        trace(options, group, chosen, ends ? HypothesisFate::ended : HypothesisFate::kept);
    if (ends) {
      group.finish(ended(h, chosen, node), length, options.length_penalty_or_default());
      group.active.clear();
    } else {
      group.active = {extended(h, chosen, node)};
      if (length >= max_length) group.finish_active(options.length_penalty_or_default());
    }
  }
  group.done = group.active.empty();
}

void drop_unfinished(std::vector<HypothesisGroup>& groups) {
  const auto has_ended = [](const FinishedHypothesis& h) { return h.ended; };
  const bool any = std::any_of(groups.begin(), groups.end(), [&](const HypothesisGroup& group) {
    return std::any_of(group.finished.begin(), group.finished.end(), has_ended);
  });
  if (!any) return;
  for (HypothesisGroup& group : groups) {
    std::erase_if(group.finished, [](const FinishedHypothesis& h) { return !h.ended; });
    // One of those that were dropped may have had the text of another.
    for (size_t i = 0; i < group.finished.size(); ++i)
      group.finished[i].repeats =
          group.finished[i].repeats &&
          std::any_of(group.finished.begin(), group.finished.begin() + int64_t(i),
                      [&](const FinishedHypothesis& better) {
                        return better.text == group.finished[i].text;
                      });
  }
}

std::vector<Hypothesis> best_hypotheses(std::vector<HypothesisGroup>& groups,
                                        const SearchOptions& options) {
  std::vector<FinishedHypothesis*> best;
  const auto same_as = [&](const FinishedHypothesis& hypothesis, const Tokenizer* target) {
    return std::find_if(best.begin(), best.end(), [&](const FinishedHypothesis* other) {
      return target ? other->text == hypothesis.text : other->ids == hypothesis.ids;
    });
  };
  // If another group has the same hypothesis, keeps the one with the higher score.
  const auto add = [&](FinishedHypothesis& hypothesis, const Tokenizer* target) {
    const bool compared = !options.sample && groups.size() > 1;
    const auto same = compared ? same_as(hypothesis, target) : best.end();
    if (same == best.end())
      best.push_back(&hypothesis);
    else if (hypothesis.score > (*same)->score)
      *same = &hypothesis;
  };
  // Round robin over the groups: the best of each, then the second of each.
  for (size_t rank = 0; int64_t(best.size()) < options.nbest; ++rank) {
    bool any = false;
    for (HypothesisGroup& group : groups) {
      if (rank >= group.finished.size() || int64_t(best.size()) >= options.nbest) continue;
      any = true;
      if (!group.finished[rank].repeats) add(group.finished[rank], group.target_tokenizer);
    }
    if (!any) break;
  }
  if (!options.sample)
    std::stable_sort(best.begin(), best.end(),
                     [](const Hypothesis* a, const Hypothesis* b) { return a->score > b->score; });
  std::vector<Hypothesis> all;
  all.reserve(best.size());
  for (FinishedHypothesis* hypothesis : best) all.push_back(std::move(*hypothesis));
  return all;
}

}  // namespace heed
