// The outputs of a model for a sentence and its translation: states, logits and attention weights.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/decode/text_units.h"
#include "heed/model/config.h"
#include "heed/model/on_backend.h"
#include "heed/text/tokenizer.h"

namespace heed {

// The encoder's output for a sentence.
struct EncoderStates {
  std::vector<std::string> pieces;  // </s> last
  Tensor states;                    // [pieces, d_model]
};

// Row i has the scores of the token that follows the first i pieces of a target, before softmax.
struct TargetLogits {
  std::vector<std::string> pieces;  // of the target, </s> last
  Tensor logits;                    // [pieces, ModelConfig::output_vocabulary_size]
};

// The attention weights of all layers and heads. Target position i is the one that predicts piece
// i: the decoder's input there is piece i - 1, or start_piece at the beginning.
struct PairAttention {
  // </s> last. Of a language model there is no source, of a tagger or a classifier no target.
  std::vector<std::string> source_pieces, target_pieces;
  Tensor encoder;  // [layers, heads, source, source]
  Tensor decoder;  // [layers, heads, target, target]
  Tensor cross;    // [layers, heads, target, source]
  // The pieces of the words of each side (decode/text_units.h); empty where token ids were given
  // instead of text.
  std::vector<PieceRange> source_words = {}, target_words = {};
  std::string start_piece = {};  // that of ModelConfig::start_id()
};

// A model with the tokenizers of its text. All must outlive a call, or what is made of them.
struct ModelParts : ModelOnBackend {
  const TokenizerPair& tokenizers;

  const ModelConfig& config() const;
};

// Error unless the tokenizers fit the model.
void expect_same_vocabulary(const ModelParts& parts);

// One side of a pair as token ids, without </s>: at most one less than the model has positions, so
// that </s> has one.
struct EncodedText {
  std::vector<TokenId> ids;
  bool truncated = false;  // the text has more tokens: no </s> follows these
};
EncodedText encode_to_fit(const Tokenizer& tokenizer, std::string_view text,
                          const ModelConfig& config);

// A language model has no source: it is not read. All three replace invalid UTF-8 by U+FFFD. Error
// for a side with more tokens than the model has positions for, or a vocabulary that does not fit
// the model.
EncoderStates encode(const ModelParts& parts, const std::string& source);
TargetLogits logits(const ModelParts& parts, const std::string& source, const std::string& target);
PairAttention attention(const ModelParts& parts, const std::string& source,
                        const std::string& target);
// The same of token ids: a source with </s>, and a target that may lack it, without <pad>. Neither
// is longer than the model's positions, or empty unless the model has no encoder or decoder.
PairAttention attention(const ModelParts& parts, const std::vector<TokenId>& source,
                        const std::vector<TokenId>& target);

}  // namespace heed
