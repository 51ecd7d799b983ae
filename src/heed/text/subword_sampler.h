// Random segmentations of a text, so that a model sees its words in other pieces each time:
// BPE-dropout (Provilkov et al. 2020) and unigram sampling (Kudo 2018).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "heed/core/ragged.h"
#include "heed/core/rng.h"
#include "heed/text/tokenizer.h"

namespace heed {

// Const once built: any number of threads may use one. Pieces that are always whole (symbols of the
// user, bytes, <unk>, language codes) stay as they are, and nothing is merged across them.
class SubwordSampler {
 public:
  // With BPE, `alpha` is the probability that a merge is left out, from 0 to below 1; with a
  // unigram vocabulary, a segmentation is drawn with its probability to the power of alpha, above
  // 0. Both are those of SentencePiece's SampleEncode(). UsageError that begins with `flag`:
  // another vocabulary, or an alpha that is out of range.
  SubwordSampler(const Tokenizer& tokenizer, double alpha, std::string_view flag);
  ~SubwordSampler();
  SubwordSampler(SubwordSampler&&) noexcept;
  SubwordSampler& operator=(SubwordSampler&&) noexcept;

  // The length of a piece's text, in a unit in which all segmentations of a text are equally long.
  int64_t length(TokenId id) const { return lengths_[size_t(id)]; }
  // Another segmentation of the same characters, a function of the ids and the seed.
  std::vector<TokenId> sample(std::span<const TokenId> ids, uint64_t seed) const;

 private:
  class Segmenter;
  class BpeDropout;
  class UnigramSampling;

  std::unique_ptr<const Segmenter> segmenter_;
  std::vector<int64_t> lengths_;  // by id
};

}  // namespace heed
