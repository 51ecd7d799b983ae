// A model of sequences: embeddings, an encoder and a decoder, and an output layer. The layers are
// those of the Transformer (Vaswani et al., 2017) or recurrent (ModelConfig::is_recurrent()).
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "heed/model/generation_defaults.h"
#include "heed/model/on_backend.h"
#include "heed/model/parameters.h"
#include "heed/model/recurrent_network.h"
#include "heed/model/transformer.h"

namespace heed {

// The tables of section 3.4, [vocabulary, d_model] each; tied ones are one tensor. A decoder alone
// has none for a source, an encoder alone none for a target, and as output [classes, d_model].
struct Embeddings {
  TieEmbeddings tie = TieEmbeddings::all;
  Tensor source = {}, target = {}, output = {};
  Tensor output_bias = {};  // [vocabulary] or none

  static void visit(auto& self, auto&& f) {
    constexpr ParameterRole role = ParameterRole::embedding;
    if (self.tie == TieEmbeddings::all) {
      f("shared", self.target, role);
    } else {
      if (self.source) f("source", self.source, role);
      if (self.target) f("target", self.target, role);
      if (self.tie == TieEmbeddings::none) f("output", self.output, role);
    }
    if (self.output_bias) f("output_bias", self.output_bias, ParameterRole::bias);
  }
};

// Scores classes by states: W x + b. The classes are tokens of the vocabulary or, of a tagger,
// tags.
struct OutputHead {
  Tensor table;      // [classes, d_model]
  Tensor bias = {};  // [classes] or none

  // States to logits [rows, classes].
  Tensor logits(ForwardPass& pass, const Tensor& states) const {
    return linear(pass, states, table, bias);
  }
  // The loss of the labels, computed in blocks (autograd/ops.h).
  Loss loss(ForwardPass& pass, const Tensor& states, const Indices& labels,
            const LossOptions& options) const {
    return cross_entropy(pass, states, table, bias, labels, options);
  }
  // The summands of loss(), [rows, 2]: each label's smoothed loss and its -log p.
  Tensor label_losses(ForwardPass& pass, const Tensor& states, const Indices& labels,
                      const LossOptions& options) const {
    return cross_entropy_of_rows(pass, states, table, bias, labels, options);
  }
};

// An encoder and a decoder, or one of them alone (ModelConfig::has_encoder(), has_decoder()): the
// decoder is a language model, as GPT-2 (Radford et al., 2019), the encoder chooses among classes
// (model/classes.h), as BERT (Devlin et al., 2019) does where it is fine-tuned.
class SequenceModel {
 public:
  // All parameters are zero; in meta_memory() (no values, for dry runs) they have shapes only.
  explicit SequenceModel(const ModelConfig& config, DType type = DType::fp32,
                         const std::shared_ptr<TensorMemory>& memory = host_memory());
  // Moved, but never copied by accident: copies of tensors would share the parameters.
  SequenceModel(SequenceModel&&) = default;
  SequenceModel& operator=(SequenceModel&&) = default;
  SequenceModel(const SequenceModel&) = delete;
  SequenceModel& operator=(const SequenceModel&) = delete;
  // A copy with parameters of its own, in the same memory. It has no packed weights: call pack().
  // The values must not have been released (Tensor::release_values()).
  SequenceModel clone() const;

  const ModelConfig& config() const { return config_; }

  // Choices that were made by measuring the model, and the like. Nothing here depends on them;
  // save_model() and load_model() keep them.
  const GenerationDefaults& generation_defaults() const { return generation_defaults_; }
  void set_generation_defaults(GenerationDefaults defaults) {
    generation_defaults_ = std::move(defaults);
  }

  // Moves all parameters to the memory of a backend, which then computes with them.
  void move_to(const std::shared_ptr<TensorMemory>& memory);

  void initialize(uint64_t seed, InitialWeights weights = InitialWeights::fan_in) {
    heed::initialize(parameters(*this), seed, config_.pad_id(), weights);
  }

  // Source tokens, each sentence ended by </s>, to the encoder's output. `captured` gets the
  // attention weights that were requested; may be null. A decoder alone takes no tokens here, and
  // its decode() reads nothing of the result.
  EncoderOutput encode(ForwardPass& pass, const Tokens& source,
                       CapturedAttention* captured = nullptr) const;

  // Target tokens, each sequence with start_id() first, to states [target rows, d_model]. Every
  // target sequence attends to the source sequence of the same number.
  Tensor decode(ForwardPass& pass, const Tokens& target, const EncoderOutput& memory,
                CapturedAttention* captured = nullptr) const;

  const Embeddings& embeddings() const { return embeddings_; }
  using Layers = std::variant<Transformer, RecurrentNetwork>;
  const Layers& layers() const { return layers_; }
  // The layers of a model that is not recurrent.
  const Transformer& transformer() const { return std::get<Transformer>(layers_); }

  // The output projection, for the ids that can be predicted, or the classes.
  OutputHead output() const;

  static void visit(auto& self, auto&& f) {
    f("embeddings", self.embeddings_);
    std::visit([&](auto& layers) { layers.visit(layers, f); }, self.layers_);
  }

 private:
  ModelConfig config_;
  GenerationDefaults generation_defaults_;
  Embeddings embeddings_;
  Layers layers_;
};

// A model with random weights, in the host's memory.
SequenceModel random_model(const ModelConfig& config, uint64_t seed,
                           InitialWeights weights = InitialWeights::fan_in);

// A model of this config that has shapes but no values, for dry runs (backend/meta_backend.h).
SequenceModel shapes_of(const ModelConfig& config);

// The steps of a search. Both must outlive the result.
std::unique_ptr<StepModel> make_steps(const ModelOnBackend& on);

// The parameters of a new model of this config, all zero.
std::vector<Parameter> zero_parameters(const ModelConfig& config);

// Packs all parameters of the model.
void pack(SequenceModel& model, Backend& backend, Purpose purpose, Workers* workers = nullptr);

}  // namespace heed
