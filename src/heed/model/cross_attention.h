// The attention of target tokens to source tokens, from which words are aligned.
#pragma once

#include <span>
#include <vector>

#include "heed/autograd/ops.h"
#include "heed/model/alignment_heads.h"
#include "heed/model/on_backend.h"

namespace heed {

struct EncoderOutput;

// The cross-attention weights of a target token over consecutive source tokens. They sum to 1: all
// other source tokens have weight 0.
struct AttentionRow {
  size_t offset = 0;  // source token of the first weight
  std::vector<float> weights;

  friend bool operator==(const AttentionRow&, const AttentionRow&) = default;
};

// A row for each target token. In a line that was split, a row has the source tokens of its own
// part only, so that memory is linear in the length of the line.
using AttentionWeights = std::vector<AttentionRow>;

// The weights of a target, without start and end, in some layers: by layer [heads, target + 1,
// source], none of the others. Row i is of the step that predicts target token i; there is no last
// row for a target that has all positions of the model.
std::vector<Tensor> cross_attention(const SequenceModel& model, ForwardPass& pass,
                                    const EncoderOutput& memory, std::span<const TokenId> target,
                                    std::span<const int64_t> layers);

// Adds a head's weights of a row, divided by `divisor`, to `sums`: those of the first source
// tokens.
void add_row(const Tensor& layer, int64_t head, int64_t row, double divisor,
             std::span<double> sums);

// The attention of a model from which alignments are read: as it was measured
// (decode/alignment_choice.h), or the default of model/alignment_heads.h.
AlignmentHeads alignment_heads_of(const SequenceModel& model);

// Computes the encoder-decoder attention of finished translations in a separate pass, at no cost
// during the search: the mean over alignment_heads_of(). The weights of a pair depend on the pair
// alone.
class Aligner {
 public:
  // For one thread.
  explicit Aligner(const ModelOnBackend& on);
  // Whether the model has such attention.
  bool can_align() const { return !heads_.heads.empty(); }
  // `source` ends with </s>; targets have neither start nor </s> and may be empty. Error for a
  // model without such attention.
  std::vector<AttentionWeights> weights(const std::vector<TokenId>& source,
                                        const std::vector<std::vector<TokenId>>& targets);

 private:
  const ModelOnBackend on_;
  const AlignmentHeads heads_;
  TensorPool pool_;
};

}  // namespace heed
