#include "heed/model/marian.h"

#include <initializer_list>

namespace heed {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// Collects the tensors of a model, layer by layer.
class Names {
 public:
  explicit Names(const ModelConfig& config) : c_(config), d_(config.d_model) {}

  void table(std::vector<std::string> names, const std::string& parameter, int64_t rows) {
    tensors_.push_back({std::move(names), {rows, d_}, parameter, ParameterRole::embedding});
  }
  void attention(const std::string& marian, const std::string& heed, AttentionSite site) {
    const AttentionMethod method = attention_method(c_, site);
    if (method.score == ScoreFunction::location) {
      linear(marian + ".location_proj", heed + ".location", d_, c_.heads * kLocations);
    } else {
      linear(marian + ".q_proj", heed + ".query", d_, c_.heads * c_.d_key());
      if (!c_.variants.share_query_key)
        linear(marian + ".k_proj", heed + ".key", d_, c_.key_columns());
    }
    linear(marian + ".v_proj", heed + ".value", d_, c_.value_columns());
    linear(marian + ".out_proj", heed + ".output", c_.heads * c_.d_value(), d_);
    variants_of_attention(marian, heed, method);
  }
  void norm(const std::string& marian, const std::string& heed) {
    add(marian + ".weight", {d_}, heed + ".gain", ParameterRole::gain);
    if (c_.variants.norm_kind == NormKind::layer)
      add(marian + ".bias", {d_}, heed + ".bias", ParameterRole::bias);
  }
  // Both networks of a layer end alike.
  void feed_forward(const std::string& marian, const std::string& heed) {
    linear(marian + ".fc1", heed + ".feed_forward.inner", d_, c_.d_ff);
    if (c_.activation == FeedForwardKind::swiglu)
      linear(marian + ".fc1_gate", heed + ".feed_forward.gate", d_, c_.d_ff);
    linear(marian + ".fc2", heed + ".feed_forward.output", c_.d_ff, d_);
    norm(marian + ".final_layer_norm", heed + ".feed_forward_norm");
  }
  // What the layers of a stack share.
  void stack(const std::string& marian, const std::string& heed) {
    if (c_.variants.positions == Positions::learned)
      add(marian + ".embed_positions.weight", {c_.max_positions, d_}, heed + ".positions",
          ParameterRole::position_table);
    if (c_.variants.positions == Positions::t5)
      add(marian + ".relative_attention_bias", {c_.heads * kRelativeBuckets},
          heed + ".position_bias", ParameterRole::bias);
    if (c_.variants.norm == NormPlacement::pre) norm(marian + ".layer_norm", heed + ".norm");
  }
  std::vector<MarianTensor> take() { return std::move(tensors_); }

 private:
  void add(const std::string& name, Shape shape, const std::string& parameter, ParameterRole role) {
    tensors_.push_back({{name}, std::move(shape), parameter, role});
  }
  void linear(const std::string& marian, const std::string& heed, int64_t in, int64_t out) {
    add(marian + ".weight", {out, in}, heed + ".weight", ParameterRole::matrix);
    add(marian + ".bias", {out}, heed + ".bias", ParameterRole::bias);
  }
  // What the score functions, predicted positions and relative positions have besides.
  void variants_of_attention(const std::string& marian, const std::string& heed,
                             const AttentionMethod& method) {
    const int64_t d_key = c_.d_key(), distances = 2 * kMaxRelativeDistance + 1;
    if (method.score == ScoreFunction::general)
      add(marian + ".score", {c_.heads * d_key, d_key}, heed + ".score",
          ParameterRole::small_matrix);
    if (method.score == ScoreFunction::additive)
      add(marian + ".score", {c_.heads, d_key}, heed + ".score", ParameterRole::small_matrix);
    if (method.score == ScoreFunction::cosine)
      add(marian + ".score", {c_.heads}, heed + ".score", ParameterRole::gain);
    if (method.reach.kind == AttentionReach::Kind::predicted) {
      linear(marian + ".center_fc1", heed + ".center_inner", d_, d_);
      linear(marian + ".center_fc2", heed + ".center", d_, c_.heads);
    }
    if (method.positions != Positions::relative) return;
    add(marian + ".relative_key", {distances, d_key}, heed + ".relative_key",
        ParameterRole::small_matrix);
    add(marian + ".relative_value", {c_.d_value(), distances}, heed + ".relative_value",
        ParameterRole::small_matrix);
  }

  const ModelConfig& c_;
  const int64_t d_;
  std::vector<MarianTensor> tensors_;
};

void add_tables(Names& names, const ModelConfig& config) {
  const std::string shared = "model.shared.weight", output = "lm_head.weight";
  const std::string source = "model.encoder.embed_tokens.weight";
  const std::string target = "model.decoder.embed_tokens.weight";
  const int64_t rows = config.vocabulary_size;
  switch (config.tie_embeddings) {
    case TieEmbeddings::all:
      names.table({shared, source, target, output}, "embeddings.shared", rows);
      break;
    case TieEmbeddings::decoder:
      names.table({source}, "embeddings.source", rows);
      names.table({target, output}, "embeddings.target", rows);
      break;
    case TieEmbeddings::none:
      names.table({source}, "embeddings.source", rows);
      names.table({target}, "embeddings.target", rows);
      names.table({output}, "embeddings.output", rows);
      break;
  }
}

// Reads keys of config.json; every message names the key, what stands there and what should.
class Keys {
 public:
  Keys(const json& object, std::string place) : object_(object), place_(std::move(place)) {
    if (!object.is_object())
      fail("{}: expected a JSON object, got {}", place_, detail::quote(object));
  }

  int64_t integer(const char* key) const {
    const json& value = required(key);
    if (!value.is_number_unsigned() || value.get<uint64_t>() > uint64_t(INT64_MAX))
      reject(key, value, "a whole number");
    return value;
  }
  double number(const char* key, double otherwise) const {
    if (!has(key)) return otherwise;
    if (!object_[key].is_number()) reject(key, object_[key], "a number");
    return object_[key];
  }
  bool boolean(const char* key, bool otherwise) const {
    if (!has(key)) return otherwise;
    if (!object_[key].is_boolean()) reject(key, object_[key], "true or false");
    return object_[key];
  }
  std::string text(const char* key) const {
    const json& value = required(key);
    if (!value.is_string()) reject(key, value, "a text");
    return value;
  }
  // An absent key means `otherwise`, as it does in transformers. `why` tells where the expected
  // value comes from.
  void expect(const char* key, const json& expected, const json& otherwise,
              const std::string& why = "this or a variant that heed.variants names") const {
    const json value = has(key) ? object_[key] : otherwise;
    if (value != expected) reject(key, value, fmt::format("{} ({})", detail::quote(expected), why));
  }
  bool has(const char* key) const { return object_.contains(key) && !object_[key].is_null(); }

  const json& required(const char* key) const {
    if (!has(key)) fail("{}: the key {} is missing", place_, key);
    return object_[key];
  }
  [[noreturn]] void reject(const char* key, const json& got, const std::string& expected) const {
    fail("{}: {} is {}, expected {}", place_, key, detail::quote(got), expected);
  }

 private:
  const json& object_;
  std::string place_;
};

// Names of activations in transformers, and of heed's own; the first for each of heed's is written.
constexpr std::initializer_list<std::pair<const char*, FeedForwardKind>> kActivations = {
    {"relu", FeedForwardKind::relu},
    {"gelu", FeedForwardKind::gelu},
    {"silu", FeedForwardKind::silu},
    {"swish", FeedForwardKind::silu},
    {"swiglu", FeedForwardKind::swiglu}};

const char* activation_name(FeedForwardKind activation) {
  for (const auto& [name, value] : kActivations)
    if (value == activation) return name;
  check(false, "an activation without a name");
  return "";
}

FeedForwardKind read_activation(const Keys& keys) {
  const std::string name = keys.text("activation_function");
  for (const auto& [known, value] : kActivations)
    if (name == known) return value;
  keys.reject("activation_function", name, "relu, gelu, silu, swish or swiglu");
}

TieEmbeddings read_tie(const Keys& keys) {
  const bool shared = keys.boolean("share_encoder_decoder_embeddings", true);
  const bool tied = keys.boolean("tie_word_embeddings", true);
  if (shared && !tied)
    keys.reject("tie_word_embeddings", false,
                "true where share_encoder_decoder_embeddings is true");
  return shared ? TieEmbeddings::all : tied ? TieEmbeddings::decoder : TieEmbeddings::none;
}

// Whether other programs that read the layout can run the model.
bool is_in_marian_layout(const ModelConfig& config) {
  return config.variants == Variants() && config.activation != FeedForwardKind::swiglu;
}

// What a model must be for heed to run it.
void check_kind(const Keys& keys, int64_t vocabulary, const Variants& variants) {
  keys.expect("is_encoder_decoder", true, true);
  keys.expect("scale_embedding", true, false);
  keys.expect("static_position_embeddings", variants.positions == Positions::sinusoidal, true);
  for (const char* key : {"normalize_embedding", "add_bias_logits"}) keys.expect(key, false, false);
  for (const char* key : {"normalize_before", "add_final_layer_norm"})
    keys.expect(key, variants.norm == NormPlacement::pre, false);
  keys.expect("decoder_vocab_size", vocabulary, vocabulary, "as vocab_size");
  for (const auto& [decoder, encoder] :
       {std::pair{"decoder_attention_heads", "encoder_attention_heads"},
        std::pair{"decoder_ffn_dim", "encoder_ffn_dim"}})
    keys.expect(decoder, keys.integer(encoder), nullptr, fmt::format("as {}", encoder));
  keys.expect("eos_token_id", 0, 0, "as in every such model");
  keys.required("pad_token_id");
  keys.expect("pad_token_id", vocabulary - 1, nullptr, "vocab_size - 1");
  keys.expect("decoder_start_token_id", vocabulary - 1, vocabulary - 1, "vocab_size - 1");
}

}  // namespace

std::vector<MarianTensor> marian_tensors(const ModelConfig& config) {
  Names names(config);
  add_tables(names, config);
  for (int64_t i = 0; i < config.encoder_layers; ++i) {
    const std::string marian = fmt::format("model.encoder.layers.{}", i);
    const std::string heed = fmt::format("encoder.{}", i);
    names.attention(marian + ".self_attn", heed + ".self", AttentionSite::encoder_self);
    names.norm(marian + ".self_attn_layer_norm", heed + ".self_norm");
    names.feed_forward(marian, heed);
  }
  names.stack("model.encoder", "encoder_stack");
  for (int64_t i = 0; i < config.decoder_layers; ++i) {
    const std::string marian = fmt::format("model.decoder.layers.{}", i);
    const std::string heed = fmt::format("decoder.{}", i);
    names.attention(marian + ".self_attn", heed + ".self", AttentionSite::decoder_self);
    names.norm(marian + ".self_attn_layer_norm", heed + ".self_norm");
    names.attention(marian + ".encoder_attn", heed + ".cross", AttentionSite::cross);
    names.norm(marian + ".encoder_attn_layer_norm", heed + ".cross_norm");
    names.feed_forward(marian, heed);
  }
  names.stack("model.decoder", "decoder_stack");
  return names.take();
}

bool is_position_table(std::string_view name) {
  return name == "model.encoder.embed_positions.weight" ||
         name == "model.decoder.embed_positions.weight";
}

ordered_json to_marian(const ModelConfig& c, DType weights) {
  const int64_t pad = c.pad_id();
  ordered_json object = {
      {"model_type", "marian"},
      {"architectures", {"MarianMTModel"}},
      {"is_encoder_decoder", true},
      {"vocab_size", c.vocabulary_size},
      {"decoder_vocab_size", c.vocabulary_size},
      {"d_model", c.d_model},
      {"encoder_layers", c.encoder_layers},
      {"decoder_layers", c.decoder_layers},
      {"encoder_attention_heads", c.heads},
      {"decoder_attention_heads", c.heads},
      {"encoder_ffn_dim", c.d_ff},
      {"decoder_ffn_dim", c.d_ff},
      {"activation_function", activation_name(c.activation)},
      {"dropout", c.dropout},
      {"attention_dropout", c.attention_dropout},
      {"activation_dropout", c.activation_dropout},
      {"max_position_embeddings", c.max_positions},
      {"scale_embedding", true},
      {"static_position_embeddings", c.variants.positions == Positions::sinusoidal},
      {"normalize_before", c.variants.norm == NormPlacement::pre},
      {"normalize_embedding", false},
      {"share_encoder_decoder_embeddings", c.tie_embeddings == TieEmbeddings::all},
      {"tie_word_embeddings", c.tie_embeddings != TieEmbeddings::none},
      {"eos_token_id", int64_t(c.end_id())},
      {"forced_eos_token_id", int64_t(c.end_id())},
      {"pad_token_id", pad},
      {"decoder_start_token_id", pad},
      // What the layout has no word for; other programs ignore it.
      {"heed", {{"classes", c.output_vocabulary_size}, {"output_bias", c.output_bias}}},
  };
  if (weights == DType::bf16) object["torch_dtype"] = "bfloat16";
  if (c.variants.norm == NormPlacement::pre) object["add_final_layer_norm"] = true;
  if (c.variants != Variants())
    object["heed"]["variants"] = ordered_json::parse(to_json(c.variants));
  if (weights == DType::int8 || !is_in_marian_layout(c))
    object["model_type"] = "heed", object.erase("architectures");
  return object;
}

ModelConfig from_marian(const json& object, const std::string& place) {
  const Keys keys(object, place);
  if (const std::string type = keys.text("model_type"); type != "marian" && type != "heed")
    keys.reject("model_type", type, "marian: heed opens no other kind of model directory");
  ModelConfig c;
  c.vocabulary_size = keys.integer("vocab_size");
  c.d_model = keys.integer("d_model");
  c.d_ff = keys.integer("encoder_ffn_dim");
  c.heads = keys.integer("encoder_attention_heads");
  c.encoder_layers = keys.integer("encoder_layers");
  c.decoder_layers = keys.integer("decoder_layers");
  c.activation = read_activation(keys);
  c.tie_embeddings = read_tie(keys);
  c.max_positions =
      keys.has("max_position_embeddings") ? keys.integer("max_position_embeddings") : 512;
  c.dropout = keys.number("dropout", 0.1);
  c.attention_dropout = keys.number("attention_dropout", 0);
  c.activation_dropout = keys.number("activation_dropout", 0);
  // A published model has a bias and yields every id but <pad>.
  c.output_vocabulary_size = c.vocabulary_size - 1;
  c.output_bias = true;
  if (keys.has("heed")) {
    const Keys own(object["heed"], place + ", heed");
    c.output_vocabulary_size = own.integer("classes");
    c.output_bias = own.boolean("output_bias", false);
    if (own.has("variants"))
      from_json(c.variants, own.required("variants").dump(), place + ", heed, variants");
  }
  check_kind(keys, c.vocabulary_size, c.variants);
  try {
    c.validate({.vocabulary_size = "vocab_size",
                .output_vocabulary_size = "heed.classes",
                .d_ff = "encoder_ffn_dim",
                .heads = "encoder_attention_heads",
                .max_positions = "max_position_embeddings"});
  } catch (const UsageError& e) {
    fail("{}: {}", place, e.what());
  }
  c.variants = c.variants.normalized(c.d_model, c.heads);
  return c;
}

}  // namespace heed
