#include "heed/decode/decoding_constraints.h"

namespace heed {

DecodingConstraints::DecodingConstraints(const SearchOptions& options, int64_t max_length,
                                         TokenId end_id, ForcedPrefix prefix,
                                         const BytePieces* bytes)
    : min_length_(options.min_length),
      max_length_(max_length),
      no_repeat_ngram_(options.no_repeat_ngram_size),
      end_id_(end_id),
      prefix_(std::move(prefix)),
      bytes_(bytes && !bytes->empty() ? bytes : nullptr) {
  check(int64_t(prefix_.ids.size()) < max_length_, "the prefix is as long as a translation may be");
}

void DecodingConstraints::update(ConstraintState& state, std::span<const TokenId> ids) const {
  state.banned.clear();
  state.bytes = bytes_ ? bytes_->expected_after(ids) : NextBytes();
  if (is_forced(state)) return;
  if (no_repeat_ngram_ > 0) state.banned = repeated_ngram_tokens(ids, no_repeat_ngram_);
  if (int64_t(ids.size()) < min_length_)
    state.banned.insert(std::lower_bound(state.banned.begin(), state.banned.end(), end_id_),
                        end_id_);
}

bool DecodingConstraints::allows(const ConstraintState& state, TokenId id) const {
  if (!is_forced(state))
    return !std::binary_search(state.banned.begin(), state.banned.end(), id) &&
           (!bytes_ || bytes_->begins_character(id));
  bool found = false;
  for_each_forced_id(state, [&](TokenId forced) { found = found || forced == id; });
  return found;
}

ConstraintState DecodingConstraints::after(const ConstraintState& state, TokenId id) const {
  if (!is_forced_text(state)) return {state.matched, {}};
  ConstraintState next;
  prefix_.text->for_each_continuation(state.matched, [&](const ForcedText::Continuation& forced) {
    if (forced.id == id) next.matched = forced.matched;
  });
  check(next.matched > state.matched, "an id that the forced text does not allow");
  return next;
}

int64_t max_target_length(const SearchOptions& options, int64_t source_length,
                          int64_t max_positions) {
  const int64_t wanted =
      options.max_length > 0 ? options.max_length : source_length + options.extra_length;
  return std::clamp<int64_t>(wanted, 1, max_positions);
}

std::vector<TokenId> repeated_ngram_tokens(std::span<const TokenId> ids, int64_t n) {
  std::vector<TokenId> tokens;
  const size_t before = size_t(n) - 1;
  if (n < 1 || ids.size() < before) return tokens;
  const auto last = ids.last(before);
  for (size_t at = before; at < ids.size(); ++at)
    if (std::equal(last.begin(), last.end(), ids.begin() + ptrdiff_t(at - before)))
      tokens.push_back(ids[at]);
  std::sort(tokens.begin(), tokens.end());
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  return tokens;
}

}  // namespace heed
