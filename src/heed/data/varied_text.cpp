#include "heed/data/varied_text.h"

#include <algorithm>
#include <utility>

namespace heed {
namespace {

constexpr uint64_t kVariationStream =
    0x7A;  // apart from the seeds of batches, dropout and subwords

bool has_unknown(const Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
  return std::ranges::find(ids, tokenizer.unknown_id()) != ids.end();
}

}  // namespace

VariedText::VariedText(const Dataset& data, TokenizerPair tokenizers, const VariationShares& shares,
                       uint64_t seed, int64_t max_tokens, std::vector<std::string> tags)
    : data_(data),
      tokenizers_(std::move(tokenizers)),
      shares_(shares),
      seed_(detail::mix(seed, kVariationStream)),
      max_tokens_(max_tokens),
      tags_(std::move(tags)) {}

Example VariedText::plain(int64_t epoch, uint32_t index) const {
  return std::move(data_.examples(epoch, {&index, 1}).front());
}

std::optional<VariedText::TaggedText> VariedText::text_of(const Example& example) const {
  if (has_unknown(tokenizers_.source(), example.source) ||
      has_unknown(tokenizers_.target(), example.target))
    return std::nullopt;
  TaggedText found{
      {tokenizers_.source().decode(example.source), tokenizers_.target().decode(example.target)},
      ""};
  for (const std::string& tag : tags_) {
    const std::string before = tag + " ";
    if (!found.text.source.starts_with(before)) continue;
    found.text.source.erase(0, before.size());
    found.tag = before;
    break;
  }
  return found;
}

std::optional<Example> VariedText::variation_of(int64_t epoch, uint32_t index) const {
  Random random(detail::mix(detail::mix(seed_, uint64_t(epoch)), index));
  const int drawn = shares_.drawn_by(random.uniform());
  if (drawn < 0) return std::nullopt;
  const auto pair = text_of(plain(epoch, index));
  std::optional<TaggedText> other = TaggedText{};
  if (Variation(drawn) == Variation::joined)
    other = text_of(plain(epoch, uint32_t(random.below(uint64_t(size())))));
  if (!pair || !other) return std::nullopt;
  const LinePair text = varied(Variation(drawn), pair->text, other->text, random);
  if (text == pair->text) return std::nullopt;
  Example example{tokenizers_.source().encode(pair->tag + text.source),
                  tokenizers_.target().encode(text.target)};
  const auto fits = [&](const Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
    return !ids.empty() && int64_t(ids.size()) < max_tokens_ && !has_unknown(tokenizer, ids);
  };
  if (!fits(tokenizers_.source(), example.source) || !fits(tokenizers_.target(), example.target))
    return std::nullopt;
  return example;
}

ExampleSize VariedText::bound(int64_t index) const {
  const ExampleSize own = data_.bound(index);
  return {std::max(own.source, max_tokens_), std::max(own.target, max_tokens_)};
}

ExampleSize VariedText::size_in(int64_t epoch, int64_t index) const {
  const auto varied = variation_of(epoch, uint32_t(index));
  return varied ? size_of(*varied) : data_.size_in(epoch, index);
}

std::vector<Example> VariedText::examples(int64_t epoch, std::span<const uint32_t> indices) const {
  std::vector<Example> all;
  all.reserve(indices.size());
  for (const uint32_t index : indices) {
    auto varied = variation_of(epoch, index);
    all.push_back(varied ? std::move(*varied) : plain(epoch, index));
  }
  return all;
}

}  // namespace heed
