// The recurrent encoder and decoder with attention that the Transformer took the place of (section
// 1): an encoder that reads in both directions (Bahdanau et al., 2015), and a decoder whose state
// asks for a context at each step (Luong et al., 2015). Embeddings and output layer are those of
// model/sequence_model.h.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "heed/autograd/recurrent.h"
#include "heed/model/multi_head.h"
#include "heed/model/on_backend.h"
#include "heed/model/stack.h"
#include "heed/model/step_model.h"

namespace heed {

// W and U of a recurrent layer, with a block of rows for each gate (autograd/recurrent.h).
struct RecurrentLayer {
  Linear input, state;
  static void visit(auto& self, auto&& f) { f("input", self.input), f("state", self.state); }
};

// Both directions have half the width of the model: their states side by side are one of d_model.
struct EncoderLayer {
  RecurrentLayer forward, backward;
  static void visit(auto& self, auto&& f) {
    f("forward", self.forward), f("backward", self.backward);
  }
};

struct DecoderLayer {
  // The first layer's U is also that of the attentional state, if it is an input: [gates * d, 2 d].
  RecurrentLayer layer;
  Linear start;  // from the encoder's last states to this layer's first one; none without encoder
  static void visit(auto& self, auto&& f) {
    RecurrentLayer::visit(self.layer, f);
    if (self.start.weight) f("start", self.start);
  }
};

// States of a decoder: one for each sequence or for each row, [n, d].
struct DecoderStates {
  std::vector<RecurrentState> layers;
  Tensor attentional;  // tanh(W_c [c; h]), if the next step reads it
};

// The keys and values that the sequences of a decoder pass attend to.
struct SourceKeys {
  KeyValue projected;
  KeyRows keys;                    // of each source
  Ragged sentences;                // the target rows of each source, in the order of the rows
  std::vector<int64_t> source_of;  // of each target sequence, the source
};

class RecurrentNetwork {
 public:
  // Parameters are zero.
  RecurrentNetwork(const ModelConfig& config, DType type,
                   const std::shared_ptr<TensorMemory>& memory);

  // Tokens, embedded by the rows of `table` [vocabulary, d_model], to the encoder's output.
  EncoderOutput encode(ForwardPass& pass, const Tokens& source, const Tensor& table) const;
  // Tokens to states [target rows, d_model]. Every target sequence begins from the source sequence
  // of the same number in `memory`, and attends to it; null for a decoder alone. `captured` gets
  // the attention weights as those of cross-attention in layer 0; may be null.
  Tensor decode(ForwardPass& pass, const Tokens& target, const Tensor& table,
                const EncoderOutput* memory, CapturedAttention* captured) const;

  // The states before the first token of each sequence; zeros without a memory.
  DecoderStates start(ForwardPass& pass, const EncoderOutput* memory, int64_t sequences) const;
  // Keys and values of the encoder's output.
  KeyValue project(ForwardPass& pass, const EncoderOutput& memory) const;
  // Continues sequences from these states. `sources` is null without attention. `after` gets the
  // states after each row, for later steps; may be null.
  Tensor decode(ForwardPass& pass, const Tokens& target, const Tensor& table,
                const DecoderStates& before, const SourceKeys* sources, DecoderStates* after,
                CapturedAttention* captured) const;

  bool attends() const { return method_.has_value(); }
  // Whether a step reads the attentional state of the one before (input feeding).
  bool feeds() const;

  static void visit(auto& self, auto&& f) {
    f("encoder", self.encoder_), f("decoder", self.decoder_);
    if (!self.method_) return;
    f("attention", self.attention_), f("combine", self.combine_);
  }

 private:
  class StepSources;
  Tensor embed(ForwardPass& pass, const Tokens& tokens, const Tensor& table) const;
  Tensor decode_layers(ForwardPass& pass, const Tokens& target, const Tensor& table,
                       const DecoderStates& before, const SourceKeys* sources, DecoderStates* after,
                       CapturedAttention* captured) const;
  Tensor decode_steps(ForwardPass& pass, const Tokens& target, const Tensor& table,
                      const DecoderStates& before, const SourceKeys& sources, DecoderStates* after,
                      CapturedAttention* captured) const;

  ModelConfig config_;
  std::vector<EncoderLayer> encoder_;
  std::vector<DecoderLayer> decoder_;
  std::optional<AttentionMethod> method_;
  Attention attention_;
  Linear combine_;  // W_c of Luong et al. (2015), equation 5: [d, 2 d], of context and state
};

// The steps of a search, with the states of hypotheses and the keys and values of sources.
std::unique_ptr<StepModel> make_steps(const ModelOnBackend& on, const RecurrentNetwork& layers);

}  // namespace heed
