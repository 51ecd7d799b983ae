#include "heed/decode/head_analysis.h"

#include <algorithm>
#include <cmath>

#include "heed/core/error.h"
#include "heed/model/pair_batch.h"
#include "heed/model/sequence_model.h"
#include "heed/text/word_links.h"

namespace heed {
namespace {

constexpr std::array kSites = {AttentionSite::encoder_self, AttentionSite::decoder_self,
                               AttentionSite::cross};

std::vector<TokenPair> encoded(const ModelParts& parts,
                               const std::vector<std::pair<std::string, std::string>>& pairs) {
  const ModelConfig& config = parts.model.config();
  std::vector<TokenPair> all;
  for (const auto& [source_text, target_text] : pairs) {
    EncodedText source = encode_to_fit(parts.tokenizers.source(), source_text, config);
    EncodedText target = encode_to_fit(parts.tokenizers.target(), target_text, config);
    if (!source.ids.empty() && !source.truncated && !target.truncated)
      all.push_back({std::move(source.ids), std::move(target.ids)});
  }
  if (all.empty())
    fail(
        "no line to look at: each is empty, or has more tokens than the {} that the model has "
        "positions for",
        config.max_positions - 1);
  return all;
}

// Batches of about a thousand tokens of each side, in the order of the pairs.
std::vector<PairBatch> batches_of(const std::vector<TokenPair>& pairs, const ModelConfig& config) {
  constexpr size_t kTokens = 1024;
  std::vector<PairBatch> batches(1);
  for (const TokenPair& pair : pairs) {
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

Parameter output_weight(const std::vector<Parameter>& weights, AttentionSite site, int64_t layer) {
  const std::string name = fmt::format("{}.{}.{}.output.weight",
                                       site == AttentionSite::encoder_self ? "encoder" : "decoder",
                                       layer, site == AttentionSite::cross ? "cross" : "self");
  const auto found = std::ranges::find(weights, name, &Parameter::name);
  check(found != weights.end(), "an attention layer without W^O");
  return *found;
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

// Adds the attention of the heads: sums over the pairs, in the same order for any number of
// threads.
void add_weights(const ModelParts& parts, const std::vector<TokenPair>& pairs, Workers& workers,
                 HeadAnalysis& analysis) {
  const ModelConfig& config = parts.model.config();
  std::array<std::vector<HeadMeans>, kSites.size()> means;
  for (const AttentionSite site : kSites)
    means[size_t(site)].assign(size_t(attention_layers(config, site) * config.heads),
                               HeadMeans(site));
  constexpr int64_t kAtOnce = 16;  // pairs whose attention maps are in memory at a time
  std::vector<PairAttention> maps(kAtOnce);
  for (int64_t begin = 0; begin < int64_t(pairs.size()); begin += kAtOnce) {
    const int64_t count = std::min(kAtOnce, int64_t(pairs.size()) - begin);
    workers.run(count, [&](int64_t i, int) {
      TokenPair pair = pairs[size_t(begin + i)];
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

std::string HeadReport::role() const {
  const auto names = enum_names(KeyPosition{});
  size_t best = 0;
  for (size_t i = 1; i < weights.size(); ++i)
    if (weights[i].value_or(0) > weights[best].value_or(0)) best = i;
  if (weights[best].value_or(0) >= kMinWeight) return std::string(names[best].first);
  return entropy >= kMinEntropy ? "diffuse" : "mixed";
}

std::optional<double> HeadMeans::Sum::mean() const {
  if (count == 0) return {};
  return total / double(count);
}

void HeadMeans::add(const float* weights, int64_t queries, int64_t keys) {
  for (int64_t query = 0; query < queries; ++query)
    add_query(weights + query * keys, query, queries, keys);
}

void HeadMeans::add_query(const float* weights, int64_t query, int64_t queries, int64_t keys) {
  const bool cross = site_ == AttentionSite::cross, decoder = site_ == AttentionSite::decoder_self;
  const int64_t visible = decoder ? query + 1 : keys;
  const int64_t middle =
      !cross ? query
             : (queries < 2
                    ? 0
                    : int64_t(std::lround(double(query) * double(keys - 1) / double(queries - 1))));
  const auto add = [&](KeyPosition position, int64_t key) {
    if (key >= 0 && key < visible) positions_[size_t(position)].add(weights[key]);
  };
  if (cross) {
    add(KeyPosition::diagonal, middle);
  } else {
    add(KeyPosition::previous, query - 1);
    add(KeyPosition::same, query);
    add(KeyPosition::next, query + 1);
  }
  add(KeyPosition::first, 0);
  if (!decoder) add(KeyPosition::last, keys - 1);
  for (int64_t offset = -HeadReport::kMaxOffset; offset <= HeadReport::kMaxOffset; ++offset) {
    const int64_t key = middle + offset;
    if (key >= 0 && key < visible)
      offsets_[size_t(offset + HeadReport::kMaxOffset)].add(weights[key]);
  }
  if (visible < 2) return;
  double entropy = 0;
  for (int64_t key = 0; key < visible; ++key)
    if (weights[key] > 0) entropy -= double(weights[key]) * std::log(double(weights[key]));
  entropy_.add(entropy / std::log(double(visible)));
}

HeadReport HeadMeans::report() const {
  HeadReport report;
  for (size_t i = 0; i < positions_.size(); ++i) report.weights[i] = positions_[i].mean();
  for (size_t i = 0; i < offsets_.size(); ++i) report.offsets[i] = offsets_[i].mean();
  report.entropy = entropy_.mean().value_or(0);
  return report;
}

HeadAnalysis analyze_heads(const ModelParts& parts, const std::vector<Parameter>& weights,
                           const std::vector<std::pair<std::string, std::string>>& pairs,
                           Workers& workers,
                           const std::function<void(int64_t done, int64_t all)>& progress) {
  expect_same_vocabulary(parts);
  const ModelConfig& config = parts.model.config();
  if (config.is_recurrent())
    fail("a recurrent model has one head of attention: there are none to compare");
  const std::vector<TokenPair> text = encoded(parts, pairs);
  HeadAnalysis analysis;
  analysis.lines = int64_t(text.size());
  analysis.left_out = int64_t(pairs.size()) - analysis.lines;
  for (const TokenPair& pair : text) {
    analysis.source_tokens += int64_t(pair.source.size()) + 1;
    analysis.target_tokens += int64_t(pair.target.size()) + 1;
  }
  add_weights(parts, text, workers, analysis);
  const std::vector<PairBatch> batches = batches_of(text, config);
  std::vector<TensorPool> pools = make_tensor_pools(workers.count(), parts.backend.memory());
  analysis.loss = loss_of(parts, batches, pools, workers);
  int64_t done = 0, layers = 0;
  for (const AttentionSite site : kSites) layers += attention_layers(config, site);
  const int64_t all = config.heads * layers;
  for (const AttentionSite site : kSites) {
    for (int64_t layer = 0; layer < attention_layers(config, site); ++layer) {
      Parameter weight = output_weight(weights, site, layer);
      const Tensor before = copy_of(weight.tensor);
      for (int64_t head = 0; head < config.heads; ++head) {
        copy(without_head(before, head, config.heads), weight.tensor);
        pack({weight}, parts.backend, Purpose::inference);
        analysis.sites[size_t(site)][size_t(layer * config.heads + head)].loss_without =
            loss_of(parts, batches, pools, workers);
        if (progress) progress(++done, all);
      }
      copy(before, weight.tensor);
      pack({weight}, parts.backend, Purpose::inference);
    }
  }
  return analysis;
}

}  // namespace heed
