#include "heed/model/pair_batch.h"

namespace heed {

Tokens one_sequence(std::span<const TokenId> ids) {
  Tokens tokens;
  tokens.add(ids);
  return tokens;
}

std::vector<TokenId> decoder_input(std::span<const TokenId> target, const ModelConfig& config) {
  std::vector<TokenId> ids = {config.start_id()};
  ids.insert(ids.end(), target.begin(), target.end());
  return ids;
}

void PairBatch::add(std::span<const TokenId> source_ids, std::span<const TokenId> target_ids,
                    const ModelConfig& config) {
  if (config.has_encoder()) {
    std::vector<TokenId> sequence(source_ids.begin(), source_ids.end());
    sequence.push_back(config.end_id());
    source.add(sequence);
  } else {
    check(source_ids.empty(), "a source for a model without an encoder");
  }
  target.add(decoder_input(target_ids, config));
  labels.append(target_ids);
  labels.push_back(config.end_id());
}

Loss loss_of(const SequenceModel& model, ForwardPass& pass, const PairBatch& batch,
             const LossOptions& options) {
  if (batch.labels.empty()) return {};
  const EncoderOutput memory = model.encode(pass, batch.source);
  const Tensor states = model.decode(pass, batch.target, memory);
  return model.output().loss(pass, states, batch.labels, options);
}

}  // namespace heed
