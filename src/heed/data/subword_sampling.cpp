#include "heed/data/subword_sampling.h"

#include <algorithm>
#include <vector>

namespace heed {
namespace {

constexpr uint64_t kSubwordStream = 0x5B;  // apart from the seeds of batches and dropout

// Where each piece begins in its text, and where the last one ends (SubwordSampler::length()).
std::vector<int64_t> begins_of(const SubwordSampler& sampler, const std::vector<TokenId>& pieces) {
  std::vector<int64_t> begins = {0};
  begins.reserve(pieces.size() + 1);
  for (const TokenId piece : pieces) begins.push_back(begins.back() + sampler.length(piece));
  return begins;
}

// Links the pieces of another segmentation of a side as those that they overlap.
void relink(std::vector<WordLink>& links, int32_t WordLink::*side,
            const std::vector<int64_t>& begins, const std::vector<int64_t>& others) {
  std::vector<WordLink> all;
  for (WordLink link : links) {
    const auto piece = size_t(link.*side);
    const auto first = std::ranges::upper_bound(others, begins[piece]) - 1;
    const auto end = std::ranges::lower_bound(others, begins[piece + 1]);
    for (auto other = first; other < end; ++other) {
      link.*side = int32_t(other - others.begin());
      all.push_back(link);
    }
  }
  links = in_target_order(std::move(all));
}

}  // namespace

SubwordSamplers::SubwordSamplers(const TokenizerPair& tokenizers,
                                 const SubwordSamplingOptions& options) {
  if (options.source > 0)
    source.emplace(tokenizers.source(), options.source, "--source-subword-sampling");
  if (options.target > 0)
    target.emplace(tokenizers.target(), options.target, "--target-subword-sampling");
}

Example SubwordSampling::example(int64_t epoch, uint32_t index) const {
  Example example = std::move(data_.examples(epoch, {&index, 1}).front());
  const uint64_t seed =
      detail::mix(detail::mix(detail::mix(seed_, kSubwordStream), uint64_t(epoch)), index);
  const auto vary = [&](const std::optional<SubwordSampler>& sampler, std::vector<TokenId>& side,
                        uint64_t stream, int32_t WordLink::*linked) {
    if (!sampler) return;
    std::vector<TokenId> other = sampler->sample(side, detail::mix(seed, stream));
    if (int64_t(other.size()) >= max_tokens_) return;
    if (!example.links.empty())
      relink(example.links, linked, begins_of(*sampler, side), begins_of(*sampler, other));
    side = std::move(other);
  };
  vary(samplers_.source, example.source, 0, &WordLink::source);
  vary(samplers_.target, example.target, 1, &WordLink::target);
  return example;
}

ExampleSize SubwordSampling::bound(int64_t index) const {
  ExampleSize size = data_.bound(index);
  if (samplers_.source) size.source = std::max(size.source, max_tokens_);
  if (samplers_.target) size.target = std::max(size.target, max_tokens_);
  return size;
}

ExampleSize SubwordSampling::size_in(int64_t epoch, int64_t index) const {
  return size_of(example(epoch, uint32_t(index)));
}

std::vector<Example> SubwordSampling::examples(int64_t epoch,
                                               std::span<const uint32_t> indices) const {
  std::vector<Example> all;
  all.reserve(indices.size());
  for (const uint32_t index : indices) all.push_back(example(epoch, index));
  return all;
}

}  // namespace heed
