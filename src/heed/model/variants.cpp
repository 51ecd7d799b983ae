#include "heed/model/variants.h"

#include <algorithm>

#include "heed/core/ascii.h"
#include "heed/core/utf8.h"

namespace heed {

Activation activation_of(FeedForwardKind kind) {
  switch (kind) {
    case FeedForwardKind::relu:
      return Activation::relu;
    case FeedForwardKind::gelu:
      return Activation::gelu;
    case FeedForwardKind::gelu_tanh:
      return Activation::gelu_tanh;
    case FeedForwardKind::silu:
    case FeedForwardKind::swiglu:
      return Activation::silu;
  }
  check(false, "a feed-forward network without activation");
  return Activation::none;
}

AttentionReach parse_reach(const std::string& text) {
  using Kind = AttentionReach::Kind;
  if (text == "global") return {};
  if (text == "hard") return {Kind::hard};
  for (const auto& [prefix, kind] :
       {std::pair("local:", Kind::local), std::pair("local-p:", Kind::predicted)}) {
    if (!text.starts_with(prefix)) continue;
    const auto window =
        whole_number<int64_t>(text.substr(std::string_view(prefix).size()), 1, 65536);
    if (window) return {kind, *window};
  }
  fail_usage(
      "attention_reach is '{}', expected global, local:W, local-p:W or hard, with W from 1 to "
      "65536",
      excerpt(text));
}

std::string to_text(const AttentionReach& reach) {
  using Kind = AttentionReach::Kind;
  if (reach.kind == Kind::global) return "global";
  if (reach.kind == Kind::hard) return "hard";
  return fmt::format("{}:{}", reach.kind == Kind::local ? "local" : "local-p", reach.window);
}

void Variants::visit(Variants& self, OptionCollector& v) {
  v.group("Model variants");
  v("architecture", self.architecture,
    {.help =
         "Layers of the encoder and decoder: transformer (the paper's), or rnn (the models that "
         "it took the place of: a bidirectional recurrent encoder and a recurrent decoder with "
         "attention)"});
  v("cell", self.cell,
    {.help = "Recurrent layers of --architecture rnn: lstm (long short-term memory) or gru (gated "
             "recurrent unit)"});
  v("input_feeding", self.input_feeding,
    {.help = "With --architecture rnn, let each step of the decoder read the attention of the step "
             "before it (Luong et al., 2015)"});
  v("attention", self.attention,
    {.help =
         "Score of a query and a key: scaled-dot (the paper's), dot (no scale), general (q W "
         "k), additive (v tanh(q + k)), cosine (with a learned gain), location (cross-attention "
         "from the target's state alone, to at most 256 source positions; self-attention "
         "remains scaled-dot), none (with --architecture rnn only)"});
  v("attention_reach", self.attention_reach,
    {.help = "Keys that a query attends to: global (all), local:W (those at most W tokens from its "
             "own position), local-p:W (in cross-attention, those around a position that the model "
             "predicts, weighted by a Gaussian; self-attention remains global), hard (only the one "
             "with the best score)",
     .value = "REACH"});
  v("key_value_heads", self.key_value_heads,
    {.help = "Number of heads of keys and values; must divide --heads. Fewer than --heads is "
             "grouped-query attention, 1 is multi-query attention: the KV cache is smaller by "
             "their ratio",
     .default_text = "as many as --heads",
     .minimum = 1,
     .maximum = 65536});
  v("d_key", self.d_key,
    {.help = "Dimension of each head's queries and keys",
     .default_text = "d_model / heads",
     .minimum = 1,
     .maximum = 65536});
  v("d_value", self.d_value,
    {.help = "Dimension of each head's values",
     .default_text = "d_model / heads",
     .minimum = 1,
     .maximum = 65536});
  v("share_query_key", self.share_query_key,
    {.help = "Use one matrix for queries and keys in each attention block"});
  v("positions", self.positions,
    {.help =
         "How the model knows the order of tokens: added to the embeddings (sinusoidal, learned), "
         "in self-attention only (rotary, alibi, relative, t5), or none"});
  v("norm", self.norm,
    {.help = "Normalize the output of each sub-layer with its residual (post, the paper's) or its "
             "input (pre)"});
  v("norm_kind", self.norm_kind,
    {.help = "Normalization: layer (LayerNorm) or rms (RMSNorm, without mean and bias)"});
  v("residual", self.residual, {.help = "Residual connections around the sub-layers"});
}

namespace {

void check_heads(const Variants& v, int64_t d_model, int64_t heads, std::string_view heads_name) {
  const int64_t key_value_heads = v.key_value_heads.value_or(heads);
  if (key_value_heads < 1 || heads % key_value_heads != 0)
    fail_usage("key_value_heads must divide {}, got {} and {}", heads_name, key_value_heads, heads);
  if ((!v.d_key || !v.d_value) && d_model % heads != 0)
    fail_usage(
        "d_model must be a multiple of {0} unless d_key and d_value are both given, got d_model "
        "{1} and {0} {2}",
        heads_name, d_model, heads);
  if (v.share_query_key && key_value_heads != heads)
    fail_usage(
        "share_query_key needs as many heads of keys as of queries, got {} key_value_heads and {} "
        "{}",
        key_value_heads, heads, heads_name);
  const int64_t d_key = v.d_key.value_or(d_model / heads);
  if (v.positions == Positions::rotary && d_key % 2 != 0)
    fail_usage("positions rotary rotates pairs of elements: d_key must be even, got {}", d_key);
  for (const auto& [size, name] :
       {std::pair(d_key, "d_key"), std::pair(v.d_value.value_or(d_model / heads), "d_value")})
    if (size < 1 || size > 65536 || size * heads > std::max<int64_t>(1 << 16, 64 * d_model))
      fail_usage("{} is {}, expected 1 or more, and at most {} in all {} heads together", name,
                 size, std::max<int64_t>(1 << 16, 64 * d_model), heads);
}

}  // namespace

Variants Variants::normalized(int64_t d_model, int64_t heads) const {
  Variants same = *this;
  same.attention_reach = heed::to_text(parse_reach(attention_reach));
  if (key_value_heads == heads) same.key_value_heads.reset();
  if (d_model % heads == 0) {
    if (d_key == d_model / heads) same.d_key.reset();
    if (d_value == d_model / heads) same.d_value.reset();
  }
  return same;
}

namespace {

// UsageError for a value that a model of this architecture does not read.
void check_architecture(const Variants& v) {
  const bool recurrent = v.architecture == Architecture::rnn;
  for (const OptionDifference& d : differences(Variants(), v)) {
    const bool of_attention = d.name == "attention" || d.name == "attention_reach";
    const bool of_recurrent = d.name == "cell" || d.name == "input_feeding";
    if (d.name != "architecture" && !of_attention && of_recurrent != recurrent)
      fail_usage("{} {} is for architecture {}, got {}", d.name, d.right,
                 recurrent ? "transformer" : "rnn", to_text(v.architecture));
  }
  if (v.attention != ScoreFunction::none) return;
  if (!recurrent) fail_usage("attention none is for architecture rnn");
  if (parse_reach(v.attention_reach) != AttentionReach())
    fail_usage("attention_reach {} contradicts attention none", v.attention_reach);
}

}  // namespace

void Variants::validate(int64_t d_model, int64_t heads, std::string_view heads_name) const {
  check_architecture(*this);
  check_heads(*this, d_model, heads, heads_name);
  parse_reach(attention_reach);
  if (attention == ScoreFunction::additive &&
      (positions == Positions::rotary || positions == Positions::relative))
    fail_usage(
        "positions {} changes dot products of queries and keys, and attention additive has none",
        to_text(positions));
}

}  // namespace heed
