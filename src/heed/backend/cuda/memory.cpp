#include "heed/backend/cuda/memory.h"

#include <new>

#include "heed/backend/cuda/device.h"

namespace heed::cuda {
namespace {

// Sizes are rounded up, by less than a quarter, so that blocks are used again.
int64_t rounded_up(int64_t bytes) {
  int64_t step = 512;
  while (step * 8 < bytes) step *= 2;
  return (std::max<int64_t>(bytes, 1) + step - 1) / step * step;
}

}  // namespace

CudaMemory::~CudaMemory() {
  release_free_blocks();
}

void CudaMemory::release_free_blocks() {
  for (const auto& [size, block] : free_) cuda::release(block);
  free_.clear();
}

std::byte* CudaMemory::allocate(int64_t bytes) {
  const int64_t size = rounded_up(bytes);
  const std::lock_guard lock(mutex_);
  if (const auto found = free_.find(size); found != free_.end()) {
    std::byte* const block = found->second;
    free_.erase(found);
    return block;
  }
  void* block = cuda::allocate(size);
  if (!block) {
    release_free_blocks();
    block = cuda::allocate(size);
  }
  if (!block) throw std::bad_alloc();
  return static_cast<std::byte*>(block);
}

void CudaMemory::release(std::byte* data, int64_t bytes) noexcept {
  if (!data) return;
  const std::lock_guard lock(mutex_);
  free_.emplace(rounded_up(bytes), data);
}

std::shared_ptr<std::byte> CudaMemory::zeros(int64_t bytes) {
  std::shared_ptr<std::byte> block(allocate(bytes),
                                   [this, bytes](std::byte* data) { release(data, bytes); });
  fill_zeros(block.get(), bytes);
  return block;
}

void CudaMemory::fill_zeros(std::byte* to, int64_t bytes) {
  if (bytes > 0) cuda::fill_zeros(to, bytes);
}
void CudaMemory::copy(const std::byte* from, std::byte* to, int64_t bytes) {
  if (bytes > 0) cuda::copy(from, to, bytes);
}
void CudaMemory::upload(const std::byte* host, std::byte* to, int64_t bytes) {
  if (bytes > 0) cuda::upload(host, to, bytes);
}
void CudaMemory::download(const std::byte* from, std::byte* host, int64_t bytes) {
  if (bytes > 0) cuda::download(from, host, bytes);
}

const std::shared_ptr<TensorMemory>& cuda_memory() {
  static const std::shared_ptr<TensorMemory> memory = std::make_shared<CudaMemory>();
  return memory;
}

}  // namespace heed::cuda
