// The kernels of backend/head_rows.h of the reference backend, in plain loops with sums in double.
#pragma once

#include <cmath>
#include <vector>

#include "heed/backend/backend.h"

namespace heed::reference {

// place = value, or place += value, by `mode`.
template <class T>
void put(T& place, double value, WriteMode mode) {
  place = T(mode == WriteMode::overwrite ? value : double(place) + value);
}

template <class T>
struct HeadRowKernelsOf {
  static void rotate(const Tensor& x, const Rotation& rotation, Tensor& y, WriteMode mode) {
    const int64_t columns = x.columns(), d = columns / rotation.heads, half = d / 2;
    const double sign = rotation.direction == Rotation::Direction::forward ? 1 : -1;
    for (int64_t r = 0; r < x.rows(); ++r) {
      for (int64_t h = 0; h < rotation.heads; ++h) {
        for (int64_t c = 0; c < half; ++c) {
          const double angle =
              double(rotation.positions[size_t(r)]) * std::pow(10000.0, -2 * double(c) / double(d));
          const double cosine = std::cos(angle), sine = sign * std::sin(angle);
          const int64_t at = r * columns + h * d + c;
          const double a = double(x.data<T>()[at]), b = double(x.data<T>()[at + half]);
          put(y.data<T>()[at], a * cosine - b * sine, mode);
          put(y.data<T>()[at + half], b * cosine + a * sine, mode);
        }
      }
    }
  }

  // 1 / sqrt(|x|^2 + epsilon) of the `d` elements from `x` on.
  static double inverse_length(const T* x, int64_t d, double epsilon) {
    double squares = 0;
    for (int64_t c = 0; c < d; ++c) squares += double(x[c]) * double(x[c]);
    return 1 / std::sqrt(squares + epsilon);
  }

  static void normalize_heads(const Tensor& x, const Tensor& gain, const HeadNormOptions& options,
                              Tensor& y) {
    const int64_t d = x.columns() / options.heads;
    for (int64_t i = 0; i < x.rows() * options.heads; ++i) {
      const T* from = x.data<T>() + i * d;
      const double factor = options.scale * inverse_length(from, d, options.epsilon) *
                            (gain ? double(gain.data<T>()[i % options.heads]) : 1);
      for (int64_t c = 0; c < d; ++c) y.data<T>()[i * d + c] = T(factor * double(from[c]));
    }
  }

  static void normalize_heads_gradient(const Tensor& dy, const Tensor& x, const Tensor& gain,
                                       const HeadNormOptions& options,
                                       const HeadNormGradient& gradient) {
    const int64_t d = x.columns() / options.heads;
    for (int64_t i = 0; i < x.rows() * options.heads; ++i) {
      const T *from = x.data<T>() + i * d, *dy_row = dy.data<T>() + i * d;
      const int64_t h = i % options.heads;
      const double inverse = inverse_length(from, d, options.epsilon);
      const double factor = options.scale * (gain ? double(gain.data<T>()[h]) : 1);
      double dot = 0;
      for (int64_t c = 0; c < d; ++c) dot += double(dy_row[c]) * double(from[c]);
      if (gradient.dgain) gradient.dgain->data<T>()[h] += T(options.scale * inverse * dot);
      for (int64_t c = 0; c < d; ++c)
        put(gradient.dx.data<T>()[i * d + c],
            factor * inverse * (double(dy_row[c]) - double(from[c]) * inverse * inverse * dot),
            gradient.mode);
    }
  }

  // Calls f(y element, its first x element, its first weight element) for each element of y, the
  // sum of as many products as `weight` has columns.
  template <class F>
  static void each_sum(int64_t rows, int64_t columns, const Tensor& weight, F&& f) {
    const int64_t in = weight.columns(), heads = columns / in, out = weight.rows() / heads;
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t n = 0; n < heads * out; ++n)
        f(r * heads * out + n, r * columns + n / out * in, n * in);
  }
  static void put_sums(const std::vector<double>& sums, Tensor& y, WriteMode mode) {
    T* to = y.data<T>();
    for (size_t i = 0; i < sums.size(); ++i) put(to[i], sums[i], mode);
  }

  static std::vector<double> products(const Tensor& x, const Tensor& weight) {
    const int64_t in = weight.columns(), heads = x.columns() / in;
    const T *xs = x.data<T>(), *weights = weight.data<T>();
    std::vector<double> sums(size_t(x.rows() * heads * (weight.rows() / heads)));
    each_sum(x.rows(), x.columns(), weight, [&](int64_t to, int64_t from, int64_t w) {
      double sum = 0;
      for (int64_t k = 0; k < in; ++k) sum += double(xs[from + k]) * double(weights[w + k]);
      sums[size_t(to)] = sum;
    });
    return sums;
  }
  static void linear_heads(const Tensor& x, const Tensor& weight, Tensor& y) {
    put_sums(products(x, weight), y, WriteMode::overwrite);
  }
  static void linear_heads_input_gradient(const Tensor& dy, const Tensor& weight, Tensor& dx,
                                          WriteMode mode) {
    const int64_t in = weight.columns();
    const T *dys = dy.data<T>(), *weights = weight.data<T>();
    std::vector<double> sums(size_t(dx.size()));
    each_sum(dx.rows(), dx.columns(), weight, [&](int64_t to, int64_t from, int64_t w) {
      double* sum = sums.data() + from;
      for (int64_t k = 0; k < in; ++k) sum[k] += double(dys[to]) * double(weights[w + k]);
    });
    put_sums(sums, dx, mode);
  }
  static void linear_heads_weight_gradient(const Tensor& dy, const Tensor& x, Tensor& dweight,
                                           WriteMode mode) {
    const int64_t in = dweight.columns();
    const T *dys = dy.data<T>(), *xs = x.data<T>();
    std::vector<double> sums(size_t(dweight.size()));
    each_sum(x.rows(), x.columns(), dweight, [&](int64_t to, int64_t from, int64_t w) {
      double* sum = sums.data() + w;
      for (int64_t k = 0; k < in; ++k) sum[k] += double(dys[to]) * double(xs[from + k]);
    });
    put_sums(sums, dweight, mode);
  }

  static void multiply(const Tensor& a, const Tensor& b, Tensor& y, WriteMode mode) {
    for (int64_t i = 0; i < y.size(); ++i)
      put(y.data<T>()[i], double(a.data<T>()[i]) * double(b.data<T>()[i]), mode);
  }
};

}  // namespace heed::reference
