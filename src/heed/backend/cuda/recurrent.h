// Kernels of recurrent layers, as those of these names in backend/recurrent.h.
#pragma once

#include <cstdint>

namespace heed::cuda {

// Sequences of a step, and the width of their states.
struct StepSize {
  int64_t rows, d;
};

struct LstmStep {
  const float *from_input, *from_state, *cell_before;
  float *gates, *cell, *state;
};
void lstm_step(const LstmStep& operands, const StepSize& size);

struct LstmStepGradient {
  const float *gates, *cell_before, *cell, *dstate;
  float *dcell, *dsums;
};
void lstm_step_gradient(const LstmStepGradient& operands, const StepSize& size);

struct GruStep {
  const float *from_input, *from_state, *state_before;
  float *gates, *state;
};
void gru_step(const GruStep& operands, const StepSize& size);

struct GruStepGradient {
  const float *gates, *state_before, *dstate;
  float *dfrom_input, *dfrom_state, *dstate_before;
};
void gru_step_gradient(const GruStepGradient& operands, const StepSize& size);

}  // namespace heed::cuda
