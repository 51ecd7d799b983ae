// Shared by all kernels: tails, sums, exp, dropout, transposition. Included once per instruction
// set (see foreach_target.h), hence the guard that toggles.
#if defined(HEED_BACKEND_CPU_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_BACKEND_CPU_SIMD_INL_H_
#undef HEED_BACKEND_CPU_SIMD_INL_H_
#else
#define HEED_BACKEND_CPU_SIMD_INL_H_
#endif

#include <algorithm>
#include <cstring>

#include "heed/core/rng.h"
#include "heed/core/tensor.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;

constexpr Floats kFloats;
constexpr int64_t kLanes = HWY_LANES(float);

HWY_INLINE Vector zero() {
  return hn::Zero(kFloats);
}
HWY_INLINE Vector set(float value) {
  return hn::Set(kFloats, value);
}

// The first min(count, kLanes) elements at p, then zeros; reads no other memory.
HWY_INLINE Vector load(const float* p, int64_t count) {
  if (HWY_LIKELY(count >= kLanes)) return hn::LoadU(kFloats, p);
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  return hn::MaskedLoad(hn::FirstN(kFloats, size_t(count)), kFloats, p);
#else
  HWY_ALIGN float lanes[kLanes] = {};
  std::memcpy(lanes, p, size_t(count) * sizeof(float));
  return hn::Load(kFloats, lanes);
#endif
}

using Halves = hn::Rebind<uint16_t, Floats>;
HWY_INLINE Vector from_bf16(hn::Vec<Halves> bits) {
  const hn::RebindToUnsigned<Floats> words;
  return hn::BitCast(kFloats, hn::ShiftLeft<16>(hn::PromoteTo(words, bits)));
}

// load() of elements in bf16. `count` may be 0 or less, and often is: an unrolled loop asks for
// vectors beyond a narrow head.
HWY_INLINE Vector load(const Bf16* p, int64_t count) {
  if (HWY_LIKELY(count >= kLanes))
    return from_bf16(hn::LoadU(Halves(), reinterpret_cast<const uint16_t*>(p)));
  if (count <= 0) return zero();
  HWY_ALIGN uint16_t lanes[kLanes] = {};
  std::memcpy(lanes, p, size_t(count) * sizeof(Bf16));
  return from_bf16(hn::Load(Halves(), lanes));
}

// Writes the first min(count, kLanes) elements to p and nothing else.
HWY_INLINE void store(Vector value, float* p, int64_t count) {
  if (HWY_LIKELY(count >= kLanes)) return hn::StoreU(value, kFloats, p);
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  hn::BlendedStore(value, hn::FirstN(kFloats, size_t(count)), kFloats, p);
#else
  HWY_ALIGN float lanes[kLanes];
  hn::Store(value, kFloats, lanes);
  std::memcpy(p, lanes, size_t(count) * sizeof(float));
#endif
}

// `value` in the first `count` lanes, `other` in the others.
HWY_INLINE Vector first(Vector value, int64_t count, Vector other) {
  if (HWY_LIKELY(count >= kLanes)) return value;
  return hn::IfThenElse(hn::FirstN(kFloats, size_t(std::max<int64_t>(count, 0))), value, other);
}

// `value` in the lanes [begin, end), `other` in the others.
HWY_INLINE Vector between(Vector value, int64_t begin, int64_t end, Vector other) {
  if (HWY_UNLIKELY(begin > 0))
    value = hn::IfThenElse(hn::FirstN(kFloats, size_t(begin)), other, value);
  return first(value, end, other);
}

HWY_INLINE float sum_of(Vector value) {
  return hn::GetLane(hn::SumOfLanes(kFloats, value));
}
HWY_INLINE float max_of(Vector value) {
  return hn::GetLane(hn::MaxOfLanes(kFloats, value));
}

// The sum of products of two rows.
HWY_INLINE float dot(const float* a, const float* b, int64_t count) {
  Vector sum = zero();
  for (int64_t c = 0; c < count; c += kLanes)
    sum = hn::MulAdd(load(a + c, count - c), load(b + c, count - c), sum);
  return sum_of(sum);
}

// e^x = scale * (1 + rest), where scale is a power of two.
struct ExpParts {
  Vector scale, rest;
};
// For x in [-87.3, 88.37].
HWY_INLINE ExpParts exp_parts(Vector x) {
  const hn::RebindToSigned<Floats> integers;
  const auto power = hn::NearestInt(hn::Mul(x, set(1.44269504f)));
  const Vector n = hn::ConvertTo(kFloats, power);
  // ln 2 in two parts: the product with the first is exact.
  Vector r = hn::MulAdd(n, set(-0.693359375f), x);
  r = hn::MulAdd(n, set(2.12194440e-4f), r);
  // e^r = 1 + r + r^2 q(r) for |r| <= ln(2) / 2; q by a minimax fit, relative error 3e-9.
  Vector q = hn::MulAdd(set(0.001381315873f), r, set(0.008369411342f));
  q = hn::MulAdd(q, r, set(0.041668456048f));
  q = hn::MulAdd(q, r, set(0.166665151715f));
  q = hn::MulAdd(q, r, set(0.499999940395f));
  const auto scale = hn::ShiftLeft<23>(hn::Add(power, hn::Set(integers, 127)));
  return {hn::BitCast(kFloats, scale), hn::MulAdd(hn::Mul(r, r), q, r)};
}

// e^x to about one unit in the last place; 0 below -87.3, 2.4e38 above 88.37; NaN stays NaN.
HWY_INLINE Vector exp(Vector x) {
#if HWY_TARGET == HWY_SCALAR
  if (std::isnan(hn::GetLane(x))) return x;  // Min and Max would give the bound
#endif
  const Vector least = set(-87.33654f);
  // The operands' order lets NaN through on x86.
  const ExpParts e = exp_parts(hn::Min(set(88.37f), hn::Max(least, x)));
  const Vector result = hn::Mul(hn::Add(e.rest, set(1.0f)), e.scale);
  return hn::IfThenZeroElse(hn::Lt(x, least), result);
}

// To about two units in the last place; NaN stays NaN.
HWY_INLINE Vector tanh(Vector x) {
#if HWY_TARGET == HWY_SCALAR
  if (std::isnan(hn::GetLane(x))) return x;
#endif
  // tanh |x| = -m / (2 + m) where m = e^(-2 |x|) - 1, which the parts of the power give without
  // cancellation. Beyond 9.5 it rounds to 1.
  const ExpParts e = exp_parts(hn::Max(set(-19.0f), hn::Mul(hn::Abs(x), set(-2.0f))));
  const Vector m = hn::MulAdd(e.scale, e.rest, hn::Sub(e.scale, set(1.0f)));
  return hn::CopySign(hn::Div(m, hn::Add(set(2.0f), m)), x);
}

// 1 / (1 + e^-x).
HWY_INLINE Vector sigmoid(Vector x) {
  return hn::Div(set(1.0f), hn::Add(set(1.0f), exp(hn::Neg(x))));
}

// Phi(x), the distribution function of the standard normal; `bell` is e^(-x^2 / 2).
HWY_INLINE Vector normal_distribution(Vector x, Vector bell) {
  // Phi(-|x|) = bell * p(t) at t = 1 / (1 + |x| / 4); p by a minimax fit, relative error 1.5e-8.
  const Vector t = hn::Div(set(1.0f), hn::MulAdd(hn::Abs(x), set(0.25f), set(1.0f)));
  Vector p = hn::MulAdd(set(0.03394689783f), t, set(-0.19617821276f));
  p = hn::MulAdd(p, t, set(0.39500337839f));
  p = hn::MulAdd(p, t, set(-0.33347168565f));
  p = hn::MulAdd(p, t, set(0.30448874831f));
  p = hn::MulAdd(p, t, set(-0.02038499154f));
  p = hn::MulAdd(p, t, set(0.12156824023f));
  p = hn::MulAdd(p, t, set(0.09482019395f));
  p = hn::MulAdd(p, t, set(0.10022900253f));
  p = hn::MulAdd(p, t, set(-2.1600410037e-5f));
  const Vector tail = hn::Mul(bell, p);
  return hn::IfThenElse(hn::Lt(x, zero()), tail, hn::Sub(set(1.0f), tail));
}

// Dropout as factors: 0 or scale, by element index, for indices from `first` on. Fast for those
// that have its upper 32 bits.
class DropoutFactors {
 public:
  explicit DropoutFactors(const Dropout& dropout, int64_t first = 0)
      : dropout_(dropout),
        block_(uint64_t(first) >> 32),
        keys_(dropout.keys(block_)),
        threshold_(dropout.threshold()),
        scale_(float(dropout.scale())) {}

  bool on() const { return bool(dropout_); }

  // The factors of elements index, index + 1, ... The same function as Dropout::bits() in
  // core/rng.h.
  HWY_INLINE Vector at(int64_t index) const {
    const hn::RebindToUnsigned<Floats> bits;
    auto first_key = hn::Set(bits, keys_.first), second_key = hn::Set(bits, keys_.second);
    if (HWY_UNLIKELY(uint64_t(index + kLanes - 1) >> 32 != block_)) {
      uint32_t first[kLanes], second[kLanes];
      for (int64_t i = 0; i < kLanes; ++i) {
        const DropoutKeys keys = dropout_.keys(uint64_t(index + i) >> 32);
        first[i] = keys.first;
        second[i] = keys.second;
      }
      first_key = hn::LoadU(bits, first);
      second_key = hn::LoadU(bits, second);
    }
    auto x = hn::Add(hn::Set(bits, uint32_t(index)), hn::Iota(bits, 0));
    x = hn::Mul(hn::Xor(x, first_key), hn::Set(bits, 0x9E3779B1u));
    x = hn::Xor(x, hn::ShiftRight<16>(x));
    x = hn::Mul(hn::Add(x, second_key), hn::Set(bits, 0x21F0AAADu));
    x = hn::Xor(x, hn::ShiftRight<15>(x));
    x = hn::Mul(x, hn::Set(bits, 0x735A2D97u));
    x = hn::Xor(x, hn::ShiftRight<15>(x));
    const auto dropped = hn::Lt(x, hn::Set(bits, threshold_));
    return hn::IfThenZeroElse(hn::RebindMask(kFloats, dropped), set(scale_));
  }

 private:
  Dropout dropout_;
  uint64_t block_;
  DropoutKeys keys_;
  uint32_t threshold_;
  float scale_;
};

// The rows of a matrix that an operand consists of: all from `data` on, or those in a list.
template <class T>
struct RowsOf {
  const T* data;
  int64_t stride;
  const int32_t* list = nullptr;

  const T* at(int64_t i) const { return data + (list ? list[i] : i) * stride; }
  // Those from row i on.
  RowsOf from(int64_t i) const {
    return {list ? data : data + i * stride, stride, list ? list + i : nullptr};
  }
  // Columns from `column` on.
  RowsOf columns(int64_t column) const { return {data + column, stride, list}; }
};
using Rows = RowsOf<float>;

#if HWY_TARGET != HWY_SCALAR
// Four elements from rows[0] + k, rows[4] + k, ...: one row per 128-bit block.
template <class D>
HWY_INLINE hn::Vec<D> load_quads(D d, const float* const* rows, int64_t k) {
  constexpr size_t kCount = hn::MaxLanes(D());
  if constexpr (kCount == 4) {
    return hn::LoadU(d, rows[0] + k);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, load_quads(half, rows + kCount / 2, k), load_quads(half, rows, k));
  }
}
#endif

// Lane i of column[j] is rows[i][k + j]. `rows` holds kLanes pointers.
HWY_INLINE void four_columns(const float* const* rows, int64_t k, Vector (&column)[4]) {
#if HWY_TARGET == HWY_SCALAR
  for (int j = 0; j < 4; ++j) column[j] = set(rows[0][k + j]);
#else
  const hn::Repartition<double, Floats> pairs;
  // quad[j] holds rows j, j + 4, ...: four elements of each, one per 128-bit block.
  Vector quad[4];
  HWY_UNROLL(4)
  for (int j = 0; j < 4; ++j) quad[j] = load_quads(kFloats, rows + j, k);
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(kFloats, quad[0], quad[1]));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(kFloats, quad[0], quad[1]));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(kFloats, quad[2], quad[3]));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(kFloats, quad[2], quad[3]));
  column[0] = hn::BitCast(kFloats, hn::InterleaveLower(pairs, low01, low23));
  column[1] = hn::BitCast(kFloats, hn::InterleaveUpper(pairs, low01, low23));
  column[2] = hn::BitCast(kFloats, hn::InterleaveLower(pairs, high01, high23));
  column[3] = hn::BitCast(kFloats, hn::InterleaveUpper(pairs, high01, high23));
#endif
}

// Lane i is rows[i][k].
HWY_INLINE Vector one_column(const float* const* rows, int64_t k) {
  HWY_ALIGN float lanes[kLanes];
  for (int64_t i = 0; i < kLanes; ++i) lanes[i] = rows[i][k];
  return hn::Load(kFloats, lanes);
}

// Lane i of vector k is rows[i][k], for `depth` values of k: written to out + k * out_stride.
// `rows` holds kLanes pointers. Ranges may overlap if out_stride < kLanes: the later k wins.
HWY_INLINE void transpose(const float* const* rows, int64_t depth, float* out, int64_t out_stride) {
  const int64_t fours = depth / 4 * 4;
  for (int64_t k = 0; k < fours; k += 4) {
    Vector column[4];
    four_columns(rows, k, column);
    HWY_UNROLL(4)
    for (int64_t j = 0; j < 4; ++j) hn::StoreU(column[j], kFloats, out + (k + j) * out_stride);
  }
  for (int64_t k = fours; k < depth; ++k)
    hn::StoreU(one_column(rows, k), kFloats, out + k * out_stride);
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
