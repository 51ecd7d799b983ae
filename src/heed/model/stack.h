// A stack of layers, from tokens to states (section 3.1): an encoder's, or a decoder's, with or
// without cross-attention.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "heed/model/multi_head.h"

namespace heed {

// The encoder's output, which the paper calls the memory that the decoder attends to.
struct EncoderOutput {
  Tensor states;  // [source rows, d_model]
  Ragged layout;
};

class Stack {
 public:
  struct Sites {
    AttentionSite self = AttentionSite::encoder_self;
    std::optional<AttentionSite> cross = {};
  };
  struct Sizes {
    int64_t layers = 0;
    int64_t d_ff = 0;
  };
  // Layers whose parameters are zero. All other sizes are those of the config. `positions`,
  // [max_positions, d_model], is added to embeddings (section 3.5) unless the config has other
  // Positions.
  Stack(const ModelConfig& config, const Sizes& sizes, const Sites& sites, Tensor positions,
        DType type, const std::shared_ptr<TensorMemory>& memory);

  // Tokens, embedded by the rows of `table` [vocabulary, d_model], to states [rows, d_model].
  // `context` has the keys and values that they attend to; `captured` gets the attention weights
  // that were requested, and may be null.
  Tensor forward(ForwardPass& pass, const Tokens& tokens, const Tensor& table,
                 AttentionContext& context, CapturedAttention* captured = nullptr) const;
  // The same for sequences from their beginnings, of which each attends to itself and, where the
  // stack has cross-attention, to the sequence of the same number in `memory`, otherwise null.
  Tensor forward(ForwardPass& pass, const Tokens& tokens, const Tensor& table,
                 const EncoderOutput* memory, CapturedAttention* captured = nullptr) const;

  // The keys and values of a layer's cross-attention.
  KeyValue cross_key_value(ForwardPass& pass, const EncoderOutput& memory, int64_t layer) const;

  static void visit(auto& self, auto&& f) { f("layers", self.layers), f("shared", self.shared); }

  std::vector<Layer> layers;
  StackParameters shared;

 private:
  template <class Function>
  Tensor sublayer(ForwardPass& pass, const Norm& w, const Tensor& x, const Function& f) const;
  Tensor embed(ForwardPass& pass, const Tokens& tokens, const Tensor& table) const;
  Tensor feed_forward(ForwardPass& pass, const FeedForward& w, const Tensor& x) const;

  ModelConfig config_;
  Sites sites_;
  AttentionMethod self_, cross_;
  Tensor positions_;
};

}  // namespace heed
