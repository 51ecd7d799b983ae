#include "heed/autograd/head_rows.h"

#include "heed/autograd/shared-inl.h"

namespace heed {

// `x` by value: a caller that gives its last handle lets the memory be reused.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
Tensor rotate(ForwardPass& pass, Tensor x, const Indices& positions, int64_t heads) {
  check(int64_t(positions.size()) == x.rows(), "[rotate] one position a row");
  check(x.columns() % (2 * heads) == 0, "[rotate] heads with an even number of columns");
  Tensor y = detail::in_memory_of(pass, x);
  pass.backend.rotate(x, {positions, heads}, y, WriteMode::overwrite);
  if (pass.tape)
    pass.tape->record(y, [&pass, x, positions, heads](const Tensor& dy) {
      GradientBuffer dx = pass.tape->gradient_buffer(x);
      pass.backend.rotate(dy, {positions, heads, Rotation::Direction::inverse}, dx.tensor, dx.mode);
    });
  return y;
}

Tensor normalize_heads(ForwardPass& pass, const Tensor& x, const Tensor& gain,
                       const HeadNormOptions& options) {
  check(x.columns() % options.heads == 0, "[normalize_heads] columns not divisible by heads");
  check(!gain || gain.size() == options.heads, "[normalize_heads] one gain a head");
  Tensor y = pass.tensor(x.shape(), x.dtype());
  pass.backend.normalize_heads(x, gain, options, y);
  if (pass.tape)
    pass.tape->record(y, [&pass, x, gain, options](const Tensor& dy) {
      GradientBuffer dx = pass.tape->gradient_buffer(x);
      Tensor dgain = gain ? pass.tape->accumulation_buffer(gain) : Tensor();
      pass.backend.normalize_heads_gradient(dy, x, gain, options,
                                            {dx.tensor, dx.mode, gain ? &dgain : nullptr});
    });
  return y;
}

Tensor linear_heads(ForwardPass& pass, const Tensor& x, const Tensor& weight) {
  const int64_t heads = x.columns() / weight.columns();
  check(x.columns() % weight.columns() == 0 && weight.rows() % heads == 0,
        "[linear_heads] one weight [out, in] a head");
  Tensor y = pass.tensor({x.rows(), weight.rows()}, x.dtype());
  pass.backend.linear_heads(x, weight, y);
  if (pass.tape)
    pass.tape->record(y, [&pass, x, weight](const Tensor& dy) {
      GradientBuffer dweight = pass.tape->gradient_buffer(weight);
      pass.backend.linear_heads_weight_gradient(dy, x, dweight.tensor, dweight.mode);
      GradientBuffer dx = pass.tape->gradient_buffer(x);
      pass.backend.linear_heads_input_gradient(dy, weight, dx.tensor, dx.mode);
    });
  return y;
}

Tensor multiply(ForwardPass& pass, const Tensor& a, const Tensor& b) {
  check(a.shape() == b.shape(), "[multiply] factors differ in shape");
  Tensor y = pass.tensor(a.shape(), a.dtype());
  pass.backend.multiply(a, b, y, WriteMode::overwrite);
  if (pass.tape)
    pass.tape->record(y, [&pass, a, b](const Tensor& dy) {
      GradientBuffer da = pass.tape->gradient_buffer(a);
      pass.backend.multiply(dy, b, da.tensor, da.mode);
      GradientBuffer db = pass.tape->gradient_buffer(b);
      pass.backend.multiply(dy, a, db.tensor, db.mode);
    });
  return y;
}

}  // namespace heed
