// Kernels of recurrent layers: the elementwise part of a step, for any number of sequences. The
// products with W and U are those of linear layers (autograd/recurrent.h). Conventions:
// backend/backend.h.
#pragma once

#include <functional>

#include "heed/core/tensor.h"

namespace heed {

// A step of n sequences of width d. Each row of `from_input`, W x + b, and of `from_state`,
// U h + b', has a block of d columns for each gate, in PyTorch's order. `gates` [n, 4d] is kept for
// the gradient.
struct RecurrentKernels {
  // Long short-term memory (Hochreiter and Schmidhuber, 1997; the forget gate of Gers et al.,
  // 2000), blocks i, f, g, o:
  //   i, f, o = sigmoid(from_input + from_state),  g = tanh(from_input + from_state)
  //   cell = f * cell_before + i * g,  state = o * tanh(cell)
  // gates: i, f, g, o. from_input and from_state [n, 4d]; cell_before, cell and state [n, d].
  std::function<void(const Tensor& from_input, const Tensor& from_state, const Tensor& cell_before,
                     Tensor& gates, Tensor& cell, Tensor& state)>
      lstm_step;
  // dcell comes as the gradient of `cell` from later steps, and becomes that of `cell_before`.
  // dsums [n, 4d]: the gradient of from_input and of from_state alike.
  std::function<void(const Tensor& gates, const Tensor& cell_before, const Tensor& cell,
                     const Tensor& dstate, Tensor& dcell, Tensor& dsums)>
      lstm_step_gradient;

  // Gated recurrent unit (Cho et al., 2014, with the reset gate after the product, as cuDNN and
  // PyTorch have it), blocks r, z, n:
  //   r, z = sigmoid(from_input + from_state),  n = tanh(from_input + r * from_state)
  //   state = (1 - z) * n + z * state_before
  // gates: r, z, n and block n of from_state. from_input and from_state [n, 3d]; state_before and
  // state [n, d].
  std::function<void(const Tensor& from_input, const Tensor& from_state, const Tensor& state_before,
                     Tensor& gates, Tensor& state)>
      gru_step;
  // dfrom_input and dfrom_state [n, 3d]. dstate_before has only the part that does not go through
  // from_state.
  std::function<void(const Tensor& gates, const Tensor& state_before, const Tensor& dstate,
                     Tensor& dfrom_input, Tensor& dfrom_state, Tensor& dstate_before)>
      gru_step_gradient;

  void visit_recurrent_kernels(auto&& f) {
    f("lstm_step", lstm_step), f("lstm_step_gradient", lstm_step_gradient);
    f("gru_step", gru_step), f("gru_step_gradient", gru_step_gradient);
  }
};

}  // namespace heed
