#include "heed/model/sequence_model.h"

namespace heed {

SequenceModel random_model(const ModelConfig& config, uint64_t seed, InitialWeights weights) {
  SequenceModel model(config);
  model.initialize(seed, weights);
  return model;
}

SequenceModel shapes_of(const ModelConfig& config) {
  return SequenceModel(config, DType::fp32, meta_memory());
}

namespace {

Embeddings make_embeddings(const ModelConfig& config, DType type,
                           const std::shared_ptr<TensorMemory>& memory) {
  const Shape shape{config.vocabulary_size, config.d_model};
  Embeddings e{.tie = config.tie_embeddings};
  if (!config.has_decoder()) {
    e.source = Tensor(shape, type, memory);
    e.output = Tensor({config.classes, config.d_model}, type, memory);
    return e;
  }
  if (config.has_encoder()) e.source = Tensor(shape, type, memory);
  const bool shared = e.source && e.tie == TieEmbeddings::all;
  e.target = shared ? e.source : Tensor(shape, type, memory);
  e.output = e.tie == TieEmbeddings::none ? Tensor(shape, type, memory) : e.target;
  if (config.output_bias) e.output_bias = Tensor({config.vocabulary_size}, type, memory);
  return e;
}

SequenceModel::Layers make_layers(const ModelConfig& config, DType type,
                                  const std::shared_ptr<TensorMemory>& memory) {
  if (config.is_recurrent()) return RecurrentNetwork(config, type, memory);
  return Transformer(config, type, memory);
}

const ModelConfig& validated(const ModelConfig& config) {
  config.validate();
  return config;
}

}  // namespace

SequenceModel::SequenceModel(const ModelConfig& config, DType type,
                             const std::shared_ptr<TensorMemory>& memory)
    : config_(validated(config)),
      embeddings_(make_embeddings(config, type, memory)),
      layers_(make_layers(config, type, memory)) {}

SequenceModel SequenceModel::clone() const {
  std::vector<const Tensor*> values;
  for_each_leaf<Tensor>(*this, [&](const std::string&, const Tensor& tensor, ParameterRole) {
    values.push_back(&tensor);
  });
  const Tensor& any = embeddings_.output;
  SequenceModel model(config_, any.dtype(), any.storage()->memory);
  size_t next = 0;
  for (Parameter& p : parameters(model)) {
    check(values[next]->has_values(), "clone of a model whose values were released");
    copy(*values[next++], p.tensor);
  }
  model.generation_defaults_ = generation_defaults_;
  return model;
}

EncoderOutput SequenceModel::encode(ForwardPass& pass, const Tokens& source,
                                    CapturedAttention* captured) const {
  if (!config_.has_encoder()) {
    check(source.layout.rows() == 0, "a source for a model without an encoder");
    return {};
  }
  if (const auto* recurrent = std::get_if<RecurrentNetwork>(&layers_))
    return recurrent->encode(pass, source, embeddings_.source);
  return transformer().encode(pass, source, embeddings_.source, captured);
}

Tensor SequenceModel::decode(ForwardPass& pass, const Tokens& target, const EncoderOutput& memory,
                             CapturedAttention* captured) const {
  const EncoderOutput* read = config_.has_encoder() ? &memory : nullptr;
  return std::visit(
      [&](const auto& layers) {
        return layers.decode(pass, target, embeddings_.target, read, captured);
      },
      layers_);
}

OutputHead SequenceModel::output() const {
  const int64_t size = config_.has_decoder() ? config_.output_vocabulary_size : config_.classes;
  const Tensor& bias = embeddings_.output_bias;
  return {embeddings_.output.slice(0, size), bias ? bias.slice(0, size) : Tensor()};
}

void SequenceModel::move_to(const std::shared_ptr<TensorMemory>& memory) {
  for (Parameter& p : parameters(*this)) p.tensor.move_to(memory);
  if (auto* transformer = std::get_if<Transformer>(&layers_)) transformer->move_to(memory);
}

std::vector<Parameter> zero_parameters(const ModelConfig& config) {
  SequenceModel model(config);
  return parameters(model);
}

void pack(SequenceModel& model, Backend& backend, Purpose purpose, Workers* workers) {
  pack(parameters(model), backend, purpose, workers);
}

std::unique_ptr<StepModel> make_steps(const ModelOnBackend& on) {
  return std::visit([&](const auto& layers) { return make_steps(on, layers); }, on.model.layers());
}

}  // namespace heed
