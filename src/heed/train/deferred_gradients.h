// Weight gradients of linear layers fused with the optimizer (not gradient accumulation): they are
// computed part by part after all backward passes of a step, and each part is used (by Adam) while
// it is in the cache. The whole gradient is never in memory.
#pragma once

#include <functional>
#include <vector>

#include "heed/autograd/tape.h"
#include "heed/core/parallel.h"
#include "heed/model/parameters.h"

namespace heed {

// Receives elements of the gradient of parameters[parameter], from element `begin` on. Called from
// any thread, once for each element.
using GradientConsumer =
    std::function<void(size_t parameter, int64_t begin, const Tensor& gradient)>;

// Some outputs of a linear layer: rows [begin, end) of parameters[weight], and the same elements of
// parameters[bias].
struct LayerPart {
  size_t weight, bias;
  int64_t begin, end;
};

// Cuts a linear layer whose weight is parameters[weight] into parts of about `elements` elements.
std::vector<LayerPart> layer_parts(const std::vector<Parameter>& parameters, size_t weight,
                                   size_t bias, int64_t elements);

// The operands of deferred gradients, and their sums. A part's gradient is summed in the order in
// which GradientTree sums whole gradients: that of a shard over its passes in their order, and the
// shards in a binary tree. So deferring changes no byte.
class DeferredGradients {
 public:
  DeferredGradients(std::vector<Parameter> parameters, std::vector<LayerPart> parts,
                    Backend& backend, Workers& workers);

  // Whether deferring is faster for steps of `tokens` tokens on either side and linear layers of at
  // least `narrowest_input` inputs: it saves writing and reading every gradient, and needs memory
  // for the operands of all layers until the step's end.
  static bool is_faster(double tokens, int64_t narrowest_input);

  // Drops all operands; the next step has `shards` shards.
  void reset(int64_t shards);
  // The operands of one pass of a shard, after those of its earlier passes. From any thread, one at
  // a time for each shard.
  void add(int64_t shard, std::vector<WeightGradientOperands> operands);
  // Computes every part, on all workers, with a pool for each, and passes it to `consume`. Returns
  // each part's sum of squares.
  std::vector<double> compute(std::vector<TensorPool>& pools, const GradientConsumer& consume);

 private:
  struct Gradient {
    Tensor weight, bias;
  };
  // The sum over shards [begin, begin + count) of a layer's part; count is a power of two, and may
  // reach beyond the last shard.
  Gradient sum(TensorPool& pool, const LayerPart& part, int64_t begin, int64_t count) const;
  Gradient shard_gradient(TensorPool& pool, const LayerPart& part, int64_t shard) const;

  std::vector<Parameter> parameters_;
  std::vector<LayerPart> parts_;
  Backend& backend_;
  Workers& workers_;
  std::vector<std::vector<WeightGradientOperands>> operands_;  // [shard], in the order of add()
};

}  // namespace heed
