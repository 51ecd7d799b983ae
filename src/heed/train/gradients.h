// Gradients of a batch by data parallelism whose result does not depend on who computes what.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

#include "heed/autograd/ops.h"
#include "heed/core/parallel.h"
#include "heed/model/examples.h"
#include "heed/model/transformer.h"
#include "heed/text/corpus.h"

namespace heed {

// Some pairs of a corpus.
Examples examples_of(const Corpus& corpus, std::span<const uint32_t> pairs,
                     const ModelConfig& config);

// Computes the gradient of the mean smoothed loss over several shards. Each shard's gradient is a
// leaf; leaves are added in one fixed binary tree (leaf 2i with 2i + 1, and so on upwards), by
// whichever thread finishes second. Threads therefore change nothing, not even a rounding.
class GradientTree {
 public:
  // With counted blocks, a model without values and the backend of backend/shape_backend.h it takes
  // no memory and tells how much it would.
  GradientTree(Transformer& model, Backend& backend, Workers& workers,
               Pool::Blocks blocks = Pool::Blocks::real);

  struct Request {
    int64_t shards = 1;
    std::function<Examples(int64_t shard)> examples;  // called once a shard, from any thread
    int64_t target_tokens = 1;                        // of all shards, the labels
    double label_smoothing = 0;
    uint64_t seed = 0;  // of dropout in this step
    // Where there is one, linear layers' gradients never stand whole: each is a sum over the rows
    // of all shards, in their order, made in parts once the shards are through, and handed over
    // part by part while it is in the cache: elements of a parameter from `begin` on. From any
    // thread; not called if the loss or another gradient is not finite, and norm() is then of those
    // others. gradient() is of the other parameters, which have the first offsets. Some shard must
    // have labels.
    std::function<void(size_t parameter, int64_t begin, const Tensor& gradient)> take;
  };
  // Sums of the loss over all shards. The gradient is then in gradient(), but for what was taken.
  Loss compute(const Request& request);

  // The norm of the gradient: sums over fixed blocks in a fixed order.
  double norm() const { return norm_; }
  // Whether parts are worth their price, dy and x of all layers of a step kept until its end: for
  // batches of so many tokens on either side.
  static bool parts_pay(double tokens, const ModelConfig& config);

  // One flat tensor; parameter i of parameters(model) is at offsets()[i].
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
  // Where each parameter's gradient stands, and the parts of the linear layers'.
  void lay_out();
  Loss leaf(const Request& request, int64_t shard, int worker, const Tensor& gradient);
  // Adds a finished leaf into the tree as far up as its siblings are there.
  void climb(int64_t node, const Tensor& gradient);
  // Adds the last two sums, which all workers share; the sum of squares.
  double finish_root();
  // Hands the linear layers' gradients over; the sum of squares.
  double finish_layers(const Request& request);
  Tensor take_buffer();
  void free_buffer(Tensor buffer);

  // A linear layer by its parameters, and some outputs of one.
  struct Layer {
    size_t weight, bias;
  };
  struct Part {
    size_t layer;
    int64_t begin, end;
  };

  Transformer& model_;
  Backend& backend_;
  Workers& workers_;
  std::vector<Parameter> parameters_;
  std::vector<int64_t> offsets_;
  int64_t size_ = 0, others_ = 0;  // of the flat gradient; without linear layers, which stand last
  std::vector<Layer> layers_;
  std::vector<Part> parts_;
  std::vector<Pool> pools_;  // one a worker
  const Pool::Blocks blocks_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<Tensor> free_;
  int64_t taken_ = 0, limit_ = 0;          // buffers that there are, and may be
  int64_t buffer_size_ = 0;                // elements of each
  int running_ = 0;                        // leaves at work
  std::vector<std::vector<Tensor>> tree_;  // [level][node]: a sum that waits for its sibling
  std::vector<int64_t> width_;             // nodes of each level
  std::vector<std::vector<WeightGradient>> postponed_;  // [shard]
  Tensor gradient_, rest_;                              // rest_: what finish_root() is to add
  double norm_ = 0;
};

}  // namespace heed
