// The operands of heads that share keys and values, and their packed forms.
#if defined(HEED_BACKEND_CPU_PACKED_ATTENTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_BACKEND_CPU_PACKED_ATTENTION_INL_H_
#undef HEED_BACKEND_CPU_PACKED_ATTENTION_INL_H_
#else
#define HEED_BACKEND_CPU_PACKED_ATTENTION_INL_H_
#endif

#include "heed/backend/cpu/attention-inl.h"
#include "heed/backend/cpu/head_panels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::cpu::HWY_NAMESPACE {

// The operand without its first `count` columns, which fill panels.
inline Panels columns_from(const Panels& panels, int64_t count) {
  return {panels.data + count / kPanel * panels.stride, panels.stride};
}

// The operand without its first `count` rows.
inline Panels rows_from(const Panels& panels, int64_t count) {
  return {panels.data + count * kPanel, panels.stride};
}

// One sequence under the heads that share a key-value head: its keys and values.
struct GroupOperands {
  const Sequence& sequence;
  int64_t begin, end;  // the heads
  Rows keys, values;
};

// Those that share key-value head `shared`.
inline GroupOperands group_operands(const Sequence& sequence, const AttentionInput& input,
                                    int64_t shared) {
  const AttentionHeads& heads = sequence.heads;
  const auto rows = [&](const Tensor& tensor, int64_t width) {
    return sequence_rows<float>(tensor, sequence.layout.keys, sequence.index)
        .columns(shared * width);
  };
  return {sequence, shared * heads.group, (shared + 1) * heads.group, rows(input.key, heads.d_key),
          rows(input.value, heads.d_value)};
}

}  // namespace heed::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
