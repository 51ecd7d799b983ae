// The gradients of a whole model.
#pragma once

#include <functional>
#include <vector>

#include "heed/model/sequence_model.h"

namespace heed::testing {

// The gradients of all parameters, in their order. `record` computes a loss on a pass with the tape
// and runs the backward steps.
inline std::vector<Tensor> model_gradients(SequenceModel& model, Backend& backend, TensorPool& pool,
                                           const std::function<void(Tape& tape)>& record) {
  Tape tape(pool);
  std::vector<Tensor> gradients;
  for (const Parameter& p : parameters(model)) {
    gradients.emplace_back(p.tensor.shape(), p.tensor.dtype(), backend.memory());
    tape.watch(p.tensor, gradients.back());
  }
  record(tape);
  return gradients;
}

}  // namespace heed::testing
