#include "heed/decode/search_constraints.h"

namespace heed {
namespace {

class MinimumLength : public Constraint {
 public:
  MinimumLength(int64_t length, TokenId end_id) : length_(length), end_id_(end_id) {}
  void update(std::span<const ConstrainedHypothesis> hypotheses) const override {
    for (const ConstrainedHypothesis& h : hypotheses)
      if (int64_t(h.ids.size()) < length_) h.next.ban({&end_id_, 1});
  }

 private:
  const int64_t length_;
  const TokenId end_id_;
};

class NoRepeatedNgrams : public Constraint {
 public:
  explicit NoRepeatedNgrams(int64_t size) : size_(size) {}
  void update(std::span<const ConstrainedHypothesis> hypotheses) const override {
    for (const ConstrainedHypothesis& h : hypotheses)
      h.next.ban(repeated_ngram_tokens(h.ids, size_));
  }

 private:
  const int64_t size_;
};

class WholeCharacters : public Constraint {
 public:
  explicit WholeCharacters(const BytePieces& bytes) : bytes_(bytes) {}
  void update(std::span<const ConstrainedHypothesis> hypotheses) const override {
    for (const ConstrainedHypothesis& h : hypotheses) {
      const NextBytes expected = bytes_.expected_after(h.ids);
      if (expected.empty())
        h.next.ban(bytes_.within_characters());
      else
        h.next.allow_only(bytes_.ids(expected));
    }
  }

 private:
  const BytePieces& bytes_;
};

}  // namespace

void NextTokens::ban(std::span<const TokenId> ids) {
  const auto before = std::ptrdiff_t(banned_.size());
  banned_.insert(banned_.end(), ids.begin(), ids.end());
  std::inplace_merge(banned_.begin(), banned_.begin() + before, banned_.end());
}

void NextTokens::allow_only(std::vector<TokenId> ids) {
  if (only_) std::erase_if(ids, [&](TokenId id) { return !allows(id); });
  only_ = std::move(ids);
}

void NextTokens::give(TokenId id) {
  allow_only({id});
  is_given_ = true;
}

Constraints option_constraints(const SearchOptions& options, TokenId end_id) {
  Constraints all;
  if (options.min_length > 0)
    all.push_back(std::make_shared<MinimumLength>(options.min_length, end_id));
  if (options.no_repeat_ngram_size > 0)
    all.push_back(std::make_shared<NoRepeatedNgrams>(options.no_repeat_ngram_size));
  return all;
}

std::shared_ptr<const Constraint> whole_characters(const BytePieces& bytes) {
  return bytes.empty() ? nullptr : std::make_shared<const WholeCharacters>(bytes);
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
