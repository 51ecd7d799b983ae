#include "heed/model/gpt2.h"

#include <cmath>
#include <map>

#include "heed/model/config_keys.h"

namespace heed {
namespace {

using detail::Keys;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr TokenId kUsualEnd = 50256;  // <|endoftext|>
constexpr double kEpsilon = 1e-5;     // of the layer norms, as heed's

const Variants kVariants{.positions = Positions::learned, .norm = NormPlacement::pre};

// The factor of embeddings in the input of the first layer.
double scale_of(const ModelConfig& config) {
  return config.scale_embeddings ? std::sqrt(double(config.d_model)) : 1;
}

// Collects the tensors in the order of the file.
class Gpt2Tensors {
 public:
  explicit Gpt2Tensors(const std::vector<Parameter>& parameters) {
    for (const Parameter& parameter : parameters) parameters_.emplace(parameter.name, parameter);
  }

  bool has(const std::string& name) const { return parameters_.contains(name); }
  void add(const std::string& heed, std::vector<std::string> names, const Placement& placement) {
    const auto found = parameters_.find(heed);
    check(found != parameters_.end(), "GPT-2 has a parameter that the model lacks");
    tensors_.push_back({found->second, std::move(names), placement});
  }
  // A tensor of GPT2Model: its name begins with "transformer." in a GPT2LMHeadModel.
  void add_inner(const std::string& heed, const std::string& name,
                 const Placement& placement = {}) {
    add(heed, {"transformer." + name, name}, placement);
  }
  void norm(const std::string& heed, const std::string& name, const Placement& placement = {}) {
    add_inner(heed + ".gain", name + ".weight", placement);
    add_inner(heed + ".bias", name + ".bias", placement);
  }
  // Several linear layers side by side in one "Conv1D", which has its matrix transposed.
  void linear(const std::vector<std::string>& heed, const std::string& name) {
    for (const bool bias : {false, true})
      for (size_t part = 0; part < heed.size(); ++part)
        add_inner(heed[part] + (bias ? ".bias" : ".weight"), name + (bias ? ".bias" : ".weight"),
                  {.transposed = !bias, .part = int64_t(part), .parts = int64_t(heed.size())});
  }
  void layer(const std::string& heed, const std::string& name) {
    norm(heed + "self_norm", name + "ln_1");
    linear({heed + "self.query", heed + "self.key", heed + "self.value"}, name + "attn.c_attn");
    linear({heed + "self.output"}, name + "attn.c_proj");
    norm(heed + "feed_forward_norm", name + "ln_2");
    linear({heed + "feed_forward.inner"}, name + "mlp.c_fc");
    linear({heed + "feed_forward.output"}, name + "mlp.c_proj");
  }
  std::vector<LayoutTensor> take() { return std::move(tensors_); }

 private:
  std::map<std::string, Parameter> parameters_;  // by name
  std::vector<LayoutTensor> tensors_;
};

class Gpt2Layout : public CheckpointLayout {
 public:
  LayoutTensors tensors(const ModelConfig& config,
                        const std::vector<Parameter>& parameters) const override;
  std::string write_config(const ModelConfig& config, DType weights) const override;
  ModelConfig read_config(std::string_view text, const std::string& place) const override;
  GenerationForm generation_form() const override { return GenerationForm::decoder_alone; }
};

LayoutTensors Gpt2Layout::tensors(const ModelConfig& config,
                                  const std::vector<Parameter>& parameters) const {
  Gpt2Tensors all(parameters);
  const double scale = scale_of(config);
  const std::string inner = "transformer.", output = "lm_head.weight";
  const bool tied = config.tie_embeddings != TieEmbeddings::none;
  const std::string table =
      all.has("embeddings.shared") ? "embeddings.shared" : "embeddings.target";
  std::vector<std::string> names{inner + "wte.weight", "wte.weight"};
  if (tied) names.push_back(output);
  all.add(table, names, {.factor = scale});
  all.add_inner("decoder_stack.positions", "wpe.weight");
  LayoutTensors layout;
  for (int64_t i = 0; i < config.decoder_layers; ++i) {
    const std::string name = fmt::format("h.{}.", i);
    all.layer(fmt::format("decoder.{}.", i), name);
    // The causal mask, and what masked scores become.
    for (const char* buffer : {"attn.bias", "attn.masked_bias"})
      for (const std::string& prefix : {inner, std::string()})
        layout.ignored.push_back(prefix + name + buffer);
  }
  all.norm("decoder_stack.norm", "ln_f", {.factor = tied ? 1 / scale : 1});
  if (!tied) all.add("embeddings.output", {output}, {});
  layout.parameters = all.take();
  return layout;
}

std::string Gpt2Layout::write_config(const ModelConfig& c, DType weights) const {
  check(is_gpt2(c) && weights != DType::int8, "GPT-2's layout cannot express the model");
  ordered_json object = {
      {"model_type", "gpt2"},
      {"architectures", {"GPT2LMHeadModel"}},
      {"vocab_size", c.vocabulary_size},
      {"n_positions", c.max_positions},
      {"n_ctx", c.max_positions},
      {"n_embd", c.d_model},
      {"n_layer", c.decoder_layers},
      {"n_head", c.heads},
      {"n_inner", c.d_ff_of_decoder()},
      {"activation_function", detail::activation_name(c.activation)},
      {"resid_pdrop", c.dropout},
      {"embd_pdrop", c.dropout},
      {"attn_pdrop", c.attention_dropout},
      {"layer_norm_epsilon", kEpsilon},
      {"scale_attn_weights", true},
      {"tie_word_embeddings", c.tie_embeddings != TieEmbeddings::none},
      {"bos_token_id", int64_t(c.start_id())},
      {"eos_token_id", int64_t(c.end_id())},
      // Values that the layout has no key for; other programs ignore them.
      {"heed",
       {{"classes", c.output_vocabulary_size},
        {"scale_embedding", c.scale_embeddings},
        {"tie_embeddings", to_text(c.tie_embeddings)},
        {"activation_dropout", c.activation_dropout}}},
  };
  if (c.pad_id() != kNoToken) object["pad_token_id"] = int64_t(c.pad_id());
  if (weights == DType::bf16) object["torch_dtype"] = "bfloat16";
  return object.dump(2) + "\n";
}

// Refuses what heed cannot compute.
void check_gpt2(const Keys& keys) {
  const char* why = "heed computes no other kind of GPT-2";
  keys.expect("scale_attn_weights", true, true, why);
  keys.expect("scale_attn_by_inverse_layer_idx", false, false, why);
  keys.expect("add_cross_attention", false, false, why);
  keys.expect("is_encoder_decoder", false, false, why);
  const double epsilon = keys.number("layer_norm_epsilon", kEpsilon);
  if (std::abs(epsilon - kEpsilon) > 1e-9)
    keys.reject("layer_norm_epsilon", epsilon, "1e-05 (as heed's layer norms have)");
}

// The id of a token that GPT-2 has last in its vocabulary.
TokenId token_of(const Keys& keys, const char* key, int64_t vocabulary) {
  const int64_t id = keys.has(key) ? keys.integer(key) : kUsualEnd;
  if (id >= vocabulary) keys.reject(key, id, "an id of the vocabulary, below vocab_size");
  return TokenId(id);
}

// Reads the values that only heed writes.
void read_own_keys(const Keys& own, ModelConfig& c) {
  c.output_vocabulary_size = own.integer("classes");
  c.scale_embeddings = own.boolean("scale_embedding", false);
  c.activation_dropout = own.number("activation_dropout", 0);
  const bool tied = c.tie_embeddings != TieEmbeddings::none;
  const std::string tie = own.text("tie_embeddings");
  for (const auto& [name, value] : enum_names(TieEmbeddings{}))
    if (tie == name && (value != TieEmbeddings::none) == tied) {
      c.tie_embeddings = value;
      return;
    }
  own.reject("tie_embeddings", tie, tied ? "all or decoder" : "none");
}

ModelConfig Gpt2Layout::read_config(std::string_view text, const std::string& place) const {
  const json object = detail::parse_json(text, place);
  const Keys keys(object, place);
  keys.expect("model_type", "gpt2", nullptr, "GPT-2's layout");
  check_gpt2(keys);
  ModelConfig c;
  c.vocabulary_size = c.output_vocabulary_size = keys.integer("vocab_size");
  c.d_model = keys.integer("n_embd");
  c.encoder_layers = 0;
  c.decoder_layers = keys.integer("n_layer");
  c.heads = keys.integer("n_head");
  if (c.heads < 1 || c.d_model % c.heads != 0)
    keys.reject("n_head", c.heads, fmt::format("a divisor of n_embd, {}", c.d_model));
  constexpr int64_t kMaxWidth = int64_t{1} << 32;  // validate() refuses less
  c.d_ff = keys.has("n_inner") ? keys.integer("n_inner") : 4 * std::min(c.d_model, kMaxWidth);
  c.activation =
      keys.has("activation_function") ? detail::read_activation(keys) : FeedForwardKind::gelu_tanh;
  if (c.activation == FeedForwardKind::swiglu)
    keys.reject("activation_function", "swiglu", "an activation of GPT-2");
  c.max_positions = keys.has("n_positions") ? keys.integer("n_positions") : 1024;
  c.variants = kVariants;
  c.tie_embeddings =
      keys.boolean("tie_word_embeddings", true) ? TieEmbeddings::all : TieEmbeddings::none;
  c.scale_embeddings = false;
  c.dropout = keys.number("resid_pdrop", 0.1);
  c.attention_dropout = keys.number("attn_pdrop", 0.1);
  if (keys.has("heed")) read_own_keys(Keys(object["heed"], place + ", heed"), c);
  const TokenId start = token_of(keys, "bos_token_id", c.vocabulary_size);
  if (start != c.pad_id()) c.decoder_start = start;
  const TokenId end = token_of(keys, "eos_token_id", c.vocabulary_size);
  if (end != 0) c.end = end;
  try {
    c.validate({.vocabulary_size = "vocab_size",
                .output_vocabulary_size = "heed.classes",
                .d_ff = "n_inner",
                .decoder_d_ff = "n_inner",
                .heads = "n_head",
                .max_positions = "n_positions",
                .decoder_start = "bos_token_id",
                .end = "eos_token_id"});
  } catch (const UsageError& e) {
    fail("{}: {}", place, e.what());
  }
  return c;
}

}  // namespace

const CheckpointLayout& gpt2_layout() {
  static const Gpt2Layout layout;
  return layout;
}

bool is_gpt2(const ModelConfig& config) {
  return !config.has_encoder() && config.has_decoder() && !config.parses() &&
         config.variants == kVariants && config.activation != FeedForwardKind::swiglu &&
         !config.output_bias;
}

}  // namespace heed
