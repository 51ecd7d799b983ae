// Tensors: a shape over shared storage. Values only: gradients live on the tape (autograd/tape.h).
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/core/error.h"
#include "heed/core/tensor_memory.h"

namespace heed {

// The type of a tensor's elements, of the values in a file, and of a backend's matrix products.
// bf16 is the upper half of a float. int8 values have a scale for each row (backend/quantize.h).
enum class DType { fp32, fp64, bf16, int8 };

struct Bf16 {
  uint16_t bits = 0;

  explicit operator float() const { return std::bit_cast<float>(uint32_t(bits) << 16); }
};

constexpr int64_t size_of(DType type) {
  return type == DType::fp32 ? 4 : type == DType::fp64 ? 8 : type == DType::bf16 ? 2 : 1;
}
// As options and messages call it: "fp32", "fp64", "bf16", "int8".
constexpr const char* name(DType type) {
  return type == DType::fp32   ? "fp32"
         : type == DType::fp64 ? "fp64"
         : type == DType::bf16 ? "bf16"
                               : "int8";
}

template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, float>) {
    return DType::fp32;
  } else if constexpr (std::is_same_v<T, double>) {
    return DType::fp64;
  } else if constexpr (std::is_same_v<T, Bf16>) {
    return DType::bf16;
  } else {
    static_assert(std::is_same_v<T, int8_t>);
    return DType::int8;
  }
}

using Shape = std::vector<int64_t>;
int64_t element_count(const Shape& shape);
std::string to_string(const Shape& shape);

// A weight packed for a backend's matrix products: in blocks, in the compute type. Made by
// Backend::pack(); stale after the values changed.
class PackedWeight {
 public:
  virtual ~PackedWeight() = default;
  // Writes row i of the weight, rounded or quantized to the compute type.
  virtual void row(int64_t i, float* out) const = 0;
};

// A block of memory, aligned to 64 bytes, and what a backend derived from it.
struct Storage {
  std::shared_ptr<TensorMemory> memory = host_memory();  // outlives its block
  std::byte* data = nullptr;                             // an address of `memory`
  int64_t bytes = 0;
  std::shared_ptr<void> owner;  // frees the block
  std::shared_ptr<const PackedWeight> packed;
  // The present values in the compute type of a device, for the products that read them again.
  // Whoever writes values drops it.
  std::shared_ptr<const void> rounded;
};

// A handle: copies share storage. Always contiguous, row-major. A default-constructed tensor has no
// storage, and is false. Values are written through a handle that is not const: a function takes
// its inputs as const Tensor&, and what it writes as Tensor&.
class Tensor {
 public:
  Tensor() = default;
  // Values are zero.
  explicit Tensor(Shape shape, DType type = DType::fp32,
                  const std::shared_ptr<TensorMemory>& memory = host_memory());
  // A view of `storage`, which must hold at least offset + element_count(shape) elements.
  Tensor(std::shared_ptr<Storage> storage, Shape shape, DType type, int64_t offset = 0);

  const Shape& shape() const { return shape_; }
  DType dtype() const { return type_; }
  int64_t size() const { return size_; }
  // Negative i counts from the end.
  int64_t dim(int i) const;
  // The last dimension, and the product of all others.
  int64_t columns() const { return shape_.empty() ? 1 : shape_.back(); }
  int64_t rows() const { return columns() == 0 ? 0 : size_ / columns(); }

  // The values, where the host can read them: in host_memory(), or as the result of to_host().
  template <class T>
  const T* data() const {
    return reinterpret_cast<const T*>(host_address(dtype_of<T>()));
  }
  template <class T>
  T* data() {
    return reinterpret_cast<T*>(host_address(dtype_of<T>()));
  }
  template <class T>
  std::span<const T> span() const {
    return {data<T>(), size_t(size_)};
  }
  template <class T>
  std::span<T> span() {
    return {data<T>(), size_t(size_)};
  }
  const std::byte* bytes() const { return host_address(type_); }
  std::byte* bytes() { return host_address(type_); }
  int64_t byte_count() const { return size_ * size_of(type_); }

  // Rows [begin, end) of the first dimension, sharing storage.
  Tensor slice(int64_t begin, int64_t end) const;
  // The same values in another shape of equal size.
  Tensor reshape(Shape shape) const;

  const std::shared_ptr<Storage>& storage() const { return storage_; }
  // The first element's index in the storage.
  int64_t offset() const { return offset_; }
  explicit operator bool() const { return storage_ != nullptr; }

  // Moves the values to another memory, for all handles. Released values stay released.
  void move_to(const std::shared_ptr<TensorMemory>& memory);
  // Frees the values, for all handles: from now on only the packed form can be used.
  void release_values();
  bool has_values() const { return storage_->data != nullptr; }

 private:
  std::byte* host_address(DType type) const {
    check(type_ == type, "tensor read as another type");
    check(has_values(), "tensor read whose values were released");
    check(storage_->memory->is_host(), "tensor of a device read on the host");
    return storage_->data + offset_ * size_of(type_);
  }

  std::shared_ptr<Storage> storage_;
  Shape shape_;
  int64_t size_ = 0;
  int64_t offset_ = 0;
  DType type_ = DType::fp32;
};

// Calls f with the values, a span of floats or doubles, and returns its result.
template <class F>
decltype(auto) with_values(const Tensor& tensor, F&& f) {
  return tensor.dtype() == DType::fp32 ? f(tensor.span<float>()) : f(tensor.span<double>());
}
template <class F>
decltype(auto) with_values(Tensor& tensor, F&& f) {
  return tensor.dtype() == DType::fp32 ? f(tensor.span<float>()) : f(tensor.span<double>());
}

// One element of a tensor of floats or doubles, in the host's memory.
inline double element(const Tensor& tensor, int64_t i) {
  return with_values(tensor, [&](auto values) { return double(values[size_t(i)]); });
}
inline void set_element(Tensor& tensor, int64_t i, double value) {
  with_values(tensor, [&](auto values) {
    values[size_t(i)] = typename decltype(values)::value_type(value);
  });
}

// The tensor itself if it is in the host's memory, or else a copy there.
Tensor to_host(const Tensor& tensor);
// to = from: tensors of the same size and type, each in any memory.
void copy(const Tensor& from, Tensor& to);
void fill_zeros(Tensor& tensor);

// A tensor that holds a copy of `values`. UsageError unless they fill the shape.
template <class T>
Tensor tensor_of(Shape shape, std::span<const T> values);

// A caching allocator for tensors: a tensor's block returns to its pool when the last handle is
// destroyed, and is reused. One pool per worker keeps blocks in its core's cache; a pool may be
// used from any thread.
class TensorPool {
 public:
  explicit TensorPool(std::shared_ptr<TensorMemory> memory = host_memory());
  TensorPool(TensorPool&&) = default;
  TensorPool& operator=(TensorPool&&) = default;
  // Values are not initialised.
  Tensor tensor(Shape shape, DType type = DType::fp32);
  // Bytes of all its blocks, in use or free.
  int64_t bytes_held() const;
  // Frees unused blocks.
  void trim();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// One for each of `count` threads.
std::vector<TensorPool> make_tensor_pools(int count, const std::shared_ptr<TensorMemory>& memory);

}  // namespace heed
