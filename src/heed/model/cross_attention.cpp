#include "heed/model/cross_attention.h"

#include <algorithm>

#include "heed/model/finite.h"
#include "heed/model/pair_batch.h"
#include "heed/model/sequence_model.h"

namespace heed {

std::vector<Tensor> cross_attention(const SequenceModel& model, ForwardPass& pass,
                                    const EncoderOutput& memory, std::span<const TokenId> target,
                                    std::span<const int64_t> layers) {
  std::vector<TokenId> sequence = decoder_input(target, model.config());
  sequence.resize(std::min(sequence.size(), size_t(model.config().max_positions)));
  CapturedAttention captured;
  for (const int64_t layer : layers) captured.request(AttentionSite::cross, layer);
  model.decode(pass, one_sequence(sequence), memory, &captured);
  std::vector<Tensor> weights(static_cast<size_t>(model.config().decoder_layers));
  for (const int64_t layer : layers)
    weights[size_t(layer)] = captured.at(AttentionSite::cross, layer).of_sequence(0);
  return weights;
}

void add_row(const Tensor& layer, int64_t head, int64_t row, double divisor,
             std::span<double> sums) {
  const int64_t rows = layer.dim(1), columns = layer.dim(2);
  with_values(layer, [&](auto weights) {
    const auto of_row = weights.subspan(size_t((head * rows + row) * columns), sums.size());
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += double(of_row[i]) / divisor;
  });
}

AlignmentHeads alignment_heads_of(const SequenceModel& model) {
  return model.generation_defaults().alignment.value_or(default_alignment_heads(model.config()));
}

Aligner::Aligner(const ModelOnBackend& on)
    : on_(on), heads_(alignment_heads_of(on.model)), pool_(on.backend.memory()) {}

std::vector<AttentionWeights> Aligner::weights(const std::vector<TokenId>& source,
                                               const std::vector<std::vector<TokenId>>& targets) {
  if (heads_.heads.empty())
    fail("the model has no attention to the source, from which words could be aligned");
  ForwardPass pass(on_.backend, pool_);
  const EncoderOutput memory = on_.model.encode(pass, one_sequence(source));
  const std::vector<int64_t> layers = heads_.layers();
  const int64_t later = heads_.step == AlignmentStep::following ? 1 : 0;
  std::vector<AttentionWeights> all;
  for (const std::vector<TokenId>& target : targets) {
    AttentionWeights& rows = all.emplace_back();
    if (target.empty()) continue;
    const std::vector<Tensor> weights = cross_attention(on_.model, pass, memory, target, layers);
    std::vector<double> mean(source.size());
    for (size_t t = 0; t < target.size(); ++t) {
      std::ranges::fill(mean, 0);
      for (const DecoderHead& head : heads_.heads) {
        const Tensor& layer = weights[size_t(head.layer)];
        const int64_t row = std::min(int64_t(t) + later, layer.dim(1) - 1);
        add_row(layer, head.head, row, double(heads_.heads.size()), mean);
      }
      for (const double value : mean) expect_finite(value);
      rows.push_back({0, {mean.begin(), mean.end()}});
    }
  }
  return all;
}

}  // namespace heed
