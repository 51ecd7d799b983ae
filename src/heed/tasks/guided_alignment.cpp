#include "heed/tasks/guided_alignment.h"

#include <algorithm>

#include "heed/autograd/attention_steps.h"
#include "heed/core/error.h"
#include "heed/core/options.h"
#include "heed/model/multi_head.h"

namespace heed {
namespace {

// The weights of one head [rows, sources] that the links of an example ask for, the first of which
// is `begin`.
void add_targets(const Example& example, int64_t begin, int64_t sources,
                 std::vector<WeightTarget>& targets, int64_t& tokens) {
  for (auto link = example.links.begin(); link != example.links.end();) {
    const auto end = std::find_if(link, example.links.end(), [&](const WordLink& other) {
      return other.target != link->target;
    });
    const double share = 1 / double(end - link);
    for (; link != end; ++link)  // the row of a token's input is one after that of its prediction
      targets.push_back({begin + (int64_t{link->target} + 1) * sources + link->source, share});
    ++tokens;
  }
}

}  // namespace

DecoderHead guided_head(const ModelConfig& config) {
  if (config.is_recurrent()) fail_usage("--guided-alignment is not for --architecture rnn");
  if (!is_fused(attention_method(config, AttentionSite::cross)))
    fail_usage("--guided-alignment is not for --attention {} with --attention-reach {}",
               to_text(config.variants.attention), config.variants.attention_reach);
  const AlignmentHeads defaults = default_alignment_heads(config);
  check(!defaults.heads.empty(), "alignments of a model that attends to no source");
  return defaults.heads.front();
}

Loss guided_loss(const SequenceModel& model, ForwardPass& pass, const PairBatch& batch,
                 std::span<const Example> examples, const GuidedAlignment& guided,
                 const LossOptions& options) {
  std::vector<WeightTarget> targets;
  int64_t begin = 0, tokens = 0;
  for (size_t i = 0; i < examples.size(); ++i) {
    const int64_t sources = batch.source.layout.length(int64_t(i));
    add_targets(examples[i], begin, sources, targets, tokens);
    begin += sources * batch.target.layout.length(int64_t(i));
  }
  if (targets.empty()) return loss_of(model, pass, batch, options);
  const auto [layer, head] = guided.head;
  CapturedAttention captured;
  captured.request_head(AttentionSite::cross, layer, head);
  const EncoderOutput memory = model.encode(pass, batch.source);
  const Tensor states = model.decode(pass, batch.target, memory, &captured);
  const Tensor& weights = captured.at(AttentionSite::cross, layer).weights;
  const double alignment =
      attention_loss(pass, weights, targets, guided.weight * options.gradient_factor);
  Loss loss = model.output().loss(pass, states, batch.labels, options);
  loss.alignment = alignment;
  loss.aligned_tokens = tokens;
  return loss;
}

}  // namespace heed
