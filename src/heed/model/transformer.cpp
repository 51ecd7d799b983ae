#include "heed/model/transformer.h"

#include <cmath>
#include <numeric>

namespace heed {
namespace {

struct Make {
  DType type;
  Values values;
  Tensor tensor(Shape shape) const {
    return values == Values::none ? Tensor::without_values(std::move(shape), type)
                                  : Tensor(std::move(shape), type);
  }
  Linear linear(int64_t in, int64_t out) const { return {tensor({out, in}), tensor({out})}; }
  LayerNorm norm(int64_t d) const { return {tensor({d}), tensor({d})}; }
  Attention attention(int64_t d) const { return {linear(d, d), linear(d, 2 * d), linear(d, d)}; }
  FeedForward feed_forward(int64_t d, int64_t ff) const { return {linear(d, ff), linear(ff, d)}; }
};

Tensor apply(Pass& pass, const Linear& w, const Tensor& x,
             Activation activation = Activation::none) {
  return linear(pass, x, w.weight, w.bias, activation);
}

void put(const Tensor& tensor, int64_t i, double value) {
  if (tensor.dtype() == DType::f32)
    tensor.data<float>()[i] = float(value);
  else
    tensor.data<double>()[i] = value;
}

// Calls f(name, leaf) for every Leaf below `node`, with dotted names.
template <class Leaf, class Node, class F>
void for_each(const std::string& prefix, Node& node, const F& f) {
  if constexpr (std::is_same_v<Node, Leaf>) {
    f(prefix, node);
  } else if constexpr (std::is_same_v<Node, Tensor>) {
    return;
  } else if constexpr (requires { node.size(); }) {
    for (size_t i = 0; i < node.size(); ++i)
      for_each<Leaf>(prefix + "." + std::to_string(i), node[i], f);
  } else {
    node.visit([&](const char* name, auto& child) {
      for_each<Leaf>(prefix.empty() ? name : prefix + "." + name, child, f);
    });
  }
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

Transformer::Transformer(const ModelConfig& config, DType type, Values values) : config_(config) {
  config.validate();
  const Make make{type, values};
  const int64_t d = config.d_model, ff = config.d_ff;
  Embeddings& e = embeddings_;
  e.tie = config.tie_embeddings;
  e.source = make.tensor({config.vocabulary, d});
  e.target = e.tie == TieEmbeddings::all ? e.source : make.tensor({config.vocabulary, d});
  e.output = e.tie == TieEmbeddings::none ? make.tensor({config.vocabulary, d}) : e.target;
  if (config.output_bias) e.output_bias = make.tensor({config.vocabulary});
  positions_ = values == Values::none ? make.tensor({config.max_positions, d})
                                      : positional_encoding(config.max_positions, d, type);
  for (int64_t i = 0; i < config.encoder_layers; ++i)
    encoder_.push_back({make.attention(d), make.norm(d), make.feed_forward(d, ff), make.norm(d)});
  for (int64_t i = 0; i < config.decoder_layers; ++i)
    decoder_.push_back({make.attention(d), make.attention(d), make.norm(d), make.norm(d),
                        make.feed_forward(d, ff), make.norm(d)});
}

void Transformer::initialize(uint64_t seed, InitialWeights weights) {
  uint64_t index = 0;
  for (const Parameter& p : parameters(*this)) {
    Random random(mix(seed, index++));
    const int64_t rows = p.tensor.dim(0), columns = p.tensor.columns();
    const bool table = p.name.starts_with("embeddings.") && p.tensor.shape().size() == 2;
    const bool gain = p.name.ends_with(".gain");
    const double bound = weights == InitialWeights::fan_in
                             ? 1 / std::sqrt(double(columns))
                             : std::sqrt(6.0 / double(rows + columns));
    for (int64_t i = 0; i < p.tensor.size(); ++i) {
      double value = 0;
      if (table)
        value = i / columns == config_.pad_id()
                    ? 0
                    : random.normal() / std::sqrt(double(config_.d_model));
      else if (p.tensor.shape().size() == 2)
        value = bound * (2 * random.uniform() - 1);
      else if (gain)
        value = 1;
      put(p.tensor, i, value);
    }
  }
}

// Sections 3.4 and 3.5: embeddings times sqrt(d_model), plus positions, dropped out.
Tensor Transformer::embed(Pass& pass, const Tokens& tokens, const Tensor& table) const {
  return heed::embed(pass, tokens, table, positions_,
                     {std::sqrt(double(config_.d_model)), config_.dropout, config_.pad_id()});
}

// LayerNorm(x + Dropout(Sublayer(x))), sections 3.1 and 5.4.
Tensor Transformer::add_norm(Pass& pass, const LayerNorm& w, const Tensor& x,
                             Tensor sublayer) const {
  return heed::add_norm(pass, x, std::move(sublayer), w.gain, w.bias, {1e-5, config_.dropout});
}

// MultiHead(Q, K, V) = Concat(head_1, ..., head_h) W^O, section 3.2.2.
Tensor Transformer::multi_head(Pass& pass, const Attention& w, const Tensor& x,
                               const Tensor& key_value, const Sight& sight) const {
  const Tensor query = apply(pass, w.query, x);
  return apply(
      pass, w.output,
      attention(pass, query, key_value, sight, {config_.heads, config_.attention_dropout}));
}

// FFN(x) = max(0, x W_1 + b_1) W_2 + b_2, section 3.3.
Tensor Transformer::feed_forward(Pass& pass, const FeedForward& w, const Tensor& x) const {
  const Tensor inner = apply(pass, w.inner, x, config_.activation);
  return apply(pass, w.output, dropout(pass, inner, config_.activation_dropout));
}

Memory Transformer::encode(Pass& pass, const Tokens& source) const {
  const KeyRows keys{source.layout, {}};
  const Sight sight{source.layout, keys};
  Tensor x = embed(pass, source, embeddings_.source);
  for (const EncoderLayer& w : encoder_) {
    const Tensor key_value = apply(pass, w.self.key_value, x);
    x = add_norm(pass, w.self_norm, x, multi_head(pass, w.self, x, key_value, sight));
    x = add_norm(pass, w.feed_forward_norm, x, feed_forward(pass, w.feed_forward, x));
  }
  return {x, source.layout};
}

Tensor Transformer::decode(Pass& pass, const Tokens& target, const Memory& memory) const {
  check(target.layout.count() == memory.layout.count(), "one target per source");
  return decode(pass, target, &memory, nullptr);
}

Tensor Transformer::decode(Pass& pass, const Tokens& target, DecoderCache& cache) const {
  check(cache.layers.size() == decoder_.size(), "cache of another model");
  return decode(pass, target, nullptr, &cache);
}

// Keys and values as a cache would hold them, so that a whole prefix gives what steps give.
// Training is spared the rounding.
Tensor Transformer::as_kept(Pass& pass, const Tensor& key_value) const {
  if (pass.tape || pass.backend.compute() == ComputeType::fp32) return key_value;
  std::vector<int32_t> rows(size_t(key_value.rows()));
  std::iota(rows.begin(), rows.end(), 0);
  Tensor kept = pass.tensor({key_value.rows(), pass.backend.kept_columns(config_.d_model)},
                            key_value.dtype());
  pass.backend.keep(key_value, rows, kept);
  return kept;
}

std::vector<double> Transformer::cross_attention(Pass& pass, const Tokens& target,
                                                 const Memory& memory, int64_t layer) const {
  check(target.layout.count() == memory.layout.count(), "one target per source");
  check(layer >= 0 && layer < config_.decoder_layers, "no such decoder layer");
  Watched watched{layer, {}};
  decode(pass, target, &memory, nullptr, &watched);
  return watched.weights;
}

Tensor Transformer::decode(Pass& pass, const Tokens& target, const Memory* memory,
                           DecoderCache* cache, Watched* watched) const {
  const KeyRows past = cache ? cache->past : KeyRows{target.layout, {}};
  const KeyRows source = cache ? cache->source : KeyRows{memory->layout, {}};
  const Sight earlier{target.layout, past, Order::causal};
  const Sight all{cache ? cache->groups : target.layout, source};
  Tensor x = embed(pass, target, embeddings_.target);
  for (size_t i = 0; i < decoder_.size(); ++i) {
    const DecoderLayer& w = decoder_[i];
    Tensor self = apply(pass, w.self.key_value, x);
    if (cache) {
      pass.backend.keep(self, cache->store, cache->layers[i].self);
      self = cache->layers[i].self;
    } else {
      self = as_kept(pass, self);
    }
    const Tensor cross =
        cache ? cache->layers[i].cross : as_kept(pass, cross_key_values(pass, *memory, int64_t(i)));
    x = add_norm(pass, w.self_norm, x, multi_head(pass, w.self, x, self, earlier));
    if (watched && watched->layer == int64_t(i)) {
      watched->weights =
          attention_weights(pass, apply(pass, w.cross.query, x),
                            cross_key_values(pass, *memory, int64_t(i)), all, config_.heads);
      return x;
    }
    x = add_norm(pass, w.cross_norm, x, multi_head(pass, w.cross, x, cross, all));
    x = add_norm(pass, w.feed_forward_norm, x, feed_forward(pass, w.feed_forward, x));
  }
  return x;
}

Tensor Transformer::cross_key_values(Pass& pass, const Memory& memory, int64_t layer) const {
  return apply(pass, decoder_[size_t(layer)].cross.key_value, memory.states);
}

Tensor Transformer::output_bias() const {
  const Tensor& bias = embeddings_.output_bias;
  return bias ? bias.slice(0, config_.classes) : Tensor();
}

Tensor Transformer::logits(Pass& pass, const Tensor& states) const {
  return linear(pass, states, output_table(), output_bias());
}

Loss Transformer::loss(Pass& pass, const Tensor& states, std::span<const TokenId> labels,
                       const LossOptions& options) const {
  return cross_entropy(pass, states, output_table(), output_bias(), labels, options);
}

Tensor Transformer::label_losses(Pass& pass, const Tensor& states, std::span<const TokenId> labels,
                                 const LossOptions& options) const {
  return cross_entropy_of_rows(pass, states, output_table(), output_bias(), labels, options);
}

std::vector<Parameter> parameters(Transformer& model) {
  std::vector<Parameter> all;
  for_each<Tensor>("", model, [&](const std::string& name, Tensor& tensor) {
    all.push_back({name, tensor});
  });
  return all;
}

std::vector<Linear> linear_layers(Transformer& model) {
  std::vector<Linear> all;
  for_each<Linear>("", model, [&](const std::string&, Linear& layer) { all.push_back(layer); });
  return all;
}

int64_t parameter_count(Transformer& model) {
  int64_t count = 0;
  for (const Parameter& p : parameters(model)) count += p.tensor.size();
  return count;
}

void prepare(const std::vector<Parameter>& parameters, Backend& backend, Passes passes,
             Workers* workers) {
  const auto one = [&](int64_t i, int) {
    const Tensor& p = parameters[size_t(i)].tensor;
    if (p.shape().size() != 2) return;
    p.storage()->prepared = backend.prepare(p, passes);
  };
  if (workers != nullptr) {
    workers->run(int64_t(parameters.size()), one);
  } else {
    for (size_t i = 0; i < parameters.size(); ++i) one(int64_t(i), 0);
  }
}

void prepare(Transformer& model, Backend& backend, Passes passes, Workers* workers) {
  prepare(parameters(model), backend, passes, workers);
}

}  // namespace heed
