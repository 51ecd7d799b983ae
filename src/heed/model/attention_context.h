// The keys and values that the decoder attends to: computed in the same pass, or cached.
#pragma once

#include <span>
#include <vector>

#include "heed/autograd/ops.h"
#include "heed/model/config.h"
#include "heed/model/step_model.h"

namespace heed {

// Projected keys [rows, key_columns()] and values [rows, value_columns()] of the configuration.
// Attention by location has no keys.
struct KeyValue {
  Tensor key, value;
};

// Supplies the keys and values of each layer to a decoder pass.
class AttentionContext {
 public:
  virtual ~AttentionContext() = default;
  // The layout of self-attention, and of cross-attention, for the target positions of the pass.
  virtual AttentionLayout self_layout(const Tokens& target) const = 0;
  virtual AttentionLayout cross_layout(const Tokens& target) const = 0;
  // Keys and values of self-attention, given those of the positions that the pass computes.
  virtual KeyValue self_key_value(ForwardPass& pass, int64_t layer, const KeyValue& computed) = 0;
  // Keys and values of cross-attention.
  virtual KeyValue cross_key_value(ForwardPass& pass, int64_t layer) = 0;
};

// The KV cache: keys and values are computed once and attended to in all later steps, in
// Backend::cache_type(). Rows are preallocated and written once. Each hypothesis has a list of the
// rows of its tokens (as the block tables of paged attention), so a beam step copies no keys and
// values. The search assigns the rows.
class DecoderCache : public AttentionContext {
 public:
  // With these rows in every layer.
  DecoderCache(const ModelConfig& config, const Backend& backend, TensorPool& pool,
               const StepRows& rows);

  // The bytes of a token's keys and values on one side, in all layers.
  static int64_t bytes_per_token(const ModelConfig& config, const Backend& backend);

  // Sets the step that the next pass decodes; it must outlive the pass.
  void begin(const StepTokens& step) { step_ = &step; }
  // Writes the keys and values of sources to `rows`.
  void write_source(ForwardPass& pass, int64_t layer, const KeyValue& computed,
                    const Indices& rows);
  int64_t layers() const { return int64_t(self_.size()); }

  AttentionLayout self_layout(const Tokens& tokens) const override {
    return {tokens.layout, step_->past, Mask::causal};
  }
  AttentionLayout cross_layout(const Tokens&) const override {
    return {step_->sentences, step_->sources};
  }
  KeyValue self_key_value(ForwardPass& pass, int64_t layer, const KeyValue& computed) override;
  KeyValue cross_key_value(ForwardPass& pass, int64_t layer) override;

 private:
  std::vector<KeyValue> self_, cross_;  // [layer]
  const StepTokens* step_ = nullptr;
};

// The rows of a layout: 0, 1, 2, and so on.
Indices all_rows(const Ragged& layout);

// Rounds to Backend::cache_type(), so that decoding a whole prefix gives the same bits as cached
// steps. `rows` are all_rows(), made once for all layers. Without effect in training.
KeyValue as_cached(ForwardPass& pass, const KeyValue& computed, const Indices& rows);

}  // namespace heed
