// A weight as the products of a CUDA device read it.
#pragma once

#include "heed/backend/cuda/rounded_copy.h"
#include "heed/backend/cuda/rounding.h"

namespace heed::cuda {

// A weight [out, in] rounded to bf16, with padded rows and columns.
class Bf16Weight : public PackedWeight {
 public:
  explicit Bf16Weight(const Tensor& weight)
      : rows_(weight.rows()),
        columns_(weight.columns()),
        values_({padded_columns(rows_), padded_columns(columns_)}, DType::bf16, cuda_memory()) {
    pack(weight);
  }
  void pack(const Tensor& weight) {
    round_to_bf16(rows_of(weight), reinterpret_cast<uint16_t*>(device_data<Bf16>(values_)),
                  stride());
  }
  // Whether pack(weight) gives the same as a new object.
  bool can_repack(const Tensor& weight) const {
    return weight.rows() == rows_ && weight.columns() == columns_;
  }
  static int64_t bytes(const Tensor& weight) {
    return padded_columns(weight.rows()) * padded_columns(weight.columns()) * size_of(DType::bf16);
  }

  void row(int64_t i, float* out) const override {
    const Tensor host = to_host(values_.slice(i, i + 1));
    for (int64_t k = 0; k < columns_; ++k) out[k] = float(host.data<Bf16>()[k]);
  }
  // Its address in the memory of the device.
  const uint16_t* bf16() const {
    return reinterpret_cast<const uint16_t*>(device_data<Bf16>(values_));
  }
  // Between rows, in elements.
  int64_t stride() const { return values_.columns(); }
  // Whether this is the packed form of `weight` or of more rows that begin with it.
  bool is_packed_form_of(const Tensor& weight) const {
    return weight.offset() == 0 && weight.columns() == columns_ && weight.rows() <= rows_;
  }

 private:
  int64_t rows_, columns_;
  Tensor values_;
};

}  // namespace heed::cuda
