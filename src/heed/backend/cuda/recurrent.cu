#include "heed/backend/cuda/parts-inl.h"
#include "heed/backend/cuda/recurrent.h"

namespace heed::cuda {
namespace {

constexpr int kThreads = 256;

// Calls f(row, column) on the device for each element of the states.
template <class F>
void for_each_state(const StepSize& size, const F& f) {
  const int64_t count = size.rows * size.d, d = size.d;
  launch<kThreads>(blocks_for(count, kThreads), 0, [=] __device__(const Thread& thread) {
    const int64_t i = thread.block() * kThreads + thread.index();
    if (i < count) f(i / d, i % d);
  });
}

__device__ float gate(float sum) {
  return 1 / (1 + expf(-sum));
}
// The derivative of the sigmoid and of tanh, by their values.
__device__ float gate_slope(float value) {
  return value * (1 - value);
}
__device__ float tanh_slope(float value) {
  return 1 - value * value;
}

}  // namespace

void lstm_step(const LstmStep& o, const StepSize& size) {
  const int64_t d = size.d;
  for_each_state(size, [=] __device__(int64_t row, int64_t c) {
    const float *const input = o.from_input + row * 4 * d + c, *const recurrent =
                                                                   o.from_state + row * 4 * d + c;
    const float i = gate(input[0] + recurrent[0]), f = gate(input[d] + recurrent[d]);
    const float g = tanhf(input[2 * d] + recurrent[2 * d]);
    const float out = gate(input[3 * d] + recurrent[3 * d]);
    const float cell = fmaf(f, o.cell_before[row * d + c], i * g);
    float* const kept = o.gates + row * 4 * d + c;
    kept[0] = i;
    kept[d] = f;
    kept[2 * d] = g;
    kept[3 * d] = out;
    o.cell[row * d + c] = cell;
    o.state[row * d + c] = out * tanhf(cell);
  });
}

void lstm_step_gradient(const LstmStepGradient& o, const StepSize& size) {
  const int64_t d = size.d;
  for_each_state(size, [=] __device__(int64_t row, int64_t c) {
    const float* const kept = o.gates + row * 4 * d + c;
    const float i = kept[0], f = kept[d], g = kept[2 * d], out = kept[3 * d];
    const int64_t at = row * d + c;
    const float dh = o.dstate[at], t = tanhf(o.cell[at]);
    const float dc = fmaf(dh * out, tanh_slope(t), o.dcell[at]);
    float* const dsums = o.dsums + row * 4 * d + c;
    dsums[0] = dc * g * gate_slope(i);
    dsums[d] = dc * o.cell_before[at] * gate_slope(f);
    dsums[2 * d] = dc * i * tanh_slope(g);
    dsums[3 * d] = dh * t * gate_slope(out);
    o.dcell[at] = dc * f;
  });
}

void gru_step(const GruStep& o, const StepSize& size) {
  const int64_t d = size.d;
  for_each_state(size, [=] __device__(int64_t row, int64_t c) {
    const float *const input = o.from_input + row * 3 * d + c, *const recurrent =
                                                                   o.from_state + row * 3 * d + c;
    const float r = gate(input[0] + recurrent[0]), z = gate(input[d] + recurrent[d]);
    const float n = tanhf(fmaf(r, recurrent[2 * d], input[2 * d]));
    float* const kept = o.gates + row * 4 * d + c;
    kept[0] = r;
    kept[d] = z;
    kept[2 * d] = n;
    kept[3 * d] = recurrent[2 * d];
    o.state[row * d + c] = fmaf(z, o.state_before[row * d + c] - n, n);
  });
}

void gru_step_gradient(const GruStepGradient& o, const StepSize& size) {
  const int64_t d = size.d;
  for_each_state(size, [=] __device__(int64_t row, int64_t c) {
    const float* const kept = o.gates + row * 4 * d + c;
    const float r = kept[0], z = kept[d], n = kept[2 * d], recurrent = kept[3 * d];
    const int64_t at = row * d + c;
    const float dh = o.dstate[at];
    const float dn = dh * (1 - z) * tanh_slope(n);
    const float dr = dn * recurrent * gate_slope(r);
    const float dz = dh * (o.state_before[at] - n) * gate_slope(z);
    float *const dinput = o.dfrom_input + row * 3 * d + c, *const dstate =
                                                               o.dfrom_state + row * 3 * d + c;
    dinput[0] = dstate[0] = dr;
    dinput[d] = dstate[d] = dz;
    dinput[2 * d] = dn;
    dstate[2 * d] = dn * r;
    o.dstate_before[at] = dh * z;
  });
}

}  // namespace heed::cuda
