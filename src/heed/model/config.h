// Hyperparameters of a model: those of the paper's Table 3, and choices that it leaves open.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "heed/model/variants.h"

namespace heed {

// The tables among source embedding, target embedding and output projection that are one matrix
// (section 3.4).
enum class TieEmbeddings { all, decoder, none };

constexpr std::array<std::pair<std::string_view, TieEmbeddings>, 3> enum_names(TieEmbeddings) {
  return {{{"all", TieEmbeddings::all},
           {"decoder", TieEmbeddings::decoder},
           {"none", TieEmbeddings::none}}};
}

// The items that an encoder without a decoder classifies: each word of a text, or the whole text.
enum class ClassesOf { words, texts };

constexpr std::array<std::pair<std::string_view, ClassesOf>, 2> enum_names(ClassesOf) {
  return {{{"words", ClassesOf::words}, {"texts", ClassesOf::texts}}};
}

// The targets of a decoder: texts, or trees over the words of its source (text/linear_tree.h).
enum class TargetForm { text, trees };

constexpr std::array<std::pair<std::string_view, TargetForm>, 2> enum_names(TargetForm) {
  return {{{"text", TargetForm::text}, {"trees", TargetForm::trees}}};
}

// Initialization of a matrix [out, in]: uniform in [-bound, bound].
enum class InitialWeights {
  // 1 / sqrt(in), as PyTorch's nn.Linear: layers begin nearer to the identity and learn faster,
  // without warm-up most of all (docs/performance.md).
  fan_in,
  // sqrt(6 / (in + out)) (Glorot and Bengio, 2010), as tensor2tensor.
  xavier
};

constexpr std::array<std::pair<std::string_view, InitialWeights>, 2> enum_names(InitialWeights) {
  return {{{"fan-in", InitialWeights::fan_in}, {"xavier", InitialWeights::xavier}}};
}

// The names of values of a ModelConfig in messages, where they are not those of the fields: the
// keys of config.json.
struct ConfigNames {
  const char* vocabulary_size = "vocabulary_size";
  const char* output_vocabulary_size = "output_vocabulary_size";
  const char* d_ff = "d_ff";
  const char* decoder_d_ff = "decoder_d_ff";
  const char* heads = "heads";
  const char* max_positions = "max_positions";
  const char* decoder_start = "decoder_start";
  const char* end = "end";
};

struct ModelConfig {
  int64_t vocabulary_size = 37000;  // rows of each embedding table, </s>, <unk> and <pad> included
  // The model predicts ids [0, output_vocabulary_size): never <pad>. If these are all, there is no
  // <pad>.
  int64_t output_vocabulary_size = 36999;
  int64_t d_model = 512;
  int64_t d_ff = 2048;                       // 0 in a recurrent model
  std::optional<int64_t> decoder_d_ff = {};  // of the decoder, if it is not d_ff
  int64_t heads = 8;
  int64_t encoder_layers = 6;  // 0: a decoder alone, which reads no source (a language model)
  int64_t decoder_layers = 6;  // 0: an encoder alone, which chooses among classes
  int64_t classes = 0;         // of an encoder alone
  ClassesOf classes_of = ClassesOf::words;
  TargetForm target_form = TargetForm::text;  // trees: a parser
  FeedForwardKind activation = FeedForwardKind::relu;
  TieEmbeddings tie_embeddings = TieEmbeddings::all;
  bool output_bias = false;      // a bias on the logits: published models have one, the paper none
  int64_t max_positions = 1024;  // longest sequence, </s> included
  bool scale_embeddings = true;  // multiply embeddings by sqrt(d_model) (section 3.4)
  std::optional<TokenId> decoder_start = {};  // start_id(), if it is not <pad>
  std::optional<TokenId> end = {};            // end_id(), if it is not 0
  Variants variants;
  // Used in training only.
  double dropout = 0.1;           // sub-layer outputs; embeddings plus positions (section 5.4)
  double attention_dropout = 0;   // attention weights
  double activation_dropout = 0;  // inside the feed-forward networks

  bool is_recurrent() const { return variants.architecture == Architecture::rnn; }
  bool has_encoder() const { return encoder_layers > 0; }
  bool has_decoder() const { return decoder_layers > 0; }
  bool translates() const {
    return has_encoder() && has_decoder() && target_form == TargetForm::text;
  }
  bool parses() const { return target_form == TargetForm::trees; }
  // Width of the feed-forward networks in the decoder.
  int64_t d_ff_of_decoder() const { return decoder_d_ff.value_or(d_ff); }
  // The sizes of each attention block.
  int64_t key_value_heads() const { return variants.key_value_heads.value_or(heads); }
  int64_t d_key() const { return variants.d_key.value_or(d_model / heads); }
  int64_t d_value() const { return variants.d_value.value_or(d_model / heads); }
  // Columns of projected keys and values: what the KV cache holds of each token in each layer.
  int64_t key_columns() const { return key_value_heads() * d_key(); }
  int64_t value_columns() const { return key_value_heads() * d_value(); }

  TokenId end_id() const { return end.value_or(0); }
  // <pad>: the last id, or kNoToken; no batch is padded. Its embedding is zero and gets no
  // gradient.
  TokenId pad_id() const {
    return output_vocabulary_size == vocabulary_size ? kNoToken : TokenId(vocabulary_size - 1);
  }
  // The token with which the decoder's input begins.
  TokenId start_id() const { return decoder_start.value_or(pad_id()); }

  // Throws UsageError naming the value that is out of range or contradicts another.
  void validate(const ConfigNames& names = {}) const;
  friend bool operator==(const ModelConfig&, const ModelConfig&) = default;
};

// "tiny", "small", "base" or "big": base and big are the paper's, Table 3. UsageError otherwise.
ModelConfig preset(std::string_view name);

}  // namespace heed
