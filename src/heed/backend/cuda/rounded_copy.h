// The copy of a tensor in bf16 that products read.
#pragma once

#include <memory>

#include "heed/backend/cuda/memory.h"
#include "heed/backend/cuda/rounding.h"

namespace heed::cuda {

// Rows of bf16 are a multiple of 16 bytes long, as the fast products demand; what is beyond the
// columns is 0.
constexpr int64_t padded_columns(int64_t columns) {
  return (columns + 7) / 8 * 8;
}

// A tensor's rows, for the kernels of rounding.h.
inline Rows rows_of(const Tensor& x) {
  return {device_data<float>(x), x.columns(), x.rows(), x.columns()};
}

// A tensor rounded to bf16. It is kept with the tensor's values until they change: the layers of an
// attention share a copy of their common input, and a backward pass uses that of the forward pass.
class RoundedCopy {
 public:
  explicit RoundedCopy(const Tensor& x)
      : offset_(x.offset()),
        rows_(x.rows()),
        columns_(x.columns()),
        values_(x.rows() * padded_columns(x.columns())) {}

  // The copy that is kept with the tensor; null if there is none.
  static std::shared_ptr<RoundedCopy> find(const Tensor& x) {
    auto kept = std::static_pointer_cast<const RoundedCopy>(x.storage()->rounded);
    const bool fits = kept && kept->offset_ == x.offset() && kept->rows_ == x.rows() &&
                      kept->columns_ == x.columns();
    return fits ? std::const_pointer_cast<RoundedCopy>(kept) : nullptr;
  }
  // A new one, which is kept with the tensor; the caller writes its values.
  static std::shared_ptr<RoundedCopy> make(const Tensor& x) {
    auto copy = std::make_shared<RoundedCopy>(x);
    x.storage()->rounded = copy;
    return copy;
  }

  uint16_t* data() { return values_.data(); }
  int64_t stride() const { return padded_columns(columns_); }

 private:
  int64_t offset_, rows_, columns_;
  Scratch<uint16_t> values_;
};

}  // namespace heed::cuda
