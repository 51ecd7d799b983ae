// Packs the part of a matrix that belongs to one head, for the products of gemm-inl.h.
#if defined(HEED_BACKEND_CPU_HEAD_PANELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_BACKEND_CPU_HEAD_PANELS_INL_H_
#undef HEED_BACKEND_CPU_HEAD_PANELS_INL_H_
#else
#define HEED_BACKEND_CPU_HEAD_PANELS_INL_H_
#endif

#include "heed/backend/cpu/gemm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

// `rows` [count, depth] as a right operand whose columns they are.
inline Panels pack_transposed(const Rows& rows, int64_t count, int64_t depth, Scratch use) {
  const int64_t stride = depth * kPanel;
  float* out = scratch(use, divide_up(count, kPanel) * stride);
  pack_columns(rows, count, depth, stride, out);
  return {out, stride};
}

// `rows` [count, width] as a right operand whose rows they are.
inline Panels pack_plain(const Rows& rows, int64_t count, int64_t width, Scratch use) {
  const int64_t stride = count * kPanel;
  float* out = scratch(use, divide_up(width, kPanel) * stride);
  pack_rows<Fp32>(rows, count, width, out);
  return {out, stride};
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
