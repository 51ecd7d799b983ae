// The parts of a recurrent layer, for a caller that computes something between its steps: attention
// whose result the next step reads.
#pragma once

#include <memory>

#include "heed/autograd/recurrent.h"

namespace heed {

// One step of n sequences: W x + b and U h + b', [n, gates * d] each, to the state after it.
RecurrentState recurrent_step(ForwardPass& pass, const Tensor& from_input, const Tensor& from_state,
                              const RecurrentState& before, Cell cell);

// A linear layer that is applied to the rows of each step. The gradient of its weight is one
// product over the rows of all steps, instead of one that is read and written at each step.
class StepwiseLinear {
 public:
  // All calls together get `rows` rows.
  StepwiseLinear(ForwardPass& pass, Tensor weight, Tensor bias, int64_t rows);
  // x W^T + b.
  Tensor operator()(ForwardPass& pass, const Tensor& x);

 private:
  struct Operands;
  std::shared_ptr<Operands> all_;
};

// The rows [rows, d] of a batch, given those of each step.
Tensor rows_of_steps(ForwardPass& pass, const std::vector<Tensor>& steps, const TimeOrder& order);

}  // namespace heed
