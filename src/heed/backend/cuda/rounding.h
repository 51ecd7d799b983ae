// A matrix rounded to bf16, the sums of its columns, and its copy in rows of another length.
#pragma once

#include <cstdint>

#include "heed/backend/kinds.h"

namespace heed::cuda {

// Rows of float in the memory of the device, `stride` elements apart.
struct Rows {
  const float* data;
  int64_t stride;
  int64_t rows, columns;
};

// y = x rounded to bf16, in rows `y_stride` elements apart, a multiple of 8, whose elements beyond
// the columns of x become 0.
void round_to_bf16(const Rows& x, uint16_t* y, int64_t y_stride);

// sums [columns]: of each column of x. `partial` is memory for column_sum_parts(rows) * columns
// values. The order of the sums depends on the number of rows alone.
int64_t column_sum_parts(int64_t rows);
void column_sums(const Rows& x, float* partial, float* sums, WriteMode mode);
// Both, in one pass over x; the sums have the same bits.
void round_and_sum(const Rows& x, uint16_t* y, int64_t y_stride, float* partial, float* sums,
                   WriteMode mode);

// y = x or y += x, where rows of y are contiguous.
void copy_rows(const Rows& x, float* y, WriteMode mode);

}  // namespace heed::cuda
