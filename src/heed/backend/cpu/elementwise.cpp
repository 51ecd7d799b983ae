// Kernels that go element by element or row by row: embeddings (sections 3.4 and 3.5), activations,
// dropout, normalization with the residual connection (section 3.1), and the optimizer.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/elementwise.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include <cmath>

#include "heed/backend/cpu/activation-inl.h"
#include "heed/backend/cpu/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

void embed(const Tokens& tokens, const Tensor& table, const Tensor& positions, double scale,
           const Dropout& dropout, Tensor& out) {
  const int64_t d = out.columns();
  const DropoutFactors factors(dropout);
  const Vector factor = set(float(scale));
  std::vector<float> unpacked(table.has_values() ? 0 : size_t(d));
  for (int64_t b = 0; b < tokens.layout.count(); ++b) {
    const int64_t begin = tokens.layout.offsets[size_t(b)];
    for (int64_t i = 0; i < tokens.layout.length(b); ++i) {
      const int64_t r = begin + i;
      const float* row = unpacked.data();
      if (table.has_values())
        row = table.data<float>() + tokens.ids[size_t(r)] * d;
      else
        table.storage()->packed->row(tokens.ids[size_t(r)], unpacked.data());
      const float* position =
          positions ? positions.data<float>() + (tokens.start_of(b) + i) * d : nullptr;
      float* to = out.data<float>() + r * d;
      for (int64_t c = 0; c < d; c += kLanes) {
        const Vector added = position ? load(position + c, d - c) : zero();
        Vector value = hn::MulAdd(load(row + c, d - c), factor, added);
        if (factors.on()) value = hn::Mul(value, factors.at(r * d + c));
        store(value, to + c, d - c);
      }
    }
  }
}

void embed_gradient(const Tokens& tokens, const Tensor& dout, double scale, const Dropout& dropout,
                    TokenId padding_id, Tensor& dtable) {
  const int64_t d = dtable.columns();
  const DropoutFactors factors(dropout);
  const Vector factor = set(float(scale));
  for (int64_t r = 0; r < int64_t(tokens.ids.size()); ++r) {
    if (tokens.ids[size_t(r)] == padding_id) continue;
    float* row = dtable.data<float>() + tokens.ids[size_t(r)] * d;
    const float* gradient = dout.data<float>() + r * d;
    for (int64_t c = 0; c < d; c += kLanes) {
      Vector value = load(gradient + c, d - c);
      if (factors.on()) value = hn::Mul(value, factors.at(r * d + c));
      store(hn::MulAdd(value, factor, load(row + c, d - c)), row + c, d - c);
    }
  }
}

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

// The mean and inverse deviation that a row was normalized by, and the means of reduce_row().
struct RowStatistics {
  float mean, inverse, mean_g, mean_g_normal;
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
        hn::NegMulAdd(normal, set(statistics.mean_g_normal), hn::Sub(g, set(statistics.mean_g)));
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
    const auto [mean_g, mean_g_normal] = reduce_row(row, d, mean, inverse);
    // The mean of an RMSNorm is a constant.
    const float mean_gradient = options.kind == NormKind::layer ? mean_g : 0;
    row_gradient(row, factors, r * d, out.mode, {mean, inverse, mean_gradient, mean_g_normal}, d);
  }
}

void drop(const Tensor& x, const Dropout& dropout, Tensor& y) {
  const float* from = x.data<float>();
  float* to = y.data<float>();
  const int64_t size = y.size();
  const DropoutFactors factors(dropout);
  for (int64_t i = 0; i < size; i += kLanes) {
    Vector value = load(from + i, size - i);
    if (factors.on()) value = hn::Mul(value, factors.at(i));
    store(value, to + i, size - i);
  }
}

void add(const Tensor& x, Tensor& y) {
  const float* from = x.data<float>();
  float* to = y.data<float>();
  const int64_t size = y.size();
  for (int64_t i = 0; i < size; i += kLanes)
    store(hn::Add(load(to + i, size - i), load(from + i, size - i)), to + i, size - i);
}

double sum_of_squares(const Tensor& x) {
  // Squares are taken in double: the square of a large float would overflow.
  const hn::Repartition<double, Floats> doubles;
  const hn::Rebind<float, decltype(doubles)> halves;
  constexpr int64_t kStep = HWY_LANES(double);
  const float* from = x.data<float>();
  const int64_t size = x.size(), whole = size / (4 * kStep) * (4 * kStep);
  hn::Vec<decltype(doubles)> sums[4];
  HWY_UNROLL(4)
  for (auto& sum : sums) sum = hn::Zero(doubles);
  for (int64_t i = 0; i < whole; i += 4 * kStep) {
    HWY_UNROLL(4)
    for (int64_t j = 0; j < 4; ++j) {
      const auto value = hn::PromoteTo(doubles, hn::LoadU(halves, from + i + j * kStep));
      sums[j] = hn::MulAdd(value, value, sums[j]);
    }
  }
  const auto sum = hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]));
  double total = hn::GetLane(hn::SumOfLanes(doubles, sum));
  for (int64_t i = whole; i < size; ++i) total += double(from[i]) * double(from[i]);
  return total;
}

// Kingma and Ba, algorithm 1, with Loshchilov and Hutter's decay, in one pass. The decay is added
// to the change before this is subtracted from the parameter: with a decay of 0 the bits are those
// of Adam.
template <bool kAverages>
void adam_elements(const AdamStep& step, const Tensor& gradient, Tensor& parameter, Tensor& m,
                   Tensor& v, float* ema) {
  const double correction1 = 1 - std::pow(step.beta1, double(step.step));
  const double correction2 = 1 - std::pow(step.beta2, double(step.step));
  const Vector beta1 = set(float(step.beta1)), rest1 = set(float(1 - step.beta1));
  const Vector beta2 = set(float(step.beta2)), rest2 = set(float(1 - step.beta2));
  const Vector rate = set(float(step.learning_rate / correction1));
  const Vector inverse2 = set(float(1 / correction2)), epsilon = set(float(step.epsilon));
  const Vector gradient_scale = set(float(step.gradient_scale));
  const Vector decay = set(float(step.learning_rate * step.weight_decay));
  const Vector rest_of_ema = set(float(1 - step.ema_decay));
  const float* gradients = gradient.data<float>();
  float *values = parameter.data<float>(), *firsts = m.data<float>(), *seconds = v.data<float>();
  const int64_t size = parameter.size();
  for (int64_t i = 0; i < size; i += kLanes) {
    const int64_t left = size - i;
    const Vector g = hn::Mul(load(gradients + i, left), gradient_scale);
    const Vector first = hn::MulAdd(load(firsts + i, left), beta1, hn::Mul(g, rest1));
    const Vector second = hn::MulAdd(load(seconds + i, left), beta2, hn::Mul(hn::Mul(g, g), rest2));
    store(first, firsts + i, left);
    store(second, seconds + i, left);
    const Vector divisor = hn::Add(hn::Sqrt(hn::Mul(second, inverse2)), epsilon);
    const Vector old = load(values + i, left);
    const Vector change = hn::MulAdd(old, decay, hn::Div(hn::Mul(first, rate), divisor));
    const Vector updated = hn::Sub(old, change);
    store(updated, values + i, left);
    if constexpr (kAverages) {
      const Vector mean = load(ema + i, left);
      store(hn::MulAdd(hn::Sub(updated, mean), rest_of_ema, mean), ema + i, left);
    }
  }
}

void adam(const AdamStep& step, const Tensor& gradient, Tensor& parameter, Tensor& m, Tensor& v,
          Tensor* ema) {
  if (ema)
    adam_elements<true>(step, gradient, parameter, m, v, ema->data<float>());
  else
    adam_elements<false>(step, gradient, parameter, m, v, nullptr);
}

}  // namespace

void fill_elementwise_kernels(CpuKernels& kernels) {
  kernels.embed = embed;
  kernels.embed_gradient = embed_gradient;
  kernels.add_norm = add_norm;
  kernels.add_norm_gradient = add_norm_gradient;
  kernels.activate = activate;
  kernels.activation_gradient = activation_gradient;
  kernels.dropout = drop;
  kernels.add = add;
  kernels.sum_of_squares = sum_of_squares;
  kernels.adam = adam;
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {

HWY_EXPORT(fill_elementwise_kernels);
void fill_elementwise(int64_t target, CpuKernels& kernels) {
  HWY_DISPATCH_TABLE(fill_elementwise_kernels)[dispatch_index(target)](kernels);
}

}  // namespace heed::cpu
#endif
