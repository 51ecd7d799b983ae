// Constraints on the translations of a sentence: forced prefix, lengths, no repeated n-grams.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "heed/decode/forced_prefix.h"
#include "heed/decode/search_options.h"
#include "heed/text/byte_pieces.h"

namespace heed {

// The constraints on the next token of a hypothesis.
struct ConstraintState {
  size_t matched = 0;           // bytes of the forced text matched so far
  std::vector<TokenId> banned;  // ids that must not follow, sorted; empty while an id is forced
  NextBytes bytes = {};         // those that continue a character that is spelled in bytes
};

// The constraints of one sentence: the search asks which ids may follow a hypothesis. New kinds of
// constraints are added to this class.
class DecodingConstraints {
 public:
  // `max_length` is that of max_target_length(), and greater than the number of prefix ids.
  // Characters that are spelled in pieces of `bytes`, which must outlive this, are spelled whole;
  // null: the vocabulary has no such pieces.
  DecodingConstraints(const SearchOptions& options, int64_t max_length, TokenId end_id,
                      ForcedPrefix prefix = {}, const BytePieces* bytes = nullptr);

  // The ids that every translation starts with.
  const std::vector<TokenId>& prefix_ids() const { return prefix_.ids; }
  int64_t max_length() const { return max_length_; }
  TokenId end_id() const { return end_id_; }

  // Computes which ids must not follow `ids`.
  void update(ConstraintState& state, std::span<const TokenId> ids) const;
  // Whether text or the rest of a character is forced: the next id must be one of
  // for_each_forced_id().
  bool is_forced(const ConstraintState& state) const {
    return is_forced_text(state) || !state.bytes.empty();
  }
  // Calls f(TokenId) for every id that may follow while one is forced.
  template <class F>
  void for_each_forced_id(const ConstraintState& state, F&& f) const {
    if (is_forced_text(state))
      prefix_.text->for_each_continuation(
          state.matched, [&](const ForcedText::Continuation& next) { f(next.id); });
    else
      bytes_->for_each(state.bytes, f);
  }
  // The number of ids that may not follow, besides ConstraintState::banned.
  int64_t never_next() const { return bytes_ ? kContinuingBytes : 0; }
  // Whether `id` may follow.
  bool allows(const ConstraintState& state, TokenId id) const;
  // The state of a hypothesis extended by an allowed `id`, before update().
  ConstraintState after(const ConstraintState& state, TokenId id) const;

 private:
  // Bytes that begin no character.
  static constexpr int64_t kContinuingBytes = 256 - 128 - (0xF4 - 0xC2 + 1);

  bool is_forced_text(const ConstraintState& state) const {
    return prefix_.text && state.matched < prefix_.text->size();
  }

  const int64_t min_length_, max_length_, no_repeat_ngram_;
  const TokenId end_id_;
  const ForcedPrefix prefix_;
  const BytePieces* const bytes_;
};

// Maximum length of a translation, </s> included.
int64_t max_target_length(const SearchOptions& options, int64_t source_length,
                          int64_t max_positions);

// The ids, sorted, that would complete an n-gram that `ids` already contains.
std::vector<TokenId> repeated_ngram_tokens(std::span<const TokenId> ids, int64_t n);

}  // namespace heed
