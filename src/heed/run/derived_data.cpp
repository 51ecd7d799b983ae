#include "heed/run/derived_data.h"

#include <algorithm>
#include <utility>

#include "heed/data/subword_sampling.h"
#include "heed/data/varied_text.h"
#include "heed/run/corpora.h"

namespace heed {

void add_derived_data(const TrainOptions& options, const Corpus& corpus,
                      const TokenizerPair& tokenizers, int64_t max_tokens,
                      std::vector<std::unique_ptr<const Dataset>>& derived) {
  if (options.batches.batch_sentences == 0)
    max_tokens = std::min(max_tokens, options.batches.tokens());
  const VariationShares shares(options.vary);
  const auto seed = uint64_t(options.seed);
  if (shares.any())
    derived.push_back(std::make_unique<const VariedText>(corpus, tokenizers, shares, seed,
                                                         max_tokens, corpus_tags(options)));
  if (options.subword_sampling.samples()) {
    const Dataset& data = derived.empty() ? corpus : *derived.back();
    SubwordSamplers samplers(tokenizers, options.subword_sampling);
    derived.push_back(
        std::make_unique<const SubwordSampling>(data, std::move(samplers), seed, max_tokens));
  }
}

}  // namespace heed
