// Classes that an encoder without a decoder chooses among: one for each word of a text, or one for
// the text (ModelConfig::classes_of).
#pragma once

#include <span>

#include "heed/model/sequence_model.h"

namespace heed {

// The class of a token that has none: of every piece of a word but its first.
inline constexpr int32_t kNoClass = -1;

// Texts, and the classes of their words or of each.
struct ClassBatch {
  Tokens source;   // each text ended by </s>
  Tokens words;    // of words: the rows of the source that have a class, as sequences of "tokens"
  Indices labels;  // the class of each word, or of each text

  // A text without </s>. Of words: a class for each token, or kNoClass; of texts: one class.
  void add(std::span<const TokenId> tokens, std::span<const int32_t> classes,
           const ModelConfig& config);
};

// The input of the output layer, [labels, d_model]: the states of the words' first tokens, or the
// mean of each text's states, </s> included.
Tensor class_states(const SequenceModel& model, ForwardPass& pass, const ClassBatch& batch);

// The loss of the batch's labels. An empty batch has loss 0 and is not computed.
Loss loss_of(const SequenceModel& model, ForwardPass& pass, const ClassBatch& batch,
             const LossOptions& options);

}  // namespace heed
