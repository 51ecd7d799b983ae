// Gradients of a batch by data parallelism whose result does not depend on who computes what.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "heed/autograd/ops.h"
#include "heed/core/parallel.h"
#include "heed/model/pair_batch.h"
#include "heed/text/corpus.h"
#include "heed/train/deferred_gradients.h"

namespace heed {

// Some pairs of a corpus.
PairBatch pair_batch_of(const Corpus& corpus, std::span<const uint32_t> pairs,
                        const ModelConfig& config);

// Computes the gradient of a step's loss over several shards. A leaf is one shard's gradient, the
// sum over the step's batches in their order; leaves are added in one fixed binary tree (leaf 2i
// with 2i + 1, and so on upwards), by whichever thread finishes second. Threads therefore change
// nothing, not even a rounding.
class GradientTree {
 public:
  // `layers` are the linear layers among the parameters, whose gradients may be deferred. With the
  // backend of backend/shape_backend.h it takes no memory and computes how much it would take.
  GradientTree(std::vector<Parameter> parameters, const std::vector<Linear>& layers,
               Backend& backend, Workers& workers);

  // The loss of one shard of one batch, computed on a recording pass. Called once for
  // each, from any thread. A shard without labels records nothing and returns no tokens.
  using LossFunction = std::function<Loss(Pass& pass, int64_t batch, int64_t shard)>;

  struct Request {
    int64_t batches = 1;  // accumulated in one step
    int64_t shards = 1;   // of each batch
    LossFunction loss;
    uint64_t seed = 0;  // of dropout in this step
    // Where there is one, the gradients of linear layers are deferred (train/deferred_gradients.h)
    // and handed over in parts; gradient() is of the other parameters, which have the first
    // offsets. The bytes are the same. Not called if the loss or another gradient is not finite,
    // and norm() is then of those others.
    GradientConsumer consume;
  };
  // Sums of the loss over all shards. The gradient is then in gradient(), except for what was
  // handed over.
  Loss compute(const Request& request);

  // The norm of the gradient: sums over fixed blocks in a fixed order.
  double norm() const { return norm_; }

  // One flat tensor; parameter i is at offsets()[i].
  const Tensor& gradient() const { return gradient_; }
  const std::vector<int64_t>& offsets() const { return offsets_; }

  // Gradients of everything that stand at once, at most: a worker that would need one more waits
  // for a slower one, so that no run takes more memory than another.
  static int64_t buffers(int64_t shards, int workers);
  // What the workers hold for activations.
  int64_t pool_bytes() const;
  // Gives all memory back, the gradient's too: for work between steps.
  void release();

 private:
  // Where each parameter's gradient is, linear layers last, and the parts of those.
  void lay_out(const std::vector<Linear>& layers);
  Loss leaf(const Request& request, int64_t shard, int worker, Tensor& gradient);
  void watch(Tape& tape, const Request& request, Tensor& gradient, WriteMode mode) const;
  // Adds a finished leaf into the tree as far up as its siblings are there.
  void climb(int64_t node, Tensor gradient);
  // Adds the last two sums, which all workers share; the sum of squares.
  double finish_root();
  Tensor take_buffer();
  void free_buffer(Tensor buffer);

  std::vector<Parameter> parameters_;
  Backend& backend_;
  Workers& workers_;
  std::vector<int64_t> offsets_;
  int64_t size_ = 0, others_ = 0;  // of the flat gradient; without linear layers
  std::vector<LayerPart> parts_;
  std::optional<DeferredGradients> deferred_;  // always there once laid out
  std::vector<Pool> pools_;                    // one a worker
  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<Tensor> free_;
  int64_t taken_ = 0, limit_ = 0;          // buffers that there are, and may be
  int64_t buffer_size_ = 0;                // elements of each
  int running_ = 0;                        // leaves at work
  std::vector<std::vector<Tensor>> tree_;  // [level][node]: a sum that waits for its sibling
  std::vector<int64_t> width_;             // nodes of each level
  Tensor gradient_, rest_;                 // rest_: what finish_root() is to add
  double norm_ = 0;
};

}  // namespace heed
