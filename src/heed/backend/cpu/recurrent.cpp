// The kernels of backend/recurrent.h.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/recurrent.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

// A vector of each block of a row of gates, at some column of them.
struct Blocks {
  const float* row;
  int64_t d, column;

  HWY_INLINE Vector operator[](int block) const {
    return load(row + block * d + column, d - column);
  }
};

// The same for a row that is written.
struct WrittenBlocks {
  float* row;
  int64_t d, column;

  HWY_INLINE void put(int block, Vector value) const {
    store(value, row + block * d + column, d - column);
  }
};

// The derivative of the sigmoid and of tanh, by their values.
HWY_INLINE Vector sigmoid_slope(Vector value) {
  return hn::NegMulAdd(value, value, value);
}
HWY_INLINE Vector tanh_slope(Vector value) {
  return hn::NegMulAdd(value, value, set(1.0f));
}

// Calls f(r, c) for the columns [c, c + kLanes) of each row.
template <class F>
HWY_INLINE void each_vector(int64_t rows, int64_t d, const F& f) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < d; c += kLanes) f(r, c);
}

void lstm_step(const Tensor& from_input, const Tensor& from_state, const Tensor& cell_before,
               Tensor& gates, Tensor& cell, Tensor& state) {
  const int64_t d = state.columns();
  each_vector(state.rows(), d, [&](int64_t r, int64_t c) {
    const Blocks input{from_input.data<float>() + r * 4 * d, d, c};
    const Blocks recurrent{from_state.data<float>() + r * 4 * d, d, c};
    const Vector i = sigmoid(hn::Add(input[0], recurrent[0]));
    const Vector f = sigmoid(hn::Add(input[1], recurrent[1]));
    const Vector g = tanh(hn::Add(input[2], recurrent[2]));
    const Vector o = sigmoid(hn::Add(input[3], recurrent[3]));
    const int64_t at = r * d + c, left = d - c;
    const Vector after = hn::MulAdd(f, load(cell_before.data<float>() + at, left), hn::Mul(i, g));
    const WrittenBlocks kept{gates.data<float>() + r * 4 * d, d, c};
    kept.put(0, i), kept.put(1, f), kept.put(2, g), kept.put(3, o);
    store(after, cell.data<float>() + at, left);
    store(hn::Mul(o, tanh(after)), state.data<float>() + at, left);
  });
}

void lstm_step_gradient(const Tensor& gates, const Tensor& cell_before, const Tensor& cell,
                        const Tensor& dstate, Tensor& dcell, Tensor& dsums) {
  const int64_t d = cell.columns();
  each_vector(cell.rows(), d, [&](int64_t r, int64_t c) {
    const Blocks kept{gates.data<float>() + r * 4 * d, d, c};
    const Vector i = kept[0], f = kept[1], g = kept[2], o = kept[3];
    const int64_t at = r * d + c, left = d - c;
    const Vector dh = load(dstate.data<float>() + at, left);
    const Vector t = tanh(load(cell.data<float>() + at, left));
    float* const later = dcell.data<float>() + at;
    const Vector dc = hn::MulAdd(hn::Mul(dh, o), tanh_slope(t), load(later, left));
    const Vector before = load(cell_before.data<float>() + at, left);
    const WrittenBlocks out{dsums.data<float>() + r * 4 * d, d, c};
    out.put(0, hn::Mul(hn::Mul(dc, g), sigmoid_slope(i)));
    out.put(1, hn::Mul(hn::Mul(dc, before), sigmoid_slope(f)));
    out.put(2, hn::Mul(hn::Mul(dc, i), tanh_slope(g)));
    out.put(3, hn::Mul(hn::Mul(dh, t), sigmoid_slope(o)));
    store(hn::Mul(dc, f), later, left);
  });
}

void gru_step(const Tensor& from_input, const Tensor& from_state, const Tensor& state_before,
              Tensor& gates, Tensor& state) {
  const int64_t d = state.columns();
  each_vector(state.rows(), d, [&](int64_t row, int64_t c) {
    const Blocks input{from_input.data<float>() + row * 3 * d, d, c};
    const Blocks recurrent{from_state.data<float>() + row * 3 * d, d, c};
    const Vector r = sigmoid(hn::Add(input[0], recurrent[0]));
    const Vector z = sigmoid(hn::Add(input[1], recurrent[1]));
    const Vector n = tanh(hn::MulAdd(r, recurrent[2], input[2]));
    const int64_t at = row * d + c, left = d - c;
    const Vector before = load(state_before.data<float>() + at, left);
    const WrittenBlocks kept{gates.data<float>() + row * 4 * d, d, c};
    kept.put(0, r), kept.put(1, z), kept.put(2, n), kept.put(3, recurrent[2]);
    store(hn::MulAdd(z, hn::Sub(before, n), n), state.data<float>() + at, left);
  });
}

void gru_step_gradient(const Tensor& gates, const Tensor& state_before, const Tensor& dstate,
                       Tensor& dfrom_input, Tensor& dfrom_state, Tensor& dstate_before) {
  const int64_t d = dstate.columns();
  each_vector(dstate.rows(), d, [&](int64_t row, int64_t c) {
    const Blocks kept{gates.data<float>() + row * 4 * d, d, c};
    const Vector r = kept[0], z = kept[1], n = kept[2], recurrent = kept[3];
    const int64_t at = row * d + c, left = d - c;
    const Vector dh = load(dstate.data<float>() + at, left);
    const Vector before = load(state_before.data<float>() + at, left);
    const Vector dn = hn::Mul(hn::Mul(dh, hn::Sub(set(1.0f), z)), tanh_slope(n));
    const Vector dr = hn::Mul(hn::Mul(dn, recurrent), sigmoid_slope(r));
    const Vector dz = hn::Mul(hn::Mul(dh, hn::Sub(before, n)), sigmoid_slope(z));
    const WrittenBlocks input{dfrom_input.data<float>() + row * 3 * d, d, c};
    const WrittenBlocks of_state{dfrom_state.data<float>() + row * 3 * d, d, c};
    input.put(0, dr), input.put(1, dz), input.put(2, dn);
    of_state.put(0, dr), of_state.put(1, dz), of_state.put(2, hn::Mul(dn, r));
    store(hn::Mul(dh, z), dstate_before.data<float>() + at, left);
  });
}

}  // namespace

void fill_recurrent_kernels(CpuKernels& kernels) {
  kernels.lstm_step = lstm_step;
  kernels.lstm_step_gradient = lstm_step_gradient;
  kernels.gru_step = gru_step;
  kernels.gru_step_gradient = gru_step_gradient;
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {

HWY_EXPORT(fill_recurrent_kernels);
void fill_recurrent(int64_t target, CpuKernels& kernels) {
  HWY_DISPATCH_TABLE(fill_recurrent_kernels)[dispatch_index(target)](kernels);
}

}  // namespace heed::cpu
#endif
