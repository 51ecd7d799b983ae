// How the translations of one sentence go on by a step.
#pragma once

#include <algorithm>
#include <map>
#include <span>

#include "heed/decode/finite.h"
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
  // Classes of a row, best first, with their log-probabilities.
  struct Best {
    std::span<const TokenId> ids;
    std::span<const float> log_probabilities;
  };

  // Of each row of `logits` no more than the `most` best will be asked for. Error where a row has a
  // logit that is NaN or infinity.
  Predictions(Backend& backend, const Tensor& logits, int64_t most)
      : backend_(backend),
        logits_(logits),
        most_(std::min(most, classes())),
        // Of a wide beam's rows most give a few: the others ask for more.
        found_(most_ <= kFew ? most_ : kFirst),
        top_(backend.top_classes(logits, found_)) {
    // One such logit makes the sum of a row's exponentials NaN, and so every log-probability.
    for (int64_t row = 0; row < logits.rows(); ++row)
      expect_finite(double(top_.log_probabilities[size_t(row * found_)]));
  }

  int64_t classes() const { return logits_.columns(); }
  // As many of a row's best as were found so far.
  Best best(int64_t row) const {
    const auto wide = wider_.find(row);
    if (wide != wider_.end()) return {wide->second.ids, wide->second.log_probabilities};
    return {std::span(top_.ids).subspan(size_t(row * found_), size_t(found_)),
            std::span(top_.log_probabilities).subspan(size_t(row * found_), size_t(found_))};
  }
  // Finds more of a row's best; false where all that may be asked for were found.
  bool find_more(int64_t row) {
    const auto found = int64_t(best(row).ids.size());
    if (found >= most_) return false;
    wider_[row] = backend_.top_classes(logits_.slice(row, row + 1), std::min(most_, 8 * found));
    return true;
  }

  double logit(int64_t row, TokenId id) const {
    const int64_t at = row * classes() + id;
    return logits_.dtype() == DType::f32 ? double(logits_.data<float>()[at])
                                         : logits_.data<double>()[at];
  }
  // Makes `all` every class of a row with its logit.
  void choices(int64_t row, std::vector<Choice>& all) const {
    all.resize(size_t(classes()));
    const auto read = [&](const auto* logits) {
      for (size_t i = 0; i < all.size(); ++i) all[i] = {TokenId(i), double(logits[i])};
    };
    if (logits_.dtype() == DType::f32)
      read(logits_.data<float>() + row * classes());
    else
      read(logits_.data<double>() + row * classes());
  }
  // Of any id.
  double log_probability(int64_t row, TokenId id) const {
    const size_t at = size_t(row * found_);
    return double(top_.log_probabilities[at]) + (logit(row, id) - logit(row, top_.ids[at]));
  }

 private:
  static constexpr int64_t kFew = 24, kFirst = 16;

  Backend& backend_;
  Tensor logits_;
  int64_t most_, found_;
  TopClasses top_;                       // the best `found_` of each row
  std::map<int64_t, TopClasses> wider_;  // of rows for which find_more() was called
};

// One step of one sentence.
class Advance {
 public:
  // `max_length` is the sentence's; all must outlive this.
  Advance(const SearchOptions& options, Predictions& next, TokenId end_id, const Spelling* spelling,
          int64_t max_length)
      : options_(options),
        next_(next),
        end_id_(end_id),
        spelling_(spelling),
        max_length_(max_length) {}

  // How many of the best of each row a step may need, where `repeats` of them may be forbidden.
  static int64_t best_needed(const SearchOptions& options, int64_t repeats);

  // A step of beam search. `taken` holds the tokens that groups before took at this step, sorted;
  // beam() adds what this one takes.
  void beam(Group& group, std::vector<TokenId>& taken) const;
  // A step of a sample, at `uniform` of its distribution. `choices` is memory to work in.
  void sample(Group& group, double uniform, std::vector<Choice>& choices) const;

 private:
  // One way to go on: hypothesis `parent` and then `id`.
  struct Way {
    int64_t parent;
    TokenId id;
    double log_probability;
    double value;  // what ways are compared by
    size_t spelled;
  };
  class BestWays;

  int64_t width() const { return options_.beam_size() / options_.diverse_groups; }
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
  Predictions& next_;
  const TokenId end_id_;
  const Spelling* spelling_;
  const int64_t max_length_;
};

// What the groups found, as Found says.
std::vector<Candidate> found_by(std::vector<Group>& groups, const SearchOptions& options);

// The ids that would make the last `n` of `ids` and one more repeat n ids that stand in `ids`.
std::vector<TokenId> repeating(std::span<const TokenId> ids, int64_t n);

}  // namespace heed
