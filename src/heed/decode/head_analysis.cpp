#include "heed/decode/head_analysis.h"

#include <algorithm>

#include "heed/core/error.h"
#include "heed/model/pair_batch.h"

namespace heed {
namespace {

constexpr std::array kSites = {AttentionSite::encoder_self, AttentionSite::decoder_self,
                               AttentionSite::cross};

struct EncodedPair {
  std::vector<TokenId> source, target;  // without </s>
};

std::vector<EncodedPair> encoded(const ModelParts& parts,
                                 const std::vector<std::pair<std::string, std::string>>& pairs) {
  const auto most = size_t(parts.model.config().max_positions - 1);
  const TokenizerPair& tokenizers = parts.tokenizers;
  std::vector<EncodedPair> all;
  for (const auto& [source, target] : pairs) {
    EncodedPair pair{tokenizers.source().encode(source), tokenizers.target().encode(target)};
    if (!pair.source.empty() && pair.source.size() <= most && pair.target.size() <= most)
      all.push_back(std::move(pair));
  }
  if (all.empty())
    fail("no line to look at: each is empty, or has more tokens than the model has positions, {}",
         parts.model.config().max_positions);
  return all;
}

// Batches of about a thousand tokens of each side, in the order of the pairs.
std::vector<PairBatch> batches_of(const std::vector<EncodedPair>& pairs,
                                  const ModelConfig& config) {
  constexpr size_t kTokens = 1024;
  std::vector<PairBatch> batches(1);
  for (const EncodedPair& pair : pairs) {
    if (batches.back().labels.size() >= int64_t(kTokens)) batches.emplace_back();
    batches.back().add(pair.source, pair.target, config);
  }
  return batches;
}

// Cross entropy in nats a token.
double loss_of(const ModelOnBackend& on, const std::vector<PairBatch>& batches,
               std::vector<TensorPool>& pools, Workers& workers) {
  std::vector<Loss> losses(batches.size());
  workers.run(int64_t(batches.size()), [&](int64_t i, int worker) {
    ForwardPass pass(on.backend, pools[size_t(worker)]);
    losses[size_t(i)] = loss_of(on.model, pass, batches[size_t(i)], {});
  });
  Loss sum;
  for (const Loss& loss : losses) sum += loss;
  return sum.nll / double(sum.tokens);
}

std::string output_name(AttentionSite site, int64_t layer) {
  if (site == AttentionSite::encoder_self)
    return fmt::format("encoder.{}.self.output.weight", layer);
  return fmt::format("decoder.{}.{}.output.weight", layer,
                     site == AttentionSite::cross ? "cross" : "self");
}

Parameter output_weight(const std::vector<Parameter>& weights, AttentionSite site, int64_t layer) {
  for (const Parameter& parameter : weights)
    if (parameter.name == output_name(site, layer)) return parameter;
  check(false, "a layer without W^O");
  return {};
}

int64_t layers_of(const ModelConfig& config, AttentionSite site) {
  return site == AttentionSite::encoder_self ? config.encoder_layers : config.decoder_layers;
}

// In the host's memory.
Tensor copy_of(const Tensor& tensor) {
  Tensor same(tensor.shape(), tensor.dtype());
  copy(to_host(tensor), same);
  return same;
}

// W^O without what it does with the output of one head: columns of that head are zero.
Tensor without_head(const Tensor& weight, int64_t head, int64_t heads) {
  Tensor changed = copy_of(weight);
  const int64_t rows = changed.dim(0), columns = changed.dim(1), width = columns / heads;
  auto* values = changed.data<float>();
  for (int64_t row = 0; row < rows; ++row)
    std::fill_n(values + row * columns + head * width, width, 0.0F);
  return changed;
}

// What the heads look at: sums over the pairs, in their order whatever the number of threads.
void add_weights(const ModelParts& parts, const std::vector<EncodedPair>& pairs, Workers& workers,
                 HeadAnalysis& analysis) {
  const ModelConfig& config = parts.model.config();
  std::array<std::vector<HeadMeans>, kSites.size()> means;
  for (const AttentionSite site : kSites)
    means[size_t(site)].assign(size_t(layers_of(config, site) * config.heads), HeadMeans(site));
  constexpr int64_t kAtOnce = 16;  // maps of a pair that are in memory
  std::vector<PairAttention> maps(kAtOnce);
  for (int64_t begin = 0; begin < int64_t(pairs.size()); begin += kAtOnce) {
    const int64_t count = std::min(kAtOnce, int64_t(pairs.size()) - begin);
    workers.run(count, [&](int64_t i, int) {
      EncodedPair pair = pairs[size_t(begin + i)];
      pair.source.push_back(config.end_id());
      pair.target.push_back(config.end_id());
      maps[size_t(i)] = attention(parts, pair.source, pair.target);
    });
    for (int64_t i = 0; i < count; ++i) {
      const PairAttention& map = maps[size_t(i)];
      for (const AttentionSite site : kSites) {
        const Tensor& all = site == AttentionSite::encoder_self   ? map.encoder
                            : site == AttentionSite::decoder_self ? map.decoder
                                                                  : map.cross;
        std::vector<HeadMeans>& heads = means[size_t(site)];
        for (size_t head = 0; head < heads.size(); ++head)
          heads[head].add(all.data<float>() + int64_t(head) * all.dim(2) * all.dim(3), all.dim(2),
                          all.dim(3));
      }
    }
  }
  for (const AttentionSite site : kSites)
    for (const HeadMeans& head : means[size_t(site)])
      analysis.sites[size_t(site)].push_back(head.report());
}

}  // namespace

HeadAnalysis analyze_heads(const ModelParts& parts, const std::vector<Parameter>& weights,
                           const std::vector<std::pair<std::string, std::string>>& pairs,
                           Workers& workers,
                           const std::function<void(int64_t done, int64_t all)>& progress) {
  expect_same_vocabulary(parts);
  const ModelConfig& config = parts.model.config();
  const std::vector<EncodedPair> text = encoded(parts, pairs);
  HeadAnalysis analysis;
  analysis.lines = int64_t(text.size());
  analysis.left_out = int64_t(pairs.size()) - analysis.lines;
  for (const EncodedPair& pair : text) {
    analysis.source_tokens += int64_t(pair.source.size()) + 1;
    analysis.target_tokens += int64_t(pair.target.size()) + 1;
  }
  add_weights(parts, text, workers, analysis);
  const std::vector<PairBatch> batches = batches_of(text, config);
  std::vector<TensorPool> pools = make_tensor_pools(workers.count(), parts.backend.memory());
  analysis.loss = loss_of(parts, batches, pools, workers);
  int64_t done = 0;
  const int64_t all = config.heads * (config.encoder_layers + 2 * config.decoder_layers);
  for (const AttentionSite site : kSites) {
    for (int64_t layer = 0; layer < layers_of(config, site); ++layer) {
      Parameter weight = output_weight(weights, site, layer);
      const Tensor before = copy_of(weight.tensor);
      for (int64_t head = 0; head < config.heads; ++head) {
        copy(without_head(before, head, config.heads), weight.tensor);
        pack({weight}, parts.backend, Purpose::training);
        analysis.sites[size_t(site)][size_t(layer * config.heads + head)].loss_without =
            loss_of(parts, batches, pools, workers);
        if (progress) progress(++done, all);
      }
      copy(before, weight.tensor);
      pack({weight}, parts.backend, Purpose::training);
    }
  }
  return analysis;
}

}  // namespace heed
