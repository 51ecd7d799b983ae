// y = x W^T + b and its gradients.
#include <functional>
#include <optional>

#include "heed/backend/cuda/bf16_weight.h"
#include "heed/backend/cuda/device.h"
#include "heed/backend/cuda/elementwise.h"
#include "heed/backend/cuda/fill.h"
#include "heed/backend/cuda/memory.h"
#include "heed/backend/cuda/products.h"
#include "heed/backend/cuda/rounded_copy.h"
#include "heed/backend/cuda/rounding.h"

namespace heed::cuda {
namespace {

using Form = Product::Form;

std::shared_ptr<const PackedWeight> pack(const Tensor& weight, Purpose) {
  // A form that no other weight holds is packed again in its place.
  const std::shared_ptr<const PackedWeight>& old = weight.storage()->packed;
  const auto* packed = dynamic_cast<const Bf16Weight*>(old.get());
  if (packed && old.use_count() == 1 && packed->can_repack(weight)) {
    const_cast<Bf16Weight*>(packed)->pack(weight);
    return old;
  }
  return std::make_shared<Bf16Weight>(weight);
}

// An operand of products in a compute type. It owns the rounded values, so it must live until the
// product is launched.
class Operand {
 public:
  static Operand of(DType compute, const Tensor& x) {
    if (compute == DType::fp32) return Operand({device_data<float>(x), x.columns()}, x.columns());
    std::shared_ptr<RoundedCopy> copy = RoundedCopy::find(x);
    if (!copy) {
      copy = RoundedCopy::make(x);
      round_to_bf16(rows_of(x), copy->data(), copy->stride());
    }
    return Operand({copy->data(), copy->stride()}, copy->stride(), copy);
  }
  // A weight, by its packed form if it has one.
  static Operand weight(DType compute, const Tensor& weight) {
    if (compute == DType::fp32) return of(compute, weight);
    auto packed = std::dynamic_pointer_cast<const Bf16Weight>(weight.storage()->packed);
    if (!packed || !packed->is_packed_form_of(weight))
      packed = std::make_shared<Bf16Weight>(weight);
    return Operand({packed->bf16(), packed->stride()}, packed->stride(), packed);
  }
  Matrix matrix() const { return matrix_; }
  // Columns with those that pad them.
  int64_t columns() const { return columns_; }

 private:
  Operand(Matrix matrix, int64_t columns, std::shared_ptr<const void> owner = nullptr)
      : matrix_(matrix), columns_(columns), owner_(std::move(owner)) {}

  Matrix matrix_;
  int64_t columns_;
  std::shared_ptr<const void> owner_;
};

// Runs a product whose result has padded columns if bf16's fast products need them, and copies what
// is wanted of it to `result`, contiguous rows of `columns` elements.
void multiply_padded(Product product, int64_t columns, float* result) {
  const int64_t wide = product.type == DType::fp32 ? columns : padded_columns(columns);
  product.columns = product.stride = wide;
  if (wide == columns) {
    product.result = result;
    return multiply(product);
  }
  Scratch<float> scratch(product.rows * wide);
  product.result = scratch.data();
  const WriteMode mode = std::exchange(product.mode, WriteMode::overwrite);
  Scratch<float> bias(wide);
  if (product.bias) {
    copy(product.bias, bias.data(), columns * int64_t(sizeof(float)));
    product.bias = bias.data();
  }
  multiply(product);
  copy_rows({scratch.data(), wide, product.rows, columns}, result, mode);
}

void linear(DType compute, const Tensor& x, const Tensor& weight, const Tensor& bias,
            Activation activation, Tensor& y) {
  if (y.size() == 0) return;
  const Operand left = Operand::of(compute, x), right = Operand::weight(compute, weight);
  float* const result = device_data<float>(y);
  const bool fused = activation == Activation::relu && bias;
  multiply_padded({.form = Form::forward,
                   .type = compute,
                   .rows = y.rows(),
                   .depth = left.columns(),
                   .left = left.matrix(),
                   .right = right.matrix(),
                   .bias = device_data<float>(bias),
                   .relu = fused},
                  y.columns(), result);
  if (activation != Activation::none && !fused) activate(activation, result, result, y.size());
}

void input_gradient(DType compute, const Tensor& dy, const Tensor& weight, Tensor& dx,
                    WriteMode mode) {
  if (dx.size() == 0) return;
  const Operand left = Operand::of(compute, dy), right = Operand::weight(compute, weight);
  multiply_padded({.form = Form::input_gradient,
                   .type = compute,
                   .rows = dx.rows(),
                   .depth = left.columns(),
                   .left = left.matrix(),
                   .right = right.matrix(),
                   .mode = mode},
                  dx.columns(), device_data<float>(dx));
}

// The column sums of columns [first, first + rows of dbias) of dy. If all of dy is wanted, it is
// rounded in the same pass.
void bias_gradient(DType compute, const Tensor& dy, int64_t first, Tensor& dbias, WriteMode mode) {
  const int64_t columns = dbias.size();
  const Rows wanted = {device_data<float>(dy) + first, dy.columns(), dy.rows(), columns};
  Scratch<float> partial(column_sum_parts(dy.rows()) * columns);
  float* const sums = device_data<float>(dbias);
  if (compute == DType::fp32 || columns != dy.columns() || RoundedCopy::find(dy))
    return column_sums(wanted, partial.data(), sums, mode);
  const auto copy = RoundedCopy::make(dy);
  round_and_sum(wanted, copy->data(), copy->stride(), partial.data(), sums, mode);
}

void weight_gradient(DType compute, const Tensor& dy, const Tensor& x, int64_t first,
                     Tensor& dweight, Tensor* dbias, WriteMode mode) {
  if (dbias && dbias->size() > 0) bias_gradient(compute, dy, first, *dbias, mode);
  if (dweight.size() == 0) return;
  if (dy.rows() == 0) {
    if (mode == WriteMode::overwrite) heed::fill_zeros(dweight);
    return;
  }
  const Operand left = Operand::of(compute, dy), right = Operand::of(compute, x);
  const int64_t bytes = first * size_of(compute);
  multiply_padded(
      {.form = Form::weight_gradient,
       .type = compute,
       .rows = dweight.rows(),
       .depth = dy.rows(),
       .left = {static_cast<const std::byte*>(left.matrix().data) + bytes, left.matrix().stride},
       .right = right.matrix(),
       .mode = mode},
      dweight.columns(), device_data<float>(dweight));
}

}  // namespace

void fill_linear(DType compute, Kernels& kernels) {
  const bool rounds = compute == DType::bf16;
  kernels.pack = [rounds](const Tensor& weight, Purpose purpose) {
    return rounds ? pack(weight, purpose) : nullptr;
  };
  kernels.packed_bytes = [rounds](const Tensor& weight, Purpose) {
    return rounds ? Bf16Weight::bytes(weight) : 0;
  };
  kernels.scratch_bytes = [](int64_t) { return int64_t{0}; };
  kernels.linear = std::bind_front(linear, compute);
  kernels.linear_input_gradient = std::bind_front(input_gradient, compute);
  kernels.linear_weight_gradient = std::bind_front(weight_gradient, compute);
}

}  // namespace heed::cuda
