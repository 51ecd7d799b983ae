// Gradients by data parallelism over shards of a batch, the same whichever thread computes what.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "heed/autograd/ops.h"
#include "heed/core/parallel.h"
#include "heed/train/deferred_gradients.h"
#include "heed/train/gradient_buffers.h"

namespace heed {

// Computes the gradient of a step's loss by data parallelism over the shards of each batch. The
// gradient of one shard is the sum over the step's batches in their order. Shard gradients are
// summed in a fixed binary tree (shard 2i with 2i + 1, and so on), by whichever thread finishes
// second, so the result is the same to the last bit whatever the number and speed of the threads.
class GradientTree {
 public:
  // `layers` are the linear layers among the parameters, whose gradients may be deferred. With the
  // backend of backend/meta_backend.h it takes no memory and computes how much it would take.
  GradientTree(std::vector<Parameter> parameters, const std::vector<Linear>& layers,
               Backend& backend, Workers& workers);

  // Computes the loss of one shard of one batch on a pass, and sets the gradient that backward()
  // starts from. Called once for each shard of each batch, from any thread. A shard without labels
  // records nothing and returns no tokens.
  using LossFunction = std::function<Loss(ForwardPass& pass, int64_t batch, int64_t shard)>;

  struct Request {
    int64_t batches = 1;  // accumulated in one step
    int64_t shards = 1;   // of each batch
    LossFunction loss;
    uint64_t seed = 0;  // of dropout in this step
    // If set, the gradients of linear layers are deferred (train/deferred_gradients.h) and passed
    // to this function in parts; gradient() then holds only the direct parameters (all others),
    // which come first. The bytes are the same. If the loss or the gradient of a direct parameter
    // is not finite, the function is not called, and norm() is that of the direct parameters.
    GradientConsumer consume;
  };
  // Returns the loss summed over all shards. The gradient is then in gradient(), except for the
  // parts that were passed to `consume`.
  Loss compute(const Request& request);

  // The norm of the gradient, summed over fixed blocks in a fixed order.
  double norm() const { return norm_; }

  // One flat tensor; parameter i is at offsets()[i].
  const Tensor& gradient() const { return gradient_; }
  const std::vector<int64_t>& offsets() const { return layout_.offsets; }

  // Maximum number of full-size gradient buffers alive at the same time (GradientBuffers).
  static int64_t buffers(int64_t shards, int workers);
  // Bytes that the pools of all workers hold, for activations.
  int64_t pool_bytes() const;
  // Frees all memory, that of gradient() included, for work between steps.
  void release();

 private:
  void lay_out(const std::vector<Linear>& layers);
  Loss shard_gradient(const Request& request, int64_t shard, int worker, Tensor& gradient);
  void watch(Tape& tape, const Request& request, Tensor& gradient, WriteMode mode) const;
  // Adds a shard's gradient to those of its siblings in the tree, as far as these are finished.
  void add_to_tree(int64_t node, Tensor gradient);
  // Adds the last two sums, on all workers. Returns the sum of squares.
  double add_last_sums();

  // The places of the parameters' gradients in the flat one, linear layers last.
  struct Layout {
    std::vector<int64_t> offsets;
    int64_t size = 0, direct_size = 0;  // of the flat gradient; of the direct parameters
    std::vector<LayerPart> parts;       // of linear layers
  };

  std::vector<Parameter> parameters_;
  Backend& backend_;
  Workers& workers_;
  Layout layout_;
  std::optional<DeferredGradients> deferred_;  // set by the constructor
  std::vector<TensorPool> pools_;              // one a worker
  GradientBuffers buffers_;
  std::mutex mutex_;
  std::vector<std::vector<Tensor>> tree_;  // [level][node]: a sum that waits for its sibling
  Tensor gradient_, rest_;                 // rest_: what add_last_sums() is to add
  double norm_ = 0;
};

}  // namespace heed
