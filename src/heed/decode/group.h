// How the translations of one sentence go on by a step.
#pragma once

#include "heed/decode/search.h"

namespace heed {

// A translation in the making.
struct Hypothesis {
  std::vector<TokenId> ids;   // without the start
  std::vector<int32_t> rows;  // its past: rows of the cache, oldest first
  double log_probability = 0;
  size_t spelled = 0;            // bytes of what its beginning spells
  int64_t row = 0;               // of the step at hand: where its next token is predicted
  std::vector<TokenId> repeats;  // what may not come next
};

// Hypotheses of a sentence that compete with each other: a beam, one group of a diverse one, or
// one sample.
struct Group {
  std::vector<Hypothesis> live;
  std::vector<Candidate> finished;  // best first
  bool done = false;
};

// What the model says comes next, for each row.
class Predictions {
 public:
  // The `best` of each row of `logits`.
  Predictions(Backend& backend, const Tensor& logits, int64_t best)
      : logits_(logits), best_(best), top_(backend.top_classes(logits, best)) {}

  int64_t best() const { return best_; }
  int64_t classes() const { return logits_.columns(); }
  // The i-th best of a row, and its log-probability.
  TokenId best_id(int64_t row, int64_t i) const { return top_.ids[size_t(row * best_ + i)]; }
  double best_log_probability(int64_t row, int64_t i) const {
    return double(top_.log_probabilities[size_t(row * best_ + i)]);
  }
  double logit(int64_t row, TokenId id) const {
    const int64_t at = row * classes() + id;
    return logits_.dtype() == DType::f32 ? double(logits_.data<float>()[at])
                                         : logits_.data<double>()[at];
  }
  // Every class of a row with its logit.
  std::vector<Choice> choices(int64_t row) const {
    std::vector<Choice> all(size_t(classes()), Choice{});
    const auto read = [&](const auto* logits) {
      for (size_t i = 0; i < all.size(); ++i) all[i] = {TokenId(i), double(logits[i])};
    };
    if (logits_.dtype() == DType::f32)
      read(logits_.data<float>() + row * classes());
    else
      read(logits_.data<double>() + row * classes());
    return all;
  }
  // Of any id.
  double log_probability(int64_t row, TokenId id) const {
    return best_log_probability(row, 0) + (logit(row, id) - logit(row, best_id(row, 0)));
  }

 private:
  Tensor logits_;
  int64_t best_;
  TopClasses top_;
};

// One step of one sentence.
class Advance {
 public:
  // `max_length` is the sentence's; all must outlive this.
  Advance(const SearchOptions& options, const Predictions& next, TokenId end_id,
          const Spelling* spelling, int64_t max_length)
      : options_(options),
        next_(next),
        end_id_(end_id),
        spelling_(spelling),
        max_length_(max_length) {}

  // How many of the best of each row beam() needs, where `repeats` of them may be forbidden.
  static int64_t best_needed(const SearchOptions& options, int64_t repeats);

  // A step of beam search. `taken` holds the tokens that groups before took at this step; beam()
  // adds what this one takes.
  void beam(Group& group, std::vector<TokenId>& taken) const;
  // A step of a sample, at `uniform` of its distribution.
  void sample(Group& group, double uniform) const;

 private:
  // One way to go on: hypothesis `parent` and then `id`.
  struct Way {
    int64_t parent;
    TokenId id;
    double log_probability;
    double value;  // what ways are compared by
    size_t spelled;
  };

  bool spells(const Hypothesis& h) const { return spelling_ && h.spelled < spelling_->size(); }
  // Whether a hypothesis that spells no more may go on with `id`.
  bool may_follow(const Hypothesis& h, TokenId id) const;
  std::vector<Way> ways_on(const Group& group, const std::vector<TokenId>& taken) const;
  Hypothesis longer(const Hypothesis& parent, const Way& way) const;
  void finish(Group& group, Candidate candidate, int64_t length) const;
  // What has no way on, or stands at the greatest length.
  void finish_unended(Group& group) const;
  bool settled(const Group& group) const;

  const SearchOptions& options_;
  const Predictions& next_;
  const TokenId end_id_;
  const Spelling* spelling_;
  const int64_t max_length_;
};

// What the groups found, as Found says.
std::vector<Candidate> found_by(std::vector<Group>& groups, const SearchOptions& options);

// The ids that would make the last `n` of `ids` and one more repeat n ids that stand in `ids`.
std::vector<TokenId> repeating(std::span<const TokenId> ids, int64_t n);

}  // namespace heed
