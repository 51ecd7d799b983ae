#include "heed/backend/cuda/products.h"

namespace heed::cuda {
namespace {

float element(DType type, const Matrix& matrix, int64_t row, int64_t column) {
  const int64_t i = row * matrix.stride + column;
  return type == DType::fp32 ? static_cast<const float*>(matrix.data)[i]
                             : float(static_cast<const Bf16*>(matrix.data)[i]);
}

}  // namespace

bool find_products(std::string&) {
  return true;
}

void multiply(const Product& product) {
  using Form = Product::Form;
  const auto left = [&](int64_t row, int64_t k) {
    return product.form == Form::weight_gradient ? element(product.type, product.left, k, row)
                                                 : element(product.type, product.left, row, k);
  };
  const auto right = [&](int64_t k, int64_t column) {
    return product.form == Form::forward ? element(product.type, product.right, column, k)
                                         : element(product.type, product.right, k, column);
  };
  for (int64_t row = 0; row < product.rows; ++row)
    for (int64_t column = 0; column < product.columns; ++column) {
      float sum = 0;
      for (int64_t k = 0; k < product.depth; ++k) sum += left(row, k) * right(k, column);
      float& result = product.result[row * product.stride + column];
      if (product.bias) sum += product.bias[column];
      if (product.relu && sum < 0) sum = 0;
      result = product.mode == WriteMode::accumulate ? result + sum : sum;
    }
}

}  // namespace heed::cuda
