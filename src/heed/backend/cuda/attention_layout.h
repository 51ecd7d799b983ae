// AttentionLayout (backend/backend.h) in the memory of the device.
#pragma once

#include <optional>

#include "heed/backend/backend.h"
#include "heed/backend/cuda/layout.h"
#include "heed/backend/cuda/memory.h"

namespace heed::cuda {

// Whether a kernel reads Layout::pairs.
enum class Pairs { unneeded, needed };

// For the time of one kernel's call.
struct LayoutOnDevice {
  LayoutOnDevice(const AttentionLayout& from, Pairs pairs);

  Layout layout;

 private:
  std::optional<Scratch<int64_t>> pairs_;
};

}  // namespace heed::cuda
