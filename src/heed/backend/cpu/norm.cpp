// Residual connection, dropout and layer normalisation in one pass (section 3.1).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/norm.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include <cmath>

#include "heed/backend/cpu/dispatch.h"
#include "heed/backend/cpu/kernels.h"
#include "heed/backend/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

// sum = x + dropout(sublayer) for one row whose first element has index `index`; returns its mean.
HWY_INLINE float add_row(const float* x, const float* sublayer, const DropoutFactors& factors,
                         int64_t index, int64_t d, float* sum) {
  Vector total = zero();
  for (int64_t c = 0; c < d; c += kLanes) {
    Vector value = load(sublayer + c, d - c);
    if (factors.on()) value = hn::Mul(value, factors.at(index + c));
    value = hn::Add(load(x + c, d - c), value);
    store(value, sum + c, d - c);
    // Lanes beyond the row's end hold 0 + 0 * factor.
    total = hn::Add(total, value);
  }
  return sum_of(total) / float(d);
}

HWY_INLINE float mean_of(const float* row, int64_t d) {
  Vector total = zero();
  for (int64_t c = 0; c < d; c += kLanes) total = hn::Add(total, load(row + c, d - c));
  return sum_of(total) / float(d);
}

HWY_INLINE float inverse_deviation(const float* row, int64_t d, float mean, double epsilon) {
  Vector squares = zero();
  for (int64_t c = 0; c < d; c += kLanes) {
    const Vector centred = hn::Sub(load(row + c, d - c), set(mean));
    const Vector counted = first(centred, d - c, zero());
    squares = hn::MulAdd(counted, counted, squares);
  }
  return float(1 / std::sqrt(double(sum_of(squares)) / double(d) + epsilon));
}

HWY_INLINE void normalize_row(const float* sum, const float* gain, const float* bias, int64_t d,
                              float mean, float inverse, float* y) {
  for (int64_t c = 0; c < d; c += kLanes) {
    const int64_t left = d - c;
    const Vector normal = hn::Mul(hn::Sub(load(sum + c, left), set(mean)), set(inverse));
    const Vector shift = bias ? load(bias + c, left) : zero();
    store(hn::MulAdd(normal, load(gain + c, left), shift), y + c, left);
  }
}

void add_norm(const Tensor& x, const Tensor& sublayer, const Tensor& gain, const Tensor& bias,
              const NormOptions& options, Tensor& sum, Tensor& statistics, Tensor& y) {
  const int64_t d = x.columns();
  const DropoutFactors factors(options.dropout);
  const float* shift = bias ? bias.data<float>() : nullptr;
  for (int64_t r = 0; r < x.rows(); ++r) {
    const float* row = x.data<float>() + r * d;
    float mean = 0;
    if (sublayer) {
      float* added = sum.data<float>() + r * d;
      mean = add_row(row, sublayer.data<float>() + r * d, factors, r * d, d, added);
      row = added;
    } else if (options.kind == NormKind::layer) {
      mean = mean_of(row, d);
    }
    if (options.kind == NormKind::rms) mean = 0;
    const float inverse = inverse_deviation(row, d, mean, options.epsilon);
    statistics.data<float>()[2 * r] = mean;
    statistics.data<float>()[2 * r + 1] = inverse;
    normalize_row(row, gain.data<float>(), shift, d, mean, inverse, y.data<float>() + r * d);
  }
}

// One row of the gradient: the pointers are at the row's first element.
struct RowGradient {
  const float *dy, *sum, *gain;
  float *dx, *dsublayer, *dgain, *dbias;  // dsublayer and dbias may be null
};

// Adds to dgain and dbias; gives the means of g = dy * gain and of g * normal.
HWY_INLINE std::pair<float, float> reduce_row(const RowGradient& row, int64_t d, float mean,
                                              float inverse) {
  Vector total = zero(), weighted = zero();
  for (int64_t c = 0; c < d; c += kLanes) {
    const int64_t left = d - c;
    const Vector dy = load(row.dy + c, left);  // zeros beyond the end make the rest zero
    const Vector normal = hn::Mul(hn::Sub(load(row.sum + c, left), set(mean)), set(inverse));
    store(hn::MulAdd(dy, normal, load(row.dgain + c, left)), row.dgain + c, left);
    if (row.dbias) store(hn::Add(dy, load(row.dbias + c, left)), row.dbias + c, left);
    const Vector g = hn::Mul(dy, load(row.gain + c, left));
    total = hn::Add(total, g);
    weighted = hn::MulAdd(g, normal, weighted);
  }
  return {sum_of(total) / float(d), sum_of(weighted) / float(d)};
}

// Of a row: what it was normalized by, and the means of reduce_row().
struct RowStatistics {
  float mean, inverse, total, weighted;
};

// The gradient of one normalized row, and of the sub-layer's where there is one.
HWY_INLINE void row_gradient(const RowGradient& row, const DropoutFactors& factors, int64_t index,
                             WriteMode mode, const RowStatistics& statistics, int64_t d) {
  for (int64_t c = 0; c < d; c += kLanes) {
    const int64_t left = d - c;
    const Vector g = hn::Mul(load(row.dy + c, left), load(row.gain + c, left));
    const Vector normal =
        hn::Mul(hn::Sub(load(row.sum + c, left), set(statistics.mean)), set(statistics.inverse));
    const Vector centred =
        hn::NegMulAdd(normal, set(statistics.weighted), hn::Sub(g, set(statistics.total)));
    const Vector dx = hn::Mul(centred, set(statistics.inverse));
    store(mode == WriteMode::overwrite ? dx : hn::Add(load(row.dx + c, left), dx), row.dx + c,
          left);
    if (row.dsublayer)
      store(factors.on() ? hn::Mul(dx, factors.at(index + c)) : dx, row.dsublayer + c, left);
  }
}

void add_norm_gradient(const Tensor& dy, const Tensor& sum, const Tensor& statistics,
                       const Tensor& gain, const NormOptions& options, const AddNormGradient& out) {
  const int64_t d = dy.columns();
  const DropoutFactors factors(options.dropout);
  for (int64_t r = 0; r < dy.rows(); ++r) {
    const float mean = statistics.data<float>()[2 * r];
    const float inverse = statistics.data<float>()[2 * r + 1];
    const RowGradient row{dy.data<float>() + r * d,
                          sum.data<float>() + r * d,
                          gain.data<float>(),
                          out.dx.data<float>() + r * d,
                          out.dsublayer ? out.dsublayer.data<float>() + r * d : nullptr,
                          out.dgain.data<float>(),
                          out.dbias ? out.dbias.data<float>() : nullptr};
    const auto [total, weighted] = reduce_row(row, d, mean, inverse);
    // The mean of an RMSNorm is a constant.
    const float mean_gradient = options.kind == NormKind::layer ? total : 0;
    row_gradient(row, factors, r * d, out.mode, {mean, inverse, mean_gradient, weighted}, d);
  }
}

}  // namespace

void fill_norm_kernels(CpuKernels& kernels) {
  kernels.add_norm = add_norm;
  kernels.add_norm_gradient = add_norm_gradient;
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {

HWY_EXPORT(fill_norm_kernels);
void fill_norm(int64_t target, CpuKernels& kernels) {
  HWY_DISPATCH_TABLE(fill_norm_kernels)[dispatch_index(target)](kernels);
}

}  // namespace heed::cpu
#endif
