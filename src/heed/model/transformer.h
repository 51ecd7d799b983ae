// The encoder and decoder of "Attention Is All You Need" (Vaswani et al., 2017), or one of them
// alone. Embeddings and output layer are those of model/sequence_model.h.
#pragma once

#include <memory>

#include "heed/model/on_backend.h"
#include "heed/model/stack.h"
#include "heed/model/step_model.h"

namespace heed {

class Transformer {
 public:
  // Parameters are zero.
  Transformer(const ModelConfig& config, DType type, const std::shared_ptr<TensorMemory>& memory);

  // Tokens, embedded by the rows of `table` [vocabulary, d_model], to the encoder's output.
  EncoderOutput encode(ForwardPass& pass, const Tokens& source, const Tensor& table,
                       CapturedAttention* captured) const;
  // Tokens to states [target rows, d_model]. Every target sequence attends to the source sequence
  // of the same number in `memory`, which is null for a decoder alone.
  Tensor decode(ForwardPass& pass, const Tokens& target, const Tensor& table,
                const EncoderOutput* memory, CapturedAttention* captured) const;
  // The same for tokens that attend to the keys and values of `context`.
  Tensor decode(ForwardPass& pass, const Tokens& target, const Tensor& table,
                AttentionContext& context, CapturedAttention* captured = nullptr) const;
  // The keys and values of cross-attention in a decoder layer.
  KeyValue cross_key_value(ForwardPass& pass, const EncoderOutput& memory, int64_t layer) const;

  // Moves what is computed, and not a parameter.
  void move_to(const std::shared_ptr<TensorMemory>& memory);

  static void visit(auto& self, auto&& f) {
    f("encoder", self.encoder_.layers), f("decoder", self.decoder_.layers);
    f("encoder_stack", self.encoder_.shared), f("decoder_stack", self.decoder_.shared);
  }

 private:
  Tensor positions_;  // [max_positions, d_model], of both stacks; none without sinusoids
  Stack encoder_, decoder_;
};

// Row p: sin(p / 10000^(2i/d)) for i < d/2, then the cosines (a permutation of section 3.5).
Tensor positional_encoding(int64_t positions, int64_t d_model, DType type);

// The steps of a search, with the keys and values of sources and hypotheses (DecoderCache).
// `layers` are those of the model.
std::unique_ptr<StepModel> make_steps(const ModelOnBackend& on, const Transformer& layers);

}  // namespace heed
