// Matrix products of a device: cuBLASLt's on the hardware (hardware/cublas.cpp), plain loops in the
// emulation of the tests.
#pragma once

#include <string>

#include "heed/backend/kinds.h"
#include "heed/core/tensor.h"

namespace heed::cuda {

// An operand in the memory of the device, its rows `stride` elements apart. The address and the
// stride are multiples of 16 bytes for bf16.
struct Matrix {
  const void* data = nullptr;
  int64_t stride = 0;
};

// result [rows, columns] = left right, summed in fp32 over `depth`.
struct Product {
  // How the operands lie in memory.
  enum class Form {
    forward,         // left [rows, depth], right [columns, depth]: x W^T
    input_gradient,  // left [rows, depth], right [depth, columns]: dy W
    weight_gradient  // left [depth, rows], right [depth, columns]: dy^T x
  };

  Form form;
  DType type;  // of the operands: fp32 or bf16
  int64_t rows = 0, columns = 0, depth = 0;
  Matrix left = {}, right = {};
  float* result = nullptr;
  int64_t stride = 0;  // of the result's rows
  WriteMode mode = WriteMode::overwrite;
  // [columns], added to each row; not with WriteMode::accumulate
  const float* bias = nullptr;
  bool relu = false;  // after the bias, which then is not null
};

// Makes products possible, or says why they are not.
bool find_products(std::string& why_not);

// A row of the result has the same bits whatever the number of rows, except in the form
// weight_gradient, whose bits depend on the shape.
void multiply(const Product& product);

}  // namespace heed::cuda
