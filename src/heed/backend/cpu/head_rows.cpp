// The kernels of backend/head_rows.h: rotary positions, cosine normalisation, a linear layer for
// each head, elementwise products.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/backend/cpu/head_rows.cpp"
#include "hwy/foreach_target.h"
// after foreach_target.h
#include <cmath>

#include "heed/backend/cpu/gemm-inl.h"
#include "heed/backend/cpu/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {
namespace {

// Writes a vector of results as `mode` says.
HWY_INLINE void put(Vector value, float* to, int64_t count, WriteMode mode) {
  if (mode == WriteMode::accumulate) value = hn::Add(load(to, count), value);
  store(value, to, count);
}

// Cosines and sines of the angles of one position: [half] each. Angles are computed in double: a
// float of a large angle has no digits left behind the point.
void put_angles(int32_t position, const double* frequencies, int64_t half, float* out) {
  for (int64_t c = 0; c < half; ++c) {
    const double angle = double(position) * frequencies[c];
    out[c] = float(std::cos(angle));
    out[half + c] = float(std::sin(angle));
  }
}

// The cosines and sines for each row of a call. Where positions repeat, as in a batch of sentences,
// each is computed once.
class Angles {
 public:
  Angles(const Indices& positions, int64_t half) : positions_(positions), half_(half) {
    for (int64_t c = 0; c < half; ++c)
      frequencies_.push_back(std::pow(10000.0, -double(c) / double(half)));
    const auto [least, most] = std::minmax_element(positions.begin(), positions.end());
    const int64_t count = positions.empty() ? 0 : int64_t(*most) - *least + 1;
    if (count > 0) first_ = *least;
    shared_ = count <= int64_t(positions.size());
    table_ = scratch(Scratch::angles, 2 * half * (shared_ ? count : 1));
    for (int64_t i = 0; shared_ && i < count; ++i)
      put_angles(int32_t(first_ + i), frequencies_.data(), half, table_ + 2 * half * i);
  }

  // [2 * half] of row r; valid until the next call.
  const float* of_row(int64_t r) {
    if (shared_) return table_ + 2 * half_ * (positions_[size_t(r)] - first_);
    put_angles(positions_[size_t(r)], frequencies_.data(), half_, table_);
    return table_;
  }

 private:
  const Indices& positions_;
  int64_t half_, first_ = 0;
  std::vector<double> frequencies_;
  bool shared_ = false;
  float* table_ = nullptr;
};

void rotate(const Tensor& x, const Rotation& rotation, Tensor& y, WriteMode mode) {
  const int64_t columns = x.columns(), half = columns / rotation.heads / 2;
  const float sign = rotation.direction == Rotation::Direction::forward ? 1.0f : -1.0f;
  Angles angles(rotation.positions, half);
  for (int64_t r = 0; r < x.rows(); ++r) {
    const float* cosines = angles.of_row(r);
    for (int64_t h = 0; h < rotation.heads; ++h) {
      const float* from = x.data<float>() + r * columns + 2 * h * half;
      float* to = y.data<float>() + r * columns + 2 * h * half;
      for (int64_t c = 0; c < half; c += kLanes) {
        const int64_t left = half - c;
        const Vector cosine = load(cosines + c, left);
        const Vector sine = hn::Mul(load(cosines + half + c, left), set(sign));
        const Vector a = load(from + c, left), b = load(from + half + c, left);
        put(hn::NegMulAdd(b, sine, hn::Mul(a, cosine)), to + c, left, mode);
        put(hn::MulAdd(a, sine, hn::Mul(b, cosine)), to + half + c, left, mode);
      }
    }
  }
}

float inverse_length(const float* x, int64_t d, double epsilon) {
  return float(1 / std::sqrt(double(dot(x, x, d)) + epsilon));
}

void normalize_heads(const Tensor& x, const Tensor& gain, const HeadNormOptions& options,
                     Tensor& y) {
  const int64_t d = x.columns() / options.heads;
  for (int64_t i = 0; i < x.rows() * options.heads; ++i) {
    const float* from = x.data<float>() + i * d;
    float* to = y.data<float>() + i * d;
    const float own = gain ? gain.data<float>()[i % options.heads] : 1.0f;
    const Vector factor =
        set(float(options.scale) * own * inverse_length(from, d, options.epsilon));
    for (int64_t c = 0; c < d; c += kLanes)
      store(hn::Mul(load(from + c, d - c), factor), to + c, d - c);
  }
}

void normalize_heads_gradient(const Tensor& dy, const Tensor& x, const Tensor& gain,
                              const HeadNormOptions& options, const HeadNormGradient& gradient) {
  const int64_t d = x.columns() / options.heads;
  for (int64_t i = 0; i < x.rows() * options.heads; ++i) {
    const float *from = x.data<float>() + i * d, *dy_row = dy.data<float>() + i * d;
    float* to = gradient.dx.data<float>() + i * d;
    const int64_t h = i % options.heads;
    const float inverse = inverse_length(from, d, options.epsilon);
    const float own = gain ? gain.data<float>()[h] : 1.0f;
    // The component of dy along x, dy . x / |x|; times the scale it is the gradient of the gain.
    const float along = dot(dy_row, from, d) * inverse;
    if (gradient.dgain) gradient.dgain->data<float>()[h] += float(options.scale) * along;
    const Vector factor = set(float(options.scale) * own * inverse);
    const Vector shrink = set(along * inverse);
    for (int64_t c = 0; c < d; c += kLanes) {
      const int64_t left = d - c;
      const Vector across = hn::NegMulAdd(load(from + c, left), shrink, load(dy_row + c, left));
      put(hn::Mul(factor, across), to + c, left, gradient.mode);
    }
  }
}

// The shapes of a linear layer for each head.
struct HeadWeights {
  int64_t rows, heads, in, out;
  HeadWeights(int64_t rows, int64_t columns, const Tensor& weight)
      : rows(rows),
        heads(columns / weight.columns()),
        in(weight.columns()),
        out(weight.rows() / heads) {}
};

void linear_heads(const Tensor& x, const Tensor& weight, Tensor& y) {
  const HeadWeights s(x.rows(), x.columns(), weight);
  for (int64_t h = 0; h < s.heads; ++h) {
    const Rows rows{weight.data<float>() + h * s.out * s.in, s.in};
    multiply({x.data<float>() + h * s.in, x.columns(), Order::row_major},
             pack_transposed(rows, s.out, s.in, Scratch::right_operand), s.rows, s.out, s.in,
             {y.data<float>() + h * s.out, y.columns()});
  }
}

void linear_heads_input_gradient(const Tensor& dy, const Tensor& weight, Tensor& dx,
                                 WriteMode mode) {
  const HeadWeights s(dx.rows(), dx.columns(), weight);
  for (int64_t h = 0; h < s.heads; ++h) {
    const Rows rows{weight.data<float>() + h * s.out * s.in, s.in};
    multiply({dy.data<float>() + h * s.out, dy.columns(), Order::row_major},
             pack_plain(rows, s.out, s.in, Scratch::right_operand), s.rows, s.in, s.out,
             {dx.data<float>() + h * s.in, dx.columns(), mode});
  }
}

void linear_heads_weight_gradient(const Tensor& dy, const Tensor& x, Tensor& dweight,
                                  WriteMode mode) {
  constexpr int64_t kRowBlock = 512;  // rows whose packed form stays in the cache
  const HeadWeights s(x.rows(), x.columns(), dweight);
  for (int64_t h = 0; h < s.heads; ++h) {
    WriteMode own = mode;
    // At least once: a sum over no rows is zero.
    for (int64_t r = 0; r == 0 || r < s.rows; r += kRowBlock, own = WriteMode::accumulate) {
      const int64_t count = std::min(kRowBlock, s.rows - r);
      const Rows rows{x.data<float>() + r * x.columns() + h * s.in, x.columns()};
      multiply({dy.data<float>() + r * dy.columns() + h * s.out, dy.columns(), Order::column_major},
               pack_plain(rows, count, s.in, Scratch::right_operand), s.out, s.in, count,
               {dweight.data<float>() + h * s.out * s.in, s.in, own});
    }
  }
}

void multiply_elements(const Tensor& a, const Tensor& b, Tensor& y, WriteMode mode) {
  const int64_t size = y.size();
  for (int64_t i = 0; i < size; i += kLanes)
    put(hn::Mul(load(a.data<float>() + i, size - i), load(b.data<float>() + i, size - i)),
        y.data<float>() + i, size - i, mode);
}

}  // namespace

void fill_head_row_kernels(CpuKernels& kernels) {
  kernels.rotate = rotate;
  kernels.normalize_heads = normalize_heads;
  kernels.normalize_heads_gradient = normalize_heads_gradient;
  kernels.linear_heads = linear_heads;
  kernels.linear_heads_input_gradient = linear_heads_input_gradient;
  kernels.linear_heads_weight_gradient = linear_heads_weight_gradient;
  kernels.multiply = multiply_elements;
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::cpu {

HWY_EXPORT(fill_head_row_kernels);
void fill_head_rows(int64_t target, CpuKernels& kernels) {
  HWY_DISPATCH_TABLE(fill_head_row_kernels)[dispatch_index(target)](kernels);
}

}  // namespace heed::cpu
#endif
