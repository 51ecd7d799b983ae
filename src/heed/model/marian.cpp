#include "heed/model/marian.h"

#include <map>

#include "heed/model/config_keys.h"
#include "heed/model/sequence_model.h"

namespace heed {
namespace {

using detail::Keys;
using nlohmann::json;
using nlohmann::ordered_json;

// The names of the parts of a layer's attention and feed-forward network, of heed and of Marian, in
// the order of the file.
using NamePair = std::pair<const char*, const char*>;
constexpr NamePair kAttentionNames[] = {{"location", "location_proj"},
                                        {"query", "q_proj"},
                                        {"key", "k_proj"},
                                        {"value", "v_proj"},
                                        {"output", "out_proj"},
                                        {"score", "score"},
                                        {"center_inner", "center_fc1"},
                                        {"center", "center_fc2"},
                                        {"relative_key", "relative_key"},
                                        {"relative_value", "relative_value"}};
constexpr NamePair kFeedForwardNames[] = {
    {"inner", "fc1"}, {"gate", "fc1_gate"}, {"output", "fc2"}};
// The endings of these names: none, or those of a linear layer or a norm.
constexpr NamePair kEndings[] = {
    {"", ""}, {".weight", ".weight"}, {".gain", ".weight"}, {".bias", ".bias"}};

// Collects the tensors of those parameters that a model has.
class Tensors {
 public:
  explicit Tensors(const std::vector<Parameter>& parameters) {
    for (const Parameter& parameter : parameters) parameters_.emplace(parameter.name, parameter);
  }

  void add(const std::string& heed, const std::vector<std::string>& marian) {
    for (const auto& [ending, other] : kEndings) {
      const auto found = parameters_.find(heed + ending);
      if (found == parameters_.end()) continue;
      LayoutTensor& tensor = tensors_.emplace_back(LayoutTensor{found->second, marian});
      for (std::string& name : tensor.names) name += other;
    }
  }
  // The layers of the encoder or decoder, and what they share.
  void stack(const std::string& heed, int64_t layers) {
    const std::string marian = "model." + heed;
    for (int64_t i = 0; i < layers; ++i)
      layer(fmt::format("{}.{}.", heed, i), fmt::format("{}.layers.{}.", marian, i));
    add(heed + "_stack.positions", {marian + ".embed_positions.weight"});
    add(heed + "_stack.position_bias", {marian + ".relative_attention_bias"});
    add(heed + "_stack.norm", {marian + ".layer_norm"});
  }
  // The layers of a recurrent encoder and decoder.
  void recurrent(const ModelConfig& config) {
    for (int64_t i = 0; i < config.encoder_layers; ++i)
      for (const char* direction : {"forward", "backward"})
        recurrent_layer(fmt::format("encoder.{}.{}.", i, direction),
                        fmt::format("model.encoder.layers.{}.{}.", i, direction));
    for (int64_t i = 0; i < config.decoder_layers; ++i)
      recurrent_layer(fmt::format("decoder.{}.", i), fmt::format("model.decoder.layers.{}.", i));
    for (const auto& [part, name] : kAttentionNames)
      add(fmt::format("attention.{}", part), {fmt::format("model.decoder.attention.{}", name)});
    add("combine", {"model.decoder.combine"});
  }
  std::vector<LayoutTensor> take() { return std::move(tensors_); }

 private:
  void recurrent_layer(const std::string& heed, const std::string& marian) {
    for (const char* part : {"input", "state", "start"}) add(heed + part, {marian + part});
  }
  void layer(const std::string& heed, const std::string& marian) {
    for (const auto& [site, other] : {NamePair("self", "self_attn"), {"cross", "encoder_attn"}}) {
      for (const auto& [part, name] : kAttentionNames)
        add(fmt::format("{}{}.{}", heed, site, part),
            {fmt::format("{}{}.{}", marian, other, name)});
      add(fmt::format("{}{}_norm", heed, site), {fmt::format("{}{}_layer_norm", marian, other)});
    }
    for (const auto& [part, name] : kFeedForwardNames)
      add(heed + "feed_forward." + part, {marian + name});
    add(heed + "feed_forward_norm", {marian + "final_layer_norm"});
  }

  std::map<std::string, Parameter> parameters_;  // by name
  std::vector<LayoutTensor> tensors_;
};

TieEmbeddings read_tie(const Keys& keys) {
  const bool shared = keys.boolean("share_encoder_decoder_embeddings", true);
  const bool tied = keys.boolean("tie_word_embeddings", true);
  if (shared && !tied)
    keys.reject("tie_word_embeddings", false,
                "true where share_encoder_decoder_embeddings is true");
  return shared ? TieEmbeddings::all : tied ? TieEmbeddings::decoder : TieEmbeddings::none;
}

// The value of this name; `expected` lists all of them.
template <class Enum>
Enum read_name(const Keys& keys, const char* key, const char* expected) {
  const std::string name = keys.text(key);
  for (const auto& [known, value] : enum_names(Enum{}))
    if (name == known) return value;
  keys.reject(key, name, expected);
}

// An id that the model may have elsewhere than usual.
std::optional<TokenId> read_id(const Keys& keys, const char* key, int64_t vocabulary,
                               TokenId usual) {
  if (!keys.has(key)) return {};
  const int64_t id = keys.integer(key);
  if (id >= vocabulary) keys.reject(key, id, "an id of the vocabulary, below vocab_size");
  if (id == usual) return {};
  return TokenId(id);
}

// Whether other programs that read the layout can run the model.
bool is_in_marian_layout(const ModelConfig& config) {
  return config.translates() && config.variants == Variants() &&
         config.activation != FeedForwardKind::swiglu;
}

// The keys of a Transformer that a recurrent model lacks.
constexpr const char* kTransformerKeys[] = {"encoder_attention_heads",
                                            "decoder_attention_heads",
                                            "encoder_ffn_dim",
                                            "decoder_ffn_dim",
                                            "activation_function",
                                            "activation_dropout",
                                            "static_position_embeddings",
                                            "normalize_before"};

void read_transformer(const Keys& keys, ModelConfig& c) {
  c.d_ff = keys.integer("encoder_ffn_dim");
  if (const int64_t decoder = keys.integer("decoder_ffn_dim"); decoder != c.d_ff)
    c.decoder_d_ff = decoder;
  c.heads = keys.integer("encoder_attention_heads");
  c.activation = detail::read_activation(keys);
  c.activation_dropout = keys.number("activation_dropout", 0);
  keys.expect("static_position_embeddings", c.variants.positions == Positions::sinusoidal, true);
  for (const char* key : {"normalize_before", "add_final_layer_norm"})
    keys.expect(key, c.variants.norm == NormPlacement::pre, false);
  keys.expect("decoder_attention_heads", keys.integer("encoder_attention_heads"), nullptr,
              "as encoder_attention_heads");
}

// Refuses a model that heed cannot run.
void check_kind(const Keys& keys, const ModelConfig& c) {
  keys.expect("is_encoder_decoder",
              keys.integer("encoder_layers") > 0 && keys.integer("decoder_layers") > 0, true,
              "as encoder_layers and decoder_layers say");
  for (const char* key : {"normalize_embedding", "add_bias_logits"}) keys.expect(key, false, false);
  keys.expect("decoder_vocab_size", c.vocabulary_size, c.vocabulary_size, "as vocab_size");
  const bool own = keys.text("model_type") == "heed";
  if (!own) keys.expect("eos_token_id", 0, 0, "as in every such model");
  if (!own || c.pad_id() != kNoToken) keys.required("pad_token_id");
  if (c.pad_id() != kNoToken)
    keys.expect("pad_token_id", c.vocabulary_size - 1, nullptr, "vocab_size - 1");
  else
    keys.expect("pad_token_id", nullptr, nullptr, "as heed.classes is vocab_size");
}

class MarianLayout : public CheckpointLayout {
 public:
  LayoutTensors tensors(const ModelConfig& config,
                        const std::vector<Parameter>& parameters) const override;
  std::string write_config(const ModelConfig& config, DType weights) const override;
  ModelConfig read_config(std::string_view text, const std::string& place) const override;
};

LayoutTensors MarianLayout::tensors(const ModelConfig& config,
                                    const std::vector<Parameter>& parameters) const {
  const std::string source = "model.encoder.embed_tokens.weight", output = "lm_head.weight";
  const std::string target = "model.decoder.embed_tokens.weight";
  Tensors all(parameters);
  all.add("embeddings.shared", {"model.shared.weight", source, target, output});
  all.add("embeddings.source", {source});
  if (config.tie_embeddings == TieEmbeddings::none)
    all.add("embeddings.target", {target});
  else
    all.add("embeddings.target", {target, output});
  all.add("embeddings.output", {output});
  if (config.is_recurrent()) {
    all.recurrent(config);
  } else {
    all.stack("encoder", config.encoder_layers);
    all.stack("decoder", config.decoder_layers);
  }
  return {all.take(),
          "final_logits_bias",
          {"model.encoder.embed_positions.weight", "model.decoder.embed_positions.weight"}};
}

std::string MarianLayout::write_config(const ModelConfig& c, DType weights) const {
  ordered_json object = {
      {"model_type", "marian"},
      {"architectures", {"MarianMTModel"}},
      {"is_encoder_decoder", c.has_encoder() && c.has_decoder()},
      {"vocab_size", c.vocabulary_size},
      {"decoder_vocab_size", c.vocabulary_size},
      {"d_model", c.d_model},
      {"encoder_layers", c.encoder_layers},
      {"decoder_layers", c.decoder_layers},
      {"encoder_attention_heads", c.heads},
      {"decoder_attention_heads", c.heads},
      {"encoder_ffn_dim", c.d_ff},
      {"decoder_ffn_dim", c.d_ff_of_decoder()},
      {"activation_function", detail::activation_name(c.activation)},
      {"dropout", c.dropout},
      {"attention_dropout", c.attention_dropout},
      {"activation_dropout", c.activation_dropout},
      {"max_position_embeddings", c.max_positions},
      {"scale_embedding", c.scale_embeddings},
      {"static_position_embeddings", c.variants.positions == Positions::sinusoidal},
      {"normalize_before", c.variants.norm == NormPlacement::pre},
      {"normalize_embedding", false},
      {"share_encoder_decoder_embeddings", c.tie_embeddings == TieEmbeddings::all},
      {"tie_word_embeddings", c.tie_embeddings != TieEmbeddings::none},
      {"eos_token_id", int64_t(c.end_id())},
      {"forced_eos_token_id", int64_t(c.end_id())},
      {"pad_token_id", int64_t(c.pad_id())},
      {"decoder_start_token_id", int64_t(c.start_id())},
      // Values that the layout has no key for; other programs ignore them.
      {"heed", {{"classes", c.output_vocabulary_size}, {"output_bias", c.output_bias}}},
  };
  if (!c.has_decoder()) {
    object["heed"]["classes"] = c.classes;
    object["heed"]["classes_of"] = to_text(c.classes_of);
  }
  if (c.parses()) object["heed"]["target_form"] = to_text(c.target_form);
  if (weights == DType::bf16) object["torch_dtype"] = "bfloat16";
  if (c.pad_id() == kNoToken) object.erase("pad_token_id");
  if (c.variants.norm == NormPlacement::pre) object["add_final_layer_norm"] = true;
  if (c.variants != Variants())
    object["heed"]["variants"] = ordered_json::parse(to_json(c.variants));
  if (weights == DType::int8 || !is_in_marian_layout(c))
    object["model_type"] = "heed", object.erase("architectures");
  if (c.is_recurrent())
    for (const char* key : kTransformerKeys) object.erase(key);
  return object.dump(2) + "\n";
}

ModelConfig MarianLayout::read_config(std::string_view text, const std::string& place) const {
  const json object = detail::parse_json(text, place);
  const Keys keys(object, place);
  if (const std::string type = keys.text("model_type"); type != "marian" && type != "heed")
    keys.reject("model_type", type,
                "marian, gpt2 or heed: heed opens no other kind of model directory");
  ModelConfig c;
  c.vocabulary_size = keys.integer("vocab_size");
  c.d_model = keys.integer("d_model");
  c.encoder_layers = keys.integer("encoder_layers");
  c.decoder_layers = keys.integer("decoder_layers");
  for (const char* key : {"encoder_layers", "decoder_layers"})
    if (keys.integer(key) == 0 && keys.text("model_type") == "marian")
      keys.reject(key, 0, "1 to 1000 in a model of this type");
  c.tie_embeddings = read_tie(keys);
  c.scale_embeddings = keys.boolean("scale_embedding", false);
  c.max_positions =
      keys.has("max_position_embeddings") ? keys.integer("max_position_embeddings") : 512;
  c.dropout = keys.number("dropout", 0.1);
  c.attention_dropout = keys.number("attention_dropout", 0);
  // A published model has a bias and yields every id but <pad>.
  c.output_vocabulary_size = c.vocabulary_size - 1;
  c.output_bias = true;
  if (keys.has("heed")) {
    const Keys own(object["heed"], place + ", heed");
    (c.has_decoder() ? c.output_vocabulary_size : c.classes) = own.integer("classes");
    if (!c.has_decoder()) c.classes_of = read_name<ClassesOf>(own, "classes_of", "words or texts");
    if (own.has("target_form"))
      c.target_form = read_name<TargetForm>(own, "target_form", "text or trees");
    c.output_bias = own.boolean("output_bias", false);
    if (own.has("variants"))
      from_json(c.variants, own.required("variants").dump(), place + ", heed, variants");
  }
  c.decoder_start = read_id(keys, "decoder_start_token_id", c.vocabulary_size, c.pad_id());
  c.end = read_id(keys, "eos_token_id", c.vocabulary_size, 0);
  if (c.is_recurrent())
    c.heads = 1, c.d_ff = 0;
  else
    read_transformer(keys, c);
  if (keys.text("model_type") == "marian" && c.output_vocabulary_size == c.vocabulary_size)
    fail("{}: heed.classes is {}, expected 2 to {} in a model of this type", place,
         c.output_vocabulary_size, c.vocabulary_size - 1);
  check_kind(keys, c);
  try {
    c.validate({.vocabulary_size = "vocab_size",
                .output_vocabulary_size = "heed.classes",
                .d_ff = "encoder_ffn_dim",
                .decoder_d_ff = "decoder_ffn_dim",
                .heads = "encoder_attention_heads",
                .max_positions = "max_position_embeddings"});
  } catch (const UsageError& e) {
    fail("{}: {}", place, e.what());
  }
  c.variants = c.variants.normalized(c.d_model, c.heads);
  return c;
}

}  // namespace

const CheckpointLayout& marian_layout() {
  static const MarianLayout layout;
  return layout;
}

}  // namespace heed
