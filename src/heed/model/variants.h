// Variants of the Transformer: choices of its attention, positions, normalization and feed-forward
// networks. The defaults are the paper's. One declaration gives the options of `heed train`, and
// what config.json stores of a model that is not the paper's.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "heed/autograd/recurrent.h"
#include "heed/core/options.h"

namespace heed {

// The layers of the encoder and decoder: the paper's, or those of the models before it, an LSTM or
// GRU with attention (model/recurrent_network.h).
enum class Architecture { transformer, rnn };
constexpr std::array<std::pair<std::string_view, Architecture>, 2> enum_names(Architecture) {
  return {{{"transformer", Architecture::transformer}, {"rnn", Architecture::rnn}}};
}

constexpr std::array<std::pair<std::string_view, Cell>, 2> enum_names(Cell) {
  return {{{"lstm", Cell::lstm}, {"gru", Cell::gru}}};
}

// The score of a query q and a key k, whose softmax over the keys gives the attention weights.
enum class ScoreFunction {
  scaled_dot,  // q . k / sqrt(d_key), equation 1
  dot,         // q . k
  general,     // q W . k with a matrix W for each head (Luong et al., 2015)
  additive,    // v . tanh(q + k), where W^Q and W^K are the W and U of Bahdanau et al. (2015)
  cosine,      // gain * sqrt(d_key) * cos(q, k) with a learned gain for each head
  location,    // from the target's state alone, one for each source position (Luong et al., 2015)
  none         // no attention: a recurrent decoder has the encoder's last states alone
};
constexpr std::array<std::pair<std::string_view, ScoreFunction>, 7> enum_names(ScoreFunction) {
  return {{{"scaled-dot", ScoreFunction::scaled_dot},
           {"dot", ScoreFunction::dot},
           {"general", ScoreFunction::general},
           {"additive", ScoreFunction::additive},
           {"cosine", ScoreFunction::cosine},
           {"location", ScoreFunction::location},
           {"none", ScoreFunction::none}}};
}

// How the model knows the order of tokens: by what is added to embeddings, or in self-attention.
enum class Positions {
  sinusoidal,  // section 3.5
  learned,     // a learned embedding of each position, Table 3 row (E)
  none,
  rotary,    // queries and keys are rotated by their positions (Su et al., 2021)
  alibi,     // scores fall linearly with the distance (Press et al., 2022)
  relative,  // learned vectors of clipped distances for keys and values (Shaw et al., 2018)
  t5         // a learned bias of each range of distances (Raffel et al., 2020)
};
constexpr std::array<std::pair<std::string_view, Positions>, 7> enum_names(Positions) {
  return {{{"sinusoidal", Positions::sinusoidal},
           {"learned", Positions::learned},
           {"none", Positions::none},
           {"rotary", Positions::rotary},
           {"alibi", Positions::alibi},
           {"relative", Positions::relative},
           {"t5", Positions::t5}}};
}

// Where a sub-layer is normalized: its output with the residual (LayerNorm(x + f(x)), the paper),
// or its input (x + f(LayerNorm(x)), with a last norm at the end of each stack).
enum class NormPlacement { post, pre };
constexpr std::array<std::pair<std::string_view, NormPlacement>, 2> enum_names(NormPlacement) {
  return {{{"post", NormPlacement::post}, {"pre", NormPlacement::pre}}};
}

constexpr std::array<std::pair<std::string_view, NormKind>, 2> enum_names(NormKind) {
  return {{{"layer", NormKind::layer}, {"rms", NormKind::rms}}};
}

// The feed-forward network: activation(x W_1) W_2, or, gated, (silu(x W_1) * x W_3) W_2 (swiglu,
// Shazeer 2020). The paper's activation is relu; published Marian models use silu, GPT-2 uses
// gelu-tanh.
enum class FeedForwardKind { relu, gelu, gelu_tanh, silu, swiglu };
constexpr std::array<std::pair<std::string_view, FeedForwardKind>, 5> enum_names(FeedForwardKind) {
  return {{{"relu", FeedForwardKind::relu},
           {"gelu", FeedForwardKind::gelu},
           {"gelu-tanh", FeedForwardKind::gelu_tanh},
           {"silu", FeedForwardKind::silu},
           {"swiglu", FeedForwardKind::swiglu}}};
}
Activation activation_of(FeedForwardKind kind);

enum class Switch { on, off };
constexpr std::array<std::pair<std::string_view, Switch>, 2> enum_names(Switch) {
  return {{{"on", Switch::on}, {"off", Switch::off}}};
}

// The keys that a query attends to.
struct AttentionReach {
  enum class Kind {
    global,     // all
    local,      // those in a window around its own position (in cross-attention, local-m of Luong)
    predicted,  // cross-attention: those around a position that the model predicts (local-p of
                // Luong et al., 2015), weighted by a Gaussian
    hard        // the one with the best score; its gradient is that of the softmax
  };
  Kind kind = Kind::global;
  int64_t window = 0;  // keys at most this far away

  friend bool operator==(const AttentionReach&, const AttentionReach&) = default;
};

// "global", "local:W", "local-p:W" or "hard"; UsageError otherwise.
AttentionReach parse_reach(const std::string& text);
std::string to_text(const AttentionReach& reach);

struct Variants {
  Architecture architecture = Architecture::transformer;
  Cell cell = Cell::lstm;             // of architecture rnn
  Switch input_feeding = Switch::on;  // of architecture rnn
  ScoreFunction attention = ScoreFunction::scaled_dot;
  std::string attention_reach = "global";
  std::optional<int64_t> key_value_heads = {};      // as many as heads if not set
  std::optional<int64_t> d_key = {}, d_value = {};  // of each head; d_model / heads if not set
  bool share_query_key = false;
  Positions positions = Positions::sinusoidal;
  NormPlacement norm = NormPlacement::post;
  NormKind norm_kind = NormKind::layer;
  Switch residual = Switch::on;

  static void visit(Variants& self, OptionCollector& v);
  friend bool operator==(const Variants&, const Variants&) = default;

  // UsageError naming what contradicts what, in a model of this many heads, which it calls so.
  void validate(int64_t d_model, int64_t heads, std::string_view heads_name = "heads") const;
  // The same, without values that repeat the default of such a model. They must be valid.
  Variants normalized(int64_t d_model, int64_t heads) const;
};

// Distances beyond this are taken as this one (Positions::relative).
inline constexpr int64_t kMaxRelativeDistance = 16;
// The number of buckets of Positions::t5, as in T5.
inline constexpr int64_t kRelativeBuckets = 32;
// The source positions that ScoreFunction::location can attend to.
inline constexpr int64_t kLocations = 256;

}  // namespace heed
