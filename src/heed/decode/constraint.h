// The interface of what restricts the translations of a sentence: forced text, bans, tokens that
// must come together.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "heed/core/ragged.h"

namespace heed {

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
