#include "heed/model/transformer.h"

#include <cmath>

namespace heed {
namespace {

// Allocates the parameters of a layer.
struct LayerAllocator {
  const ModelConfig& config;
  DType type;
  const std::shared_ptr<TensorMemory>& memory;

  Tensor tensor(Shape shape) const { return Tensor(std::move(shape), type, memory); }
  Linear linear(int64_t in, int64_t out) const {
    return {.weight = tensor({out, in}), .bias = tensor({out})};
  }
  Norm norm() const {
    const Shape shape{config.d_model};
    const bool has_bias = config.variants.norm_kind == NormKind::layer;
    return {.gain = tensor(shape), .bias = has_bias ? tensor(shape) : Tensor()};
  }
  FeedForward feed_forward() const {
    const bool gated = config.activation == FeedForwardKind::swiglu;
    return {.inner = linear(config.d_model, config.d_ff),
            .gate = gated ? linear(config.d_model, config.d_ff) : Linear(),
            .output = linear(config.d_ff, config.d_model)};
  }
  Attention attention(AttentionSite site, const StackParameters& stack) const {
    const AttentionMethod method = attention_method(config, site);
    const int64_t d = config.d_model, heads = config.heads;
    Attention w{.value = linear(d, config.value_columns()),
                .output = linear(heads * config.d_value(), d),
                .shared_query_key = config.variants.share_query_key};
    if (method.score == ScoreFunction::location) {
      w.location = linear(d, heads * kLocations);
    } else {
      w.query = linear(d, heads * config.d_key());
      w.key = w.shared_query_key ? w.query : linear(d, config.key_columns());
      w.score = score(method);
    }
    if (method.reach.kind == AttentionReach::Kind::predicted)
      w.center_inner = linear(d, d), w.center = linear(d, heads);
    if (method.positions == Positions::relative) {
      w.relative_key = tensor({2 * kMaxRelativeDistance + 1, config.d_key()});
      w.relative_value = tensor({config.d_value(), 2 * kMaxRelativeDistance + 1});
    }
    if (method.positions == Positions::t5) w.position_bias = stack.position_bias;
    return w;
  }
  // The parameters of the score function besides W^Q and W^K.
  Tensor score(const AttentionMethod& method) const {
    if (method.score == ScoreFunction::general)
      return tensor({method.heads * method.d_key, method.d_key});
    if (method.score == ScoreFunction::additive) return tensor({method.heads, method.d_key});
    if (method.score == ScoreFunction::cosine) return tensor({method.heads});
    return {};
  }
  StackParameters stack() const {
    StackParameters w;
    if (config.variants.positions == Positions::learned)
      w.positions = tensor({config.max_positions, config.d_model});
    if (config.variants.positions == Positions::t5)
      w.position_bias = tensor({config.heads * kRelativeBuckets});
    if (config.variants.norm == NormPlacement::pre) w.norm = norm();
    return w;
  }
};

// The position of each token in its sentence.
Indices positions_of(const Tokens& tokens) {
  std::vector<int32_t> positions;
  positions.reserve(size_t(tokens.layout.rows()));
  for (int64_t b = 0; b < tokens.layout.count(); ++b)
    for (int64_t i = 0; i < tokens.layout.length(b); ++i)
      positions.push_back(int32_t(tokens.start_of(b) + i));
  return positions;
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

Transformer random_model(const ModelConfig& config, uint64_t seed, InitialWeights weights) {
  Transformer model(config);
  model.initialize(seed, weights);
  return model;
}

Transformer shapes_of(const ModelConfig& config) {
  return Transformer(config, DType::fp32, meta_memory());
}

Tensor positional_encoding(int64_t positions, int64_t d_model, DType type) {
  Tensor table({positions, d_model}, type);
  const int64_t half = d_model / 2;
  for (int64_t p = 0; p < positions; ++p) {
    for (int64_t i = 0; i < half; ++i) {
      const double angle = double(p) / std::pow(10000.0, 2.0 * double(i) / double(d_model));
      set_element(table, p * d_model + i, std::sin(angle));
      set_element(table, p * d_model + half + i, std::cos(angle));
    }
  }
  return table;
}

Transformer::Transformer(const ModelConfig& config, DType type,
                         const std::shared_ptr<TensorMemory>& memory)
    : config_(config) {
  config.validate();
  encoder_self_ = attention_method(config, AttentionSite::encoder_self);
  decoder_self_ = attention_method(config, AttentionSite::decoder_self);
  cross_ = attention_method(config, AttentionSite::cross);
  const LayerAllocator make{config, type, memory};
  const int64_t d = config.d_model;
  Embeddings& e = embeddings_;
  e.tie = config.tie_embeddings;
  e.source = make.tensor({config.vocabulary_size, d});
  e.target = e.tie == TieEmbeddings::all ? e.source : make.tensor({config.vocabulary_size, d});
  e.output = e.tie == TieEmbeddings::none ? make.tensor({config.vocabulary_size, d}) : e.target;
  if (config.output_bias) e.output_bias = make.tensor({config.vocabulary_size});
  if (config.variants.positions == Positions::sinusoidal) {
    positions_ = memory->has_values() ? positional_encoding(config.max_positions, d, type)
                                      : make.tensor({config.max_positions, d});
    positions_.move_to(memory);
  }
  encoder_stack_ = make.stack();
  decoder_stack_ = make.stack();
  for (int64_t i = 0; i < config.encoder_layers; ++i)
    encoder_.push_back(
        {.self_attention = make.attention(AttentionSite::encoder_self, encoder_stack_),
         .self_norm = make.norm(),
         .feed_forward = make.feed_forward(),
         .feed_forward_norm = make.norm()});
  for (int64_t i = 0; i < config.decoder_layers; ++i)
    decoder_.push_back(
        {.self_attention = make.attention(AttentionSite::decoder_self, decoder_stack_),
         .cross_attention = make.attention(AttentionSite::cross, decoder_stack_),
         .self_norm = make.norm(),
         .cross_norm = make.norm(),
         .feed_forward = make.feed_forward(),
         .feed_forward_norm = make.norm()});
}

Transformer Transformer::clone() const {
  std::vector<const Tensor*> values;
  for_each<Tensor>("", *this, [&](const std::string&, const Tensor& tensor, ParameterRole) {
    values.push_back(&tensor);
  });
  Transformer model(config_, embeddings_.source.dtype(), embeddings_.source.storage()->memory);
  size_t next = 0;
  for (Parameter& p : parameters(model)) {
    check(values[next]->has_values(), "clone of a model whose values were released");
    copy(*values[next++], p.tensor);
  }
  model.alignment_heads_ = alignment_heads_;
  return model;
}

void Transformer::initialize(uint64_t seed, InitialWeights weights) {
  for (Parameter& p : parameters(*this)) {
    Random random(detail::mix(seed, p.name));
    const double bound = uniform_bound(p.tensor, weights);
    const auto draw = [&](int64_t i) -> double {
      switch (p.role) {
        case ParameterRole::small_matrix:
          return (2 * random.uniform() - 1) / std::sqrt(double(p.tensor.columns()));
        case ParameterRole::matrix:
          return bound * (2 * random.uniform() - 1);
        case ParameterRole::embedding:
          if (i / p.tensor.columns() == config_.pad_id()) return 0;
          return random.normal() / std::sqrt(double(config_.d_model));
        case ParameterRole::position_table:
          return random.normal() / std::sqrt(double(config_.d_model));
        case ParameterRole::gain:
          return 1;
        case ParameterRole::bias:
          break;
      }
      return 0;
    };
    for (int64_t i = 0; i < p.tensor.size(); ++i) set_element(p.tensor, i, draw(i));
  }
}

// Sections 3.4 and 3.5: embeddings times sqrt(d_model), plus positions, dropped out.
Tensor Transformer::embed(ForwardPass& pass, const Tokens& tokens, const Tensor& table,
                          const StackParameters& w) const {
  EmbedOptions options{std::sqrt(double(config_.d_model)), config_.dropout, config_.pad_id()};
  if (w.positions) options.positions = EmbedOptions::Positions::learned;
  return heed::embed(pass, tokens, table, w.positions ? w.positions : positions_, options);
}

// LayerNorm(x + Dropout(Sublayer(x))), sections 3.1 and 5.4, and its variants.
template <class Function>
Tensor Transformer::sublayer(ForwardPass& pass, const Norm& w, const Tensor& x,
                             const Function& f) const {
  const Variants& variants = config_.variants;
  const bool has_residual = variants.residual == Switch::on;
  const AddNormOptions options{1e-5, config_.dropout, variants.norm_kind};
  if (variants.norm == NormPlacement::pre) {
    const Tensor y = f(normalize(pass, x, w.gain, w.bias, options));
    return has_residual ? add(pass, x, y, config_.dropout) : dropout(pass, y, config_.dropout);
  }
  if (has_residual) return add_norm(pass, x, f(x), w.gain, w.bias, options);
  return normalize(pass, dropout(pass, f(x), config_.dropout), w.gain, w.bias, options);
}

// With NormPlacement::pre nothing has normalized the last layer's output yet.
Tensor Transformer::stack_output(ForwardPass& pass, const StackParameters& w,
                                 const Tensor& x) const {
  if (!w.norm.gain) return x;
  return normalize(pass, x, w.norm.gain, w.norm.bias, {1e-5, 0, config_.variants.norm_kind});
}

// FFN(x) = max(0, x W_1 + b_1) W_2 + b_2, section 3.3; gated: (silu(x W_1) * x W_3) W_2.
Tensor Transformer::feed_forward(ForwardPass& pass, const FeedForward& w, const Tensor& x) const {
  Tensor inner = linear(pass, x, w.inner, activation_of(config_.activation));
  if (w.gate.weight) inner = multiply(pass, inner, linear(pass, x, w.gate));
  return linear(pass, dropout(pass, inner, config_.activation_dropout), w.output);
}

EncoderOutput Transformer::encode(ForwardPass& pass, const Tokens& source,
                                  CapturedAttention* captured) const {
  const KeyRows keys{source.layout, {}};
  const Indices positions = positions_of(source);
  const AttentionLayout layout{source.layout, keys, Mask::none, &positions};
  Tensor x = embed(pass, source, embeddings_.source, encoder_stack_);
  for (size_t i = 0; i < encoder_.size(); ++i) {
    const EncoderLayer& w = encoder_[i];
    Tensor* weights = captured_tensor(captured, AttentionSite::encoder_self, i, layout);
    x = sublayer(pass, w.self_norm, x, [&](const Tensor& input) {
      return multi_head(pass, w.self_attention, encoder_self_, {input, input, input}, layout,
                        weights);
    });
    x = sublayer(pass, w.feed_forward_norm, x,
                 [&](const Tensor& input) { return feed_forward(pass, w.feed_forward, input); });
  }
  return {stack_output(pass, encoder_stack_, x), source.layout};
}

Tensor Transformer::decode(ForwardPass& pass, const Tokens& target,
                           const EncoderOutput& encoder_output, CapturedAttention* captured) const {
  check(target.layout.count() == encoder_output.layout.count(), "one target per source");
  ComputedContext context(*this, target, encoder_output);
  return decode(pass, target, context, captured);
}

Tensor Transformer::decode(ForwardPass& pass, const Tokens& target, DecoderContext& context,
                           CapturedAttention* captured) const {
  const Indices positions = positions_of(target);
  AttentionLayout self = context.self_layout(target), cross = context.cross_layout(target);
  self.positions = cross.positions = &positions;
  Tensor x = embed(pass, target, embeddings_.target, decoder_stack_);
  for (size_t i = 0; i < decoder_.size(); ++i) {
    const DecoderLayer& w = decoder_[i];
    const auto layer = int64_t(i);
    x = sublayer(pass, w.self_norm, x, [&](const Tensor& input) {
      const KeyValue earlier = context.self_key_value(
          pass, layer,
          project_key_value(pass, w.self_attention, decoder_self_, input, input, positions));
      return attend(pass, w.self_attention, decoder_self_, {input, earlier, self},
                    captured_tensor(captured, AttentionSite::decoder_self, i, self));
    });
    x = sublayer(pass, w.cross_norm, x, [&](const Tensor& input) {
      const KeyValue source = context.cross_key_value(pass, layer);
      return attend(pass, w.cross_attention, cross_, {input, source, cross},
                    captured_tensor(captured, AttentionSite::cross, i, cross));
    });
    x = sublayer(pass, w.feed_forward_norm, x,
                 [&](const Tensor& input) { return feed_forward(pass, w.feed_forward, input); });
  }
  return stack_output(pass, decoder_stack_, x);
}

KeyValue Transformer::cross_key_value(ForwardPass& pass, const EncoderOutput& encoder_output,
                                      int64_t layer) const {
  return project_key_value(pass, decoder_[size_t(layer)].cross_attention, cross_,
                           encoder_output.states, encoder_output.states, {});
}

void Transformer::move_to(const std::shared_ptr<TensorMemory>& memory) {
  for (Parameter& p : parameters(*this)) p.tensor.move_to(memory);
  if (positions_) positions_.move_to(memory);
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

std::vector<Parameter> zero_parameters(const ModelConfig& config) {
  Transformer model(config);
  return parameters(model);
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
