// Training text of which each epoch varies a share of the pairs (text/variation.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/data/dataset.h"
#include "heed/text/tokenizer.h"
#include "heed/text/variation.h"

namespace heed {

// The examples of a dataset, some of them varied: functions of the seed, the epoch and the number
// of the example. Their text is what their ids spell, so it is normalized as the vocabulary does.
class VariedText : public Dataset {
 public:
  // A pair whose variation has text that the vocabulary lacks, or a side of more than `max_tokens`
  // tokens, the end included, stays as it is. One of `tags` before a source stays as it is, too.
  // The dataset must outlive it.
  VariedText(const Dataset& data, TokenizerPair tokenizers, const VariationShares& shares,
             uint64_t seed, int64_t max_tokens, std::vector<std::string> tags = {});

  int64_t size() const override { return data_.size(); }
  ExampleSize bound(int64_t index) const override;
  ExampleSize size_in(int64_t epoch, int64_t index) const override;
  std::vector<Example> examples(int64_t epoch, std::span<const uint32_t> indices) const override;

 private:
  Example plain(int64_t epoch, uint32_t index) const;
  // The varied example; std::nullopt where it is not varied.
  std::optional<Example> variation_of(int64_t epoch, uint32_t index) const;
  // Without the tag; std::nullopt where the vocabulary lacks some of it.
  struct TaggedText {
    LinePair text;
    std::string tag;  // with its space
  };
  std::optional<TaggedText> text_of(const Example& example) const;

  const Dataset& data_;
  const TokenizerPair tokenizers_;
  const VariationShares shares_;
  const uint64_t seed_;
  const int64_t max_tokens_;
  const std::vector<std::string> tags_;
};

}  // namespace heed
