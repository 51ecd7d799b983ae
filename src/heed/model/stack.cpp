#include "heed/model/stack.h"

#include <cmath>
#include <utility>

#include "heed/model/token_positions.h"

namespace heed {
namespace {

// Allocates the parameters of layers.
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
  FeedForward feed_forward(int64_t d_ff) const {
    const bool gated = config.activation == FeedForwardKind::swiglu;
    return {.inner = linear(config.d_model, d_ff),
            .gate = gated ? linear(config.d_model, d_ff) : Linear(),
            .output = linear(d_ff, config.d_model)};
  }
  Attention attention(const AttentionMethod& method, const StackParameters& stack) const {
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

WeightsRequest request_for(CapturedAttention* captured, AttentionSite site, int64_t layer,
                           const AttentionLayout& layout) {
  return captured ? captured->request_for(site, layer, layout) : WeightsRequest();
}

// Keys and values that are computed in the same pass, for sequences from their beginnings.
class ComputedContext : public AttentionContext {
 public:
  // `memory` may be null.
  ComputedContext(const Stack& stack, Mask mask, const Tokens& tokens, const EncoderOutput* memory)
      : stack_(stack), mask_(mask), memory_(memory), keys_{tokens.layout, {}} {
    if (mask == Mask::causal) rows_ = all_rows(tokens.layout);
    if (memory == nullptr) return;
    check(tokens.layout.count() == memory->layout.count(), "one target per source");
    memory_keys_ = {memory->layout, {}};
    memory_rows_ = all_rows(memory->layout);
  }

  AttentionLayout self_layout(const Tokens& tokens) const override {
    return {tokens.layout, keys_, mask_};
  }
  AttentionLayout cross_layout(const Tokens& tokens) const override {
    return {tokens.layout, memory_keys_};
  }
  KeyValue self_key_value(ForwardPass& pass, int64_t, const KeyValue& computed) override {
    // Only what follows from earlier tokens can be cached, and is rounded as in a cache.
    return mask_ == Mask::causal ? as_cached(pass, computed, rows_) : computed;
  }
  KeyValue cross_key_value(ForwardPass& pass, int64_t layer) override {
    check(memory_ != nullptr, "cross-attention without a memory");
    return as_cached(pass, stack_.cross_key_value(pass, *memory_, layer), memory_rows_);
  }

 private:
  const Stack& stack_;
  const Mask mask_;
  const EncoderOutput* memory_;
  const KeyRows keys_;
  KeyRows memory_keys_;
  Indices rows_, memory_rows_;
};

}  // namespace

Stack::Stack(const ModelConfig& config, const Sizes& sizes, const Sites& sites, Tensor positions,
             DType type, const std::shared_ptr<TensorMemory>& memory)
    : config_(config),
      sites_(sites),
      self_(attention_method(config, sites.self)),
      positions_(std::move(positions)) {
  if (sites.cross) cross_ = attention_method(config, *sites.cross);
  const LayerAllocator make{config, type, memory};
  if (sizes.layers > 0) shared = make.stack();
  for (int64_t i = 0; i < sizes.layers; ++i) {
    Layer& layer = layers.emplace_back();
    layer.self_attention = make.attention(self_, shared);
    layer.self_norm = make.norm();
    if (sites.cross) {
      layer.cross_attention = make.attention(cross_, shared);
      layer.cross_norm = make.norm();
    }
    layer.feed_forward = make.feed_forward(sizes.d_ff);
    layer.feed_forward_norm = make.norm();
  }
}

// Sections 3.4 and 3.5: embeddings times sqrt(d_model), plus positions, dropped out.
Tensor Stack::embed(ForwardPass& pass, const Tokens& tokens, const Tensor& table) const {
  const double scale = config_.scale_embeddings ? std::sqrt(double(config_.d_model)) : 1;
  EmbedOptions options{scale, config_.dropout, config_.pad_id()};
  if (shared.positions) options.positions = EmbedOptions::Positions::learned;
  return heed::embed(pass, tokens, table, shared.positions ? shared.positions : positions_,
                     options);
}

// LayerNorm(x + Dropout(Sublayer(x))), sections 3.1 and 5.4, and its variants.
template <class Function>
Tensor Stack::sublayer(ForwardPass& pass, const Norm& w, const Tensor& x, const Function& f) const {
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

// FFN(x) = max(0, x W_1 + b_1) W_2 + b_2, section 3.3; gated: (silu(x W_1) * x W_3) W_2.
Tensor Stack::feed_forward(ForwardPass& pass, const FeedForward& w, const Tensor& x) const {
  Tensor inner = linear(pass, x, w.inner, activation_of(config_.activation));
  if (w.gate.weight) inner = multiply(pass, inner, linear(pass, x, w.gate));
  return linear(pass, dropout(pass, inner, config_.activation_dropout), w.output);
}

Tensor Stack::forward(ForwardPass& pass, const Tokens& tokens, const Tensor& table,
                      AttentionContext& context, CapturedAttention* captured) const {
  const Indices positions = detail::positions_of(tokens);
  AttentionLayout self = context.self_layout(tokens), cross = context.cross_layout(tokens);
  self.positions = cross.positions = &positions;
  Tensor x = embed(pass, tokens, table);
  for (size_t i = 0; i < layers.size(); ++i) {
    const Layer& w = layers[i];
    const auto layer = int64_t(i);
    x = sublayer(pass, w.self_norm, x, [&](const Tensor& input) {
      const KeyValue projected = context.self_key_value(
          pass, layer, project_key_value(pass, w.self_attention, self_, input, input, positions));
      return attend(pass, w.self_attention, self_, {input, projected, self},
                    request_for(captured, sites_.self, layer, self));
    });
    if (sites_.cross)
      x = sublayer(pass, w.cross_norm, x, [&](const Tensor& input) {
        const KeyValue memory = context.cross_key_value(pass, layer);
        return attend(pass, w.cross_attention, cross_, {input, memory, cross},
                      request_for(captured, *sites_.cross, layer, cross));
      });
    x = sublayer(pass, w.feed_forward_norm, x,
                 [&](const Tensor& input) { return feed_forward(pass, w.feed_forward, input); });
  }
  if (!shared.norm.gain) return x;
  // With NormPlacement::pre nothing has normalized the last layer's output yet.
  return normalize(pass, x, shared.norm.gain, shared.norm.bias,
                   {1e-5, 0, config_.variants.norm_kind});
}

Tensor Stack::forward(ForwardPass& pass, const Tokens& tokens, const Tensor& table,
                      const EncoderOutput* memory, CapturedAttention* captured) const {
  ComputedContext context(*this, self_.mask, tokens, memory);
  return forward(pass, tokens, table, context, captured);
}

KeyValue Stack::cross_key_value(ForwardPass& pass, const EncoderOutput& memory,
                                int64_t layer) const {
  return project_key_value(pass, layers[size_t(layer)].cross_attention, cross_, memory.states,
                           memory.states, {});
}

}  // namespace heed
