// The interface of what restricts the translations of a sentence: forced text, bans, tokens that
// must come together.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "heed/core/ragged.h"

namespace heed {

// How much a hypothesis has of the text that its translation must have.
struct DemandProgress {
  int64_t met = 0;         // parts that it has
  int64_t bytes = 0;       // of another part, of which it ends with the beginning
  bool may_begin = false;  // it ends with the space before a part
  friend bool operator<(const DemandProgress& a, const DemandProgress& b) {
    return std::tie(a.met, a.bytes, a.may_begin) < std::tie(b.met, b.bytes, b.may_begin);
  }
};

// Text that a translation must have, as it concerns the next token of a hypothesis.
struct Demand {
  std::vector<TokenId> suggested;  // by which it comes further, probable or not
  std::function<DemandProgress(TokenId)> after;
};

// The tokens that may follow a hypothesis: all but those that are banned, or a few alone.
class NextTokens {
 public:
  // Bans these ids, which are sorted.
  void ban(std::span<const TokenId> ids);
  // Allows only these ids; after an earlier call, only those that both name. From then on bans are
  // ignored: a ban could make it impossible to complete a character or a forced text.
  void allow_only(std::vector<TokenId> ids);

  // Allows this id alone, as part of the task rather than the model's choice: its log-probability
  // is 0, so that hypotheses are compared by what the model chose.
  void give(TokenId id);
  // Whether the next token is that of give().
  bool is_given() const { return is_given_; }

  // Makes the beam search for text that the translation must have. Of the constraints of a sentence
  // one alone may do so.
  void set_demand(Demand demand) { demand_ = std::move(demand); }
  // Null if there is none.
  const Demand* demand() const { return demand_ ? &*demand_ : nullptr; }

  // The ids of allow_only(); null if it was not called.
  const std::vector<TokenId>* only() const { return only_ ? &*only_ : nullptr; }
  // Sorted; empty if only() is not null.
  std::span<const TokenId> banned() const {
    return only_ ? std::span<const TokenId>() : std::span(banned_);
  }
  bool allows(TokenId id) const {
    if (only_) return std::find(only_->begin(), only_->end(), id) != only_->end();
    return !std::binary_search(banned_.begin(), banned_.end(), id);
  }

 private:
  std::optional<std::vector<TokenId>> only_;
  std::vector<TokenId> banned_;
  bool is_given_ = false;
  std::optional<Demand> demand_;
};

// A hypothesis as a constraint sees it.
struct ConstrainedHypothesis {
  std::span<const TokenId> ids;  // so far, without the start token
  size_t seen;                   // how many of these it had at the constraint's last update
  int64_t& state;                // of the constraint after the first `seen` ids; 0 at the beginning
  NextTokens& next;              // of the hypothesis, for all its constraints
};

// A constraint on all hypotheses of a sentence. What it knows of one of them is a state: a number
// whose meaning is its own, and which a hypothesis inherits from the one that it extends. So one
// object may serve many sentences.
class Constraint {
 public:
  virtual ~Constraint() = default;
  // Called before each step of the sentence with all its hypotheses: brings the states up to date
  // with the ids, and restricts what may follow.
  virtual void update(std::span<const ConstrainedHypothesis> hypotheses) const = 0;
};

using Constraints = std::vector<std::shared_ptr<const Constraint>>;

}  // namespace heed
