// The kernels of backend/recurrent.h of the reference backend, in plain loops in double.
#pragma once

#include <cmath>

#include "heed/backend/backend.h"

namespace heed::reference {

template <class T>
struct RecurrentKernelsOf {
  // Block `block` of a row of gates.
  static double gate(const Tensor& gates, int64_t row, int64_t block, int64_t d, int64_t c) {
    return double(gates.data<T>()[row * gates.columns() + block * d + c]);
  }
  static void set(Tensor& gates, int64_t row, int64_t block, int64_t d, int64_t c, double value) {
    gates.data<T>()[row * gates.columns() + block * d + c] = T(value);
  }
  static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

  // Calls f(row, column, index) for each element of the states.
  template <class F>
  static void each(const Tensor& states, F&& f) {
    for (int64_t i = 0; i < states.size(); ++i) f(i / states.columns(), i % states.columns(), i);
  }

  static void lstm_step(const Tensor& from_input, const Tensor& from_state,
                        const Tensor& cell_before, Tensor& gates, Tensor& cell, Tensor& state) {
    const int64_t d = state.columns();
    each(state, [&](int64_t row, int64_t c, int64_t at) {
      const auto sum = [&](int64_t block) {
        return gate(from_input, row, block, d, c) + gate(from_state, row, block, d, c);
      };
      const double i = sigmoid(sum(0)), f = sigmoid(sum(1)), g = std::tanh(sum(2)),
                   o = sigmoid(sum(3));
      const double after = f * double(cell_before.data<T>()[at]) + i * g;
      set(gates, row, 0, d, c, i), set(gates, row, 1, d, c, f);
      set(gates, row, 2, d, c, g), set(gates, row, 3, d, c, o);
      cell.data<T>()[at] = T(after);
      state.data<T>()[at] = T(o * std::tanh(after));
    });
  }

  static void lstm_step_gradient(const Tensor& gates, const Tensor& cell_before, const Tensor& cell,
                                 const Tensor& dstate, Tensor& dcell, Tensor& dsums) {
    const int64_t d = cell.columns();
    each(cell, [&](int64_t row, int64_t c, int64_t at) {
      const double i = gate(gates, row, 0, d, c), f = gate(gates, row, 1, d, c),
                   g = gate(gates, row, 2, d, c), o = gate(gates, row, 3, d, c);
      const double dh = double(dstate.data<T>()[at]), t = std::tanh(double(cell.data<T>()[at]));
      const double dc = double(dcell.data<T>()[at]) + dh * o * (1 - t * t);
      set(dsums, row, 0, d, c, dc * g * i * (1 - i));
      set(dsums, row, 1, d, c, dc * double(cell_before.data<T>()[at]) * f * (1 - f));
      set(dsums, row, 2, d, c, dc * i * (1 - g * g));
      set(dsums, row, 3, d, c, dh * t * o * (1 - o));
      dcell.data<T>()[at] = T(dc * f);
    });
  }

  static void gru_step(const Tensor& from_input, const Tensor& from_state,
                       const Tensor& state_before, Tensor& gates, Tensor& state) {
    const int64_t d = state.columns();
    each(state, [&](int64_t row, int64_t c, int64_t at) {
      const auto sum = [&](int64_t block) {
        return gate(from_input, row, block, d, c) + gate(from_state, row, block, d, c);
      };
      const double r = sigmoid(sum(0)), z = sigmoid(sum(1)),
                   recurrent = gate(from_state, row, 2, d, c);
      const double n = std::tanh(gate(from_input, row, 2, d, c) + r * recurrent);
      set(gates, row, 0, d, c, r), set(gates, row, 1, d, c, z);
      set(gates, row, 2, d, c, n), set(gates, row, 3, d, c, recurrent);
      state.data<T>()[at] = T((1 - z) * n + z * double(state_before.data<T>()[at]));
    });
  }

  static void gru_step_gradient(const Tensor& gates, const Tensor& state_before,
                                const Tensor& dstate, Tensor& dfrom_input, Tensor& dfrom_state,
                                Tensor& dstate_before) {
    const int64_t d = dstate.columns();
    each(dstate, [&](int64_t row, int64_t c, int64_t at) {
      const double r = gate(gates, row, 0, d, c), z = gate(gates, row, 1, d, c),
                   n = gate(gates, row, 2, d, c), recurrent = gate(gates, row, 3, d, c);
      const double dh = double(dstate.data<T>()[at]);
      const double dn = dh * (1 - z) * (1 - n * n);
      const double dr = dn * recurrent * r * (1 - r);
      const double dz = dh * (double(state_before.data<T>()[at]) - n) * z * (1 - z);
      for (Tensor* out : {&dfrom_input, &dfrom_state})
        set(*out, row, 0, d, c, dr), set(*out, row, 1, d, c, dz);
      set(dfrom_input, row, 2, d, c, dn);
      set(dfrom_state, row, 2, d, c, dn * r);
      dstate_before.data<T>()[at] = T(dh * z);
    });
  }
};

}  // namespace heed::reference
