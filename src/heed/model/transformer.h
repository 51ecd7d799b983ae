// The Transformer of "Attention Is All You Need" (Vaswani et al., 2017).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/core/parallel.h"
#include "heed/model/alignment_heads.h"
#include "heed/model/multi_head.h"

namespace heed {

// The tables of section 3.4, [vocabulary, d_model] each; tied ones are one tensor.
struct Embeddings {
  TieEmbeddings tie = TieEmbeddings::all;
  Tensor source, target, output;
  Tensor output_bias;  // [vocabulary] or none

  static void visit(auto& self, auto&& f) {
    constexpr ParameterRole role = ParameterRole::embedding;
    if (self.tie == TieEmbeddings::all) {
      f("shared", self.source, role);
    } else {
      f("source", self.source, role), f("target", self.target, role);
      if (self.tie == TieEmbeddings::none) f("output", self.output, role);
    }
    if (self.output_bias) f("output_bias", self.output_bias, ParameterRole::bias);
  }
};

// The encoder's output, which the paper calls the memory that the decoder attends to.
struct EncoderOutput {
  Tensor states;  // [source rows, d_model]
  Ragged layout;
};

class Transformer {
 public:
  // All parameters are zero; in meta_memory() (no values, for dry runs) they have shapes only.
  explicit Transformer(const ModelConfig& config, DType type = DType::fp32,
                       const std::shared_ptr<TensorMemory>& memory = host_memory());
  // Moved, but never copied by accident: copies of tensors would share the parameters.
  Transformer(Transformer&&) = default;
  Transformer& operator=(Transformer&&) = default;
  Transformer(const Transformer&) = delete;
  Transformer& operator=(const Transformer&) = delete;
  // A copy with parameters of its own, in the same memory. It has no packed weights: call pack().
  // The values must not have been released (Tensor::release_values()).
  Transformer clone() const;

  const ModelConfig& config() const { return config_; }

  // The attention that aligns words, if it was measured. Nothing here depends on it; save_model()
  // and load_model() keep it.
  const std::optional<AlignmentHeads>& alignment_heads() const { return alignment_heads_; }
  void set_alignment_heads(std::optional<AlignmentHeads> heads) {
    alignment_heads_ = std::move(heads);
  }

  // Moves all parameters to the memory of a backend, which then computes with them.
  void move_to(const std::shared_ptr<TensorMemory>& memory);

  // Initializes matrices uniformly (small ones always by their inputs), embeddings and positions
  // from a normal distribution with standard deviation d_model^-0.5 (the row of <pad> is zero),
  // gains to 1, biases to 0. The values of a parameter depend on the seed, its name and its shape
  // only. The parameters must be in the host's memory.
  void initialize(uint64_t seed, InitialWeights weights = InitialWeights::fan_in);

  // Source tokens, each sentence ended by </s>, to the encoder's output. `captured` gets the
  // attention weights that were requested; may be null.
  EncoderOutput encode(ForwardPass& pass, const Tokens& source,
                       CapturedAttention* captured = nullptr) const;

  // Target tokens, each sequence with <pad> first, to states [target rows, d_model]. Every target
  // sequence attends to the source sequence of the same number.
  Tensor decode(ForwardPass& pass, const Tokens& target, const EncoderOutput& encoder_output,
                CapturedAttention* captured = nullptr) const;
  // The same for tokens that attend to the keys and values of `context`.
  Tensor decode(ForwardPass& pass, const Tokens& target, DecoderContext& context,
                CapturedAttention* captured = nullptr) const;

  // The keys and values of cross-attention in a decoder layer.
  KeyValue cross_key_value(ForwardPass& pass, const EncoderOutput& encoder_output,
                           int64_t layer) const;

  // States to logits [rows, output_vocabulary_size].
  Tensor logits(ForwardPass& pass, const Tensor& states) const;

  // The loss of the labels, computed in blocks (autograd/ops.h).
  Loss loss(ForwardPass& pass, const Tensor& states, const Indices& labels,
            const LossOptions& options) const;

  // The summands of loss(), [rows, 2]: each label's smoothed loss and its -log p.
  Tensor label_losses(ForwardPass& pass, const Tensor& states, const Indices& labels,
                      const LossOptions& options) const;

  static void visit(auto& self, auto&& f) {
    f("embeddings", self.embeddings_), f("encoder", self.encoder_), f("decoder", self.decoder_);
    f("encoder_stack", self.encoder_stack_), f("decoder_stack", self.decoder_stack_);
  }

 private:
  template <class Function>
  Tensor sublayer(ForwardPass& pass, const Norm& w, const Tensor& x, const Function& f) const;
  Tensor stack_output(ForwardPass& pass, const StackParameters& w, const Tensor& x) const;
  Tensor feed_forward(ForwardPass& pass, const FeedForward& w, const Tensor& x) const;
  Tensor embed(ForwardPass& pass, const Tokens& tokens, const Tensor& table,
               const StackParameters& w) const;
  // Weight and bias (may be none) of the output projection, for the ids that can be predicted.
  Tensor output_table() const {
    return embeddings_.output.slice(0, config_.output_vocabulary_size);
  }
  Tensor output_bias() const;

  ModelConfig config_;
  std::optional<AlignmentHeads> alignment_heads_;
  AttentionMethod encoder_self_, decoder_self_, cross_;
  Embeddings embeddings_;
  Tensor positions_;  // [max_positions, d_model], section 3.5; none with other Positions
  std::vector<EncoderLayer> encoder_;
  std::vector<DecoderLayer> decoder_;
  StackParameters encoder_stack_, decoder_stack_;
};

// A model with random weights, in the host's memory.
Transformer random_model(const ModelConfig& config, uint64_t seed,
                         InitialWeights weights = InitialWeights::fan_in);

// A model of this config that has shapes but no values, for dry runs (backend/meta_backend.h).
Transformer shapes_of(const ModelConfig& config);

// A model and the backend in whose memory it is. Both must outlive a call that gets them.
struct ModelOnBackend {
  const Transformer& model;
  Backend& backend;
};

// Row p: sin(p / 10000^(2i/d)) for i < d/2, then the cosines (a permutation of section 3.5).
Tensor positional_encoding(int64_t positions, int64_t d_model, DType type);

// A parameter by its dotted name, such as "encoder.0.self.query.weight".
struct Parameter {
  std::string name;
  Tensor tensor;
  ParameterRole role = ParameterRole::matrix;

  bool is_packed() const { return heed::is_packed(role); }
};

// Every parameter once, in one fixed order.
std::vector<Parameter> parameters(Transformer& model);
int64_t parameter_count(const Transformer& model);

// Those of a new model of this config, all zero.
std::vector<Parameter> zero_parameters(const ModelConfig& config);

// Its linear layers, in the order of parameters(), without the output projection.
std::vector<Linear> linear_layers(Transformer& model);

// Packs matrices and embeddings for the backend's products. Call it again after the values changed.
// Runs on `workers` if they are not null.
void pack(const std::vector<Parameter>& parameters, Backend& backend, Purpose purpose,
          Workers* workers = nullptr);
void pack(Transformer& model, Backend& backend, Purpose purpose, Workers* workers = nullptr);

}  // namespace heed
