// Which entry of a table made by HWY_EXPORT belongs to a given instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hwy/targets.h"

namespace heed::cpu {

inline size_t dispatch_index(int64_t target) {
  if constexpr ((HWY_TARGETS & (HWY_TARGETS - 1)) == 0) return 0;
  hwy::ChosenTarget chosen;
  chosen.Update(target);
  return chosen.GetIndex();
}

}  // namespace heed::cpu
