#include "heed/model/transformer.h"

#include <cmath>

namespace heed {
namespace {

// Allocates the parameters of a layer.
struct LayerAllocator {
  DType type;
  const std::shared_ptr<TensorMemory>& memory;
  Tensor tensor(Shape shape) const { return Tensor(std::move(shape), type, memory); }
  Linear linear(int64_t in, int64_t out) const {
    return {.weight = tensor({out, in}), .bias = tensor({out})};
  }
  LayerNorm norm(int64_t d) const { return {.gain = tensor({d}), .bias = tensor({d})}; }
  Attention attention(int64_t d) const {
    return {
        .query = linear(d, d), .key = linear(d, d), .value = linear(d, d), .output = linear(d, d)};
  }
  FeedForward feed_forward(int64_t d, int64_t ff) const {
    return {.inner = linear(d, ff), .output = linear(ff, d)};
  }
};

Tensor apply(ForwardPass& pass, const Linear& w, const Tensor& x,
             Activation activation = Activation::none) {
  return linear(pass, x, w.weight, w.bias, activation);
}

// Keys and values for all heads: K W^K and V W^V.
KeyValue project(ForwardPass& pass, const Attention& w, const Tensor& key, const Tensor& value) {
  return {apply(pass, w.key, key), apply(pass, w.value, value)};
}

Tensor* captured_tensor(CapturedAttention* captured, AttentionSite site, size_t layer,
                        const AttentionLayout& layout) {
  return captured ? captured->tensor_for(site, int64_t(layer), layout) : nullptr;
}

// A target pass that begins at the start: all keys and values are computed in it.
class ComputedContext : public DecoderContext {
 public:
  ComputedContext(const Transformer& model, const Tokens& target,
                  const EncoderOutput& encoder_output)
      : model_(model),
        encoder_output_(encoder_output),
        target_{target.layout, {}},
        source_{encoder_output.layout, {}},
        target_rows_(all_rows(target.layout)),
        source_rows_(all_rows(encoder_output.layout)) {}

  AttentionLayout self_layout(const Tokens& target) const override {
    return {target.layout, target_, Mask::causal};
  }
  AttentionLayout cross_layout(const Tokens& target) const override {
    return {target.layout, source_};
  }
  KeyValue self_key_value(ForwardPass& pass, int64_t, const KeyValue& computed) override {
    return as_cached(pass, computed, target_rows_);
  }
  KeyValue cross_key_value(ForwardPass& pass, int64_t layer) override {
    return as_cached(pass, model_.cross_key_value(pass, encoder_output_, layer), source_rows_);
  }

 private:
  const Transformer& model_;
  const EncoderOutput& encoder_output_;
  const KeyRows target_, source_;
  const Indices target_rows_, source_rows_;
};

void put(Tensor& tensor, int64_t i, double value) {
  if (tensor.dtype() == DType::fp32)
    tensor.data<float>()[i] = float(value);
  else
    tensor.data<double>()[i] = value;
}

// Calls f(name, leaf) for every Leaf below `node`, with dotted names; f(name, tensor, role) for
// tensors.
template <class Leaf, class Node, class F, class... Role>
void for_each(const std::string& prefix, Node& node, const F& f, Role... role) {
  using Type = std::remove_const_t<Node>;
  if constexpr (std::is_same_v<Type, Leaf>) {
    f(prefix, node, role...);
  } else if constexpr (std::is_same_v<Type, Tensor>) {
    return;
  } else if constexpr (requires { node.size(); }) {
    for (size_t i = 0; i < node.size(); ++i)
      for_each<Leaf>(prefix + "." + std::to_string(i), node[i], f);
  } else {
    Type::visit(node, [&](const char* name, auto& child, auto... role_of_child) {
      for_each<Leaf>(prefix.empty() ? name : prefix + "." + name, child, f, role_of_child...);
    });
  }
}

// Elements of a matrix, drawn uniformly.
double uniform_bound(const Tensor& matrix, InitialWeights weights) {
  const double in = double(matrix.columns()), out = double(matrix.rows());
  return weights == InitialWeights::fan_in ? 1 / std::sqrt(in) : std::sqrt(6.0 / (in + out));
}

}  // namespace

Tensor positional_encoding(int64_t positions, int64_t d_model, DType type) {
  Tensor table({positions, d_model}, type);
  const int64_t half = d_model / 2;
  for (int64_t p = 0; p < positions; ++p) {
    for (int64_t i = 0; i < half; ++i) {
      const double angle = double(p) / std::pow(10000.0, 2.0 * double(i) / double(d_model));
      put(table, p * d_model + i, std::sin(angle));
      put(table, p * d_model + half + i, std::cos(angle));
    }
  }
  return table;
}

Transformer::Transformer(const ModelConfig& config, DType type,
                         const std::shared_ptr<TensorMemory>& memory)
    : config_(config) {
  config.validate();
  const LayerAllocator make{type, memory};
  const int64_t d = config.d_model, ff = config.d_ff;
  Embeddings& e = embeddings_;
  e.tie = config.tie_embeddings;
  e.source = make.tensor({config.vocabulary_size, d});
  e.target = e.tie == TieEmbeddings::all ? e.source : make.tensor({config.vocabulary_size, d});
  e.output = e.tie == TieEmbeddings::none ? make.tensor({config.vocabulary_size, d}) : e.target;
  if (config.output_bias) e.output_bias = make.tensor({config.vocabulary_size});
  positions_ = memory->has_values() ? positional_encoding(config.max_positions, d, type)
                                    : make.tensor({config.max_positions, d});
  positions_.move_to(memory);
  for (int64_t i = 0; i < config.encoder_layers; ++i)
    encoder_.push_back({.self_attention = make.attention(d),
                        .self_norm = make.norm(d),
                        .feed_forward = make.feed_forward(d, ff),
                        .feed_forward_norm = make.norm(d)});
  for (int64_t i = 0; i < config.decoder_layers; ++i)
    decoder_.push_back({.self_attention = make.attention(d),
                        .cross_attention = make.attention(d),
                        .self_norm = make.norm(d),
                        .cross_norm = make.norm(d),
                        .feed_forward = make.feed_forward(d, ff),
                        .feed_forward_norm = make.norm(d)});
}

Transformer Transformer::clone() const {
  std::vector<const Tensor*> values;
  for_each<Tensor>("", *this, [&](const std::string&, const Tensor& tensor, ParameterRole) {
    values.push_back(&tensor);
  });
  Transformer model(config_, positions_.dtype(), positions_.storage()->memory);
  size_t next = 0;
  for (Parameter& p : parameters(model)) {
    check(values[next]->has_values(), "clone of a model whose values were released");
    copy(*values[next++], p.tensor);
  }
  return model;
}

void Transformer::initialize(uint64_t seed, InitialWeights weights) {
  for (Parameter& p : parameters(*this)) {
    Random random(detail::mix(seed, p.name));
    const double bound = uniform_bound(p.tensor, weights);
    const auto draw = [&](int64_t i) -> double {
      switch (p.role) {
        case ParameterRole::matrix:
          return bound * (2 * random.uniform() - 1);
        case ParameterRole::embedding:
          if (i / p.tensor.columns() == config_.pad_id()) return 0;
          return random.normal() / std::sqrt(double(config_.d_model));
        case ParameterRole::gain:
          return 1;
        case ParameterRole::bias:
          break;
      }
      return 0;
    };
    for (int64_t i = 0; i < p.tensor.size(); ++i) put(p.tensor, i, draw(i));
  }
}

// Sections 3.4 and 3.5: embeddings times sqrt(d_model), plus positions, dropped out.
Tensor Transformer::embed(ForwardPass& pass, const Tokens& tokens, const Tensor& table) const {
  return heed::embed(pass, tokens, table, positions_,
                     {std::sqrt(double(config_.d_model)), config_.dropout, config_.pad_id()});
}

// LayerNorm(x + Dropout(Sublayer(x))), sections 3.1 and 5.4.
Tensor Transformer::add_norm(ForwardPass& pass, const LayerNorm& w, const Tensor& x,
                             Tensor sublayer) const {
  return heed::add_norm(pass, x, std::move(sublayer), w.gain, w.bias, {1e-5, config_.dropout});
}

// MultiHead(Q, K, V) = Concat(head_1, ..., head_h) W^O, section 3.2.2.
Tensor Transformer::multi_head(ForwardPass& pass, const Attention& w, const AttentionInput& states,
                               const AttentionLayout& layout, Tensor* weights) const {
  return attend(pass, w, states.query, project(pass, w, states.key, states.value), layout, weights);
}

// The same for keys and values that are projected already.
Tensor Transformer::attend(ForwardPass& pass, const Attention& w, const Tensor& x,
                           const KeyValue& projected, const AttentionLayout& layout,
                           Tensor* weights) const {
  const Tensor query = apply(pass, w.query, x);
  const int64_t d = query.columns(), d_key = d / config_.heads;
  const AttentionScores scores{config_.heads, 1 / std::sqrt(double(d_key))};
  return apply(pass, w.output,
               attention(pass, {query, projected.key, projected.value}, layout, scores,
                         config_.attention_dropout, weights));
}

// FFN(x) = max(0, x W_1 + b_1) W_2 + b_2, section 3.3.
Tensor Transformer::feed_forward(ForwardPass& pass, const FeedForward& w, const Tensor& x) const {
  const Tensor inner = apply(pass, w.inner, x, config_.activation);
  return apply(pass, w.output, dropout(pass, inner, config_.activation_dropout));
}

EncoderOutput Transformer::encode(ForwardPass& pass, const Tokens& source,
                                  CapturedAttention* captured) const {
  const KeyRows keys{source.layout, {}};
  const AttentionLayout layout{source.layout, keys};
  Tensor x = embed(pass, source, embeddings_.source);
  for (size_t i = 0; i < encoder_.size(); ++i) {
    const EncoderLayer& w = encoder_[i];
    Tensor* weights = captured_tensor(captured, AttentionSite::encoder_self, i, layout);
    x = add_norm(pass, w.self_norm, x,
                 multi_head(pass, w.self_attention, {x, x, x}, layout, weights));
    x = add_norm(pass, w.feed_forward_norm, x, feed_forward(pass, w.feed_forward, x));
  }
  return {x, source.layout};
}

Tensor Transformer::decode(ForwardPass& pass, const Tokens& target,
                           const EncoderOutput& encoder_output, CapturedAttention* captured) const {
  check(target.layout.count() == encoder_output.layout.count(), "one target per source");
  ComputedContext context(*this, target, encoder_output);
  return decode(pass, target, context, captured);
}

Tensor Transformer::decode(ForwardPass& pass, const Tokens& target, DecoderContext& context,
                           CapturedAttention* captured) const {
  const AttentionLayout self = context.self_layout(target), cross = context.cross_layout(target);
  Tensor x = embed(pass, target, embeddings_.target);
  for (size_t i = 0; i < decoder_.size(); ++i) {
    const DecoderLayer& w = decoder_[i];
    const KeyValue earlier =
        context.self_key_value(pass, int64_t(i), project(pass, w.self_attention, x, x));
    const KeyValue source = context.cross_key_value(pass, int64_t(i));
    x = add_norm(pass, w.self_norm, x,
                 attend(pass, w.self_attention, x, earlier, self,
                        captured_tensor(captured, AttentionSite::decoder_self, i, self)));
    x = add_norm(pass, w.cross_norm, x,
                 attend(pass, w.cross_attention, x, source, cross,
                        captured_tensor(captured, AttentionSite::cross, i, cross)));
    x = add_norm(pass, w.feed_forward_norm, x, feed_forward(pass, w.feed_forward, x));
  }
  return x;
}

KeyValue Transformer::cross_key_value(ForwardPass& pass, const EncoderOutput& encoder_output,
                                      int64_t layer) const {
  return project(pass, decoder_[size_t(layer)].cross_attention, encoder_output.states,
                 encoder_output.states);
}

void Transformer::move_to(const std::shared_ptr<TensorMemory>& memory) {
  for (Parameter& p : parameters(*this)) p.tensor.move_to(memory);
  positions_.move_to(memory);
}

Tensor Transformer::output_bias() const {
  const Tensor& bias = embeddings_.output_bias;
  return bias ? bias.slice(0, config_.output_vocabulary_size) : Tensor();
}

Tensor Transformer::logits(ForwardPass& pass, const Tensor& states) const {
  return linear(pass, states, output_table(), output_bias());
}

Loss Transformer::loss(ForwardPass& pass, const Tensor& states, const Indices& labels,
                       const LossOptions& options) const {
  return cross_entropy(pass, states, output_table(), output_bias(), labels, options);
}

Tensor Transformer::label_losses(ForwardPass& pass, const Tensor& states, const Indices& labels,
                                 const LossOptions& options) const {
  return cross_entropy_of_rows(pass, states, output_table(), output_bias(), labels, options);
}

std::vector<Parameter> parameters(Transformer& model) {
  std::vector<Parameter> all;
  for_each<Tensor>("", model, [&](const std::string& name, Tensor& tensor, ParameterRole role) {
    all.push_back({name, tensor, role});
  });
  return all;
}

std::vector<Linear> linear_layers(Transformer& model) {
  std::vector<Linear> all;
  for_each<Linear>("", model, [&](const std::string&, Linear& layer) { all.push_back(layer); });
  return all;
}

int64_t parameter_count(const Transformer& model) {
  int64_t count = 0;
  for_each<Tensor>("", model, [&](const std::string&, const Tensor& tensor, ParameterRole) {
    count += tensor.size();
  });
  return count;
}

void pack(const std::vector<Parameter>& parameters, Backend& backend, Purpose purpose,
          Workers* workers) {
  const auto one = [&](int64_t i, int) {
    const Parameter& p = parameters[size_t(i)];
    if (p.is_packed()) p.tensor.storage()->packed = backend.pack(p.tensor, purpose);
  };
  if (workers != nullptr) {
    workers->run(int64_t(parameters.size()), one);
  } else {
    for (size_t i = 0; i < parameters.size(); ++i) one(int64_t(i), 0);
  }
}

void pack(Transformer& model, Backend& backend, Purpose purpose, Workers* workers) {
  pack(parameters(model), backend, purpose, workers);
}

}  // namespace heed
