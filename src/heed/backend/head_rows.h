// Kernels on the rows of queries and keys, head by head, before their scores are computed: rotary
// positions, cosine and general scores; and the product of SwiGLU. Conventions: backend/backend.h.
#pragma once

#include <functional>

#include "heed/backend/kinds.h"
#include "heed/core/indices.h"
#include "heed/core/tensor.h"

namespace heed {

// Rotary position embedding, "RoFormer" (Su et al. 2021), equation 34: columns c and c + d / 2 of
// each head of d columns (the order of GPT-NeoX) are rotated by the angle
// position / 10000^(2 c / d).
struct Rotation {
  enum class Direction { forward, inverse };

  const Indices& positions;  // [rows]
  int64_t heads = 1;         // of d = columns / heads columns each; d is even
  Direction direction = Direction::forward;
};

// y = gain * scale * x / sqrt(|x|^2 + epsilon) for each head of a row, so that scores are cosines.
// Epsilon keeps the gradient of a row of zeros finite.
struct HeadNormOptions {
  int64_t heads = 1;
  double scale = 1;
  double epsilon = 1e-12;
};

struct HeadNormGradient {
  Tensor& dx;  // overwritten or added to, by `mode`
  WriteMode mode;
  Tensor* dgain;  // [heads], added to; null: not wanted
};

struct HeadRowKernels {
  // y = x rotated. x and y may be the same tensor under WriteMode::overwrite. The gradient is the
  // rotation in the other direction.
  std::function<void(const Tensor& x, const Rotation& rotation, Tensor& y, WriteMode mode)> rotate;

  // gain [heads] or none. x and y may be the same tensor.
  std::function<void(const Tensor& x, const Tensor& gain, const HeadNormOptions& options,
                     Tensor& y)>
      normalize_heads;
  std::function<void(const Tensor& dy, const Tensor& x, const Tensor& gain,
                     const HeadNormOptions& options, const HeadNormGradient& gradient)>
      normalize_heads_gradient;

  // y_h = x_h W_h^T: a linear layer of its own for each head, as the "general" score of Luong et
  // al. (2015) has. x [rows, heads * in], weight [heads * out, in], y [rows, heads * out].
  std::function<void(const Tensor& x, const Tensor& weight, Tensor& y)> linear_heads;
  // dx_h = dy_h W_h.
  std::function<void(const Tensor& dy, const Tensor& weight, Tensor& dx, WriteMode mode)>
      linear_heads_input_gradient;
  // dW_h = dy_h^T x_h.
  std::function<void(const Tensor& dy, const Tensor& x, Tensor& dweight, WriteMode mode)>
      linear_heads_weight_gradient;

  // y[i] = a[i] b[i]. All may be the same tensor under WriteMode::overwrite.
  std::function<void(const Tensor& a, const Tensor& b, Tensor& y, WriteMode mode)> multiply;

  void visit_head_row_kernels(auto&& f) {
    f("rotate", rotate), f("normalize_heads", normalize_heads);
    f("normalize_heads_gradient", normalize_heads_gradient), f("linear_heads", linear_heads);
    f("linear_heads_input_gradient", linear_heads_input_gradient);
    f("linear_heads_weight_gradient", linear_heads_weight_gradient), f("multiply", multiply);
  }
};

}  // namespace heed
