// The components of "Attention Is All You Need" by the paper's names, each as a function of float
// tensors. A tensor is row-major:
//
//   const Tensor query = tensor_of<float>({2, 3}, std::vector<float>{1, 0, 0, 0, 1, 0});
//   query.span<float>()[3]  // row 1, column 0
//
// They call the kernels of the model, except scaled_dot_product_attention(), which takes any mask:
// the model's kernel supports only no mask or a causal one. UsageError for mismatched shapes.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "heed/model/sequence_model.h"

namespace heed::paper {

// The output of attention and its weights.
struct AttentionResult {
  Tensor output;   // [queries, d_v], or [queries, d_model] of several heads
  Tensor weights;  // [queries, keys], or [heads, queries, keys] of several heads
};

struct AttentionArguments {
  // [queries, keys], added to the logits: 0 or -infinity; may be empty. With several heads also
  // [heads, queries, keys].
  Tensor mask = {};
  std::optional<double> scale = {};  // 1 / sqrt(d_k) if not set
};

// softmax(scale Q K^T + mask) V, equation 1: query [queries, d_k], key [keys, d_k], value
// [keys, d_v]. A query whose keys are all masked has weights and output 0.
AttentionResult scaled_dot_product_attention(const Tensor& query, const Tensor& key,
                                             const Tensor& value,
                                             const AttentionArguments& arguments = {});

// The mask of section 3.2.3, which prevents attention to later positions. With more keys than
// queries, the queries are the last positions.
Tensor causal_mask(int64_t queries, int64_t keys);

// Concat(head_1, ..., head_h) W^O, section 3.2.2: `x` [queries, d_model] attends to `memory`
// [keys, d_model], which is x itself in self-attention. The widths of the heads, and whether
// several share a key and value (grouped_query_attention), follow from the shapes of the weights.
AttentionResult multi_head_attention(const Attention& parameters, int64_t heads, const Tensor& x,
                                     const Tensor& memory,
                                     const AttentionArguments& arguments = {});

// The projections of a model's attention by its name: "encoder.0.self", "decoder.5.cross". The
// model must come from load_model(directory): load_model(directory, backend) packs and frees its
// weights.
Attention attention_of(SequenceModel& model, const std::string& name);

// [positions, d_model], section 3.5: the sines of all frequencies first, then the cosines, as in
// the model. Columns 2i and 2i + 1 of the formula are columns i and d_model / 2 + i.
Tensor positional_encoding(int64_t positions, int64_t d_model);

// One value per row of logits.
struct SmoothedCrossEntropy {
  Tensor smoothed, nll;  // [rows]: the loss, and -log p(label)
  Tensor gradient;  // [rows, classes]: of the sum of smoothed losses, with respect to the logits
};

// Section 5.4: the cross entropy of logits [rows, classes] with a target that gives 1 - smoothing
// to the label and smoothing / classes to every class, including the label.
SmoothedCrossEntropy label_smoothed_cross_entropy(const Tensor& logits,
                                                  std::span<const TokenId> labels,
                                                  double smoothing = 0.1);

// The learning rate of step 1, 2, ...: d_model^-0.5 * min(step^-0.5, step * warmup^-1.5),
// equation 3.
double noam_learning_rate(int64_t step, int64_t d_model = 512, int64_t warmup = 4000);

}  // namespace heed::paper
