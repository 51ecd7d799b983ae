// Variants of the paper's components, each as a function of float tensors, as in paper.h. They
// compose: a score function gives scores [queries, keys], masks and positions are added to them,
// and attend() mixes the values:
//
//   const Tensor scores = general_scores(query, weight, key);
//   attend(scores, value, window_mask(5, 5, 2)).weights
//
// A mask has values added to scores, [queries, keys], and may be empty (none). Masks are joined by
// add(). Where positions matter, key j is at position j and query i at position i; under
// Mask::causal the queries are the last positions, and later keys have -infinity. They call the
// kernels of the model where those compute the same. UsageError for mismatched shapes.
#pragma once

#include "heed/paper.h"

namespace heed::paper {

// Score functions: query [queries, d_query], key [keys, d_key].

// scale * q . k ("dot" of Luong et al., 2015; scaled dot: 1 / sqrt(d_key)).
Tensor dot_scores(const Tensor& query, const Tensor& key, double scale = 1);

// q W k with W [d_query, d_key] ("general" of Luong et al., 2015).
Tensor general_scores(const Tensor& query, const Tensor& weight, const Tensor& key);

// v . tanh(W q + U k) (Bahdanau et al., 2015).
struct AdditiveParameters {
  Tensor query;  // W [d, d_query]
  Tensor key;    // U [d, d_key]
  Tensor v;      // [d]
};
Tensor additive_scores(const AdditiveParameters& parameters, const Tensor& query,
                       const Tensor& key);

// gain * q . k / (|q| |k|).
Tensor cosine_scores(const Tensor& query, const Tensor& key, double gain = 1);

// W q with W [positions, d_query]: key j has the score of position j, or -infinity beyond the last
// one ("location" of Luong et al., 2015).
Tensor location_scores(const Tensor& query, const Tensor& weight, int64_t keys);

// Attention from scores: value [keys, d_value]. A query whose keys are all masked has weights and
// output 0.

// softmax(scores + mask) V.
AttentionResult attend(const Tensor& scores, const Tensor& value, const Tensor& mask = {});

// The value of the key with the best score, the first of several.
AttentionResult attend_hard(const Tensor& scores, const Tensor& value, const Tensor& mask = {});

// Softmax over the keys at most `window` away from each query's center, times
// exp(-(j - center)^2 / (2 (window / 2)^2)): "local-p" of Luong et al. (2015), equation 10.
struct LocalWindow {
  Tensor centers;  // [queries, 1], such as predicted_positions()
  int64_t window = 1;
};
AttentionResult attend_locally(const Tensor& scores, const Tensor& value, const LocalWindow& local,
                               const Tensor& mask = {});

// [queries, 1]: keys * sigmoid(v . tanh(W q)), W [d, d_query], v [d] (equation 9 there).
Tensor predicted_positions(const Tensor& query, const Tensor& weight, const Tensor& v,
                           int64_t keys);

// Masks and biases. To a query beyond the last key, the last key is at its position.

// Keys at most `window` away from the query: 0, the others: -infinity.
Tensor window_mask(int64_t queries, int64_t keys, int64_t window, Mask mask = Mask::none);

// [heads, queries, keys]: - 2^(-8 (head + 1) / heads) * distance (ALiBi, Press et al., 2022).
Tensor alibi_bias(int64_t heads, int64_t queries, int64_t keys, Mask mask = Mask::none);

// [heads, queries, keys]: the entry of each distance's bucket in the table [heads, buckets] (T5,
// Raffel et al., 2020). Under Mask::causal all buckets are for keys before the query.
Tensor t5_bias(const Tensor& table, int64_t queries, int64_t keys, Mask mask = Mask::none);

// x + y; y is used for each head of x if x is [heads, queries, keys] and y [queries, keys].
Tensor add(const Tensor& x, const Tensor& y);

// Positions.

// Rotates columns c and c + d / 2 of each head by the angle position / 10000^(2 c / d) (Su et al.,
// 2021; the order of GPT-NeoX and Llama): x [rows, heads * d], row r at positions[r].
Tensor rotary_embedding(const Tensor& x, const Indices& positions, int64_t heads = 1);

// Vectors of the distances -K to K (key minus query); larger ones are taken as K.
struct RelativeVectors {
  Tensor keys;         // [2 K + 1, d_key]
  Tensor values = {};  // [2 K + 1, d_value]; may be empty
};
// Scores scale * q . (k + a) and values v + a', with the vectors a, a' of each distance (Shaw et
// al., 2018). The queries are the last positions, whatever the mask.
AttentionResult relative_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                   const RelativeVectors& relative,
                                   const AttentionArguments& arguments = {});

// Heads.

// Each head's attention, side by side: query [queries, heads * d_key]. Keys [keys, groups * d_key]
// and values [keys, groups * d_value] have as many heads or fewer: query heads are divided evenly
// among them (Ainslie et al., 2023); with one it is multi-query attention (Shazeer, 2019).
AttentionResult grouped_query_attention(int64_t heads, const Tensor& query, const Tensor& key,
                                        const Tensor& value,
                                        const AttentionArguments& arguments = {});

// Layers: x [rows, d_model], gain and bias [d_model]. A sub-layer f is
// layer_norm(add(x, f(x)), gain, bias) in the paper, and add(x, f(layer_norm(x, gain, bias))) with
// pre-norm.

// gain * (x - mean) / sqrt(variance + epsilon) + bias.
Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double epsilon = 1e-5);

// gain * x / sqrt(mean square + epsilon) (Zhang and Sennrich, 2019).
Tensor rms_norm(const Tensor& x, const Tensor& gain, double epsilon = 1e-5);

// activation(x W_1 + b_1) W_2 + b_2, section 3.3.
Tensor feed_forward(const Linear& inner, const Linear& output, const Tensor& x,
                    Activation activation = Activation::relu);

}  // namespace heed::paper
