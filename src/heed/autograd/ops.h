// The model's operations. Each checks shapes, allocates its result, runs the backend's kernel and,
// on a pass with a tape, records its backward step. An op that takes a tensor by value computes in
// its memory if there is no other handle: pass a temporary or std::move().
#pragma once

#include <optional>

#include "heed/autograd/tape.h"

namespace heed {

// The context of one forward pass: its backend, memory pool, tape (in training) and dropout seed.
// Every op takes it as an argument: there is no global mode. With the backend of
// backend/meta_backend.h a pass computes shapes only.
class ForwardPass {
 public:
  ForwardPass(Backend& backend, TensorPool& pool) : backend(backend), pool(pool) {}

  Backend& backend;
  TensorPool& pool;
  Tape* tape = nullptr;                  // null: nothing is recorded
  std::optional<uint64_t> dropout_seed;  // none: no dropout

  Tensor tensor(Shape shape, DType type) { return pool.tensor(std::move(shape), type); }
  // Dropout with the next random stream of the pass. Ops call it in a fixed order, so each of them
  // always gets the same stream.
  Dropout next_dropout(double probability);

 private:
  uint64_t drawn_ = 0;
};

struct EmbedOptions {
  double scale = 1;         // sqrt(d_model), section 3.4
  double dropout = 0;       // on embedding plus position, section 5.4
  TokenId padding_id = -1;  // this row of the table gets no gradient (PyTorch: padding_idx)
  enum class Positions { constant, learned } positions = Positions::constant;
};

// dropout(scale * table[id] + positions[position]); positions may be none, and has a gradient if it
// is learned.
Tensor embed(ForwardPass& pass, const Tokens& tokens, const Tensor& table, const Tensor& positions,
             const EmbedOptions& options);

// activation(x W^T + b); bias may be none.
Tensor linear(ForwardPass& pass, const Tensor& x, const Tensor& weight, const Tensor& bias,
              Activation activation = Activation::none);

Tensor dropout(ForwardPass& pass, const Tensor& x, double probability);

Tensor activate(ForwardPass& pass, const Tensor& x, Activation activation);

// The rows of x that `rows` names, as tokens of a table.
Tensor gather_rows(ForwardPass& pass, const Tensor& x, const Tokens& rows);

// a and b side by side: [rows, 2 d], of two tensors [rows, d].
Tensor concatenate(ForwardPass& pass, const Tensor& a, const Tensor& b);

// Softmax(scale * Q K^T + bias) V, equation 1, with dropout of this probability on the attention
// weights; scores.scale is the caller's, 1 / sqrt(d_key) in the paper. The shapes of keys and
// values decide their number of heads and the output's width (AttentionHeads). If `weights` is not
// null, it is set to the attention weights (AttentionOutput::weights).
Tensor attention(ForwardPass& pass, const AttentionInput& input, const AttentionLayout& layout,
                 const AttentionScores& scores, double dropout = 0, Tensor* weights = nullptr);

// x + Dropout(sublayer).
Tensor add(ForwardPass& pass, const Tensor& x, const Tensor& sublayer, double dropout = 0);

struct AddNormOptions {
  double epsilon = 1e-5;
  double dropout = 0;  // on the sub-layer's output
  NormKind kind = NormKind::layer;
};

// LayerNorm(x), or RMSNorm(x); bias may be none.
Tensor normalize(ForwardPass& pass, const Tensor& x, const Tensor& gain, const Tensor& bias,
                 const AddNormOptions& options);

// normalize(x + Dropout(sublayer)), sections 3.1 and 5.4. Reuses the memory of `sublayer` if there
// is no other handle of it: pass a temporary or std::move().
Tensor add_norm(ForwardPass& pass, const Tensor& x, Tensor sublayer, const Tensor& gain,
                const Tensor& bias, const AddNormOptions& options);

// Operations on the rows of queries and keys, head by head: rotary positions, cosine scores and
// general scores are made of them.

// Rotary position embedding (Su et al. 2021) of x [rows, heads * d], row r at positions[r] [rows].
Tensor rotate(ForwardPass& pass, Tensor x, const Indices& positions, int64_t heads);

// gain[h] * scale * x_h / |x_h| of each head h of x [rows, heads * d]; gain [heads] may be none.
Tensor normalize_heads(ForwardPass& pass, const Tensor& x, const Tensor& gain,
                       const HeadNormOptions& options);

// x_h W_h^T of each head h of x [rows, heads * in], weight [heads * out, in].
Tensor linear_heads(ForwardPass& pass, const Tensor& x, const Tensor& weight);

// The elementwise product of tensors of one shape.
Tensor multiply(ForwardPass& pass, const Tensor& a, const Tensor& b);

struct LossOptions {
  double smoothing = 0;  // section 5.4
  // The gradient is that of this times the sum of smoothed losses: 1 / tokens for their mean.
  double gradient_factor = 1;
};

// Sums over all rows, in nats.
struct Loss {
  double smoothed = 0;  // what is minimised
  double nll = 0;       // -log p(label), without smoothing
  int64_t tokens = 0;
  // The cross entropy of attention that follows given alignments, over `aligned_tokens` target
  // tokens (tasks/guided_alignment.h).
  double alignment = 0;
  int64_t aligned_tokens = 0;

  Loss& operator+=(const Loss& other);
};

// The loss of predicting `labels` from states [rows, d] through table [classes, d] and bias
// [classes] (may be none), computed in blocks of rows: the logits never exist as a whole. If the
// pass has a tape, the gradient is computed in the same blocks, and backward() starts from it.
Loss cross_entropy(ForwardPass& pass, const Tensor& states, const Tensor& table, const Tensor& bias,
                   const Indices& labels, const LossOptions& options);

// The same before they are summed: [rows, 2], each row's smoothed loss and -log p(label).
Tensor cross_entropy_of_rows(ForwardPass& pass, const Tensor& states, const Tensor& table,
                             const Tensor& bias, const Indices& labels, const LossOptions& options);

}  // namespace heed
