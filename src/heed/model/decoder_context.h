// The keys and values that the decoder attends to: computed in the same pass, or cached.
#pragma once

#include <span>
#include <vector>

#include "heed/autograd/ops.h"
#include "heed/model/config.h"

namespace heed {

// Projected keys and values, [rows, d_model] each.
struct KeyValue {
  Tensor key, value;
};

// Supplies the keys and values of each layer to a decoder pass.
class DecoderContext {
 public:
  virtual ~DecoderContext() = default;
  // The layout of self-attention, and of cross-attention, for the target positions of the pass.
  virtual AttentionLayout self_layout(const Tokens& target) const = 0;
  virtual AttentionLayout cross_layout(const Tokens& target) const = 0;
  // Keys and values of self-attention, given those of the positions that the pass computes.
  virtual KeyValue self(Pass& pass, int64_t layer, const KeyValue& computed) = 0;
  // Keys and values of cross-attention.
  virtual KeyValue cross(Pass& pass, int64_t layer) = 0;
};

// The KV cache: keys and values that are computed once and attended to in all later steps, in
// Backend::cache_type(). Rows are preallocated and written once; a hypothesis finds its past
// through its list of rows, so nothing is ever copied. decode/ decides which rows belong to which
// sentence.
class DecoderCache : public DecoderContext {
 public:
  DecoderCache() = default;  // without room
  // Room for this number of target and source positions in every layer.
  DecoderCache(const ModelConfig& config, const Backend& backend, Pool& pool, int64_t target_rows,
               int64_t source_rows);

  // Of the next step:
  Indices new_rows;  // [target rows] where each new position is written
  KeyRows past;      // each target sequence's rows, the new ones last
  Ragged groups;     // target rows that attend to one source (the beams of a sentence)
  KeyRows source;    // each group's rows

  // Writes the keys and values of sources to `rows`.
  void write_source(Pass& pass, int64_t layer, const KeyValue& computed, const Indices& rows);
  int64_t layers() const { return int64_t(self_.size()); }

  AttentionLayout self_layout(const Tokens& target) const override {
    return {target.layout, past, Mask::causal};
  }
  AttentionLayout cross_layout(const Tokens&) const override { return {groups, source}; }
  KeyValue self(Pass& pass, int64_t layer, const KeyValue& computed) override;
  KeyValue cross(Pass& pass, int64_t layer) override;

 private:
  std::vector<KeyValue> self_, cross_;  // [layer]
};

// The rows of a layout: 0, 1, 2, and so on.
Indices all_rows(const Ragged& layout);

// The same values in Backend::cache_type(), so that a whole prefix gives what cached steps give;
// `rows` are all_rows(). Training does not round.
KeyValue as_cached(Pass& pass, const KeyValue& computed, const Indices& rows);

}  // namespace heed
