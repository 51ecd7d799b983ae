#include "heed/decode/alignment_choice.h"

#include <algorithm>
#include <set>

#include "heed/model/cross_attention.h"
#include "heed/model/pair_batch.h"
#include "heed/model/sequence_model.h"

namespace heed {
namespace {

constexpr int64_t kMaxHeads = 8;  // of a mean that is not a whole layer's

// The links of the measured pairs, as WordLinks::of() gives them.
using Links = std::vector<std::vector<int32_t>>;

// `layers` has the cross-attention of each layer, at least of those that the choice names.
int64_t agreeing_links(const std::vector<Tensor>& layers, const AlignmentHeads& choice,
                       const std::vector<int32_t>& links) {
  int64_t agreeing = 0;
  std::vector<double> sums(size_t(layers[size_t(choice.heads[0].layer)].dim(2)) - 1);
  for (size_t token = 0; token < links.size(); ++token) {
    if (links[token] < 0) continue;
    std::ranges::fill(sums, 0);
    const int64_t row = int64_t(token) + (choice.step == AlignmentStep::following ? 1 : 0);
    for (const DecoderHead& head : choice.heads)
      add_row(layers[size_t(head.layer)], head.head, row, 1, sums);
    agreeing += std::ranges::max_element(sums) - sums.begin() == links[token];
  }
  return agreeing;
}

// Counts for each candidate the links that agree with it.
void count_agreeing(const ModelOnBackend& on, Workers& workers, const std::vector<TokenPair>& pairs,
                    const Links& links, std::span<AlignmentCandidate> candidates) {
  std::set<int64_t> needed;
  for (const AlignmentCandidate& candidate : candidates)
    for (const DecoderHead& head : candidate.heads.heads) needed.insert(head.layer);
  const std::vector<int64_t> layers(needed.begin(), needed.end());
  std::vector<std::vector<int64_t>> agreeing(size_t(workers.count()),
                                             std::vector<int64_t>(candidates.size()));
  std::vector<TensorPool> pools = make_tensor_pools(workers.count(), on.backend.memory());
  workers.run(int64_t(pairs.size()), [&](int64_t i, int worker) {
    const std::vector<int32_t>& own = links[size_t(i)];
    if (std::ranges::all_of(own, [](int32_t link) { return link < 0; })) return;
    ForwardPass pass(on.backend, pools[size_t(worker)]);
    const TokenPair& pair = pairs[size_t(i)];
    std::vector<TokenId> with_end = pair.source;
    with_end.push_back(on.model.config().end_id());
    const EncoderOutput memory = on.model.encode(pass, one_sequence(with_end));
    const std::vector<Tensor> weights =
        cross_attention(on.model, pass, memory, pair.target, layers);
    for (size_t k = 0; k < candidates.size(); ++k)
      agreeing[size_t(worker)][k] += agreeing_links(weights, candidates[k].heads, own);
  });
  for (const std::vector<int64_t>& counts : agreeing)
    for (size_t i = 0; i < candidates.size(); ++i) candidates[i].agreeing += counts[i];
}

std::vector<AlignmentCandidate> layers_and_heads(const ModelConfig& config) {
  std::vector<AlignmentCandidate> candidates;
  for (const AlignmentStep step : {AlignmentStep::predicting, AlignmentStep::following})
    for (int64_t layer = 0; layer < attention_layers(config, AttentionSite::cross); ++layer)
      candidates.push_back({heads_of_layers(config, layer, layer, step)});
  const size_t layers = candidates.size();
  if (config.heads == 1) return candidates;
  for (size_t i = 0; i < layers; ++i) {
    const AlignmentHeads layer = candidates[i].heads;
    for (const DecoderHead& head : layer.heads) candidates.push_back({{{head}, layer.step}});
  }
  return candidates;
}

// The means of the best layer with its neighbours, and of its 2, 3, ... best heads.
std::vector<AlignmentCandidate> means_beside(const AlignmentHeads& best, const ModelConfig& config,
                                             const std::vector<AlignmentCandidate>& measured) {
  std::vector<AlignmentCandidate> means;
  const int64_t layer = best.heads[0].layer;
  for (const int64_t first : {layer - 1, layer})
    if (first >= 0 && first + 1 < attention_layers(config, AttentionSite::cross))
      means.push_back({heads_of_layers(config, first, first + 1, best.step)});
  std::vector<AlignmentCandidate> heads;
  for (const AlignmentCandidate& one : measured)
    if (one.heads.heads.size() == 1 && one.heads.heads[0].layer == layer &&
        one.heads.step == best.step)
      heads.push_back(one);
  std::ranges::stable_sort(heads, [](const AlignmentCandidate& a, const AlignmentCandidate& b) {
    return a.agreeing > b.agreeing;
  });
  const auto most = std::min<size_t>(kMaxHeads, best.heads.size() - 1);
  for (size_t count = 2; count <= most; ++count) {
    AlignmentHeads mean{{}, best.step};
    for (size_t i = 0; i < count; ++i) mean.heads.push_back(heads[i].heads.heads[0]);
    std::ranges::sort(mean.heads);
    means.push_back({mean});
  }
  return means;
}

// Layers come first, and of equals the first is taken.
AlignmentCandidate best_of(const AlignmentMeasurement& measured, int64_t heads_of_layer) {
  AlignmentCandidate best = measured.candidates.front();
  for (const AlignmentCandidate& candidate : measured.candidates) {
    const bool layer = int64_t(candidate.heads.heads.size()) == heads_of_layer;
    if (candidate.agreeing > best.agreeing + (layer ? 0 : measured.links / 100)) best = candidate;
  }
  return best;
}

}  // namespace

const AlignmentCandidate* AlignmentMeasurement::find(const AlignmentHeads& heads) const {
  const auto found = std::ranges::find_if(
      candidates, [&](const AlignmentCandidate& candidate) { return candidate.heads == heads; });
  return found == candidates.end() ? nullptr : &*found;
}

AlignmentMeasurement measure_alignment(const ModelOnBackend& on, const AlignmentText& text,
                                       Workers& workers) {
  const ModelConfig& config = on.model.config();
  AlignmentMeasurement measured;
  measured.pairs = int64_t(text.measured.size());
  const WordLinks lexicon(text.lexical);
  Links links;
  for (const TokenPair& pair : text.measured) {
    links.push_back(lexicon.of(pair));
    measured.links += std::ranges::count_if(links.back(), [](int32_t link) { return link >= 0; });
  }
  if (measured.links < AlignmentMeasurement::kMinLinks) return measured;
  const auto count = [&](std::vector<AlignmentCandidate> candidates) {
    if (candidates.empty()) return;
    count_agreeing(on, workers, text.measured, links, candidates);
    measured.candidates.insert(measured.candidates.end(), candidates.begin(), candidates.end());
  };
  count(layers_and_heads(config));
  if (measured.candidates.empty()) return measured;  // no attention
  const int64_t steps = 2, layers_of_step = attention_layers(config, AttentionSite::cross);
  const auto layers = std::span(measured.candidates).first(size_t(steps * layers_of_step));
  const AlignmentHeads best =
      std::ranges::max_element(layers, {}, &AlignmentCandidate::agreeing)->heads;
  count(means_beside(best, config, measured.candidates));
  measured.best = best_of(measured, config.heads);
  return measured;
}

}  // namespace heed
