// Tensors as NumPy arrays, and arrays as tensors.
#pragma once

#include <nanobind/ndarray.h>

#include "heed/core/tensor.h"
#include "python.h"

namespace heed::python {

// An array of floats in any shape, which nanobind converts from other types and orders.
using InputArray = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
using OutputArray = nb::ndarray<nb::numpy, float>;

// Shares the tensor's memory, which lives as long as the array.
inline OutputArray array_of(const Tensor& tensor) {
  auto* owner = new Tensor(tensor);
  const nb::capsule capsule(owner, [](void* kept) noexcept { delete static_cast<Tensor*>(kept); });
  const std::vector<size_t> shape(tensor.shape().begin(), tensor.shape().end());
  return {owner->data<float>(), shape.size(), shape.data(), capsule};
}

// A copy.
inline Tensor tensor_of_array(const InputArray& array) {
  Shape shape;
  for (size_t i = 0; i < array.ndim(); ++i) shape.push_back(int64_t(array.shape(i)));
  return tensor_of<float>(shape, std::span(array.data(), array.size()));
}

// An empty tensor for None.
inline Tensor tensor_of_array(const std::optional<InputArray>& array) {
  return array ? tensor_of_array(*array) : Tensor();
}

}  // namespace heed::python
