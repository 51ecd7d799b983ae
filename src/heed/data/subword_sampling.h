// Training text whose words are in other pieces in each epoch (text/subword_sampler.h).
#pragma once

#include <optional>
#include <utility>

#include "heed/data/dataset.h"
#include "heed/text/subword_sampler.h"

namespace heed {

// For each side a probability or a power (SubwordSampler); 0: its pieces are always the same.
struct SubwordSamplingOptions {
  static constexpr double kMaxAlpha = 10;

  double source = 0, target = 0;

  bool samples() const { return source > 0 || target > 0; }

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& v) {
    v("source_subword_sampling", self.source,
      {.help = "Cut the words of the source into other pieces in each epoch. With --tokenizer bpe: "
               "leave out each merge with this probability (BPE-dropout; 0.1 is usual). With "
               "unigram: draw a segmentation with its probability to this power (0.2 is usual). "
               "0: always the same pieces",
       .minimum = 0,
       .maximum = kMaxAlpha});
    v("target_subword_sampling", self.target,
      {.help = "The same for the words of the target, or of --text",
       .minimum = 0,
       .maximum = kMaxAlpha});
  }
};

// The samplers of the sides that are to be sampled.
struct SubwordSamplers {
  std::optional<SubwordSampler> source, target;

  // UsageError: what SubwordSampler refuses.
  SubwordSamplers(const TokenizerPair& tokenizers, const SubwordSamplingOptions& options);
};

// The examples of a dataset in segmentations that are functions of the seed, the epoch and the
// number of the example.
class SubwordSampling : public Dataset {
 public:
  // A side whose segmentation would have more than `max_tokens` tokens, the end included, keeps its
  // own. The dataset must outlive it.
  SubwordSampling(const Dataset& data, SubwordSamplers samplers, uint64_t seed, int64_t max_tokens)
      : data_(data), samplers_(std::move(samplers)), seed_(seed), max_tokens_(max_tokens) {}

  int64_t size() const override { return data_.size(); }
  ExampleSize bound(int64_t index) const override;
  ExampleSize size_in(int64_t epoch, int64_t index) const override;
  std::vector<Example> examples(int64_t epoch, std::span<const uint32_t> indices) const override;

 private:
  Example example(int64_t epoch, uint32_t index) const;

  const Dataset& data_;
  SubwordSamplers samplers_;
  uint64_t seed_;
  int64_t max_tokens_;
};

}  // namespace heed
