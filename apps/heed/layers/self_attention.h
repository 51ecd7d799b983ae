// A self-attention layer of the paper, alone or with its projections.
#pragma once

#include <optional>

#include "layers/sequence_layer.h"

namespace heed {

// The attention itself, with Q = K = V = x: softmax(x x^T / sqrt(d_head)) x for each head. The n^2
// d of Table 1 counts this.
class SelfAttention : public SequenceLayer {
 public:
  // With a window, each position attends to those at most that far from it.
  SelfAttention(Backend& backend, const SequenceShape& shape, int64_t heads,
                std::optional<int64_t> window = {});

  const Tensor& forward(const Tensor& x) override;
  const Tensor& backward(const Tensor& dy) override;
  std::vector<LayerWeight*> weights() override { return {}; }

  // The two steps of forward() and backward() for operands that differ.
  void attend(const AttentionInput& input, Tensor& out);
  void gradient(const Tensor& dout, const AttentionInput& input, const Tensor& out,
                const AttentionGradient& gradient);

 private:
  Backend& backend_;
  AttentionOptions options_;
  Ragged sequence_;
  KeyRows keys_;
  Tensor x_, logsumexp_, y_, dx_, dkey_, dvalue_;
};

// Multi-head self-attention as heed's models have it (section 3.2.2): query, key, value and output
// projections around the attention.
class ProjectedSelfAttention : public SequenceLayer {
 public:
  ProjectedSelfAttention(Backend& backend, const SequenceShape& shape, int64_t heads,
                         std::optional<int64_t> window = {});

  const Tensor& forward(const Tensor& x) override;
  const Tensor& backward(const Tensor& dy) override;
  std::vector<LayerWeight*> weights() override;

 private:
  Backend& backend_;
  SelfAttention attention_;
  LayerWeight wq_, wk_, wv_, wo_;
  Tensor x_, query_, key_, value_, mixed_, y_;
  Tensor dmixed_, dquery_, dkey_, dvalue_, dx_;
};

}  // namespace heed
