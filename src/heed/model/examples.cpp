#include "heed/model/examples.h"

namespace heed {

void Examples::add(std::span<const TokenId> source_ids, std::span<const TokenId> target_ids,
                   const ModelConfig& config) {
  std::vector<TokenId> sequence(source_ids.begin(), source_ids.end());
  sequence.push_back(config.end_id());
  source.add(sequence);
  sequence.assign(1, config.pad_id());
  sequence.insert(sequence.end(), target_ids.begin(), target_ids.end());
  target.add(sequence);
  labels.append(target_ids);
  labels.push_back(config.end_id());
}

Loss loss_of(const Transformer& model, Pass& pass, const Examples& examples,
             const LossOptions& options) {
  if (examples.labels.empty()) return {};
  const EncoderOutput memory = model.encode(pass, examples.source);
  const Tensor states = model.decode(pass, examples.target, memory);
  return model.loss(pass, states, examples.labels, options);
}

}  // namespace heed
