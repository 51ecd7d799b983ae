// Gradients of a batch by data parallelism whose result does not depend on who computes what.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "heed/autograd/ops.h"
#include "heed/core/parallel.h"
#include "heed/model/transformer.h"

namespace heed {

// Pairs of a shard, as the model takes them: sources end with </s>, target inputs begin with
// <pad>, labels end with </s>.
struct Examples {
  Tokens source, target;
  std::vector<TokenId> labels;

  void add(std::span<const TokenId> source_ids, std::span<const TokenId> target_ids,
           const ModelConfig& config);
};

// Computes the gradient of the mean smoothed loss over several shards. Each shard's gradient is a
// leaf; leaves are added in one fixed binary tree (leaf 2i with 2i + 1, and so on upwards), by
// whichever thread finishes second. Threads therefore change nothing, not even a rounding.
class GradientTree {
 public:
  GradientTree(Transformer& model, Backend& backend, Workers& workers);

  struct Request {
    int64_t shards = 1;
    std::function<Examples(int64_t shard)> examples;  // called once a shard, from any thread
    int64_t target_tokens = 1;                        // of all shards, the labels
    double label_smoothing = 0;
    uint64_t seed = 0;  // of dropout in this step
  };
  // Sums of the loss over all shards. The gradient is then in gradient().
  Loss compute(const Request& request);

  // One flat tensor; parameter i of parameters(model) is at offsets()[i].
  const Tensor& gradient() const { return gradient_; }
  const std::vector<int64_t>& offsets() const { return offsets_; }

 private:
  Loss leaf(const Request& request, int64_t shard, int worker, const Tensor& gradient);
  // Adds a finished leaf into the tree as far up as its siblings are there.
  void climb(int64_t node, const Tensor& gradient);
  Tensor take_buffer();

  Transformer& model_;
  Backend& backend_;
  Workers& workers_;
  std::vector<Parameter> parameters_;
  std::vector<int64_t> offsets_;
  int64_t size_ = 0;
  std::vector<Pool> pools_;  // one a worker
  std::mutex mutex_;
  std::vector<Tensor> free_;
  std::vector<std::vector<Tensor>> tree_;  // [level][node]: a sum that waits for its sibling
  std::vector<int64_t> width_;             // nodes of each level
  Tensor gradient_;
};

}  // namespace heed
