// The model's operations. Each checks shapes, allocates its result, runs the backend's kernel and,
// on a pass with a tape, records its backward step.
#pragma once

#include <optional>

#include "heed/autograd/tape.h"

namespace heed {

// One forward pass: where it computes and allocates, whether it records and drops out. Travels as
// an argument through the whole model: there is no global mode. With a pool of counted blocks and
// the backend of backend/shape_backend.h it runs on shapes alone.
class Pass {
 public:
  Pass(Backend& backend, Pool& pool) : backend(backend), pool(pool) {}

  Backend& backend;
  Pool& pool;
  Tape* tape = nullptr;                  // none: nothing is recorded
  std::optional<uint64_t> dropout_seed;  // none: no dropout

  Tensor tensor(Shape shape, DType type) { return pool.tensor(std::move(shape), type); }
  // The dropout of the pass's next op that has one. Ops draw in a fixed order, so each sees its own
  // random stream.
  Dropout next_dropout(double probability);

 private:
  uint64_t drawn_ = 0;
};

struct EmbedOptions {
  double scale = 1;         // sqrt(d_model), section 3.4
  double dropout = 0;       // on embedding plus position, section 5.4
  TokenId padding_id = -1;  // this row of the table gets no gradient (PyTorch: padding_idx)
};

// scale * table[id] + positions[position], dropped out. positions is a constant.
Tensor embed(Pass& pass, const Tokens& tokens, const Tensor& table, const Tensor& positions,
             const EmbedOptions& options);

// activation(x W^T + b); bias may be none.
Tensor linear(Pass& pass, const Tensor& x, const Tensor& weight, const Tensor& bias,
              Activation activation = Activation::none);

Tensor dropout(Pass& pass, const Tensor& x, double probability);

struct AttendOptions {
  int64_t heads = 1;
  double dropout = 0;  // on the attention weights
};

// Softmax(Q K^T / sqrt(d_head)) V, equation 1. Where `weights` is not null, it becomes what the
// values were multiplied by, as AttentionOutput::weights.
Tensor attention(Pass& pass, const AttentionInput& input, const AttentionLayout& layout,
                 const AttendOptions& options, Tensor* weights = nullptr);

struct AddNormOptions {
  double epsilon = 1e-5;
  double dropout = 0;  // on the sub-layer's output
};

// LayerNorm(x + Dropout(sublayer)), sections 3.1 and 5.4. Reuses the memory of `sublayer` where it
// is handed the last handle: pass a temporary or std::move().
Tensor add_norm(Pass& pass, const Tensor& x, Tensor sublayer, const Tensor& gain,
                const Tensor& bias, const AddNormOptions& options);

struct LossOptions {
  double smoothing = 0;       // section 5.4
  double gradient_scale = 1;  // the gradient is that of gradient_scale * sum of smoothed losses
};

// Sums over all rows, in nats.
struct Loss {
  double smoothed = 0;  // what is minimised
  double nll = 0;       // -log p(label), without smoothing
  int64_t tokens = 0;

  Loss& operator+=(const Loss& other);
};

// The loss of predicting `labels` from states [rows, d] through table [classes, d] and bias
// [classes] (may be none), computed in blocks of rows: the logits never exist as a whole. On a pass
// with a tape the gradient is computed along with them, and is where backward() starts.
Loss cross_entropy(Pass& pass, const Tensor& states, const Tensor& table, const Tensor& bias,
                   const Indices& labels, const LossOptions& options);

// The same before they are summed: [rows, 2], each row's smoothed loss and -log p(label).
Tensor cross_entropy_of_rows(Pass& pass, const Tensor& states, const Tensor& table,
                             const Tensor& bias, const Indices& labels, const LossOptions& options);

}  // namespace heed
