#include "heed/evaluate/ngrams.h"

#include <algorithm>
#include <optional>

namespace heed::detail {

void NgramMatcher::clear() {
  ngrams_.clear();
  counts_.clear();
  references_ = 0;
}

void NgramMatcher::add_reference(std::span<const uint32_t> tokens) {
  ++references_;
  for (size_t begin = 0; begin < tokens.size(); ++begin) {
    const size_t longest = std::min(tokens.size() - begin, size_t(max_order_));
    uint32_t ngram = kNoPrefix;
    for (size_t i = 0; i < longest; ++i) {
      ngram = ngrams_.id_of(key(ngram, tokens[begin + i]));
      if (ngram == counts_.size()) counts_.emplace_back();
      Count& count = counts_[ngram];
      if (count.reference != references_) {
        count.reference = references_;
        count.current = 0;
      }
      count.max = std::max(count.max, ++count.current);
    }
  }
}

void NgramMatcher::take_matches(std::span<const uint32_t> tokens, std::span<int64_t> matches) {
  for (size_t begin = 0; begin < tokens.size(); ++begin) {
    const size_t longest = std::min(tokens.size() - begin, size_t(max_order_));
    uint32_t ngram = kNoPrefix;
    for (size_t i = 0; i < longest; ++i) {
      // Where a beginning is unknown, whatever it begins is unknown too.
      const std::optional<uint32_t> known = ngrams_.find(key(ngram, tokens[begin + i]));
      if (!known) break;
      ngram = *known;
      if (counts_[ngram].max == 0) continue;
      --counts_[ngram].max;
      ++matches[i];
    }
  }
}

}  // namespace heed::detail
