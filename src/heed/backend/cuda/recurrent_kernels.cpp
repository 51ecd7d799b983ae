#include "heed/backend/cuda/fill.h"
#include "heed/backend/cuda/memory.h"
#include "heed/backend/cuda/recurrent.h"

namespace heed::cuda {
namespace {

StepSize size_of_step(const Tensor& states) {
  return {states.rows(), states.columns()};
}

}  // namespace

void fill_recurrent(Kernels& kernels) {
  kernels.lstm_step = [](const Tensor& from_input, const Tensor& from_state,
                         const Tensor& cell_before, Tensor& gates, Tensor& cell, Tensor& state) {
    lstm_step({device_data<float>(from_input), device_data<float>(from_state),
               device_data<float>(cell_before), device_data<float>(gates), device_data<float>(cell),
               device_data<float>(state)},
              size_of_step(state));
  };
  kernels.lstm_step_gradient = [](const Tensor& gates, const Tensor& cell_before,
                                  const Tensor& cell, const Tensor& dstate, Tensor& dcell,
                                  Tensor& dsums) {
    lstm_step_gradient(
        {device_data<float>(gates), device_data<float>(cell_before), device_data<float>(cell),
         device_data<float>(dstate), device_data<float>(dcell), device_data<float>(dsums)},
        size_of_step(cell));
  };
  kernels.gru_step = [](const Tensor& from_input, const Tensor& from_state,
                        const Tensor& state_before, Tensor& gates, Tensor& state) {
    gru_step(
        {device_data<float>(from_input), device_data<float>(from_state),
         device_data<float>(state_before), device_data<float>(gates), device_data<float>(state)},
        size_of_step(state));
  };
  kernels.gru_step_gradient = [](const Tensor& gates, const Tensor& state_before,
                                 const Tensor& dstate, Tensor& dfrom_input, Tensor& dfrom_state,
                                 Tensor& dstate_before) {
    gru_step_gradient({device_data<float>(gates), device_data<float>(state_before),
                       device_data<float>(dstate), device_data<float>(dfrom_input),
                       device_data<float>(dfrom_state), device_data<float>(dstate_before)},
                      size_of_step(dstate));
  };
}

}  // namespace heed::cuda
