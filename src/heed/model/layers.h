// The parameters of a Transformer's layers. Which of them a layer has depends on the variant of the
// model (model/variants.h): a tensor that it lacks is none, and is not visited.
#pragma once

#include "heed/core/tensor.h"

namespace heed {

// The kind of a parameter, which decides its initialization, weight decay and packing. A gain is
// the scale of a norm (PyTorch: weight). A small matrix is that of one head, or of the distances
// between positions; a position table has a learned embedding of each position.
enum class ParameterRole { matrix, embedding, bias, gain, small_matrix, position_table };

// Matrices and embeddings are operands of large matrix products: the backend packs them.
constexpr bool is_packed(ParameterRole role) {
  return role == ParameterRole::matrix || role == ParameterRole::embedding;
}

// Whether AdamW decays it: all but vectors.
constexpr bool is_decayed(ParameterRole role) {
  return role != ParameterRole::bias && role != ParameterRole::gain;
}

struct Linear {
  Tensor weight;  // [out, in]
  Tensor bias;    // [out]
  static void visit(auto& self, auto&& f) {
    f("weight", self.weight, ParameterRole::matrix), f("bias", self.bias, ParameterRole::bias);
  }
};

// A LayerNorm, or an RMSNorm, which has no bias.
struct Norm {
  Tensor gain, bias;  // [d_model]
  static void visit(auto& self, auto&& f) {
    f("gain", self.gain, ParameterRole::gain);
    if (self.bias) f("bias", self.bias, ParameterRole::bias);
  }
};

// W^Q [heads * d_key, d_model], W^K [key_value_heads * d_key, d_model], W^V [key_value_heads *
// d_value, d_model] and W^O [d_model, heads * d_value] (section 3.2.2). A recurrent model has only
// those that its score function names: the others are the identity.
struct Attention {
  Linear query = {}, key = {}, value = {}, output = {};
  bool shared_query_key = false;  // key is query
  // The matrix of the score function: general [heads * d_key, d_key], additive [heads, d_key], or
  // cosine [heads].
  Tensor score = {};
  Linear location =
      {};  // ScoreFunction::location: d_model to heads * kLocations, instead of W^Q and W^K
  // The predicted position of AttentionReach: d_model to d_model, and to heads.
  Linear center_inner = {}, center = {};
  // Positions::relative: [2 * kMaxRelativeDistance + 1, d_key], and [d_value, the same].
  Tensor relative_key = {}, relative_value = {};
  // Positions::t5: [heads * kRelativeBuckets], one for all layers of a stack, which visits it.
  Tensor position_bias = {};

  static void visit(auto& self, auto&& f) {
    if (self.query.weight) f("query", self.query);
    if (self.key.weight && !self.shared_query_key) f("key", self.key);
    if (self.value.weight) f("value", self.value);
    if (self.output.weight) f("output", self.output);
    if (self.score) f("score", self.score, score_role(self));
    if (self.location.weight) f("location", self.location);
    if (self.center.weight) f("center_inner", self.center_inner), f("center", self.center);
    if (self.relative_key) {
      f("relative_key", self.relative_key, ParameterRole::small_matrix);
      f("relative_value", self.relative_value, ParameterRole::small_matrix);
    }
  }
  // The gain of cosine is a vector.
  static ParameterRole score_role(const Attention& self) {
    return self.score.shape().size() == 1 ? ParameterRole::gain : ParameterRole::small_matrix;
  }
};

// W_1 and W_2 of section 3.3; a gated network has a third matrix.
struct FeedForward {
  Linear inner, gate, output;  // d_model -> d_ff (inner, gate) -> d_model
  static void visit(auto& self, auto&& f) {
    f("inner", self.inner);
    if (self.gate.weight) f("gate", self.gate);
    f("output", self.output);
  }
};

// A layer of an encoder or, with cross-attention, of a decoder.
struct Layer {
  Attention self_attention, cross_attention = {};
  Norm self_norm, cross_norm = {};
  FeedForward feed_forward;
  Norm feed_forward_norm;
  static void visit(auto& self, auto&& f) {
    f("self", self.self_attention), f("self_norm", self.self_norm);
    if (self.cross_attention.value.weight)
      f("cross", self.cross_attention), f("cross_norm", self.cross_norm);
    f("feed_forward", self.feed_forward), f("feed_forward_norm", self.feed_forward_norm);
  }
};

// The parameters that the layers of a stack share: a learned position of each token, the bias of
// distances (T5), and the last norm of a stack with NormPlacement::pre.
struct StackParameters {
  Tensor positions;      // [max_positions, d_model]
  Tensor position_bias;  // [heads * kRelativeBuckets]
  Norm norm;

  static void visit(auto& self, auto&& f) {
    if (self.positions) f("positions", self.positions, ParameterRole::position_table);
    if (self.position_bias) f("position_bias", self.position_bias, ParameterRole::bias);
    if (self.norm.gain) f("norm", self.norm);
  }
};

}  // namespace heed
