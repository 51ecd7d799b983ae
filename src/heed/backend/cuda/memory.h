// The memory of a CUDA device, and the scratch memory that is taken from it for a kernel's launch.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "heed/core/tensor.h"

namespace heed::cuda {

// Keeps what is released for the next that asks for as much: the device's own allocator waits for
// all kernels. A block may be given out again at once, since the device does what it is asked in
// order.
class CudaMemory : public TensorMemory {
 public:
  CudaMemory() : TensorMemory(MemoryKind::device) {}
  ~CudaMemory() override;

  std::byte* allocate(int64_t bytes) override;
  void release(std::byte* data, int64_t bytes) noexcept override;
  std::shared_ptr<std::byte> zeros(int64_t bytes) override;
  void fill_zeros(std::byte* to, int64_t bytes) override;
  void copy(const std::byte* from, std::byte* to, int64_t bytes) override;
  void upload(const std::byte* host, std::byte* to, int64_t bytes) override;
  void download(const std::byte* from, std::byte* host, int64_t bytes) override;

 private:
  void release_free_blocks();

  std::mutex mutex_;
  std::multimap<int64_t, std::byte*> free_;  // by size
};

// That of the first device.
const std::shared_ptr<TensorMemory>& cuda_memory();

// The values of a tensor in cuda_memory(), for kernels; null for none.
template <class T>
const T* device_data(const Tensor& tensor) {
  if (!tensor) return nullptr;
  check(tensor.storage()->memory == cuda_memory(), "a tensor that is not in the device's memory");
  check(tensor.dtype() == dtype_of<T>(), "a tensor of another type");
  check(tensor.has_values(), "a tensor whose values were released");
  return reinterpret_cast<const T*>(tensor.storage()->data) + tensor.offset();
}
// The same for values that a kernel writes: a copy of the old ones in bf16 is dropped.
template <class T>
T* device_data(Tensor& tensor) {
  if (tensor) tensor.storage()->rounded.reset();
  return const_cast<T*>(device_data<T>(std::as_const(tensor)));
}

// Memory of the device for the time of one kernel's call, for values or a copy of the host's.
template <class T>
class Scratch {
 public:
  explicit Scratch(int64_t count)
      : bytes_(count * int64_t(sizeof(T))), block_(cuda_memory()->allocate(bytes_)) {}
  explicit Scratch(std::span<const T> values) : Scratch(int64_t(values.size())) {
    cuda_memory()->upload(reinterpret_cast<const std::byte*>(values.data()), block_, bytes_);
  }
  ~Scratch() { cuda_memory()->release(block_, bytes_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  T* data() { return reinterpret_cast<T*>(block_); }
  // Waits for the kernels before.
  std::vector<T> to_host() const {
    std::vector<T> values(size_t(bytes_) / sizeof(T));
    cuda_memory()->download(block_, reinterpret_cast<std::byte*>(values.data()), bytes_);
    return values;
  }

 private:
  int64_t bytes_;
  std::byte* block_;
};

}  // namespace heed::cuda
